"""From samples to boards and back; samples that do not fit."""

import random

import dimod
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_cells
from strategies import instances, modes, states

from qubo_queens import Instance, Placement, build
from qubo_queens.errors import QueensError

SOLUTION = Placement.from_columns([1, 3, 0, 2])
MODEL = build(4)
BITS = MODEL.encode(SOLUTION)
SPINS = MODEL.encode(SOLUTION, "SPIN")


@given(st.data(), instances(), modes)
def test_encode_undoes_decode(data, instance, mode):
    model = build(instance, reduce=mode)
    sample = data.draw(states(model))
    placement = model.decode(sample)
    spins = {variable: 2 * value - 1 for variable, value in sample.items()}
    text = "".join(str(sample[variable]) for variable in model.variables)
    assert model.decode(spins) == model.decode(text) == placement
    assert model.encode(placement) == sample
    assert model.encode(placement, "SPIN") == spins
    assert list(model.encode(placement)) == list(model.variables)


@given(st.data(), instances(), modes)
def test_the_prescribed_queens_are_on_every_board(data, instance, mode):
    model = build(instance, reduce=mode)
    sample = data.draw(states(model))
    chosen = {variable for variable, value in sample.items() if value}
    assert set(model.decode(sample)) == chosen | set(model.reduction.queens)


@pytest.mark.parametrize("sample", [BITS, SPINS], ids=["U23-BINARY", "U23-SPIN"])
def test_both_vartypes_give_one_board_and_energy(sample):
    assert MODEL.decode(sample) == SOLUTION
    assert MODEL.energy(sample) == 0


@pytest.mark.parametrize("value", [2, -2, 0.5, float("nan"), None, "1", "Q"], ids="U23-{}".format)
def test_other_values_are_refused(value):
    with pytest.raises(ValueError, match=r"variable \(2, 2\) has the value .*; expected 0 or 1"):
        MODEL.decode(BITS | {(2, 2): value})


def test_u23_bits_and_spins_must_not_be_mixed():
    with pytest.raises(ValueError, match=r"mixes 0 \(BINARY\) and -1 \(SPIN\)"):
        MODEL.decode(BITS | {(2, 2): -1})


@pytest.mark.parametrize("one", [1, 1.0, True, np.int8(1), np.float64(1)])
def test_a_one_may_be_of_any_number_type(one):
    assert MODEL.decode({cell: one if bit else 0 for cell, bit in BITS.items()}) == SOLUTION


def test_u33_decoded_boards_hold_the_prescribed_queens():
    model = build(Instance(8, [(0, 3)]))
    placement = model.decode(dict.fromkeys(model.variables, 0))
    assert placement == Placement(8, [(0, 3)])


@pytest.mark.parametrize(
    ("cell", "value", "fixed"),
    [((0, 3), 0, 1), ((0, 3), -1, 1), ((0, 4), 1, 0), ((7, 3), 1, 0), ((0, 4), 7, 0)],
    ids=["U33-queen-0", "U33-queen-spin", "U33-row", "U33-column", "U33-no-bit"],
)
def test_a_sample_that_contradicts_what_is_fixed_is_an_error(cell, value, fixed):
    model = build(Instance(8, [(0, 3)]))
    sample = dict.fromkeys(model.variables, 0) | {cell: value}
    with pytest.raises(ValueError, match=f"which the model has fixed to {fixed}") as caught:
        model.decode(sample)
    assert str(cell) in str(caught.value)


@pytest.mark.parametrize("off", [0, -1])
def test_u33_a_sample_may_repeat_what_is_fixed(off):
    model = build(Instance(8, [(0, 3)]))
    sample = dict.fromkeys(all_cells(8), off) | {(0, 3): 1}
    assert model.decode(sample) == Placement(8, [(0, 3)])


@pytest.mark.parametrize("label", ["s0", (8, 0), (0, -1), (0, 0, 0), 5, None])
def test_an_unknown_variable_is_an_error(label):
    with pytest.raises(ValueError, match="the sample has an unknown variable"):
        MODEL.decode(BITS | {label: 0})


def test_u37_a_missing_variable_is_named():
    sample = {cell: bit for cell, bit in BITS.items() if cell != (2, 2)}
    with pytest.raises(KeyError) as caught:
        MODEL.decode(sample)
    assert str(caught.value) == (
        "the sample has no value for variable (2, 2); it needs all 16 variables of the model"
    )
    assert isinstance(caught.value, QueensError)
    assert isinstance(caught.value, ValueError)


def test_u37_a_missing_variable_of_a_sampleset_is_named():
    fixed = MODEL.bqm.copy()
    fixed.fix_variable((2, 2), 0)
    sampleset = dimod.SampleSet.from_samples_bqm(
        {cell: BITS[cell] for cell in fixed.variables}, fixed
    )
    with pytest.raises(KeyError, match=r"variable \(2, 2\)"):
        MODEL.decode(sampleset.first.sample)


@pytest.mark.parametrize("seed", range(5), ids="U58-{}".format)
def test_the_order_of_a_sample_does_not_matter(seed):
    items = list(BITS.items())
    random.Random(seed).shuffle(items)
    assert MODEL.decode(dict(items)) == SOLUTION


@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
def test_samples_of_a_sampleset_are_decoded(vartype):
    bqm = MODEL.bqm.change_vartype(vartype, inplace=False)
    sampleset = dimod.SampleSet.from_samples_bqm(MODEL.encode(SOLUTION, vartype), bqm)
    assert sampleset.first.energy == 0
    assert MODEL.decode(sampleset.first.sample) == SOLUTION


@pytest.mark.parametrize("bits", ["", "0" * 15, "0" * 17, "0" * 15 + "2", "Q" * 16, "\u0661" * 16])
def test_a_wrong_bit_string_is_refused(bits):
    with pytest.raises(ValueError, match=f"expected 16 characters 0 or 1, .* got {len(bits)}"):
        MODEL.decode(bits)


@pytest.mark.parametrize("sample", [None, 5, [0] * 16, (0,) * 16, b"0" * 16, np.int8(1)])
def test_what_is_no_sample_is_a_type_error(sample):
    with pytest.raises(TypeError, match="a sample is a mapping from labels to values") as caught:
        MODEL.decode(sample)
    assert isinstance(caught.value, QueensError)


@pytest.mark.parametrize(
    ("instance", "placement", "message"),
    [
        (Instance(4), Placement(5), "the placement has n=5, the model n=4"),
        (Instance(4, [(0, 1)]), Placement(4), r"lacks the prescribed queen \(0, 1\)"),
        (Instance(4, blocked=[(0, 1)]), SOLUTION, r"queen \(0, 1\) stands on a cell .* fixed to 0"),
        (Instance(4, excluded_sums=[4]), SOLUTION, r"queen \(1, 3\) stands on a cell"),
        (
            Instance(4, [(0, 0)]),
            Placement(4, [(0, 0), (1, 1)]),
            r"queen \(1, 1\) stands on a cell .* build it with reduce='none'",
        ),
    ],
)
def test_a_board_that_the_model_cannot_state_is_refused(instance, placement, message):
    with pytest.raises(ValueError, match=message) as caught:
        build(instance).encode(placement)
    assert isinstance(caught.value, QueensError)


def test_a_board_with_attacked_cells_can_be_stated_without_reduction():
    model = build(Instance(4, [(0, 0)]), reduce="none")
    placement = Placement(4, [(0, 0), (1, 1)])
    assert model.decode(model.encode(placement)) == placement


def test_an_unknown_vartype_is_refused():
    with pytest.raises(ValueError, match="vartype 'QUBIT' is unknown; choose BINARY or SPIN"):
        MODEL.encode(SOLUTION, "QUBIT")


def test_encode_takes_vartypes_of_dimod_and_refuses_what_is_no_placement():
    model = build(4)
    board = Placement.from_columns([1, 3, 0, 2])
    assert model.encode(board, dimod.SPIN) == model.encode(board, "SPIN")
    with pytest.raises(TypeError, match="expected a Placement, not list"):
        model.encode([(0, 1)])
    with pytest.raises(ValueError, match="vartype 'QUDIT' is unknown"):
        model.encode(board, "QUDIT")


def test_placements_of_another_size_are_refused():
    small = Placement.from_columns([0])
    for question in (build(4).encode, build(4).placement_energies, build(4).placement_violations):
        with pytest.raises(ValueError, match="the placement has n=1, the model n=4"):
            question(small)


def test_labels_and_values_of_numpy():
    model = build(Instance(4, [(0, 1)]), reduce="lines")
    sample = {**model.encode(Placement.from_columns([1, 3, 0, 2])), (np.int64(0), np.int64(1)): 1}
    assert model.decode(sample).columns == (1, 3, 0, 2)
    variable = model.variables[0]
    with pytest.raises(ValueError, match="has the value"):
        model.decode({**sample, variable: np.array([0, 1])})
