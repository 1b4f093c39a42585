"""Ground states of the models: all states are looked at, or cut off by a proven bound."""

import pytest
from oracles import completions, energy_histogram, zero_energy_boards

from qubo_queens import Instance, build

SOLUTIONS = {1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92}


def histogram(instance, row_column, diagonal, mode="none"):
    """Return how many states of a model have each energy."""
    model = build(instance, row_column_strength=row_column, diagonal_strength=diagonal, reduce=mode)
    return energy_histogram(model.bqm)


@pytest.mark.parametrize("n", range(1, 6), ids="U17-n{}".format)
def test_zero_energy_states_are_the_solutions(n):
    found = histogram(n, 1, 2)
    assert sum(found.values()) == 2 ** (n * n)
    assert min(found) >= 0
    assert found.get(0, 0) == SOLUTIONS[n]


@pytest.mark.parametrize("n", range(1, 9), ids="U17-n{}".format)
def test_zero_energy_boards_are_the_solutions(n):
    solutions = {tuple(enumerate(columns)) for columns in completions(Instance(n))}
    assert zero_energy_boards(build(n).bqm, n) == solutions
    assert len(solutions) == SOLUTIONS[n]


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 1), (3, 5)])
def test_all_other_states_are_above_the_gap(n, a, b):
    found = histogram(n, a, b)
    assert found.pop(0, 0) == SOLUTIONS[n]
    assert min(found) >= min(2 * a, b)


@pytest.mark.parametrize(
    ("instance", "diagonal", "energy"),
    [
        pytest.param(Instance(2), 1, 1, id="U70-n2-D1"),
        pytest.param(Instance(2), 2, 2, id="U70-n2-D2"),
        pytest.param(Instance(3), 1, 1, id="U70-n3-D1"),
        pytest.param(Instance(3), 2, 2, id="U70-n3-D2"),
        pytest.param(Instance(4, [(0, 0), (1, 1)]), 1, 2, id="U25-D1"),
        pytest.param(Instance(4, [(0, 0), (1, 1)]), 2, 4, id="U25-D2"),
        pytest.param(Instance(4, [(0, 0)]), 2, 2, id="U27"),
        pytest.param(Instance(4), 2, 0, id="U70-n4"),
        pytest.param(Instance(1), 2, 0, id="U70-n1"),
    ],
)
@pytest.mark.parametrize("mode", ["none", "lines"])
def test_lowest_energies(instance, diagonal, energy, mode):
    lowest = min(histogram(instance, 1, diagonal, mode))
    if mode == "none":
        assert lowest == energy
    else:
        # fewer cells to choose from: it may be higher, but 0 only if solvable
        assert lowest >= energy
        assert (lowest == 0) is (energy == 0)


@pytest.mark.parametrize(
    "instance",
    [
        Instance(4, [(0, 1)]),
        Instance(5, [(0, 0)]),
        Instance(5, [(2, 2)], blocked=[(0, 1), (4, 3)]),
        Instance(5, excluded_sums=[4], excluded_differences=[0, 1]),
        Instance(5, blocked=[(0, 0), (1, 1), (2, 3)]),
        Instance(5, [(0, 0), (1, 0)]),
        Instance(4, [(0, 1)], blocked=[(0, 1)]),
        Instance(4, [(0, 1)], excluded_sums=[1]),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["none", "lines"])
def test_zero_energy_states_are_the_completions(instance, mode):
    found = histogram(instance, 1, 2, mode)
    assert found.pop(0, 0) == len(list(completions(instance)))
    assert all(energy > 0 for energy in found)


@pytest.mark.parametrize("mode", ["none", "lines"])
@pytest.mark.parametrize(
    "instance",
    [
        Instance(4, [(0, 1)], blocked=[(0, 1)]),
        Instance(4, [(0, 1)], excluded_sums=[1]),
        Instance(4, [(0, 1)], blocked=[(0, 1)], excluded_sums=[1], excluded_differences=[-1]),
    ],
)
def test_a_prescribed_queen_on_a_forbidden_cell_costs_the_row_column_strength(instance, mode):
    assert min(histogram(instance, 3, 7, mode)) == 3
