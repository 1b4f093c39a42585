"""Ground states of every encoding: exact enumerations of small models (see ``ground``)."""

from collections import Counter
from dataclasses import replace
from math import factorial

import numpy as np
import pytest
from ground import Lines, line_cost, zero_boards, zero_states
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import all_cells, completions, energy_histogram
from strategies import instances, modes

from qubo_queens import Instance, Placement, build
from qubo_queens.board.violation import WrongAuxiliaries
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.testing import state_energies

ENCODINGS = list_encodings()
CHAINED = ["cell-slack", "ladder"]
SOLUTIONS = {1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92}
LARGEST = {"row-domain-wall": 5, "labelled": 5, "cell-slack": 4, "ladder": 4}
"""The largest plain boards whose ground states are listed; 8 for those not named."""

UNEQUAL = {
    "cell": [(1, 1), (3, 1), (0.5, 1.25)],
    "cell-attack": [(1, 3, 2), (3, 1, 1), (0.75, 0.5, 1.5)],
    "cell-slack": [(1, 3), (3, 1), (0.5, 1.25)],
    "row": [(1, 3, 2), (3, 1, 1), (0.75, 0.5, 1.5)],
    "row-domain-wall": [(2, 1, 5), (1, 2, 6), (0.75, 0.5, 2)],
    "labelled": [(1, 3, 2), (3, 1, 1), (0.75, 0.5, 1.5)],
    "ladder": [(1, 3), (3, 1), (0.5, 1.25)],
}

every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
every_mode = pytest.mark.parametrize("mode", ["none", "lines", "propagate", "probe"])
weighted = pytest.mark.parametrize(
    ("encoding", "weights"), [(e, w) for e in ENCODINGS for w in UNEQUAL[e]]
)


def strengths(encoding, weights):
    """Return the keywords of some strengths."""
    names = ["row_column_strength", "diagonal_strength"]
    further = {"cell-attack": "count_strength", "row-domain-wall": "wall_strength"}
    names.append(further.get(encoding, "one_hot_strength"))
    return dict(zip(names, weights, strict=False))


def expected_boards(model):
    """Return the completions, each as often as its queens without a label can be numbered."""
    instance, fixed = model.instance, len(model.reduction.queens)
    times = factorial(max(instance.n - fixed, 0)) if model.encoding == "labelled" else 1
    return Counter({tuple(enumerate(columns)): times for columns in completions(instance)})


# Plain boards


@pytest.mark.parametrize(
    ("encoding", "n"),
    [
        pytest.param(encoding, n, id=f"U17-{encoding}-{n}")
        for encoding in ENCODINGS
        for n in range(1, LARGEST.get(encoding, 8) + 1)
    ],
)
def test_zero_energy_states_are_the_solutions(encoding, n):
    model = build(n, encoding)
    found = zero_boards(model)
    assert found == expected_boards(model)
    assert len(found) == SOLUTIONS[n]


@weighted
@pytest.mark.parametrize("n", [3, 4])
def test_zero_energy_states_with_other_strengths(encoding, weights, n):
    model = build(n, encoding, **strengths(encoding, weights))
    assert zero_boards(model) == expected_boards(model)


@pytest.mark.parametrize("encoding", CHAINED)
@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("weights", [(1, 1), (2, 5), (0.5, 0.75)])
def test_the_best_auxiliaries_cost_what_the_line_counts_say(encoding, n, weights):
    """Whatever the 2^(n^2) boards: the minimised model is a sum of functions of line counts."""
    model = build(n, encoding, **strengths(encoding, weights))
    lines = Lines(model)
    constant, linear = lines.excess(lambda line, count: line_cost(model, line, count))
    assert constant == pytest.approx(0)
    assert all(slope == pytest.approx(0) for slope in linear.values())
    assert lines.least_lift >= (model.gap if n > 1 else 0)
    for (kind, index), (_, lowest, times) in lines.tables.items():
        for state in range(len(lowest)):
            count = state.bit_count()
            allowed = count == 1 or (count == 0 and kind in ("sum", "difference"))
            assert (line_cost(model, (kind, index), count) == 0) is allowed
            assert times[state] == 1 or not allowed


@pytest.mark.parametrize("encoding", ["cell-slack", "ladder"])
@pytest.mark.parametrize("n", [4, 5, 6], ids="U16-n{}".format)
def test_every_solution_has_auxiliaries_of_energy_0(encoding, n):
    model, found = build(n, encoding), 0
    for columns in completions(Instance(n)):
        sample = model.encode(Placement.from_columns(columns))
        assert model.bqm.energy(sample) == model.energy(sample) == 0
        for bit in model.variables[n * n :]:
            flipped = {**sample, bit: 1 - sample[bit]}
            assert model.bqm.energy(flipped) == model.energy(flipped) >= model.gap
            assert isinstance(model.violations(flipped)[0], WrongAuxiliaries)
            assert model.decode(flipped).columns == columns
        found += 1
    assert found == SOLUTIONS[n]


# Gaps


SMALL = {
    "cell": [Instance(3), Instance(4)],
    "cell-attack": [Instance(3), Instance(4)],
    "cell-slack": [Instance(2), Instance(3), Instance(4, [(0, 1)])],
    "row": [Instance(3), Instance(4)],
    "row-domain-wall": [Instance(3), Instance(4)],
    "labelled": [Instance(2), Instance(4, [(0, 1)]), Instance(4, [(0, 0)])],
    "ladder": [Instance(2), Instance(3, [(0, 0)]), Instance(4, [(0, 1)])],
}


@weighted
def test_no_state_is_between_0_and_the_gap(encoding, weights):
    for instance in SMALL[encoding]:
        model = build(instance, encoding, **strengths(encoding, weights), reduce="lines")
        energies = state_energies(model.bqm)
        assert energies.min() > -1e-9
        assert energies[energies > 1e-9].min() >= model.gap - 1e-9


def lowest_excited(model):
    """Return the least energy above 0."""
    if model.encoding not in CHAINED:
        energies = state_energies(model.bqm)
        return energies[energies > 1e-9].min()
    lines = Lines(model)
    energies, _ = lines.energies()
    return min(energies[energies > 1e-9].min(), lines.least_lift)


@pytest.mark.parametrize(
    ("encoding", "weights", "n"),
    [
        ("cell", (1, 1), 4),
        ("cell", (1, 5), 4),
        ("cell-attack", (9, 9, 1), 4),
        ("cell-attack", (1, 9, 9), 4),
        ("cell-attack", (9, 1, 9), 4),
        ("cell-slack", (1, 1), 4),
        ("cell-slack", (1, 5), 4),
        ("row", (9, 9, 1), 4),
        ("row", (1, 9, 9), 4),
        ("row", (9, 1, 9), 4),
        ("row-domain-wall", (1, 9, 40), 4),
        ("row-domain-wall", (9, 1, 40), 4),
        ("labelled", (9, 9, 1), 2),
        ("labelled", (1, 9, 9), 2),
        ("labelled", (9, 1, 9), 2),
        ("ladder", (1, 1), 4),
        ("ladder", (1, 5), 4),
    ],
)
def test_the_gap_is_reached(encoding, weights, n):
    model = build(n, encoding, **strengths(encoding, weights))
    assert lowest_excited(model) == pytest.approx(model.gap)


# Domain walls


@pytest.mark.parametrize(
    ("a", "b", "wall"),
    [(2, 2, 7), (1, 1, 4), (8, 8, 25), (4, 1, 7), (1, 4, 10), (10, 1, 13), (2, 9, 21)],
)
@pytest.mark.parametrize(
    "instance",
    [
        *map(Instance, range(1, 6)),
        Instance(5, blocked=[(0, 0), (1, 1), (2, 3)]),
        Instance(5, blocked=[(r, c) for r in range(5) for c in (1, 3) if r % 2]),
        Instance(5, [(2, 2)], blocked=[(0, 4)]),
        Instance(6, blocked=[(r, c) for r in range(6) for c in range(6) if (r + 2 * c) % 3 == 1]),
    ],
    ids=str,
)
def test_walls_above_a_plus_2b_are_exact(instance, a, b, wall):
    model = build(
        instance,
        "row-domain-wall",
        row_column_strength=a,
        diagonal_strength=b,
        wall_strength=wall,
        reduce="none",
    )
    found = energy_histogram(model.bqm)
    assert found.pop(0, 0) == len(list(completions(instance)))
    assert min(found, default=model.gap) >= model.gap > 0


@pytest.mark.parametrize(
    ("n", "wall", "lowest", "zeros"), [(5, 3, 0, 13), (5, 4, 0, 10), (4, 1, -5, None)]
)
def test_walls_of_a_plus_2b_and_less_are_not(n, wall, lowest, zeros):
    model = build(n, "row-domain-wall", row_column_strength=1, diagonal_strength=1)
    model.strengths = replace(
        model.strengths, weights=(("row_column", 1), ("diagonal", 1), ("wall", wall))
    )
    found = energy_histogram(model.bqm)
    assert min(found) == lowest
    assert zeros is None or found[0] == zeros


def test_walls_a_little_above_a_plus_2b_leave_a_small_gap():
    """The three wrong states of energy 0 at W = 3 have four broken walls each."""
    model = build(5, "row-domain-wall", wall_strength=3.125)
    energies = state_energies(model.bqm)
    assert model.gap == 0.125
    assert energies[energies > 1e-9].min() == 4 * 0.125


@given(instances(max_n=4), modes, st.sampled_from([(1, 1, 3.25), (3, 1, 5.5), (1, 3, 7.25)]))
def test_walls_are_exact_for_any_instance(instance, mode, weights):
    given_ = strengths("row-domain-wall", weights)
    model = build(instance, "row-domain-wall", reduce=mode, **given_)
    energies = state_energies(model.bqm)
    assert np.count_nonzero(energies < 1e-9) == len(list(completions(instance)))
    assert energies[energies >= 1e-9].min(initial=np.inf) >= model.gap - 1e-9


# Instances


@every_encoding
@settings(max_examples=50)
@given(instance=instances(max_n=4), mode=modes, weights=st.integers(0, 2))
def test_zero_energy_states_are_the_completions(encoding, instance, mode, weights):
    given_ = strengths(encoding, UNEQUAL[encoding][weights])
    model = build(instance, encoding, reduce=mode, **given_)
    assert zero_boards(model) == expected_boards(model)


@every_encoding
@every_mode
@pytest.mark.parametrize(
    "instance",
    [
        Instance(5, [(0, 0)]),
        Instance(5, [(2, 2)], blocked=[(0, 1), (4, 3)]),
        Instance(5, [(0, 1)], blocked=[(1, 3)], excluded_sums=[6]),
        Instance(5, [(4, 4), (0, 0)], excluded_differences=[2]),
        Instance(6, [(0, 1), (1, 3)], blocked=[(5, 5)]),
        Instance(6, [(3, 0)], excluded_sums=[1, 8], excluded_differences=[0, -1, 4]),
        Instance(4, enumerate([1, 3, 0, 2])),
        Instance(1, [(0, 0)]),
    ],
    ids=str,
)
def test_zero_energy_states_of_larger_instances(encoding, mode, instance):
    model = build(instance, encoding, reduce=mode)
    if encoding == "row-domain-wall" and model.num_variables > 20:
        boards = [Placement.from_columns(columns) for columns in completions(instance)]
        assert all(model.bqm.energy(model.encode(board)) == 0 for board in boards)
        return
    if encoding in CHAINED and len(model.reduction.free_cells) > 18:
        lines = Lines(model)
        constant, linear = lines.excess(lambda line, count: line_cost(model, line, count))
        assert constant >= 0
        assert not any(abs(slope) > 1e-9 for slope in linear.values())
        return
    assert zero_boards(model) == expected_boards(model)


@every_encoding
@every_mode
@pytest.mark.parametrize(
    "instance",
    [
        Instance(4, [(0, 1), (0, 3)]),
        Instance(4, [(1, 0), (3, 0)]),
        Instance(4, [(0, 0), (1, 1)]),
        Instance(4, [(0, 3), (3, 0)]),
        Instance(4, [(0, 1)], blocked=[(0, 1)]),
        Instance(4, [(0, 1)], excluded_sums=[1]),
        Instance(4, enumerate([1, 3, 0, 2]), excluded_differences=[-1]),
        Instance(4, enumerate([1, 3, 0, 2]), blocked=[(3, 2)]),
        Instance(4, blocked=[(2, c) for c in range(4)]),
        Instance(4, blocked=[(r, 1) for r in range(4)]),
        Instance(4, blocked=all_cells(4)),
        Instance(4, all_cells(4)),
        Instance(2, [(0, 0), (0, 1), (1, 0)]),
        Instance(1, blocked=[(0, 0)]),
        Instance(1, [(0, 0)], blocked=[(0, 0)]),
        Instance(1, [(0, 0)], excluded_sums=[0], excluded_differences=[0]),
        Instance(3, [(1, 1)]),
        Instance(4, [(0, 0)]),
        Instance(2),
    ],
    ids=str,
)
def test_contradictions_have_no_state_of_energy_0(encoding, mode, instance):
    model = build(instance, encoding, reduce=mode)
    assert not zero_boards(model)
    if encoding in CHAINED:
        assert Lines(model).energies()[0].min() >= model.gap > 0
    elif model.num_variables <= 18:
        assert not zero_states(model.bqm)
        assert state_energies(model.bqm).min() >= model.gap > 0
