"""Energies and declared constraints of samples, against counting on the whole board."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import LINE_NAMES, cells_on_lines, family_energies, forbidden_queens, full_energy
from strategies import boards, instances, integer_strengths, modes, states, strengths

from qubo_queens import Instance, Placement, build, verify
from qubo_queens.board.violation import LineViolation, QueenOnBlockedCell, Sense

MAIN_DIAGONAL = [(i, i) for i in range(4)]


def built(instance, weights, mode="lines"):
    """Build with strengths given as a pair."""
    return build(
        instance, row_column_strength=weights[0], diagonal_strength=weights[1], reduce=mode
    )


def as_spins(sample):
    """Return a 0/1 sample as a -1/+1 sample."""
    return {variable: 2 * value - 1 for variable, value in sample.items()}


@given(st.data(), instances(), modes, integer_strengths)
def test_model_bqm_and_full_board_have_one_energy(data, instance, mode, weights):
    model = built(instance, weights, mode)
    sample = data.draw(states(model))
    queens = [*model.reduction.queens, *(cell for cell, value in sample.items() if value)]
    expected = full_energy(instance, queens, *weights)
    spin_bqm = model.bqm.change_vartype("SPIN", inplace=False)
    assert model.bqm.energy(sample) == expected
    assert spin_bqm.energy(as_spins(sample)) == expected
    for form in (sample, as_spins(sample)):
        assert model.energy(form) == sum(model.energies(form).values()) == expected


@given(st.data(), instances(), modes, strengths)
def test_energies_agree_with_any_strengths(data, instance, mode, weights):
    model = built(instance, weights, mode)
    sample = data.draw(states(model))
    assert model.bqm.energy(sample) == pytest.approx(model.energy(sample), rel=1e-9, abs=1e-9)
    assert model.bqm.spin.energy(as_spins(sample)) == pytest.approx(
        model.energy(sample), rel=1e-9, abs=1e-9
    )


@given(st.data(), instances(), integer_strengths)
def test_energies_by_family(data, instance, weights):
    model = built(instance, weights, "none")
    sample = data.draw(states(model))
    row_column, diagonal = family_energies(instance.n, model.decode(sample).cells, *weights)
    assert model.energies(sample) == {
        "row_column": row_column,
        "diagonal": diagonal,
        "forbidden": weights[0] * len(forbidden_queens(instance)),
    }


def expected_violations(instance, queens, rooks):
    """Return (line, sense, count, cells) of each declared constraint that is broken."""
    excluded = {"sum": instance.excluded_sums, "difference": instance.excluded_differences}
    broken = set()
    for (kind, index), cells in cells_on_lines(instance.n).items():
        on_line = tuple(sorted(set(cells) & set(queens)))
        if index in excluded.get(kind, ()):
            sense, allowed = "none", {0}
        elif kind in ("row", "column"):
            sense, allowed = "exactly one", {1}
        else:
            sense, allowed = "at most one", {0, 1}
            if rooks:
                continue
        if len(on_line) not in allowed:
            broken.add((LINE_NAMES[kind].format(index), sense, len(on_line), on_line))
    for cell in set(instance.queens) & set(instance.blocked):
        broken.add((f"cell {cell}", "none", 1, (cell,)))
    return broken


@given(st.data(), instances(), modes, st.booleans())
def test_violations_are_the_broken_constraints(data, instance, mode, rooks):
    relaxed = {"diagonal_strength": 0, "relaxation": "rooks"} if rooks else {}
    model = build(instance, reduce=mode, **relaxed)
    sample = data.draw(states(model))
    violations = model.violations(sample)
    dicts = [violation.to_dict() for violation in violations]
    found = {(d["line"], d["sense"], d["count"], tuple(map(tuple, d["cells"]))) for d in dicts}
    assert found == expected_violations(instance, model.decode(sample).cells, rooks)
    assert len(violations) == len(found) == model.num_violated(sample)
    assert (model.num_violated(sample) == 0) is (model.energy(sample) == 0)


@given(st.data(), instances(max_n=5), modes)
def test_the_model_and_the_verifier_agree(data, instance, mode):
    model = build(instance, reduce=mode)
    placement = model.decode(data.draw(states(model)))
    energy = sum(model.placement_energies(placement).values())
    assert verify(instance, placement).valid is (energy == 0)


@given(boards(), st.booleans())
def test_the_model_and_the_verifier_list_the_same_broken_lines(board, rooks):
    instance, placement = board
    relaxed = {"diagonal_strength": 0, "relaxation": "rooks"} if rooks else {}
    lines = [v for v in verify(*board).violations if isinstance(v, LineViolation)]
    found = build(instance, **relaxed).placement_violations(placement)
    assert [v for v in found if isinstance(v, LineViolation)] == [
        v for v in lines if not (rooks and v.sense is Sense.AT_MOST_ONE)
    ]


@given(boards(), st.booleans())
def test_broken_are_the_declared_constraints_that_the_counts_break(board, rooks):
    instance, placement = board
    relaxed = {"diagonal_strength": 0, "relaxation": "rooks"} if rooks else {}
    model = build(instance, **relaxed)
    queens = set(placement)
    count = {
        LINE_NAMES[kind].format(index): len(queens.intersection(cells))
        for (kind, index), cells in cells_on_lines(instance.n).items()
    }
    broken = [c for c in model.constraints if not c.sense.allows(count[str(c.line)])]
    found = model.placement_violations(placement)
    lines = [v for v in found if not isinstance(v, QueenOnBlockedCell)]
    assert [(v.line, v.sense) for v in lines] == [(c.line, c.sense) for c in broken]


@pytest.mark.parametrize("n", range(1, 8))
def test_every_line_of_two_and_more_cells_is_declared(n):
    declared = {str(constraint) for constraint in build(n).constraints}
    expected = {
        f"{LINE_NAMES[kind].format(index)}: "
        + ("exactly one" if kind in ("row", "column") else "at most one")
        for (kind, index), cells in cells_on_lines(n).items()
        if kind in ("row", "column") or len(cells) > 1
    }
    assert declared == expected
    assert len(build(n).constraints) == len(declared)


def test_u01_main_diagonal_costs_56():
    model = build(8)
    placement = Placement.from_columns(range(8))
    assert model.placement_energies(placement) == {
        "row_column": 0,
        "diagonal": 2 * 28,
        "forbidden": 0,
    }
    assert model.bqm.energy(model.encode(placement)) == 56


@pytest.mark.parametrize(
    ("n", "cells", "energy"),
    [pytest.param(8, [], 16, id="U03-empty"), pytest.param(4, [(0, 0)], 6, id="U03-one-queen")],
)
def test_missing_queens_cost(n, cells, energy):
    model = build(n)
    sample = model.encode(Placement(n, cells))
    assert model.energy(sample) == model.bqm.energy(sample) == energy


def test_u05_energy_zero_of_a_relaxed_model_is_no_verdict():
    model = build(4, diagonal_strength=0, relaxation="rooks")
    sample = model.encode(Placement(4, MAIN_DIAGONAL))
    assert model.energy(sample) == model.bqm.energy(sample) == 0
    assert model.num_violated(sample) == 0
    assert not verify(4, model.decode(sample))


def test_u09_the_offset_is_kept():
    model = build(4, row_column_strength=6, diagonal_strength=12)
    sample = model.encode(Placement.from_columns([1, 3, 0, 2]))
    assert model.bqm.offset == 48
    assert model.energy(sample) == model.bqm.energy(sample) == 0


@pytest.mark.parametrize("strength", [1, 2, 7])
def test_u12_at_most_one_costs_nothing_below_two(strength):
    """On the diagonal of length 3: 0, 0, D, 3D for 0, 1, 2, 3 queens."""
    model = build(3, diagonal_strength=strength)
    for bits in product((0, 1), repeat=3):
        queens = [(i, i) for i in range(3) if bits[i]]
        expected = strength * [0, 0, 1, 3][len(queens)]
        assert model.placement_energies(Placement(3, queens))["diagonal"] == expected
        couplings = sum(model.bqm.get_quadratic(a, b) for a in queens for b in queens if a < b)
        assert couplings == expected


def test_u15_a_diagonal_pair_counts_once():
    model = build(4, row_column_strength=1, diagonal_strength=1)
    sample = model.encode(Placement(4, [(0, 0), (1, 1)]))
    assert model.energies(sample) == {"row_column": 4, "diagonal": 1, "forbidden": 0}
    assert model.bqm.energy(sample) == 5


def test_a_forbidden_prescribed_queen_costs_once():
    instance = Instance(4, enumerate([1, 3, 0, 2]), blocked=[(0, 1)], excluded_sums=[1])
    model = build(instance, row_column_strength=3)
    assert model.energies({}) == {"row_column": 0, "diagonal": 0, "forbidden": 3}
    assert model.bqm.offset == 3
    assert {v.to_dict()["line"] for v in model.violations({})} == {"cell (0, 1)", "r + c = 1"}


@given(st.data(), instances(), modes, integer_strengths)
def test_energies_of_many_samples_are_those_of_the_bqm(data, instance, mode, weights):
    model = built(instance, weights, mode)
    samples = data.draw(st.lists(states(model), max_size=4))
    bits = np.array([[sample[v] for v in model.variables] for sample in samples], dtype=np.int8)
    bits = bits.reshape(len(samples), model.num_variables)
    expected = [model.bqm.energy(sample) for sample in samples]
    assert model.sample_energies(bits).tolist() == expected
    assert model.offset == model.bqm.offset == model.energy(dict.fromkeys(model.variables, 0))


@pytest.mark.parametrize("strength", [2**61, 2**62, 2**63, 10**20, 1e100])
@pytest.mark.parametrize("queens", [[(0, 0), (3, 3)], [(0, 0), (0, 3)]])
def test_huge_strengths_do_not_wrap_round(queens, strength):
    model = built(Instance(4, queens), (strength, strength), "none")
    for cell in model.variables:
        sample = {variable: int(variable == cell) for variable in model.variables}
        assert model.bqm.energy(sample) == pytest.approx(float(model.energy(sample)))
        assert model.energy(sample) > 0
