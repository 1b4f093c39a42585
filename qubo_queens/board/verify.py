"""The independent verifier.

It works from the coordinates of the queens alone. The four formulas of the lines are repeated here
on purpose: the verifier shares no code with the encodings or with ``lines.course``, so it does not
repeat their faults. Only the types of lines and violations are shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import Cell, IntArray, Kind, Line
from qubo_queens.board.placement import Placement
from qubo_queens.board.violation import (
    LineViolation,
    MisplacedQueens,
    MissingQueen,
    QueenOnBlockedCell,
    Sense,
    Violation,
)
from qubo_queens.errors import InputError, InputTypeError


@dataclass(frozen=True, repr=False)
class Verification:
    """The verifier's answer; true in a condition exactly if the board is valid.

    >>> from qubo_queens import Placement, verify
    >>> bool(verify(4, Placement.from_columns([1, 3, 0, 2])))
    True
    >>> verify(4, Placement.from_columns([0, 1, 2, 3])).attacking_pairs
    6

    Attributes:
        violations: Every broken rule; missing prescribed queens are among them.
        missing_prescribed: The prescribed queens that are not on the board.
    """

    violations: tuple[Violation, ...]
    missing_prescribed: tuple[Cell, ...]

    @property
    def valid(self) -> bool:
        """Whether the placement solves the instance."""
        return not self.violations

    @property
    def num_violated(self) -> int:
        """The number of broken rules."""
        return len(self.violations)

    @property
    def attacking_pairs(self) -> int:
        """The number of pairs of queens that attack each other (queens do not shield)."""
        lines = (v for v in self.violations if isinstance(v, LineViolation))
        return sum(v.count * (v.count - 1) // 2 for v in lines)

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        return f"<Verification: {'valid' if self.valid else f'{self.num_violated} violations'}>"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict."""
        return {
            "valid": self.valid,
            "num_violated": self.num_violated,
            "violations": [violation.to_dict() for violation in self.violations],
            "missing_prescribed": [list(cell) for cell in self.missing_prescribed],
        }


def verify(instance: InstanceLike, placement: Placement) -> Verification:
    """Check a placement against an instance, from coordinates alone.

    These rules are checked: every queen is on the board, no two on one cell; each row and column
    has exactly one queen, each of the 2(2n-1) diagonals at most one; blocked cells and excluded
    diagonals have none; every prescribed queen is on the board.

    >>> from qubo_queens import Instance, Placement
    >>> answer = verify(Instance(4, [(0, 2)]), Placement.from_columns([1, 3, 0, 2]))
    >>> answer.valid
    False
    >>> print(*answer.violations)
    the prescribed queen on cell (0, 2) is missing

    Args:
        instance: The instance, or n for the plain board.
        placement: The queens, right or wrong.

    Raises:
        InputTypeError: If `placement` is not a :class:`Placement`.
        InputError: If the two have different board sizes.
    """
    instance = as_instance(instance)
    if not isinstance(placement, Placement):
        raise InputTypeError(
            f"verify needs a Placement, not {type(placement).__name__}; make one with "
            "Placement.from_columns(columns) or Placement.from_cells(cells, n)"
        )
    if placement.n != instance.n:
        raise InputError(
            f"the placement is for n={placement.n} but the instance has n={instance.n}"
        )
    rows, columns = placement.arrays
    on_board = _on_board(rows, columns, placement.n)
    blocked = _select(instance.blocked, placement, on_board, there=True)
    missing = _select(instance.queens, placement, on_board, there=False)
    violations = (
        *_off_domain(placement, on_board),
        *_broken_lines(instance, rows, columns, on_board),
        *map(QueenOnBlockedCell, blocked),
        *map(MissingQueen, missing),
    )
    return Verification(violations, missing)


def _on_board(rows: IntArray, columns: IntArray, n: int) -> bool:
    """Return whether all queens are on the board."""
    return not len(rows) or all(
        np.minimum.reduce(numbers) >= 0 and np.maximum.reduce(numbers) < n
        for numbers in (rows, columns)
    )


def _off_domain(placement: Placement, on_board: bool) -> Iterator[Violation]:
    """Yield queens off the board and cells with several; a checked Placement has none."""
    rows, columns = placement.arrays
    if on_board:
        number = rows * placement.n + columns
        if (number[1:] > number[:-1]).all():
            return
    board = range(placement.n)
    for cell, count in Counter(_cells(rows, columns)).items():
        inside = cell[0] in board and cell[1] in board
        if not inside or count > 1:
            yield MisplacedQueens(cell, count, on_board=inside)


def _cells(rows: IntArray, columns: IntArray) -> list[Cell]:
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _select(
    cells: Sequence[Cell], placement: Placement, on_board: bool, *, there: bool
) -> tuple[Cell, ...]:
    """Return those of `cells` that have a queen (if `there`), or those that have none."""
    if not cells:
        return ()
    n = placement.n
    rows, columns = placement.arrays
    if not on_board:
        inside = (rows >= 0) & (rows < n) & (columns >= 0) & (columns < n)
        rows, columns = rows[inside], columns[inside]
    numbers = np.fromiter(chain.from_iterable(cells), np.int64, 2 * len(cells))
    # cell (r, c) has the number r * n + c; numbers has r and c in turn
    wanted_rows, wanted = numbers[::2], numbers[::2] * n + numbers[1::2]
    # Queens in other rows are left out first: isin sorts its arguments.
    is_wanted_row = np.zeros(n, dtype=np.bool_)
    is_wanted_row[wanted_rows] = True
    near = is_wanted_row[rows]
    found = np.isin(wanted, rows[near] * n + columns[near])
    return tuple(cells[at] for at in np.flatnonzero(found == there).tolist())


def _broken_lines(
    instance: Instance, rows: IntArray, columns: IntArray, on_board: bool
) -> Iterator[Violation]:
    r, c, n = rows, columns, instance.n
    kinds = (
        (Kind.ROW, r, range(n), Sense.EXACTLY_ONE),
        (Kind.COLUMN, c, range(n), Sense.EXACTLY_ONE),
        (Kind.SUM, r + c, range(2 * n - 1), Sense.AT_MOST_ONE),
        (Kind.DIFFERENCE, r - c, range(1 - n, n), Sense.AT_MOST_ONE),
    )
    for kind, index, lines, sense in kinds:
        excluded = instance.excluded(kind)
        if on_board and _in_order(index, lines, sense, excluded):
            continue
        broken, counts, at = _suspects(index, lines, sense, excluded, on_board)
        cells, barred = iter(_cells(rows[at], columns[at])), frozenset(excluded)
        for line, count in zip(broken, counts, strict=True):
            line_sense = Sense.NONE if line in barred else sense
            yield LineViolation(Line(kind, line), line_sense, tuple(islice(cells, count)))


def _in_order(index: IntArray, lines: range, sense: Sense, excluded: Sequence[int]) -> bool:
    """Return whether no line of one kind is broken, given the line through each queen."""
    if sense is Sense.EXACTLY_ONE and len(index) != len(lines):
        return False
    occupied = np.zeros(len(lines), dtype=np.bool_)
    occupied[index] = True  # a negative index counts from the end, which no other index reaches
    if np.count_nonzero(occupied) != len(index):  # fewer lines than queens
        return False
    return not (excluded and occupied[list(excluded)].any())


def _suspects(
    index: IntArray, lines: range, sense: Sense, excluded: Sequence[int], on_board: bool
) -> tuple[list[int], list[int], IntArray]:
    """Find the broken lines of one kind; the arguments are as for :func:`_in_order`.

    Returns:
        The indices of the broken lines, sorted; how many queens each has; and the positions of
        these queens in `index`, line by line.
    """
    seen = np.arange(lines.start, lines.stop)
    position = index - lines.start
    if not on_board:
        seen = np.union1d(seen, index)
        position = np.searchsorted(seen, index)
    counts = np.bincount(position, minlength=len(seen))
    broken = counts != 1 if sense is Sense.EXACTLY_ONE else counts > 1
    if excluded:
        barred = np.searchsorted(seen, excluded)
        broken[barred] = counts[barred] > 0
    at = np.flatnonzero(broken[position])
    at = at[np.argsort(position[at], kind="stable")]
    return seen[broken].tolist(), counts[broken].tolist(), at
