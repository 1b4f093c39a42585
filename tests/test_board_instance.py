"""Instances and placements: what is accepted, how it is normalised, what contradicts itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import LINE_NAMES, cells_on_lines, forbidden_queens
from strategies import instances

from qubo_queens import Instance, Placement
from qubo_queens.board.instance import MAX_SIZE
from qubo_queens.errors import InputTypeError, QueensError

BOTH = [Instance, Placement]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("n", [1, 2, 3], ids="U70-n{}".format)
def test_small_boards_are_accepted(kind, n):
    assert kind(n).n == n


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("n", [0, -4, MAX_SIZE + 1, 10**60], ids="U70-n{:.0e}".format)
def test_a_size_out_of_range_is_a_value_error(kind, n):
    with pytest.raises(
        ValueError, match=rf"board size n = .* is outside 1\.\.{MAX_SIZE}"
    ) as caught:
        kind(n)
    assert isinstance(caught.value, QueensError)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("n", [True, 4.0, "8", None, [4]], ids="U70-{!r}".format)
def test_a_size_that_is_no_integer_is_a_type_error(kind, n):
    with pytest.raises(TypeError, match="board size n must be an integer, not") as caught:
        kind(n)
    assert isinstance(caught.value, QueensError)


def test_numpy_integers_become_plain_ones():
    instance = Instance(
        np.int64(8),
        np.array([[3, 4], [0, 1]], dtype=np.uint8),
        blocked=[np.array([5, 5])],
        excluded_sums=np.array([9]),
        excluded_differences=[np.int32(-2)],
    )
    same = Instance(
        8, [(0, 1), (3, 4)], blocked=[(5, 5)], excluded_sums=[9], excluded_differences=[-2]
    )
    assert instance == same
    numbers = [
        instance.n,
        *(x for cell in (*instance.queens, *instance.blocked) for x in cell),
        *instance.excluded_sums,
        *instance.excluded_differences,
    ]
    assert {type(number) for number in numbers} == {int}


@given(instances(max_n=8), st.randoms())
def test_order_and_repetition_do_not_matter(instance, random):
    def jumbled(values):
        twice = [*values, *values]
        random.shuffle(twice)
        return twice

    other = Instance(
        instance.n,
        (list(cell) for cell in jumbled(instance.queens)),
        blocked=jumbled(instance.blocked),
        excluded_sums=jumbled(instance.excluded_sums),
        excluded_differences=jumbled(instance.excluded_differences),
    )
    assert other == instance
    assert hash(other) == hash(instance)
    for values in (other.queens, other.blocked, other.excluded_sums, other.excluded_differences):
        assert list(values) == sorted(set(values))


def test_instances_that_differ_are_unequal():
    plain = Instance(4)
    others = [
        Instance(5),
        Instance(4, [(0, 1)]),
        Instance(4, blocked=[(0, 1)]),
        Instance(4, excluded_sums=[1]),
        Instance(4, excluded_differences=[1]),
    ]
    assert len({plain, *others}) == 6


@pytest.mark.parametrize("what", ["queens", "blocked"])
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        pytest.param((-1, 0), r"row of .* -1 is outside 0\.\.7 \(n=8\)$", id="U68-negative"),
        pytest.param((0, 8), r"column .* 8 is outside 0\.\.7 \(n=8\); .*base=1", id="U68-base"),
        pytest.param((9, 0), r"row of .* 9 is outside 0\.\.7 \(n=8\)$", id="U68-far"),
    ],
)
def test_a_cell_off_the_board_is_a_value_error(what, cell, message):
    with pytest.raises(ValueError, match=message):
        Instance(8, **{what: [cell]})


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        pytest.param([64], r"must be a \(row, column\) pair, not 64 .*divmod", id="U68-number"),
        pytest.param([(1, 2, 3)], "pair", id="triple"),
        pytest.param(["12"], "pair", id="text-cell"),
        pytest.param("Q...", "list of", id="text"),
        pytest.param(5, "list of", id="no-list"),
        pytest.param([(1.0, 2)], "row of .* must be an integer, not 1.0", id="float"),
        pytest.param([(1, True)], "column of .* must be an integer, not True", id="bool"),
    ],
)
def test_what_is_no_cell_is_a_type_error(cells, message):
    for make in (Instance, Placement):
        with pytest.raises(TypeError, match=message) as caught:
            make(8, cells)
        assert isinstance(caught.value, QueensError)


@pytest.mark.parametrize(
    ("excluded", "error", "message"),
    [
        ({"excluded_sums": [15]}, ValueError, r"sum diagonal 15 is outside 0\.\.14"),
        ({"excluded_sums": [-1]}, ValueError, r"-1 is outside 0\.\.14"),
        ({"excluded_differences": [8]}, ValueError, r"difference diagonal 8 is outside -7\.\.7"),
        ({"excluded_differences": [-8]}, ValueError, r"-8 is outside -7\.\.7"),
        ({"excluded_sums": [1.5]}, TypeError, "must be an integer"),
        ({"excluded_sums": 3}, TypeError, "expected a list of excluded"),
        ({"excluded_differences": "34"}, TypeError, "expected a list of excluded"),
    ],
)
def test_wrong_diagonals_are_refused(excluded, error, message):
    with pytest.raises(error, match=message):
        Instance(8, **excluded)


@given(instances())
def test_contradictions_are_those_found_by_counting(instance):
    lines = cells_on_lines(instance.n)
    expected = set()
    for (kind, index), cells in lines.items():
        queens = tuple(cell for cell in instance.queens if cell in cells)
        if len(queens) > 1:
            expected.add(("attack", kind, index, queens))
        excluded = {"sum": instance.excluded_sums, "difference": instance.excluded_differences}
        if queens and index in excluded.get(kind, ()):
            expected.add(("excluded", kind, index, queens))
    names = {LINE_NAMES[kind].format(index): (kind, index) for kind, index in lines}
    found = instance.contradictions()
    on_lines = {(c.kind, *names[c.line], c.cells) for c in found if c.kind != "blocked"}
    assert on_lines == expected
    on_cells = [c.cells for c in found if c.kind == "blocked"]
    assert on_cells == [(cell,) for cell in instance.queens if cell in instance.blocked]
    assert len(found) == len(on_lines) + len(on_cells)
    assert list(instance.forbidden_queens()) == forbidden_queens(instance)


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        pytest.param(
            Instance(4, [(0, 0), (1, 1)]),
            ["prescribed queens (0, 0), (1, 1) attack each other on r - c = 0"],
            id="U25-attack",
        ),
        pytest.param(
            Instance(4, [(0, 1)], blocked=[(0, 1)]),
            ["prescribed queen (0, 1) stands on a blocked cell"],
            id="U25-blocked",
        ),
        pytest.param(
            Instance(4, [(0, 1)], excluded_sums=[1]),
            ["prescribed queen (0, 1) stands on the excluded diagonal r + c = 1"],
            id="U25-excluded",
        ),
        pytest.param(
            Instance(9, [(3, c) for c in range(9)]),
            [
                "prescribed queens (3, 0), (3, 1), (3, 2), (3, 3) and 5 more "
                "attack each other on row 3"
            ],
            id="U25-full-row",
        ),
    ],
)
def test_contradictions_say_which_queens_and_where(instance, words):
    assert [str(found) for found in instance.contradictions()] == words


def test_a_placement_reads_cells_and_columns_alike():
    placement = Placement.from_columns([1, 3, 0, 2])
    assert placement == Placement.from_cells([(3, 2), (0, 1), (2, 0), (1, 3)], 4)
    assert placement == Placement.from_columns(np.array([2, 4, 1, 3]), base=1)
    assert placement.columns == (1, 3, 0, 2)
    assert (len(placement), list(placement)) == (4, [(0, 1), (1, 3), (2, 0), (3, 2)])
    assert hash(placement) == hash(Placement.from_columns((1, 3, 0, 2)))
    assert repr(placement) == "Placement(n=4, cells=[(0, 1), (1, 3), (2, 0), (3, 2)])"


def test_u68_one_based_columns_are_told_so():
    columns = [1, 5, 8, 6, 3, 7, 2, 4]
    with pytest.raises(ValueError, match=r"8 is outside 0\.\.7 \(n=8\); .*base=1"):
        Placement.from_columns(columns)
    assert Placement.from_columns(columns, base=1).columns == (0, 4, 7, 5, 2, 6, 1, 3)


def test_a_queen_listed_twice_is_refused():
    with pytest.raises(ValueError, match=r"queen \(1, 1\) is listed twice"):
        Placement(4, [(1, 1), (0, 0), (1, 1)])


@pytest.mark.parametrize("cells", [[], [(0, 0)], [(0, 0), (0, 1)], [(0, 0), (1, 2), (1, 3)]])
def test_columns_need_one_queen_in_each_row(cells):
    with pytest.raises(ValueError, match=r"exactly one in each of its 4 rows; use \.cells"):
        _ = Placement(4, cells).columns


@pytest.mark.parametrize("columns", [[0.0], ["0"], [True], [None]])
def test_columns_must_be_integers(columns):
    with pytest.raises(TypeError, match="column of row 0 must be an integer"):
        Placement.from_columns(columns)


@pytest.mark.parametrize(
    ("columns", "base", "error", "message"),
    [
        ([1, 2, 5], 1, ValueError, r"column of row 2: 5 is outside 1\.\.3 \(n=3\)$"),
        ([0, 2, 4], 1, ValueError, r"column of row 0: 0 is outside 1\.\.3 \(n=3\)$"),
        ([0, 1], 5, ValueError, r"base 5 is outside 0\.\.1"),
        ([0, 1], "x", TypeError, "base must be an integer"),
        (5, 0, TypeError, "expected a list of columns"),
        ("01", 0, TypeError, "expected a list of columns"),
    ],
)
def test_columns_and_their_base_are_checked(columns, base, error, message):
    with pytest.raises(error, match=message):
        Placement.from_columns(columns, base=base)


HUGE = 10**5000
NOT_A_LIST = [3, "ab", b"ab", None, np.array(3)]


@pytest.mark.parametrize("value", NOT_A_LIST, ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        lambda value: Instance(4, value),
        lambda value: Instance(4, blocked=value),
        lambda value: Instance(4, excluded_sums=value),
        lambda value: Placement.from_columns(value),
        lambda value: Placement.from_cells(value, 4),
    ],
    ids=["queens", "blocked", "excluded", "columns", "cells"],
)
def test_what_is_no_list_is_an_input_type_error(make, value):
    with pytest.raises(InputTypeError, match="expected a list of"):
        make(value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Instance(HUGE),
        lambda: Instance([HUGE]),
        lambda: Instance(8, [HUGE]),
        lambda: Instance(8, [(HUGE, 0)]),
        lambda: Instance(8, [(0, [HUGE])]),
        lambda: Instance(8, excluded_sums=[HUGE]),
        lambda: Instance(np.array([4])),
        lambda: Instance(int),
        lambda: Instance(8, [{3, 1}]),
    ],
)
def test_odd_values_are_told_in_one_short_sentence(make):
    with pytest.raises(QueensError) as caught:
        make()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["queens", "blocked", "excluded_sums", "excluded_differences"])
@pytest.mark.parametrize("value", [0, 1])
def test_mappings_are_no_lists_of_cells(name, value):
    """``{(0, 0): 0}`` may mean that there is no queen."""
    given = {(0, 0) if name in ("queens", "blocked") else 0: value}
    with pytest.raises(TypeError, match=r"expected a list of .*; pass those of its keys that") as e:
        Instance(8, **{name: given})
    assert isinstance(e.value, QueensError)
    with pytest.raises(TypeError, match=r"expected a list of \(row, column\) pairs"):
        Placement(8, {(0, 0): value})
