"""Cell models are recognised from labels and coefficients alone, and nothing else is."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import dimod
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import attacks
from strategies import instances, modes, strengths

from qubo_queens import Instance, build
from qubo_queens.samplers.annealers.recognise import RecognisedBoard, Refusal, recognise


def line_energy(found, queens):
    """The energy in units of the board with queens on cells number `queens`; from definitions."""
    cells = [(int(found.rows[at]), int(found.columns[at])) for at in queens]
    total = sum(int(found.field[at]) - found.straight for at in queens)
    for (r, c), (s, t) in combinations(cells, 2):
        total += found.straight * (r == s or c == t)
        total += found.diagonal * (abs(r - s) == abs(c - t))
    return total


def assert_same_energies(bqm, found, samples):
    """Compare the energies of samples, given as lists of bits."""
    model = bqm.change_vartype("BINARY", inplace=False)
    labels = list(bqm.variables)
    size = sum(map(abs, [*model.linear.values(), *model.quadratic.values()]), 1.0)
    for bits in samples:
        told = model.energy(dict(zip(labels, bits, strict=True))) - model.offset
        energy = found.unit * line_energy(found, np.flatnonzero(bits).tolist())
        assert energy == pytest.approx(told, rel=1e-12, abs=1e-13 * size)


@st.composite
def models(draw, min_n=1, max_n=6):
    """Draw a cell model; where B / 2A is huge, prescribed queens would exceed the multiples."""
    instance, (a, b) = draw(instances(min_n, max_n)), draw(strengths)
    mode = draw(modes) if b < 1000 * a else "lines"
    options = {"row_column_strength": a, "diagonal_strength": b, "reduce": mode}
    if draw(st.integers(0, 3)) == 0:
        options |= {"diagonal_strength": 0, "relaxation": "rooks"}
    return build(instance, **options)


def bit_lists(size):
    return st.lists(st.integers(0, 1), min_size=size, max_size=size)


@given(models(), st.data())
def test_every_cell_model_is_recognised(model, data):
    found = recognise(model.bqm)
    assert isinstance(found, RecognisedBoard)
    cells = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    assert cells == list(model.bqm.variables)
    assert found.rows.dtype == found.columns.dtype == found.field.dtype == np.int64
    assert math.gcd(found.straight, found.diagonal, *found.field.tolist()) == 1
    samples = data.draw(st.lists(bit_lists(len(cells)), min_size=1, max_size=4))
    assert_same_energies(model.bqm, found, samples)


@given(st.integers(2, 9), strengths)
def test_weights_of_a_whole_board(n, weights):
    a, b = weights
    found = recognise(build(n, row_column_strength=a, diagonal_strength=b).bqm)
    assert found.straight * found.unit == pytest.approx(2 * a, rel=1e-14)
    assert found.diagonal * found.unit == pytest.approx(b, rel=1e-14)
    assert not found.field.any()


@given(instances(1, 7), st.sampled_from([(1, 2), (3, 5), (0.1, 0.7)]))
def test_the_field_is_what_prescribed_queens_cost(instance, weights):
    a, b = weights
    options = {"row_column_strength": a, "diagonal_strength": b}
    reduced = build(instance, **options, reduce="lines")
    assume(has_straight_pair(reduced.variables))
    assert not recognise(reduced.bqm).field.any()
    whole = build(instance, **options, reduce="none")
    found = recognise(whole.bqm)
    for (row, column), field in zip(whole.variables, found.field.tolist(), strict=True):
        costs = Counter()
        for r, c in instance.queens:
            costs["straight"] += (r == row) + (c == column)
            costs["diagonal"] += abs(r - row) == abs(c - column)
        cost = 2 * a * costs["straight"] + b * costs["diagonal"]
        assert found.unit * field == pytest.approx(cost, rel=1e-13)


def has_straight_pair(cells):
    return any(r == s or c == t for (r, c), (s, t) in combinations(cells, 2))


@given(models(2, 5), st.data())
def test_order_precision_and_vartype_do_not_matter(model, data):
    order = data.draw(st.permutations(list(model.variables)))
    dtype = data.draw(st.sampled_from([np.float64, object]))
    shuffled = dimod.BinaryQuadraticModel("BINARY", dtype=dtype)
    for label in order:
        shuffled.add_linear(label, model.bqm.get_linear(label))
    for (u, v), weight in model.bqm.quadratic.items():
        shuffled.add_quadratic(v, u, weight)
    found, reference = recognise(shuffled), recognise(model.bqm)
    where = {cell: at for at, cell in enumerate(model.variables)}
    assert list(zip(found.rows.tolist(), found.columns.tolist(), strict=True)) == list(order)
    assert found.field.tolist() == [reference.field[where[cell]] for cell in order]
    told = (found.straight, found.diagonal, found.unit)
    assert told == (reference.straight, reference.diagonal, reference.unit)


@given(instances(1, 6), st.sampled_from([(1, 2), (3, 5), (0.5, 0.75)]), modes)
def test_spins_and_32_bits_are_recognised_where_weights_are_exact(instance, weights, mode):
    a, b = weights
    bqm = build(instance, row_column_strength=a, diagonal_strength=b, reduce=mode).bqm
    reference = recognise(bqm)
    spins = bqm.change_vartype("SPIN", inplace=False)
    short = dimod.BinaryQuadraticModel(bqm, dtype=np.float32)
    for same in (spins, bqm.spin, short, short.change_vartype("SPIN", inplace=False)):
        untouched = same.copy()
        found = recognise(same)
        assert same == untouched
        assert (found.straight, found.diagonal, found.unit) == (
            reference.straight,
            reference.diagonal,
            reference.unit,
        )
        assert (found.field == reference.field).all()


@given(models(3, 5), st.sampled_from(["changed", "removed", "added", "negated"]), st.data())
def test_any_single_wrong_coupling_is_refused(model, how, data):
    bqm = model.bqm.copy()
    straight = [pair for pair in bqm.quadratic if has_straight_pair(pair)]
    diagonal = [pair for pair in bqm.quadratic if not has_straight_pair(pair)]
    if how == "added":
        pairs = [p for p in combinations(bqm.variables, 2) if not attacks(*p)]
    else:  # a weight is only wrong beside another of its kind
        pairs = [pair for family in (straight, diagonal) if len(family) > 1 for pair in family]
    assume(pairs)
    one, other = data.draw(st.sampled_from(pairs))
    if how == "removed":
        bqm.remove_interaction(one, other)
    elif how == "added":
        bqm.add_quadratic(one, other, data.draw(st.sampled_from([1e-9, 1.0, -2.0])))
    else:
        weight = bqm.get_quadratic(one, other)
        wrong = -weight if how == "negated" else np.nextafter(weight, 1e9)
        bqm.set_quadratic(one, other, wrong)
    refused = recognise(bqm)
    assert isinstance(refused, Refusal)
    assert "lines" in refused.reason or "share no line" in refused.reason


@given(models(3, 5), st.sampled_from([1e-9, math.pi, -1e-10, 1e15, 1e300, math.nan]), st.data())
def test_a_bias_that_is_no_multiple_is_refused(model, wrong, data):
    assume(has_straight_pair(model.variables))
    bqm = dimod.BinaryQuadraticModel(model.bqm, dtype=np.float64)
    bqm.add_linear(data.draw(st.sampled_from(list(bqm.variables))), wrong)
    refused = recognise(bqm)
    assert isinstance(refused, Refusal)
    assert "multiples" in refused.reason or "linear bias" in refused.reason


@given(models(2, 4), st.data())
def test_other_biases_are_a_field(model, data):
    bqm = model.bqm.copy()
    assume(has_straight_pair(bqm.variables))
    found = recognise(bqm)
    step = found.unit / (4 if found.diagonal < 1000 else 1)
    numbers = {cell: data.draw(st.integers(-40, 40)) for cell in bqm.variables}
    for cell, number in numbers.items():
        bqm.add_linear(cell, step * number)
    found = recognise(bqm)
    assert isinstance(found, RecognisedBoard)
    samples = data.draw(st.lists(bit_lists(len(numbers)), min_size=1, max_size=3))
    assert_same_energies(bqm, found, samples)


@pytest.mark.parametrize(
    "label", ["a", 3, (1,), (1, 2, 3), (1, -1), (0, 1.0), (True, 0), ("0", "1"), (0, 10**7 + 1)]
)
def test_labels_that_are_no_cells_are_refused(label):
    refused = recognise(dimod.BinaryQuadraticModel({(5, 6): -2, label: -2}, {}, "BINARY"))
    assert isinstance(refused, Refusal)
    assert "is not a pair (row, column) of integers in 0..10000000" in refused.reason


def test_a_huge_board_costs_what_its_cells_cost():
    far = 10**7
    cells = [(0, 0), (0, far), (far, 0), (far, far), (far - 1, 5)]
    quadratic = {
        (u, v): 2 if has_straight_pair((u, v)) else 3
        for u, v in combinations(cells, 2)
        if attacks(u, v)
    }
    found = recognise(dimod.BinaryQuadraticModel(dict.fromkeys(cells, -2), quadratic, "BINARY"))
    assert (found.straight, found.diagonal, found.unit) == (2, 3, 1.0)
    assert found.rows.tolist() == [0, 0, far, far, far - 1]


@pytest.mark.parametrize("kind", ["straight", "diagonal"])
def test_negative_couplings_are_refused(kind):
    bqm = build(4).bqm.copy()
    for pair in list(bqm.quadratic):
        if has_straight_pair(pair) == (kind == "straight"):
            bqm.set_quadratic(*pair, -2)
    assert recognise(bqm) == Refusal(f"the couplings on {kind} lines are negative: -2.0")


def test_couplings_of_weight_zero_are_none():
    bqm = build(4).bqm.copy()
    bqm.add_quadratic((0, 0), (1, 2), 0)
    assert isinstance(recognise(bqm), RecognisedBoard)
    bqm.set_quadratic((0, 0), (0, 1), 0)
    assert recognise(bqm) == Refusal("48 pairs of cells on common straight lines but 47 couplings")


@pytest.mark.parametrize(
    ("linear", "expected"),
    [
        ({}, (1, 0, 1.0, [])),
        ({(3, 4): -2.0}, (1, 0, 2.0, [0])),
        ({(3, 4): 0.0}, (1, 0, 1.0, [1])),
        ({(3, 4): 3.0}, (1, 0, 3.0, [2])),
        ({(0, 0): -2.0, (1, 2): -2.0}, (1, 0, 2.0, [0, 0])),
        ({(0, 0): -2.0, (1, 1): -2.0}, (1, 0, 2.0, [0, 0])),
        ({(0, 0): -2.0, (1, 2): 3.0}, (3, 0, 1.0, [1, 6])),
    ],
)
def test_where_no_cells_share_a_line_the_biases_decide(linear, expected):
    found = recognise(dimod.BinaryQuadraticModel(linear, {}, "BINARY"))
    assert (found.straight, found.diagonal, found.unit, found.field.tolist()) == expected
    bits = [[1] * len(linear)]
    assert_same_energies(dimod.BinaryQuadraticModel(linear, {}, "BINARY"), found, bits)


def test_only_diagonals():
    found = recognise(dimod.BinaryQuadraticModel({(0, 0): -2, (1, 1): -2}, {}, "BINARY"))
    assert found.diagonal == 0
    coupled = {((0, 0), (1, 1)): 3.0}
    found = recognise(dimod.BinaryQuadraticModel({(0, 0): -2, (1, 1): -2}, coupled, "BINARY"))
    assert (found.straight, found.diagonal, found.unit) == (2, 3, 1.0)


@pytest.mark.parametrize(
    ("a", "b"), [(1, math.pi), (1, 1e-7), (1e-7, 1), (1e-90, 1e90), (1, Fraction(1, 2**20))]
)
def test_strengths_without_a_common_unit_are_refused(a, b):
    refused = recognise(build(4, row_column_strength=a, diagonal_strength=float(b)).bqm)
    assert isinstance(refused, Refusal)
    assert "not multiples of a common unit (up to 1048576 times)" in refused.reason


def test_the_largest_multiple():
    found = recognise(build(4, row_column_strength=1, diagonal_strength=2.0**-19).bqm)
    assert (found.straight, found.diagonal, found.unit) == (2**20, 1, 2.0**-19)


def test_reference_models_of_other_makers_are_recognised():
    """The equality penalties of dimod make the same model."""
    bqm = dimod.BinaryQuadraticModel("BINARY")
    for i in range(5):
        bqm.add_linear_equality_constraint([((i, c), 1) for c in range(5)], 3, -1)
        bqm.add_linear_equality_constraint([((r, i), 1) for r in range(5)], 3, -1)
    found = recognise(bqm)
    assert (found.straight, found.diagonal, found.unit) == (1, 0, 6.0)
    rooks = build(Instance(5), row_column_strength=3, diagonal_strength=0, relaxation="rooks")
    assert_same_energies(rooks.bqm, recognise(rooks.bqm), [[1, 0] * 12 + [1]])
