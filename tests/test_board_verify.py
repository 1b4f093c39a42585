"""The verifier against plain loops, under symmetries, and on the faults of public checkers."""

import ast
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import LINE_NAMES, all_cells, attacking_pairs, attacks, cells_on_lines, solves
from strategies import boards

import qubo_queens.board.verify
from qubo_queens import Instance, Placement, verify
from qubo_queens.board.lines import DIAGONAL, Kind, Line
from qubo_queens.board.violation import (
    LineViolation,
    MisplacedQueens,
    MissingQueen,
    QueenOnBlockedCell,
    Sense,
)
from qubo_queens.errors import QueensError


def expected_violations(instance, cells):
    """Return (line name, kind, index, sense, count, cells) of every broken rule."""
    excluded = {"sum": instance.excluded_sums, "difference": instance.excluded_differences}
    found = set()
    for (kind, index), line in cells_on_lines(instance.n).items():
        queens = tuple(cell for cell in cells if cell in line)
        if index in excluded.get(kind, ()):
            sense, broken = "none", len(queens) > 0
        elif kind in ("row", "column"):
            sense, broken = "exactly one", len(queens) != 1
        else:
            sense, broken = "at most one", len(queens) > 1
        if broken:
            name = LINE_NAMES[kind].format(index)
            found.add((name, kind, index, sense, len(queens), queens))
    for cell in instance.blocked:
        if cell in cells:
            found.add((f"cell {cell}", "blocked", None, "none", 1, (cell,)))
    for cell in instance.queens:
        if cell not in cells:
            found.add((f"cell {cell}", "prescribed", None, "exactly one", 0, (cell,)))
    return found


def found_violations(verification):
    """Return the verifier's violations in the same form."""
    return [
        tuple(tuple(map(tuple, value)) if key == "cells" else value for key, value in items)
        for items in (violation.to_dict().items() for violation in verification.violations)
    ]


@given(boards())
def test_every_broken_rule_is_found_once_and_nothing_else(board):
    instance, placement = board
    verification = verify(instance, placement)
    found = found_violations(verification)
    assert set(found) == expected_violations(instance, placement.cells)
    assert len(found) == len(set(found)) == verification.num_violated
    assert verification.valid is bool(verification) is solves(instance, placement.cells)
    assert verification.attacking_pairs == len(attacking_pairs(placement.cells))
    missing = tuple(cell for cell in instance.queens if cell not in placement.cells)
    assert verification.missing_prescribed == missing


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_every_permutation_is_judged_as_by_brute_force(n):
    for columns in permutations(range(n)):
        placement = Placement.from_columns(columns)
        valid = all(abs(columns[r] - columns[s]) != s - r for r, s in combinations(range(n), 2))
        assert verify(n, placement).valid is valid


@pytest.mark.parametrize(
    ("n", "count"), [(4, 2), (6, 4), (8, 92)], ids=["U01-n4", "U01-n6", "U01-n8"]
)
def test_exactly_the_solutions_are_accepted(n, count):
    """The public checker accepted 3,082 wrong permutations of 8, 160 of 6 and 16 of 4."""
    instance = Instance(n)
    accepted = [
        columns
        for columns in permutations(range(n))
        if verify(instance, Placement.from_columns(columns))
    ]
    assert len(accepted) == count
    assert all(not attacking_pairs(enumerate(columns)) for columns in accepted)


def test_two_queens_attack_each_other_or_not_on_every_pair_of_cells():
    for one, other in combinations(all_cells(9), 2):
        verification = verify(9, Placement(9, [one, other]))
        assert verification.attacking_pairs == attacks(one, other), (one, other)


def test_u01_main_diagonal_is_refused():
    verification = verify(8, Placement.from_columns(range(8)))
    assert not verification.valid
    assert verification.attacking_pairs == 28
    (violation,) = verification.violations
    assert (violation.line, violation.count) == (Line(Kind.DIFFERENCE, 0), 8)
    assert violation.cells == tuple((i, i) for i in range(8))


@pytest.mark.parametrize(
    ("n", "cells", "short"),
    [
        pytest.param(8, [], 8, id="U03-empty-board"),
        pytest.param(4, [(0, 0)], 3, id="U03-one-queen"),
    ],
)
def test_a_line_without_queen_is_a_violation(n, cells, short):
    verification = verify(n, Placement(n, cells))
    assert not verification.valid
    assert verification.attacking_pairs == 0
    for kind in ("row", "column"):
        named = [str(v) for v in verification.violations if v.line.kind == kind]
        assert named == [
            f"{kind} {i} has 0 queens, exactly one needed" for i in range(n - short, n)
        ]


def test_u08_a_diagonal_is_named_by_its_formula():
    violations = verify(4, Placement(4, [(0, 3), (3, 0)])).violations
    diagonal = [v for v in violations if v.line.kind in DIAGONAL]
    assert [str(v) for v in diagonal] == ["r + c = 3 has 2 queens, at most one allowed"]
    assert diagonal[0].cells == ((0, 3), (3, 0))


@pytest.mark.parametrize(
    ("instance", "columns", "words"),
    [
        (Instance(4, blocked=[(0, 1)]), [1, 3, 0, 2], "cell (0, 1) (blocked) has 1 queen, none"),
        (Instance(4, excluded_sums=[4]), [1, 3, 0, 2], "r + c = 4 has 1 queen, none allowed"),
        (Instance(4, [(0, 2)]), [1, 3, 0, 2], "the prescribed queen on cell (0, 2) is missing"),
    ],
)
def test_a_plain_solution_may_break_the_rules_of_an_instance(instance, columns, words):
    placement = Placement.from_columns(columns)
    assert verify(4, placement).valid
    (violation,) = verify(instance, placement).violations
    assert str(violation).startswith(words)


def test_the_answer_as_plain_values():
    instance = Instance(4, [(0, 0)], blocked=[(0, 1)])
    given = verify(instance, Placement.from_columns([1, 3, 0, 2])).to_dict()
    assert given == {
        "valid": False,
        "num_violated": 2,
        "violations": [
            {
                "line": "cell (0, 1)",
                "kind": "blocked",
                "index": None,
                "sense": "none",
                "count": 1,
                "cells": [[0, 1]],
            },
            {
                "line": "cell (0, 0)",
                "kind": "prescribed",
                "index": None,
                "sense": "exactly one",
                "count": 0,
                "cells": [[0, 0]],
            },
        ],
        "missing_prescribed": [[0, 0]],
    }


def unchecked_placement(n, cells):
    """Return a placement that never went through the checks of the class."""
    placement = object.__new__(Placement)
    object.__setattr__(placement, "n", n)
    arrays = tuple(np.array([cell[axis] for cell in cells], dtype=np.int64) for axis in (0, 1))
    object.__setattr__(placement, "arrays", arrays)
    return placement


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ((4, 4), "1 queen on cell (4, 4), which allows none"),
        ((-1, 0), "1 queen on cell (-1, 0), which allows none"),
        ((0, 5), "1 queen on cell (0, 5), which allows none"),
        ((0, 1), "2 queens on cell (0, 1), which allows at most one"),
    ],
)
def test_queens_off_the_board_or_doubled_are_seen_in_unchecked_placements(extra, words):
    solution = [(0, 1), (1, 3), (2, 0), (3, 2)]
    assert verify(4, unchecked_placement(4, solution)).valid
    verification = verify(4, unchecked_placement(4, [*solution, extra]))
    assert not verification.valid
    domain = [str(v) for v in verification.violations if isinstance(v, MisplacedQueens)]
    assert domain == [words]


def test_a_queen_far_off_the_board_does_not_stand_in_for_a_row():
    verification = verify(4, unchecked_placement(4, [(0, 1), (1, 3), (2, 0), (7, 2)]))
    assert LineViolation(Line(Kind.ROW, 3), Sense.EXACTLY_ONE, ()) in verification.violations


def transposed(instance, placement):
    """Exchange rows and columns: r + c stays, r - c changes its sign."""
    return (
        Instance(
            instance.n,
            [(c, r) for r, c in instance.queens],
            blocked=[(c, r) for r, c in instance.blocked],
            excluded_sums=instance.excluded_sums,
            excluded_differences=[-d for d in instance.excluded_differences],
        ),
        Placement(instance.n, [(c, r) for r, c in placement]),
    )


def mirrored(instance, placement):
    """Map c to n-1-c: r - c = d becomes r + c = d + n-1, r + c = k becomes r - c = k - (n-1)."""
    last = instance.n - 1
    return (
        Instance(
            instance.n,
            [(r, last - c) for r, c in instance.queens],
            blocked=[(r, last - c) for r, c in instance.blocked],
            excluded_sums=[d + last for d in instance.excluded_differences],
            excluded_differences=[k - last for k in instance.excluded_sums],
        ),
        Placement(instance.n, [(r, last - c) for r, c in placement]),
    )


# The eight symmetries as chains of the two that generate them.
SYMMETRIES = [
    [(mirrored, transposed)[(start + i) % 2] for i in range(length)]
    for start, length in product((0, 1), range(5))
][:-1]


def test_the_chains_are_the_eight_symmetries():
    marked = (Instance(3), Placement(3, [(0, 1), (0, 2)]))
    images = set()
    for chain in SYMMETRIES:
        image = marked
        for step in chain:
            image = step(*image)
        images.add(image[1])
    assert len(images) == 8


@given(boards(), st.sampled_from(SYMMETRIES))
def test_symmetries_keep_the_verdict_and_the_number_of_broken_rules(board, chain):
    image = board
    for step in chain:
        image = step(*image)
    before, after = verify(*board), verify(*image)
    assert after.valid is before.valid
    assert after.num_violated == before.num_violated
    assert after.attacking_pairs == before.attacking_pairs
    counts = [
        sorted((d["sense"], d["count"]) for d in answer.to_dict()["violations"])
        for answer in (before, after)
    ]
    assert counts[0] == counts[1]


@given(boards())
def test_a_mirror_exchanges_the_two_kinds_of_diagonals(board):
    last = board[0].n - 1
    before, after = (
        {(v.line.kind, v.line.index) for v in found if isinstance(v, LineViolation)}
        for found in (verify(*board).violations, verify(*mirrored(*board)).violations)
    )
    moved = {
        "row": lambda i: ("row", i),
        "column": lambda i: ("column", last - i),
        "sum": lambda i: ("difference", i - last),
        "difference": lambda i: ("sum", i + last),
    }
    assert after == {moved[kind](index) for kind, index in before}


@pytest.mark.parametrize("chain", SYMMETRIES)
def test_symmetries_map_solutions_to_solutions(chain):
    for columns in permutations(range(6)):
        placement = Placement.from_columns(columns)
        if verify(6, placement):
            image = (Instance(6), placement)
            for step in chain:
                image = step(*image)
            assert verify(*image)


def test_the_verifier_shares_no_geometry_with_the_encodings():
    imported = set()
    for node in ast.walk(ast.parse(Path(qubo_queens.board.verify.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {(alias.name, None) for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported |= {(node.module, alias.name) for alias in node.names}
    ours = {(module, name) for module, name in imported if module.startswith("qubo_queens")}
    assert {module for module, _ in ours} == {
        "qubo_queens.board.instance",
        "qubo_queens.board.lines",
        "qubo_queens.board.placement",
        "qubo_queens.board.violation",
        "qubo_queens.errors",
    }
    from_lines = {name for module, name in ours if module == "qubo_queens.board.lines"}
    assert from_lines <= {"Cell", "IntArray", "Kind", "Line"}


def test_another_board_size_is_refused():
    with pytest.raises(ValueError, match="placement is for n=5 but the instance has n=4"):
        verify(4, Placement(5))


@pytest.mark.parametrize("placement", [[1, 3, 0, 2], "....", {(0, 1): 1}, None])
def test_what_is_no_placement_is_refused(placement):
    with pytest.raises(TypeError, match=r"verify needs a Placement, not .*from_columns") as caught:
        verify(4, placement)
    assert isinstance(caught.value, QueensError)


@given(boards())
def test_violations_come_in_one_order(board):
    """First the lines, kind by kind and by index, then blocked and prescribed cells."""
    violations = [violation.to_dict() for violation in verify(*board).violations]
    kinds = ["domain", "row", "column", "sum", "difference", "blocked", "prescribed"]
    keys = [
        (kinds.index(v["kind"]), v["cells"] if v["index"] is None else v["index"])
        for v in violations
    ]
    assert keys == sorted(keys)


@given(boards(), st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), max_size=6))
def test_queens_off_the_board_change_nothing_about_the_cells_on_it(board, queens):
    instance, placement = board
    strays = [(r, c) for r, c in queens if not (0 <= r < instance.n and 0 <= c < instance.n)]
    mixed = verify(instance, unchecked_placement(instance.n, [*strays, *placement]))
    alone = verify(instance, placement)
    assert {v.cell for v in mixed.violations if isinstance(v, MisplacedQueens)} == set(strays)
    assert mixed.missing_prescribed == alone.missing_prescribed
    for kind in (QueenOnBlockedCell, MissingQueen):
        assert [v for v in mixed.violations if isinstance(v, kind)] == [
            v for v in alone.violations if isinstance(v, kind)
        ]
