"""The cell model against dimod's own constructions, and what build() refuses."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import dimod
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_cells, reference_bqm
from strategies import OTHER_STRENGTHS, cells, instances, integer_strengths, modes, strengths

from qubo_queens import Instance, build, forecast
from qubo_queens.encodings import forecast as forecast_module
from qubo_queens.encodings.forecast import check_memory
from qubo_queens.encodings.groups import couplings
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.errors import QueensError

DIAGONAL_OFF = {"diagonal_strength": 0, "relaxation": "rooks"}


def reference_of(model, row_column, diagonal):
    """Return dimod's model with the cells fixed that the reduction has decided."""
    fixed = model.reduction
    return reference_bqm(model.instance, row_column, diagonal, fixed.queens, set(fixed.free_cells))


@given(instances(), modes, integer_strengths)
def test_the_model_equals_the_one_that_dimod_makes(instance, mode, weights):
    a, b = weights
    model = build(instance, row_column_strength=a, diagonal_strength=b, reduce=mode)
    assert model.bqm == reference_of(model, a, b)
    assert model.bqm.vartype is dimod.BINARY


@given(instances(), modes, st.sampled_from(OTHER_STRENGTHS))
def test_the_model_equals_the_one_that_dimod_makes_with_any_strengths(instance, mode, weights):
    a, b = weights
    model = build(instance, row_column_strength=a, diagonal_strength=b, reduce=mode)
    assert_close(model.bqm, reference_of(model, a, b))


def assert_close(bqm, other):
    """Compare relatively: dimod's ``is_almost_equal`` compares to a number of places."""
    assert bqm.offset == pytest.approx(other.offset)
    assert dict(bqm.linear) == pytest.approx(dict(other.linear))
    couplings, others = (
        {tuple(sorted(pair)): weight for pair, weight in model.quadratic.items()}
        for model in (bqm, other)
    )
    assert couplings == pytest.approx(others)


@given(instances(), modes)
def test_the_rooks_relaxation_leaves_out_the_diagonals(instance, mode):
    model = build(instance, reduce=mode, **DIAGONAL_OFF)
    assert model.bqm == reference_of(model, 1, 0)


@given(instances(max_n=9), modes)
def test_labels_are_the_free_cells_in_row_major_order(instance, mode):
    model = build(instance, reduce=mode)
    labels = list(model.bqm.variables)
    assert labels == list(model.variables) == list(model.reduction.free_cells)
    assert all(type(label) is tuple for label in labels)
    assert {type(number) for label in labels for number in label} <= {int}


def test_u18_labels_are_distinct():
    labels = list(build(12).bqm.variables)
    assert labels == all_cells(12)
    assert len(set(labels)) == 144


def test_u43_the_order_of_the_prescribed_queens_changes_nothing():
    one, other = (build(Instance(8, q)).bqm for q in ([(0, 3), (1, 5)], [(1, 5), (0, 3)]))
    assert list(one.variables) == list(other.variables)
    for left, right in zip(_vectors(one), _vectors(other), strict=True):
        assert left.tolist() == right.tolist()


def _vectors(bqm):
    linear, (row, column, quadratic), offset = bqm.to_numpy_vectors()
    return linear, row, column, quadratic, np.array(offset)


def interactions(n):
    """Return the number of pairs of cells on one line: the closed form of U14."""
    return n**2 * (n - 1) + n * (n - 1) * (2 * n - 1) // 3


@pytest.mark.parametrize("n", [*range(1, 21), 50], ids="U14-n{}".format)
def test_interactions_follow_the_closed_form(n):
    bqm = build(n).bqm
    assert bqm.num_variables == n * n
    assert bqm.num_interactions == interactions(n) == n * (n - 1) * (5 * n - 1) // 3


@pytest.mark.parametrize(
    ("n", "count"),
    [(4, 76), (8, 728), (20, 12_540), (50, 203_350)],
    ids=["U14-n4", "U14-n8", "U14-n20", "U14-n50"],
)
def test_interactions_of_the_sizes_that_were_counted(n, count):
    assert forecast(n).interactions == count


@given(st.lists(cells(5), unique=True), strengths)
def test_couplings_come_sorted_and_weighted_by_family(listed, weights):
    families = [(np.array([cell[i] for cell in listed], np.int64), weights[i]) for i in (0, 1)]
    expected = [
        (i, j, weights[0] if one[0] == other[0] else weights[1])
        for (i, one), (j, other) in combinations(enumerate(listed), 2)
        if one[0] == other[0] or one[1] == other[1]
    ]
    found = couplings(families)
    assert list(zip(*(array.tolist() for array in found), strict=True)) == expected


def test_every_coupling_of_the_default_is_two():
    assert set(build(6).bqm.quadratic.values()) == {2}


@given(instances(max_n=9), modes)
def test_the_forecast_is_what_is_built(instance, mode):
    model = build(instance, reduce=mode)
    size = model.forecast
    bqm = model.bqm
    assert (size.variables, size.interactions) == (bqm.num_variables, bqm.num_interactions)
    assert (model.num_variables, model.num_interactions) == (size.variables, size.interactions)
    assert size.bytes == bqm.nbytes()
    assert size.exact
    found = forecast(instance, reduce=mode)
    assert replace(found, largest_degree=None, largest_coefficient=None) == replace(
        size, largest_degree=None, largest_coefficient=None
    )
    biases = [*bqm.linear.values(), *bqm.quadratic.values()]
    assert found.largest_coefficient == max(map(abs, biases), default=0)
    assert found.largest_degree == max((bqm.degree(v) for v in bqm.variables), default=0)


def test_the_forecast_of_a_relaxation_counts_no_diagonals():
    model = build(7, **DIAGONAL_OFF)
    assert model.forecast.interactions == model.bqm.num_interactions == 7 * 7 * 6


def test_a_forecast_in_words_and_values():
    size = forecast(100)
    assert str(size).startswith("10,000 variables, 1,646,700 interactions, 52.8 MB (about ")
    assert size.to_dict() == {
        "encoding": "cell",
        "n": 100,
        "variables": 10_000,
        "interactions": 1_646_700,
        "exact": True,
        "largest_degree": 395,
        "largest_coefficient": 2,
        "bytes": size.bytes,
        "peak_bytes": size.peak_bytes,
    }
    assert str(forecast(Instance(10_000, [(0, 0)]))).startswith("about 99,9")


def test_a_million_rows_are_forecast():
    n = 10**6
    assert forecast(n).interactions == interactions(n)
    about = forecast(Instance(n, [(0, 0), (1, 5)]))
    assert not about.exact
    assert about.variables == pytest.approx(n * n, rel=1e-4)


def test_a_model_too_large_is_refused_before_anything_is_allocated(monkeypatch):
    monkeypatch.setattr(forecast_module, "_physical_memory", lambda: 50_000_000)
    model = build(100)
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=r"10,000 variables, .* 52\.8 MB .* has 50\.0 MB"):
            _ = model.bqm
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_a_model_beyond_any_machine_is_refused():
    size = forecast(1_000_000)
    with pytest.raises(MemoryError, match=r"prescribe more queens or take a smaller n") as caught:
        check_memory("cell", size.n, str(size), size.peak_bytes)
    assert isinstance(caught.value, QueensError)


def test_where_the_memory_is_unknown_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(forecast_module, "_physical_memory", lambda: None)
    assert build(4).bqm.num_variables == 16


def test_the_memory_of_this_machine_is_read():
    memory = forecast_module._physical_memory()
    assert memory is None or memory > 10**6


def test_u35_a_complete_prescription_leaves_no_variables():
    model = build(Instance(4, enumerate([1, 3, 0, 2])))
    assert (model.bqm.num_variables, model.bqm.offset) == (0, 0)
    assert model.decode({}).columns == model.decode("").columns == (1, 3, 0, 2)
    assert model.energy({}) == model.num_violated({}) == 0


@pytest.mark.parametrize("mode", ["none", "lines"])
def test_u35_a_board_with_all_cells_blocked_has_a_constant_energy(mode):
    model = build(Instance(4, blocked=all_cells(4)), reduce=mode)
    assert (model.bqm.num_variables, model.bqm.offset) == (0, 8)
    assert model.energy({}) == 8
    assert len(model.decode({})) == 0


def test_the_bqm_is_made_once_and_on_demand():
    model = build(5)
    assert "bqm" not in vars(model)
    assert repr(model) == "<Model cell: n=5, 25 variables, 160 interactions>"
    assert "bqm" not in vars(model)
    assert model.bqm is model.bqm


def test_a_cell_without_couplings_stays_a_variable():
    instance = Instance(2, blocked=[(0, 0), (0, 1), (1, 0)])
    assert dict(build(instance).bqm.linear) == {(1, 1): -2}


@pytest.mark.parametrize(
    ("strength", "error"),
    [
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (-float("inf"), ValueError),
        (0, ValueError),
        (0.0, ValueError),
        (-1, ValueError),
        (-0.5, ValueError),
        (1e308, ValueError),
        (10**400, ValueError),
        (Fraction(1, 10**400), ValueError),
        (True, TypeError),
        (np.True_, TypeError),
        ("1", TypeError),
        (1j, TypeError),
        ([1], TypeError),
        (np.ones(2), TypeError),
    ],
    ids=lambda value: str(value)[:12],
)
@pytest.mark.parametrize("name", ["row_column_strength", "diagonal_strength"])
def test_wrong_strengths_are_refused(name, strength, error):
    with pytest.raises(error, match=f"^{name}") as caught:
        build(4, **{name: strength})
    assert isinstance(caught.value, QueensError)


@pytest.mark.parametrize(
    "strength", [Fraction(1, 2), np.float64(0.5), np.float32(0.5), np.int8(100), 1e-100, 1e298]
)
def test_any_real_number_is_a_strength(strength):
    model = build(4, row_column_strength=strength, diagonal_strength=strength)
    assert_close(model.bqm, reference_of(model, float(strength), float(strength)))
    assert type(model.strengths.row_column) in (int, float)


def test_strengths_are_kept_as_given():
    strengths = build(4, row_column_strength=3, diagonal_strength=1.5).strengths
    assert (strengths.row_column, strengths.diagonal, strengths.relaxation) == (3, 1.5, None)


def test_diagonals_are_left_out_only_on_purpose():
    with pytest.raises(ValueError, match=r"allowed only together with relaxation='rooks'"):
        build(4, diagonal_strength=0)
    with pytest.raises(ValueError, match=r"not diagonal_strength=2 with relaxation='rooks'"):
        build(4, relaxation="rooks")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"encoding": "cells"}, "encoding 'cells' is unknown; choose one of cell"),
        ({"encoding": None}, "encoding None is unknown"),
        ({"reduce": "all"}, "reduce='all' is unknown; choose one of none, lines"),
        ({"reduce": None}, "reduce=None is unknown"),
        ({"relaxation": "bishops"}, "relaxation='bishops' is unknown; the only one is 'rooks'"),
    ],
)
def test_unknown_choices_are_value_errors(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        build(4, **arguments)
    assert isinstance(caught.value, QueensError)


def test_u45_unknown_keywords_are_type_errors_that_list_the_known_ones():
    with pytest.raises(TypeError, match=r"chain_strength.*known are row_column_strength, diag"):
        build(4, chain_strength=2)


@pytest.mark.parametrize("n", [0, -4, True, 4.0, "8"], ids="U70-{!r}".format)
def test_sizes_are_checked(n):
    with pytest.raises((ValueError, TypeError), match="board size n") as caught:
        build(n)
    assert isinstance(caught.value, QueensError)


def test_the_encodings_are_listed():
    names = list_encodings()
    assert names[0] == "cell"
    assert len(set(names)) == len(names) >= 7
    list_encodings().clear()
    assert list_encodings() == names
