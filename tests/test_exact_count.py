"""Counting and listing solutions, against published numbers and brute force."""

import dataclasses
import json
import signal
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_cells, attacks, completions
from strategies import instances

from qubo_queens import Instance, Placement, count, solutions, verify
from qubo_queens.board.symmetry import Symmetry, symmetries
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.exact import solutions as solutions_module
from qubo_queens.exact.board_search import BoardSearch
from qubo_queens.exact.count import Count

A000170 = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596]
A002562 = [1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787]
GOLDEN = json.loads((Path(__file__).parent / "golden_small.json").read_text())
CSES = [(2, 2), (5, 5), (5, 6), (6, 3)]


@pytest.fixture
def sigint():
    """The usual handling of Ctrl-C, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def press_ctrl_c(sigint, monkeypatch):
    """Press Ctrl-C at the end of the first slice of a search."""
    advance_slice = BoardSearch.advance_slice
    pressed = []

    def press(search, *arguments):
        advance_slice(search, *arguments)
        if not pressed:
            pressed.append(1)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(BoardSearch, "advance_slice", press)


def classes(instance):
    """The solutions, grouped by the symmetries of the instance; brute force."""
    group = [s for s in Symmetry if s.instance(instance) == instance]
    boards = [Placement.from_columns(columns) for columns in completions(instance)]
    return {frozenset(symmetry.placement(board) for symmetry in group) for board in boards}


@pytest.mark.parametrize(("n", "expected"), list(enumerate(A000170, 1)))
def test_plain_boards(n, expected):
    counted = count(n)
    assert (counted.value, counted.exact) == (expected, True)


@pytest.mark.parametrize(("n", "expected"), list(enumerate(A002562, 1)))
def test_plain_boards_up_to_symmetry(n, expected):
    counted = count(n, up_to_symmetry=True)
    assert (counted.value, counted.exact) == (expected, True)
    if n <= 10:
        assert len(list(solutions(n, up_to_symmetry=True))) == expected


def test_completions_of_each_single_queen_on_8x8():
    for row, column in all_cells(8):
        counted = count(Instance(8, [(row, column)]))
        assert counted.value == GOLDEN["cell_counts_8"][row][column]


def test_nauck():
    golden = GOLDEN["nauck1850"]
    nauck = Instance(golden["n"], map(tuple, golden["queens"]))
    assert count(nauck).value == golden["count"] == 2
    found = solutions(nauck)
    assert sorted(list(board.columns) for board in found) == sorted(golden["solutions_row_to_col"])
    assert found.complete


@pytest.mark.parametrize(("n", "queens"), [(7, [(0, 0), (1, 6)]), (8, [(0, 0), (1, 2)])])
def test_pairs_without_completion(n, queens):
    assert count(Instance(n, queens)).value == 0


@pytest.mark.parametrize(
    ("n", "pairs", "without"), [(7, 700, 72), (8, 1288, 236), (9, 2184, 40), (10, 3480, 0)]
)
def test_all_pairs_without_completion(n, pairs, without):
    free = [pair for pair in combinations(all_cells(n), 2) if not attacks(*pair)]
    assert len(free) == pairs
    assert sum(not count(Instance(n, pair), limit=1).value for pair in free) == without


def test_u38_blocked_cells_do_not_shield():
    assert count(Instance(8, blocked=CSES)).value == 65


def test_u40_excluded_diagonals_with_one_board():
    unique = Instance(
        8,
        excluded_sums=[0, 1, 2, 9, 10, 13, 14],
        excluded_differences=[-7, -6, -3, 1, 2, 6, 7],
    )
    assert str(count(unique, limit=2)) == "1 solution"
    assert [board.columns for board in solutions(unique)] == [(5, 2, 6, 3, 0, 7, 1, 4)]


def test_u72_all_four_boards_and_no_more():
    found = solutions(6, 10)
    assert not found.complete
    boards = list(found)
    assert len(set(boards)) == len(boards) == found.found == 4
    assert found.complete
    few = solutions(6, 3)
    assert len(list(few)) == 3
    assert not few.complete
    assert next(few, None) is None


@given(instances(max_n=6))
def test_counts_and_boards_against_brute_force(instance):
    expected = sorted(completions(instance))
    counted = count(instance)
    assert (counted.value, counted.exact) == (len(expected), True)
    found = solutions(instance)
    boards = list(found)
    assert all(verify(instance, board).valid for board in boards)
    assert sorted(board.columns for board in boards) == expected
    assert found.complete


@st.composite
def symmetric_instances(draw):
    """Draw an instance that some symmetries leave as it is."""
    given_one = draw(instances(max_n=7, max_queens=1))
    group = draw(st.sampled_from([(Symmetry.LEFT_RIGHT,), (Symmetry.HALF_TURN,), tuple(Symmetry)]))
    images = [given_one, *(symmetry.instance(given_one) for symmetry in group)]
    return Instance(
        given_one.n,
        given_one.queens,
        blocked=[cell for image in images for cell in image.blocked],
        excluded_sums=[k for image in images for k in image.excluded_sums],
        excluded_differences=[d for image in images for d in image.excluded_differences],
    )


@given(symmetric_instances() | instances(max_n=6))
def test_classes_under_the_symmetries_of_the_instance(instance):
    expected = classes(instance)
    assert count(instance).value == sum(map(len, expected))
    assert count(instance, up_to_symmetry=True).value == len(expected)
    boards = list(solutions(instance, up_to_symmetry=True))
    assert sorted(board.columns for board in boards) == sorted(
        min(board.columns for board in one) for one in expected
    )


@given(symmetric_instances(), st.integers(1, 6), st.booleans())
def test_a_limit_is_never_exceeded(instance, limit, up_to_symmetry):
    full = count(instance, up_to_symmetry=up_to_symmetry)
    counted = count(instance, limit=limit, up_to_symmetry=up_to_symmetry)
    assert counted.value == min(limit, full.value)
    assert counted.exact == (full.value < limit)


def test_counts_and_lists_of_large_boards_end_at_the_limit():
    assert str(count(40, limit=1000)) == "at least 1,000 solutions"
    assert count(70, limit=1).value == 1
    boards = list(solutions(70, 3))
    assert len(set(boards)) == 3
    assert all(verify(70, board).valid for board in boards)
    assert list(solutions(70, 3)) == boards


def test_a_count_tells_itself():
    counted = Count(92, True, False, 10, 0.5)
    assert str(counted) == "92 solutions"
    assert str(Count(1, False, True, 10, 0.5)) == "at least 1 solution up to symmetry"
    assert counted.to_dict() == {
        "value": 92,
        "exact": True,
        "up_to_symmetry": False,
        "nodes": 10,
        "seconds": 0.5,
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        counted.value = 3
    assert count(8).nodes > 100
    assert symmetries(Instance(8)) == tuple(Symmetry)


@pytest.mark.parametrize("up_to_symmetry", [False, True])
def test_the_time_limit_ends_a_count(up_to_symmetry):
    counted = count(60, time_limit=1e-9, up_to_symmetry=up_to_symmetry)
    assert (counted.value, counted.exact) == (0, False)
    counted = count(60, time_limit=0.02, up_to_symmetry=up_to_symmetry)
    assert not counted.exact
    assert counted.nodes > 0


def test_the_time_limit_ends_a_list():
    found = solutions(60, time_limit=1e-9)
    boards = list(found)
    assert not found.complete
    assert found.found == len(boards)


def test_ctrl_c_ends_a_count_with_what_was_found(press_ctrl_c):
    counted = count(14)
    assert 0 < counted.value < A000170[-1]
    assert not counted.exact
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_loses_no_board(press_ctrl_c):
    found = solutions(9)
    boards = []
    with pytest.raises(KeyboardInterrupt):
        boards.extend(found)
    boards.extend(found)
    assert found.complete
    assert len(set(boards)) == len(boards) == 352


def test_ctrl_c_while_the_kernel_is_compiled(sigint, monkeypatch):
    def press(search, *arguments):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(BoardSearch, "advance", press)
    with pytest.raises(KeyboardInterrupt):
        solutions(8)


def test_boards_are_looked_at_in_batches(monkeypatch):
    expected = set(solutions(8))
    monkeypatch.setattr(solutions_module, "batch_size", lambda n: 3)
    assert set(solutions(8)) == expected
    assert len(list(solutions(8, up_to_symmetry=True))) == 12


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (count, {"limit": 0}, InputError, r"limit 0 is outside 1\.\."),
        (count, {"limit": True}, InputTypeError, "limit must be an integer"),
        (count, {"limit": 1.5}, InputTypeError, "limit must be an integer"),
        (count, {"time_limit": 0}, InputError, "time_limit must be finite and above 0"),
        (count, {"time_limit": "1"}, InputTypeError, "time_limit must be a number"),
        (solutions, {"k": 0}, InputError, r"k 0 is outside 1\.\."),
        (solutions, {"k": "2"}, InputTypeError, "k must be an integer"),
        (solutions, {"time_limit": -1}, InputError, "time_limit must be finite and above 0"),
    ],
)
def test_bad_arguments(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(8, **arguments)


@pytest.mark.parametrize("function", [count, solutions])
def test_boards_that_are_too_large(function):
    with pytest.raises(InputError, match="up to 1,000 open rows, not 100,000"):
        function(100_000)
    assert count(Instance(100_000, [(0, 0), (0, 5)])).exact
