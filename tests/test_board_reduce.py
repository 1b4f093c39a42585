"""What prescribed queens leave open, against plain loops."""

import tracemalloc

import pytest
from hypothesis import given
from oracles import all_cells, cells_on_lines, completions, free_cells
from strategies import instances, modes

from qubo_queens import Instance, Placement, build, reduce, verify
from qubo_queens.board.generate import planted
from qubo_queens.board.lines import Kind, Line

U38_RESERVED = [(2, 2), (5, 5), (5, 6), (6, 3)]


U40 = Instance(
    8,
    excluded_sums=[0, 1, 2, 9, 10, 13, 14],
    excluded_differences=[-7, -6, -3, 1, 2, 6, 7],
)


@given(instances(max_n=9), modes)
def test_free_cells_and_their_numbers_on_each_line(instance, mode):
    reduction = reduce(instance, mode)
    expected = free_cells(instance, mode)
    assert list(reduction.free_cells) == expected
    assert reduction.decided is (not expected)
    assert reduction.untouched is (expected == all_cells(instance.n))
    for (kind, index), cells in cells_on_lines(instance.n).items():
        count = len(set(cells) & set(expected))
        assert reduction.count_on(Line(Kind(kind), index)) == count


@given(instances(max_n=9), modes)
def test_open_lines_are_those_that_nothing_closes(instance, mode):
    lines = cells_on_lines(instance.n)
    excluded = {"sum": instance.excluded_sums, "difference": instance.excluded_differences}
    reduction = reduce(instance, mode)
    for kind in Kind:
        expected = [
            index
            for (family, index), cells in sorted(lines.items())
            if family == kind
            and index not in excluded.get(family, ())
            and not (mode == "lines" and set(cells) & set(instance.queens))
        ]
        assert reduction.open_lines(kind).tolist() == expected


@given(instances(max_n=6), modes)
def test_a_reason_is_given_for_contradictions_and_empty_lines_and_is_a_proof(instance, mode):
    reduction = reduce(instance, mode)
    if reduction.infeasible:
        assert not any(completions(instance))
    contradictions = [str(contradiction) for contradiction in instance.contradictions()]
    empty = empty_lines(instance, mode)
    if contradictions:
        assert reduction.certificate.kind == "contradiction"
        assert reduction.certificate.contradictions == instance.contradictions()
        assert reduction.reason.startswith("; ".join(contradictions[:3]))
    elif instance.n in (2, 3):
        assert reduction.certificate.kind == "small board"
    elif empty:
        assert reduction.certificate.kind == "empty line"
        line, _, rest = reduction.reason.partition(" has ")
        assert line in empty
        assert rest == "no free cell and no prescribed queen"
    else:
        assert reduction.reason is reduction.certificate is None


def empty_lines(instance, mode):
    """Return the names of rows and columns without free cell and without prescribed queen."""
    possible = {*free_cells(instance, mode), *instance.queens}
    return [
        f"{kind} {index}"
        for (kind, index), cells in cells_on_lines(instance.n).items()
        if kind in ("row", "column") and not possible & set(cells)
    ]


def test_an_emptied_row_is_named():
    instance = Instance(5, blocked=[(3, c) for c in range(5)])
    assert reduce(instance).reason == "row 3 has no free cell and no prescribed queen"


def test_a_column_emptied_by_queens_and_diagonals_is_named():
    queens, blocked = [(0, 0)], [(r, 4) for r in range(1, 5) if r != 4]
    instance = Instance(5, queens, blocked=blocked)
    assert reduce(instance, "lines").reason == "column 4 has no free cell and no prescribed queen"
    assert reduce(instance, "none").reason is None


@pytest.mark.parametrize("flip", [False, True])
def test_a_column_emptied_by_diagonals_alone_is_named(flip):
    """All the diagonals that cross column 0 stand at one end of their families."""
    sums, differences = ([2, 3, 4], [0, 1]) if flip else ([0, 1], [2, 3, 4])
    instance = Instance(5, excluded_sums=sums, excluded_differences=differences)
    assert reduce(instance).reason == "column 0 has no free cell and no prescribed queen"


@pytest.mark.parametrize("n", [2, 3], ids="U70-n{}".format)
def test_boards_of_two_and_three_are_impossible_by_theorem(n):
    assert reduce(n).reason == f"{n} non-attacking queens do not fit on a {n} x {n} board"
    assert not list(completions(Instance(n)))


@pytest.mark.parametrize("n", [1, 4, 8], ids="U70-n{}".format)
def test_nothing_is_proven_of_solvable_boards(n):
    assert not reduce(n).infeasible


def test_u25_reason_lists_the_attacking_pair():
    reduction = reduce(Instance(4, [(0, 0), (1, 1)]))
    assert reduction.infeasible
    assert "(0, 0), (1, 1) attack each other on r - c = 0" in reduction.reason


@pytest.mark.parametrize(
    ("n", "queens"),
    [(4, [(0, 0)]), (6, [(0, 0)]), (3, [(0, 0)]), (8, [(0, 0), (7, 1)])],
    ids=["U27-n4", "U27-n6", "U27-n3", "U27-n8"],
)
def test_hopeless_boards_have_no_completion(n, queens):
    assert not list(completions(Instance(n, queens)))


def test_many_contradictions_are_counted_in_the_reason():
    reason = reduce(Instance(5, [(r, c) for r in range(5) for c in range(2)])).reason
    assert reason.count("attack each other") == 3
    assert reason.endswith("more)")


def test_u38_blocked_cells_do_not_shield():
    instance = Instance(8, blocked=U38_RESERVED)
    boards = [Placement.from_columns(columns) for columns in completions(Instance(8))]
    assert len(boards) == 92
    assert sum(verify(instance, board).valid for board in boards) == 65
    assert len(list(completions(instance))) == 65
    assert len(reduce(instance).free_cells) == 60
    behind = Instance(8, [(2, 1)], blocked=[(2, 2)])
    assert not any(row == 2 for row, _ in reduce(behind).free_cells)


def test_u40_excluded_diagonals_leave_a_unique_board():
    assert len(reduce(U40).free_cells) == 26
    assert list(completions(U40)) == [(5, 2, 6, 3, 0, 7, 1, 4)]


def test_u29_two_prescribed_queens_leave_a_unique_board():
    (columns,) = completions(Instance(8, [(2, 2), (5, 3)]))
    assert columns == (6, 0, 2, 7, 5, 3, 1, 4)


def test_the_mode_is_checked():
    with pytest.raises(ValueError, match="reduce='line' is unknown; choose one of none, lines"):
        reduce(4, "line")


def test_nothing_of_the_size_of_the_board_is_allocated():
    """With n^2 bytes = 30 MB, a byte for each cell would show at once."""
    instance = planted(5_493, 5_472, seed=1)
    tracemalloc.start()
    try:
        reduction = reduce(instance)
        bqm = build(instance).bqm
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert bqm.num_variables == len(reduction.free_cells) <= 265
    assert not reduction.infeasible
    assert peak < 8_000_000


def test_free_cells_come_in_chunks(monkeypatch):
    monkeypatch.setattr("qubo_queens.board.reduction._CHUNK", 10)
    instance = Instance(7, [(0, 1)], blocked=[(3, 3), (6, 6)])
    chunks = list(reduce(instance).free_chunks())
    assert len(chunks) > 1
    assert max(len(rows) for rows, _ in chunks) <= 10
    listed = [cell for chunk in chunks for cell in zip(*(a.tolist() for a in chunk), strict=True)]
    assert listed == free_cells(instance, "lines")


def test_a_full_board_is_listed_in_row_major_order():
    assert list(reduce(6).free_cells) == all_cells(6)


def test_a_family_without_an_open_line_leaves_no_free_cell_and_takes_no_search():
    n = 200_000
    closed = reduce(Instance(n, excluded_sums=range(2 * n - 1)))
    assert closed.decided
    assert closed.infeasible
    assert closed.free_cells == ()
