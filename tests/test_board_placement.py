"""Placements from cells, columns and arrays: one board, one object, nothing to change in it."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import cells, placements

from qubo_queens import Instance, Placement, build, verify
from qubo_queens.errors import QueensError
from qubo_queens.solving.answers import Candidate

INTEGERS = ["int64", "int32", "int8", "uint64", "uint8", ">i4"]

shuffled_boards = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(cells(n), unique=True, max_size=2 * n))
)
any_placement = st.integers(1, 9).flatmap(placements)


def arrays_of(queens, dtype="int64"):
    """Return the rows and the columns of some cells."""
    return tuple(np.array([queen[axis] for queen in queens], dtype=dtype) for axis in (0, 1))


def outcome(make):
    """Return what a call returns, or its error as class and message."""
    try:
        return make()
    except QueensError as error:
        return type(error), str(error)


@given(shuffled_boards, st.sampled_from(INTEGERS))
def test_arrays_make_the_same_placement_as_cells(board, dtype):
    n, queens = board
    one, other = Placement.from_arrays(*arrays_of(queens, dtype), n), Placement(n, queens)
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other) == f"Placement(n={n}, cells={sorted(queens)})"
    assert str(one) == str(other)
    assert one.cells == other.cells == tuple(one) == tuple(sorted(queens))
    assert {type(number) for cell in one.cells for number in cell} <= {int}
    for array, numbers in zip(one.arrays, arrays_of(sorted(queens)), strict=True):
        assert array.dtype == np.int64
        assert array.tolist() == numbers.tolist()


@given(any_placement, any_placement)
def test_placements_are_equal_exactly_if_size_and_cells_are(one, other):
    same = (one.n, one.cells) == (other.n, other.cells)
    assert (one == other) is same
    assert not same or hash(one) == hash(other)
    assert one != (one.n, one.cells)


@given(any_placement)
def test_columns_are_there_where_each_row_has_one_queen(placement):
    assert placement.one_in_each_row == ([r for r, _ in placement] == list(range(placement.n)))
    if placement.one_in_each_row:
        assert Placement.from_columns(placement.columns) == placement


@pytest.mark.parametrize("queens", [[], [(0, 1)], [(3, 0), (0, 1), (2, 2)]], ids=len)
@pytest.mark.parametrize("make", [Placement, lambda n, q: Placement.from_arrays(*arrays_of(q), n)])
def test_nothing_in_a_placement_can_be_changed(make, queens):
    placement = make(4, queens)
    kept = [placement, copy.copy(placement), copy.deepcopy(placement)]
    kept += [pickle.loads(pickle.dumps(placement, protocol)) for protocol in range(6)]
    for one in kept:
        assert one == placement
        assert one.cells == placement.cells
        for array in one.arrays:
            assert not array.flags.writeable
            with pytest.raises(ValueError, match=r"read-only|WRITEABLE"):
                array.flags.writeable = True
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
        for name in ("n", "cells", "arrays", "other"):
            with pytest.raises(AttributeError):
                setattr(one, name, 1)


def test_later_changes_of_the_given_arrays_do_not_matter():
    rows, columns = np.arange(4), np.array([1, 3, 0, 2])
    by_arrays, by_columns = Placement.from_arrays(rows, columns, 4), Placement.from_columns(columns)
    rows[:], columns[:] = 0, 0
    assert by_arrays == by_columns == Placement.from_columns([1, 3, 0, 2])


def test_the_hash_is_the_same_in_every_process():
    code = "from qubo_queens import Placement; print(hash(Placement.from_columns([1, 3, 0, 2])))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == hash(Placement.from_columns([1, 3, 0, 2]))


@given(st.lists(st.tuples(st.integers(-2, 5), st.integers(-2, 5)), max_size=6))
def test_arrays_are_refused_with_the_words_for_cells(queens):
    by_arrays = outcome(lambda: Placement.from_arrays(*arrays_of(queens), 4))
    assert by_arrays == outcome(lambda: Placement(4, queens)) or len(set(queens)) < len(queens)
    assert isinstance(by_arrays, tuple) == isinstance(outcome(lambda: Placement(4, queens)), tuple)


@given(st.lists(st.integers(-1, 6), max_size=6), st.integers(0, 1), st.sampled_from(INTEGERS))
def test_columns_in_an_array_are_read_and_refused_as_in_a_list(columns, base, dtype):
    array = np.array(columns).astype(dtype)
    by_array = outcome(lambda: Placement.from_columns(array, base=base))
    assert by_array == outcome(lambda: Placement.from_columns(array.tolist(), base=base))
    assert by_array == outcome(lambda: Placement.from_columns(list(array), base=base))


@pytest.mark.parametrize(
    ("rows", "columns", "error", "message"),
    [
        (np.array([1, 0, 1]), np.array([1, 0, 1]), ValueError, r"queen \(1, 1\) is listed twice"),
        (np.array([0, 4]), np.array([0, 0]), ValueError, r"row of queen \(4, 0\): 4 is outside"),
        (np.array([2**64 - 1]), np.array([0]), ValueError, r"18446744073709551615 is outside"),
        (np.arange(2), np.arange(3), ValueError, "there are 2 rows but 3 columns"),
        (np.arange(2.0), np.arange(2), TypeError, "rows must be a NumPy array of integers"),
        (np.arange(2), np.array([True, False]), TypeError, "columns must be a NumPy array"),
        ([0], [1], TypeError, r"rows must be .* not \[0\]; .*from_cells"),
        (np.eye(2, dtype=int), np.eye(2, dtype=int), TypeError, "with one dimension"),
        (np.ma.masked_less(np.arange(2), 1), np.arange(2), TypeError, "rows must be a NumPy array"),
    ],
)
def test_odd_arrays_are_refused(rows, columns, error, message):
    with pytest.raises(error, match=message) as caught:
        Placement.from_arrays(rows, columns, 4)
    assert isinstance(caught.value, QueensError)


def test_a_masked_array_of_columns_is_refused():
    with pytest.raises(TypeError, match="column of row 0 must be an integer"):
        Placement.from_columns(np.ma.masked_less(np.array([1, 3, 0, 2]), 2))


def test_a_board_is_judged_without_an_object_for_each_queen_or_line():
    n = 1000
    placement = Placement.from_columns(np.r_[1:n:2, 0:n:2])  # valid where n mod 6 is 4
    prescribed = [(row, 2 * row + 1) for row in range(0, 500, 7)]
    model = build(Instance(n, prescribed, blocked=[(0, 0)], excluded_sums=[0]))
    candidate = Candidate.judged(model, placement)
    assert (candidate.energy, candidate.verification) == (0, verify(model.instance, placement))
    assert candidate.verification.valid
    assert "cells" not in vars(placement)
    assert "constraints" not in vars(model)
