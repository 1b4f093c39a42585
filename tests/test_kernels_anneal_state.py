"""What the board kernels keep agrees with the queens, counted from nothing, after any sweeps."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from chains import KERNELS, board_for
from hypothesis import given
from hypothesis import strategies as st
from oracles import free_cells, full_energy
from strategies import instances, integer_strengths, modes

from qubo_queens import Instance, build, generate
from qubo_queens.kernels import flip_grid
from qubo_queens.kernels.grid import CLOSED
from qubo_queens.kernels.queen_lists import AFTER, COLUMN, FREE, USED
from qubo_queens.kernels.rng import random_state
from qubo_queens.samplers.annealers import flip
from qubo_queens.samplers.annealers.flip import begin_run

NEVER = -np.inf
BETAS = [[], [0.0], [0.3] * 4, [1.0, 0.0, 2.0] * 3, [3.0] * 25]

seeds = st.integers(0, 2**64 - 1)
grid_or_list = st.sampled_from(KERNELS[:2])
consistent = instances(1, 7).filter(lambda instance: not instance.contradictions())
models = st.builds(
    lambda instance, mode, strengths: build(
        instance,
        reduce=mode,
        row_column_strength=strengths[0],
        diagonal_strength=strengths[1],
    ),
    consistent,
    modes,
    integer_strengths,
)


def start(model, kernel, seed=1, cells=None):
    """Begin a read at random, or with queens on the given cells."""
    board, unit = board_for(model, kernel)
    queens = None if cells is None else tuple(np.array(cells, np.int64).reshape(-1, 2).T)
    return begin_run(board, random_state(np.uint64(seed)), queens), unit


def cells_of(run):
    rows, columns = run.queens()
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def lines_of(kind, cell, n):
    """The place of a line through a cell among those of its kind."""
    row, column = cell
    return {"row": row, "column": column, "total": row + column}.get(kind, row - column + n - 1)


def check(model, run, unit):
    """Compare all that a run keeps with its queens."""
    cells = cells_of(run)
    instance = model.instance
    assert cells == sorted(set(cells))
    assert set(cells) <= set(free_cells(instance, model.reduction.mode))
    check_counts(model, run, [*cells, *model.reduction.queens])
    strengths = model.strengths.row_column, model.strengths.diagonal
    energy = full_energy(instance, [*cells, *model.reduction.queens], *strengths)
    sample = {cell: int(cell in cells) for cell in model.variables}
    assert run.energy * unit + model.offset == energy == model.bqm.energy(sample)
    if hasattr(run, "_queens"):
        check_lists(run, cells)


def check_counts(model, run, queens):
    """Compare the line counts; closed diagonals have no free cell."""
    n, grid = model.instance.n, run._board.grid
    numbers = {"row": grid.rows, "column": grid.columns}
    for kind, counts in run._counts._asdict().items():
        expected = Counter(lines_of(kind, queen, n) for queen in queens)
        places = numbers.get(kind, np.arange(2 * n - 1)).tolist()
        assert (counts % CLOSED).tolist() == [expected[place] for place in places]
        if kind not in numbers:
            free = {lines_of(kind, cell, n) for cell in model.variables}
            assert free.isdisjoint(np.flatnonzero(counts >= CLOSED).tolist())


def check_lists(run, cells):
    """Compare the linked lists of queens, the empty columns, the sums and the active rows."""
    state, nodes, grid, counts = run._queens, run._nodes, run._board.grid, run._counts
    in_row, used = defaultdict(list), []
    for row, node in enumerate(state.first.tolist()):
        while node >= 0:
            in_row[row].append(int(nodes[node, COLUMN]))
            used.append(node)
            node = int(nodes[node, AFTER])
        assert in_row[row] == sorted(set(in_row[row]))
    positions = [(row, column) for row in sorted(in_row) for column in in_row[row]]
    assert [(int(grid.rows[r]), int(grid.columns[c])) for r, c in positions] == cells
    node = int(state.pool[FREE])
    while node >= 0:
        used.append(node)
        node = int(nodes[node, AFTER])
    assert sorted(used) == list(range(state.pool[USED]))
    check_empty_columns(state.next_empty.tolist(), counts.column.tolist())
    last = grid.last
    for kind in ("column", "total", "difference"):
        sums = np.zeros(len(getattr(state, f"on_{kind}")), np.int64)
        for (row, column), cell in zip(positions, cells, strict=True):
            sums[column if kind == "column" else lines_of(kind, cell, last + 1)] += row
        assert getattr(state, f"on_{kind}").tolist() == sums.tolist()
    check_active(run, in_row)


def check_empty_columns(following, counts):
    at, found = following[len(counts)], []
    while at < len(counts):
        found.append(at)
        at = following[at]
    assert found == [column for column, count in enumerate(counts) if count == 0]


def check_active(run, in_row):
    """Rows that are passed over hold one queen whom nobody attacks, or prescribed ones alone."""
    grid, counts, active = run._board.grid, run._counts, run._queens.active
    assert not active[len(grid.rows) :].any()
    for row in np.flatnonzero(active[: len(grid.rows)] == 0).tolist():
        if not in_row[row]:
            assert counts.row[row] > 0
            continue
        (column,) = in_row[row]
        cell = int(grid.rows[row]), int(grid.columns[column])
        places = [lines_of(kind, cell, grid.last + 1) for kind in ("total", "difference")]
        assert counts.row[row] == counts.column[column] == 1
        assert counts.total[places[0]] == counts.difference[places[1]] == 1


@given(models, grid_or_list, seeds, st.integers(-2, 3), st.booleans(), st.data())
def test_what_is_kept_agrees_with_the_queens(model, kernel, seed, target, traced, data):
    cells = None
    if model.variables and data.draw(st.booleans(), "given start"):
        cells = sorted(data.draw(st.sets(st.sampled_from(model.variables))))
    run, unit = start(model, kernel, seed, cells)
    assert cells is None or cells_of(run) == cells
    check(model, run, unit)
    target = run.energy + target if data.draw(st.booleans(), "targeted") else NEVER
    for betas in BETAS:
        if run.energy <= target:  # then nobody asks for more sweeps
            break
        trace = np.full(len(betas) if traced else 0, np.nan)
        made = run.advance(np.array(betas), target, trace)
        check(model, run, unit)
        assert made == len(betas) or run.energy <= target
        assert (trace[: max(made - 1, 0)] > target).all()
        assert not (traced and made) or trace[made - 1] == run.energy
        assert np.isnan(trace[made:]).all()


@given(models, grid_or_list, seeds, st.lists(st.integers(1, 29), max_size=4))
def test_slices_of_a_schedule_give_what_one_call_gives(model, kernel, seed, cuts):
    betas = np.tile([0.2, 1.0, 2.5], 10)
    results = []
    for parts in ([betas], np.split(betas, sorted(cuts))):
        run, _ = start(model, kernel, seed)
        traces = []
        for part in parts:
            trace = np.empty(len(part))
            assert run.advance(part, NEVER, trace) == len(part)
            traces += trace.tolist()
        results.append((cells_of(run), run.energy, traces, run._rng.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("kernel", KERNELS[:2])
@pytest.mark.parametrize("mode", ["none", "lines"])
@pytest.mark.parametrize(
    "instance",
    [
        Instance(1),
        Instance(7),
        generate.blocked(9, 30, seed=1),
        generate.excluded_diagonals(10, 4, seed=2),
        generate.planted(12, 3, seed=3),
    ],
    ids=["1", "plain", "blocked", "excluded", "planted"],
)
def test_pure_python_gives_what_the_compiled_kernels_give(monkeypatch, kernel, mode, instance):
    model = build(instance, reduce=mode)
    compiled = states(model, kernel)
    for name in ("anneal_grid", "start", "standing", "random_start"):
        monkeypatch.setattr(flip, name, getattr(flip, name).py_func)
    for name in ("anneal_cells", "start_bits", "random_bits"):
        monkeypatch.setattr(flip, name, getattr(flip, name).py_func)
    assert states(model, kernel) == compiled


@pytest.mark.parametrize(
    "instance",
    [Instance(20), Instance(27), generate.planted(30, 6, seed=3), generate.blocked(24, 9, seed=1)],
    ids=["20", "27", "planted", "blocked"],
)
def test_skipping_quiet_rows_changes_nothing_to_the_last_bit(monkeypatch, instance):
    """Most rows of these cold boards are quiet, eight and more in a row."""
    model, betas = build(instance), np.repeat([3.0, 4.0, 7.0], 25)
    ends = []
    for skip in (flip_grid.skip_quiet, lambda active, row, *_: row):
        with monkeypatch.context() as patch:
            patch.setattr(flip_grid, "skip_quiet", skip)
            patch.setattr(flip, "anneal_grid", flip_grid.anneal_grid.py_func)
            run, _ = start(model, "lines")
            trace = np.empty(len(betas))
            run.advance(betas, NEVER, trace)
            ends.append((cells_of(run), trace.tolist(), run._rng.tolist()))
            assert run._queens.active.mean() < 0.5
    assert ends[0] == ends[1]


def states(model, kernel):
    """What two reads are after each sweep, with their generators."""
    found = []
    for seed in (0, 2**64 - 1):
        run, _ = start(model, kernel, seed)
        for beta in (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 0.1, 3.0):
            run.advance(np.array([beta]), NEVER, np.empty(0))
            found.append((cells_of(run), int(run.energy), run._rng.tolist()))
    return found


@given(models, grid_or_list, seeds)
def test_a_random_start_has_one_queen_in_each_row_that_can_have_one(model, kernel, seed):
    run, _ = start(model, kernel, seed)
    rows = [row for row, _ in cells_of(run)]
    prescribed = {row for row, _ in model.instance.queens}
    possible = {row for row, _ in model.variables} - prescribed
    assert len(rows) == len(set(rows))
    # On the grid 32 random cells of a row are tried.
    assert set(rows) == possible if kernel == "cells" else set(rows) <= possible


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_random_starts_are_uniform_over_the_free_cells_of_a_row(kernel):
    model = build(Instance(5, [(0, 0)], blocked=[(1, 3), (4, 2)]))
    board, _ = board_for(model, kernel)
    rng = random_state(np.uint64(1))
    counts = Counter(cell for _ in range(3000) for cell in cells_of(begin_run(board, rng)))
    in_row = Counter(row for row, _ in model.variables)
    assert set(counts) == set(model.variables)
    for (row, _), count in counts.items():
        chance = 1 / in_row[row]
        assert abs(count - 3000 * chance) < 5 * np.sqrt(3000 * chance)


@pytest.mark.parametrize("beta", [0.0, 0.4, 4.0])
@pytest.mark.parametrize("n", [40, 67])
def test_larger_boards_are_kept_in_order(n, beta):
    model = build(Instance(n, [(0, 3), (5, 7)], blocked=[(1, 1), (n - 1, 0)]), reduce="none")
    run, unit = start(model, "lines")
    run.advance(np.full(30, beta), NEVER, np.empty(0))
    check(model, run, unit)
    run.advance(np.full(30, 4.0), NEVER, np.empty(0))
    check(model, run, unit)
