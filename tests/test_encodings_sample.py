"""From samples to boards and back; samples that do not fit."""

import random

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import all_cells
from strategies import instances, modes, states

from qubo_queens import Instance, Placement, build
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.encodings.sample import bits_of_samples
from qubo_queens.errors import InputTypeError, MissingVariableError, QueensError, SampleError

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


# Every form, one sample and many


every_encoding = pytest.mark.parametrize("encoding", list_encodings())
DTYPES = [np.int8, np.int64, np.uint8, np.bool_, np.float32, np.float64]
MANY = {
    "list of mappings": lambda labels, rows: [dict(zip(labels, row, strict=True)) for row in rows],
    "tuple of arrays": lambda labels, rows: tuple(rows),
    "generator": lambda labels, rows: (row for row in rows),
    "array": lambda labels, rows: rows,
    "array in the order of columns": lambda labels, rows: np.asfortranarray(rows),
}


def sampleset_of(labels, rows, vartype, extra=()):
    """Return a sample set with its labels in reverse order, and fixed ones among them."""
    labels = [*labels[::-1], *(label for label, _ in extra)]
    columns = [rows[:, ::-1], *(np.full((len(rows), 1), value) for _, value in extra)]
    return dimod.SampleSet.from_samples(
        (np.hstack(columns).reshape(len(rows), len(labels)), labels),
        vartype,
        energy=len(rows) * [0],
    )


@st.composite
def models_and_states(draw, encoding):
    """Draw a model and some states, of shape (reads, variables)."""
    model = build(draw(instances(max_n=4)), encoding, reduce=draw(modes))
    size = model.num_variables
    row = st.lists(st.integers(0, 1), min_size=size, max_size=size)
    rows = draw(st.lists(row, max_size=4))
    return model, np.array(rows, np.int8).reshape(len(rows), size)


@every_encoding
@settings(max_examples=25)
@given(data=st.data(), form=st.sampled_from(sorted(MANY)), dtype=st.sampled_from(DTYPES))
def test_many_samples_have_the_energies_of_each(encoding, data, form, dtype):
    model, bits = data.draw(models_and_states(encoding))
    labels = model.variables
    expected = [model.bqm.energy(dict(zip(labels, row.tolist(), strict=True))) for row in bits]
    found = {
        "bits": MANY[form](labels, bits.astype(dtype)),
        "set of bits": sampleset_of(labels, bits, "BINARY"),
        "set of spins": sampleset_of(labels, 2 * bits - 1, "SPIN"),
        "text": ["".join(map(str, row)) for row in bits.tolist()],
    }
    if np.dtype(dtype).kind in "if":
        found["spins"] = MANY[form](labels, 2 * bits.astype(dtype) - 1)
    for name, samples in found.items():
        energies = model.sample_energies(samples)
        assert energies.shape == (len(bits),), name
        assert energies.tolist() == pytest.approx(expected), name


@every_encoding
@settings(max_examples=25)
@given(data=st.data(), dtype=st.sampled_from(DTYPES))
def test_one_sample_is_the_same_in_every_form(encoding, data, dtype):
    model, bits = data.draw(models_and_states(encoding))
    for row in bits:
        sample = dict(zip(model.variables, row.tolist(), strict=True))
        one = sampleset_of(model.variables, row[None, :], "BINARY")
        forms = [
            row.astype(dtype),
            2 * row.astype(np.float64) - 1,
            "".join(map(str, row.tolist())),
            one,
            one.change_vartype("SPIN", inplace=False),
            one.first.sample,
        ]
        for form in forms:
            assert model.energies(form) == model.energies(sample)
            assert model.energy(form) == model.energy(sample)
            assert model.decode(form) == model.decode(sample)
            assert model.violations(form) == model.violations(sample)
            assert model.num_violated(form) == model.num_violated(sample)


@pytest.mark.parametrize("value", [-1, np.int8(-1), -1.0])
def test_spins_are_never_taken_for_bits(value):
    model = build(4)
    assert model.sample_energies(np.full((2, 16), value)).tolist() == [8, 8]
    assert model.energy(np.full(16, value)) == 8
    assert model.energy(np.ones(16)) == model.energy("1" * 16) == 128


def test_bits_are_taken_without_a_copy():
    bits = np.zeros((3, 16), np.int8)
    assert bits_of_samples(bits, MODEL) is bits


def test_labels_that_are_fixed_may_be_in_a_sample_set():
    model = build(Instance(4, [(0, 1)]), reduce="lines")
    states_ = np.array([list(model.encode(SOLUTION).values())] * 2, np.int8)
    fixed = [((0, 1), 1), ((0, 0), 0)]
    assert model.sample_energies(sampleset_of(model.variables, states_, "BINARY", fixed)).any() == 0
    with pytest.raises(SampleError, match=r"has 0 for \(0, 1\), which the model has fixed to 1"):
        model.sample_energies(sampleset_of(model.variables, states_, "BINARY", [((0, 1), 0)]))
    with pytest.raises(SampleError, match="the sample has an unknown variable 'x'"):
        model.sample_energies(sampleset_of(model.variables, states_, "BINARY", [("x", 0)]))
    with pytest.raises(MissingVariableError, match=r"no value for variable \(1, 3\); it needs all"):
        model.sample_energies(sampleset_of(model.variables[1:], states_[:, 1:], "BINARY"))


EYE = np.eye(16, dtype=np.int8)
MIXED = EYE.copy()
MIXED[3, 4] = -1


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        (EYE[0], SampleError, r"of shape \(reads, 16\), .* not \(16,\); for one .*model\.energy"),
        (EYE[:, :5], SampleError, r"expected an array of shape \(reads, 16\), .* not \(16, 5\)"),
        (EYE[None], SampleError, r"not \(1, 16, 16\)"),
        (EYE.astype(str), InputTypeError, r"of a type such as int8, not of <U"),
        (EYE.astype(object), InputTypeError, r"not of object"),
        (EYE.astype(complex), InputTypeError, r"not of complex128"),
        (MIXED, SampleError, r"the array mixes 0 \(BINARY\) and -1 \(SPIN\)"),
        (2 * EYE, SampleError, r"variable \(0, 0\) has the value 2 in row 0; expected 0 or 1"),
        (EYE - 2, SampleError, r"variable \(0, 1\) has the value -2 in row 0"),
        (0.5 * EYE, SampleError, r"variable \(0, 0\) has the value 0.5 in row 0"),
        (np.full((1, 16), np.nan), SampleError, r"variable \(0, 0\) has the value nan; expected"),
        (BITS, InputTypeError, r"expected many samples: .* not dict; for one .*model\.energy"),
        ("0" * 16, InputTypeError, r"expected many samples: .* not str; for one sample call"),
        (5, InputTypeError, r"expected many samples: .* not int$"),
        (None, InputTypeError, r"expected many samples: .* not NoneType$"),
        ([[0] * 16], InputTypeError, r"a sample is .* not list; take numpy.array"),
        ([BITS, "0"], SampleError, "expected 16 characters 0 or 1"),
        ([EYE], SampleError, r"expected an array of shape \(16,\), .* not \(16, 16\)"),
    ],
)
def test_many_samples_that_are_none_are_refused(samples, error, message):
    with pytest.raises(error, match=message) as caught:
        MODEL.sample_energies(samples)
    assert isinstance(caught.value, QueensError)


@pytest.mark.parametrize(
    ("sample", "error", "message"),
    [
        (EYE, SampleError, r"of shape \(16,\), .* not \(16, 16\); for many samples loop over"),
        (EYE[:1], SampleError, r"expected an array of shape \(16,\), .*sample_energies\(array\)"),
        (EYE[0, :3], SampleError, r"expected an array of shape \(16,\), .* not \(3,\)$"),
        (MIXED[3], SampleError, r"the sample mixes 0 \(BINARY\) and -1 \(SPIN\)"),
        (
            sampleset_of(MODEL.variables, EYE, "BINARY"),
            SampleError,
            r"one sample, not a SampleSet of 16; take sampleset\.first\.sample, loop over",
        ),
        (
            sampleset_of(MODEL.variables, EYE, "BINARY").first,
            InputTypeError,
            r"a sample is a mapping from labels to values, .*take sampleset\.first\.sample",
        ),
        ([BITS, BITS], InputTypeError, r"a sample is .*SampleSet with one row, not list"),
    ],
)
@pytest.mark.parametrize("method", ["decode", "energy", "energies", "violations", "num_violated"])
def test_what_is_not_one_sample_is_refused(method, sample, error, message):
    with pytest.raises(error, match=message) as caught:
        getattr(MODEL, method)(sample)
    assert isinstance(caught.value, QueensError)


def test_masked_arrays_are_refused_and_other_kinds_are_plain_arrays():
    model = build(4)
    with pytest.raises(InputTypeError, match="masked"):
        model.energy(np.ma.array([7] + [0] * 15, mask=[1] + [0] * 15))
    with pytest.raises(InputTypeError, match="masked"):
        model.sample_energies(np.ma.array([[0] * 16], mask=[[1] + [0] * 15]))
    assert model.energy(dict.fromkeys(model.variables, 0j)) == 8
    assert model.energy({label: np.array([0]) for label in model.variables}) == 8
