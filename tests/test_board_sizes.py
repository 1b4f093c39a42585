"""Sizes known before building, against counting."""

import tracemalloc

import pytest
from hypothesis import given
from oracles import cells_on_lines
from strategies import instances, modes

from qubo_queens import Instance, build, forecast, reduce
from qubo_queens.board import sizes as sizes_module
from qubo_queens.board.sizes import Sizes, sizes
from qubo_queens.generate import blocked, excluded_diagonals, planted


def counted_sizes(reduction):
    """Count the free cells and the pairs of them on each line."""
    free = set(reduction.free_cells)
    pairs = {"row": 0, "column": 0, "sum": 0, "difference": 0}
    for (kind, _), cells in cells_on_lines(reduction.instance.n).items():
        count = len(free.intersection(cells))
        pairs[kind] += count * (count - 1) // 2
    return Sizes(
        len(free), pairs["row"] + pairs["column"], pairs["sum"] + pairs["difference"], True
    )


@pytest.mark.parametrize("n", range(1, 21))
def test_closed_forms_agree_with_counting(n):
    assert sizes(reduce(n)) == counted_sizes(reduce(n))


@given(instances(max_n=9), modes)
def test_reduced_boards_are_counted(instance, mode):
    reduction = reduce(instance, mode)
    assert sizes(reduction) == counted_sizes(reduction)


def mixed_instance(n, seed):
    """Return a seeded instance with prescribed, blocked and excluded parts."""
    return Instance(
        n,
        planted(n, n // 6, seed=seed).queens,
        blocked=blocked(n, 2 * n, seed=seed, planted=False).blocked,
        excluded_sums=excluded_diagonals(n, n // 5, seed=seed, planted=False).excluded_sums,
    )


ESTIMATED = [
    planted(150, 30, seed=1),
    blocked(150, 2_000, seed=2),
    excluded_diagonals(150, 100, seed=3),
    mixed_instance(150, seed=4),
    mixed_instance(150, seed=5),
]


def estimate(monkeypatch, reduction, sampled):
    """Return the sizes as on a board too large to be counted, from `sampled` lines a family."""
    monkeypatch.setattr(sizes_module, "EXACT_CELLS", 0)
    monkeypatch.setattr(sizes_module, "_SAMPLED_LINES", (sampled, sampled))
    estimated = sizes(reduction)
    assert not estimated.exact
    return estimated


@pytest.mark.parametrize("instance", ESTIMATED, ids=range(len(ESTIMATED)))
@pytest.mark.parametrize("mode", ["none", "lines"])
def test_estimates_from_half_of_the_lines_are_close(monkeypatch, instance, mode):
    reduction = reduce(instance, mode)
    exact = sizes(reduction)
    assert exact.exact
    estimated = estimate(monkeypatch, reduction, sampled=75)
    assert estimated.cells == pytest.approx(exact.cells, rel=0.02)
    assert estimated.row_column_pairs == pytest.approx(exact.row_column_pairs, rel=0.02)
    assert estimated.diagonal_pairs == pytest.approx(exact.diagonal_pairs, rel=0.02)


@pytest.mark.parametrize("instance", ESTIMATED, ids=range(len(ESTIMATED)))
def test_an_estimate_from_all_lines_is_the_count(monkeypatch, instance):
    reduction = reduce(instance)
    exact = sizes(reduction)
    estimated = estimate(monkeypatch, reduction, sampled=400)
    assert estimated == Sizes(
        exact.cells, exact.row_column_pairs, exact.diagonal_pairs, exact=False
    )


@pytest.mark.parametrize("kind", ["excluded_sums", "excluded_differences"])
def test_a_large_board_without_open_diagonal_has_no_cell(kind):
    n = 6_000  # above EXACT_CELLS
    everything = range(2 * n - 1) if kind == "excluded_sums" else range(1 - n, n)
    assert sizes(reduce(Instance(n, **{kind: everything}))) == Sizes(0, 0, 0, exact=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_chains_of_a_ladder_are_forecast_from_ends_and_lengths(monkeypatch, seed):
    instance = blocked(9, 40, seed=seed)
    model = build(instance, "ladder", reduce="none")
    assert model.forecast.exact
    assert (model.num_variables, model.num_interactions) == model.bqm.shape
    monkeypatch.setattr(sizes_module, "EXACT_CELLS", 0)
    bound = build(instance, "ladder", reduce="none").forecast
    assert not bound.exact
    assert bound.variables >= model.num_variables
    assert bound.interactions >= model.num_interactions


def test_a_large_ladder_is_forecast_in_little_memory():
    instance = Instance(3000, blocked=[(1500, 1500)])
    tracemalloc.start()
    try:
        size = forecast(instance, "ladder", reduce="none")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # the chains pass over the blocked cell, and its link has two couplings less on each line
    plain = forecast(3000, "ladder")
    assert (size.variables, size.interactions) == (plain.variables - 1, plain.interactions - 8)
    assert peak < 10**9
