"""What prescribed queens leave open, against plain loops."""

import tracemalloc

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import all_cells, attacks, cells_on_lines, completions, free_cells, settled
from strategies import instances, modes

from qubo_queens import Instance, Placement, build, reduce, verify
from qubo_queens.board.certificate import Dropped
from qubo_queens.board.lines import Kind, Line
from qubo_queens.board.reduce import probe
from qubo_queens.errors import InputError
from qubo_queens.generate import planted

U38_RESERVED = [(2, 2), (5, 5), (5, 6), (6, 3)]


U40 = Instance(
    8,
    excluded_sums=[0, 1, 2, 9, 10, 13, 14],
    excluded_differences=[-7, -6, -3, 1, 2, 6, 7],
)


line_modes = st.sampled_from(["none", "lines"])


@given(instances(max_n=9), line_modes)
def test_free_cells_are_those_that_nothing_forbids(instance, mode):
    assert list(reduce(instance, mode).free_cells) == free_cells(instance, mode)


@given(instances(max_n=9), modes)
def test_free_cells_and_their_numbers_on_each_line(instance, mode):
    reduction = reduce(instance, mode)
    expected = list(reduction.free_cells)
    assert [cell for cell in all_cells(instance.n) if reduction.is_free(cell)] == expected
    assert reduction.decided is (not expected)
    assert reduction.untouched is (expected == all_cells(instance.n))
    for (kind, index), cells in cells_on_lines(instance.n).items():
        count = len(set(cells) & set(expected))
        assert reduction.count_on(Line(Kind(kind), index)) == count


@given(instances(max_n=9), line_modes)
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


@given(instances(max_n=6), line_modes)
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
    assert len(reduce(U40, "lines").free_cells) == 26
    assert reduce(U40).queens == tuple(enumerate((5, 2, 6, 3, 0, 7, 1, 4)))
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


deep_modes = st.sampled_from(["propagate", "probe"])


@given(instances(max_n=8, max_queens=3), deep_modes)
def test_forced_queens_and_dropped_cells_are_those_of_plain_loops(instance, mode):
    assume(not instance.contradictions() and instance.n not in (2, 3))
    reduction, expected = reduce(instance, mode), settled(instance, mode)
    assume(not reduction.untouched)  # the plain board stays whole, even where n = 1
    assert reduction.infeasible is (expected is None)
    if expected is not None:
        queens, free = expected
        assert reduction.queens == tuple(sorted(queens))
        assert set(reduction.free_cells) == free


@given(instances(max_n=6), modes)
def test_every_solution_has_the_queens_and_uses_only_free_cells(instance, mode):
    reduction = reduce(instance, mode)
    queens = set(reduction.queens)
    for columns in completions(instance):
        assert not reduction.infeasible
        assert queens <= set(enumerate(columns)) <= queens | set(reduction.free_cells)


@given(instances(max_n=7), deep_modes)
def test_each_step_holds_for_the_board_before_it(instance, mode):
    """Replayed by counting free cells, from the queens and cells that the steps before it left."""
    reduction = reduce(instance, mode)
    queens, free = set(instance.queens), set(free_cells(instance, "lines"))
    for step in reduction.steps:
        if isinstance(step, Dropped):
            assert step.cell in free
            left_queens, left = replayed(queens | {step.cell}, after(free, step.cell), step.trail)
            assert not cells_of(left, step.line)
            assert not cells_of(left_queens, step.line)
            free -= {step.cell}
        else:
            queens, free = replayed(queens, free, [step])
    assert reduction.queens == tuple(sorted(queens))
    assert set(reduction.free_cells) == free


def replayed(queens, free, steps):
    for step in steps:
        assert cells_of(free, step.line) == {step.cell}
        assert not cells_of(queens, step.line)
        queens, free = queens | {step.cell}, after(free, step.cell)
    return queens, free


def after(free, queen):
    return {cell for cell in free if cell != queen and not attacks(cell, queen)}


def cells_of(cells, line):
    return {cell for cell in cells if cell[line.kind is Kind.COLUMN] == line.index}


@given(instances(max_n=9, max_queens=3))
def test_lines_alone_and_listed_cells_force_the_same_queens(instance):
    """Boards too large to be listed are propagated by counting short lines."""
    listed = reduce(instance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qubo_queens.board.reduce.LISTED_CELLS", 0)
        by_lines = reduce(instance)
    assert by_lines.infeasible is listed.infeasible
    if not listed.infeasible:
        assert by_lines.queens == listed.queens


def test_u36_a_chain_that_empties_a_line_is_told():
    """(0, 0) forces (1, 2), which leaves row 2 without a free cell once (2, 4) is blocked."""
    instance = Instance(5, [(0, 0)], blocked=[(1, 3), (1, 4), (2, 4)])
    assert reduce(instance, "lines").reason is None
    assert reduce(instance).reason == (
        "(1, 2) is the only free cell of row 1; then row 2 has no free cell and no queen"
    )


def test_a_dropped_cell_is_told():
    reduction = reduce(Instance(6, [(0, 0)]), "probe")
    assert reduction.infeasible
    assert "would" in reduction.reason
    assert "without a free cell" in reduction.reason


def test_forced_queens_come_back_in_every_board_of_the_model():
    instance = planted(12, 9, seed=3)
    model = build(instance)
    assert model.reduction.forced
    placement = model.decode(dict.fromkeys(model.variables, 0))
    assert set(placement) == {*instance.queens, *model.reduction.forced}
    with pytest.raises(InputError, match="every solution has and the model has fixed to 1"):
        model.encode(Placement(12, instance.queens))


def test_contradictory_queens_force_nothing():
    instance = Instance(5, [(0, 0), (1, 1)], blocked=[(2, c) for c in range(4)])
    assert reduce(instance).forced == ()


def test_probing_stops_when_asked():
    reduction = reduce(Instance(6, [(0, 0)]))
    assert not reduction.infeasible
    assert probe(reduction, lambda: True) is reduction


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="'lots' is unknown; choose one of none, lines, propag"):
        reduce(5, "lots")
