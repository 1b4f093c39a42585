"""The independent verifier.

It works from the coordinates of the queens alone. The four formulas of the lines stand here a
second time on purpose: nothing is shared with the encodings nor with ``lines.course``, so a fault
there cannot hide itself. Only the names for lines and violations come from elsewhere.
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
from qubo_queens.board.violation import Sense, Violation
from qubo_queens.errors import InputError, InputTypeError


@dataclass(frozen=True)
class Verification:
    """The verifier's answer; true in a condition exactly if the board is valid.

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
        lines = (v for v in self.violations if v.index is not None)
        return sum(v.count * (v.count - 1) // 2 for v in lines)

    def __bool__(self) -> bool:
        return self.valid

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain JSON-able values."""
        return {
            "valid": self.valid,
            "num_violated": self.num_violated,
            "violations": [violation.to_dict() for violation in self.violations],
            "missing_prescribed": [list(cell) for cell in self.missing_prescribed],
        }


def verify(instance: InstanceLike, placement: Placement) -> Verification:
    """Check a placement against an instance, from coordinates alone.

    Checked are: every queen on the board, none twice; exactly one queen in each row and column;
    at most one on each of the 2(2n-1) diagonals; none on blocked cells and excluded diagonals;
    every prescribed queen present.

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
        *(Violation.of_cell(cell, "blocked", Sense.NONE, 1) for cell in blocked),
        *(Violation.of_cell(cell, "prescribed", Sense.EXACTLY_ONE, 0) for cell in missing),
    )
    return Verification(violations, missing)


def _on_board(rows: IntArray, columns: IntArray, n: int) -> bool:
    """Tell whether all queens are on the board."""
    return not len(rows) or bool(
        np.minimum.reduce(rows) >= 0
        and np.minimum.reduce(columns) >= 0
        and np.maximum.reduce(rows) < n
        and np.maximum.reduce(columns) < n
    )


def _off_domain(placement: Placement, on_board: bool) -> Iterator[Violation]:
    """Find queens off the board or placed twice; a checked Placement has none."""
    rows, columns = placement.arrays
    if on_board:
        number = rows * placement.n + columns
        if (number[1:] > number[:-1]).all():
            return
    board = range(placement.n)
    for cell, count in Counter(_cells(rows, columns)).items():
        if cell[0] not in board or cell[1] not in board:
            yield Violation.of_cell(cell, "domain", Sense.NONE, count)
        elif count > 1:
            yield Violation.of_cell(cell, "domain", Sense.AT_MOST_ONE, count)


def _cells(rows: IntArray, columns: IntArray) -> list[Cell]:
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _select(
    cells: Sequence[Cell], placement: Placement, on_board: bool, *, there: bool
) -> tuple[Cell, ...]:
    """Return those of some cells of the board that have a queen (`there`), or that have none."""
    if not cells:
        return ()
    n = placement.n
    rows, columns = placement.arrays
    if not on_board:
        inside = (rows >= 0) & (rows < n) & (columns >= 0) & (columns < n)
        rows, columns = rows[inside], columns[inside]
    numbers = np.fromiter(chain.from_iterable(cells), np.int64, 2 * len(cells))
    asked_rows, asked = numbers[::2], numbers[::2] * n + numbers[1::2]
    # Queens in other rows are left out first: numbers of cells have to be sorted, rows do not.
    concerned = np.zeros(n, dtype=np.bool_)
    concerned[asked_rows] = True
    near = concerned[rows]
    found = np.isin(asked, rows[near] * n + columns[near])
    return tuple(cells[at] for at in np.flatnonzero(found == there).tolist())


def _broken_lines(
    instance: Instance, rows: IntArray, columns: IntArray, on_board: bool
) -> Iterator[Violation]:
    r, c, n = rows, columns, instance.n
    families = (
        (Kind.ROW, r, range(n), Sense.EXACTLY_ONE),
        (Kind.COLUMN, c, range(n), Sense.EXACTLY_ONE),
        (Kind.SUM, r + c, range(2 * n - 1), Sense.AT_MOST_ONE),
        (Kind.DIFFERENCE, r - c, range(1 - n, n), Sense.AT_MOST_ONE),
    )
    for kind, index, lines, sense in families:
        excluded = instance.excluded(kind)
        if on_board and _in_order(index, lines, sense, excluded):
            continue
        broken, counts, at = _suspects(index, lines, sense, excluded, on_board)
        cells, barred = iter(_cells(rows[at], columns[at])), frozenset(excluded)
        for line, count in zip(broken, counts, strict=True):
            line_sense = Sense.NONE if line in barred else sense
            yield Violation.of_line(Line(kind, line), line_sense, islice(cells, count))


def _in_order(index: IntArray, lines: range, sense: Sense, excluded: Sequence[int]) -> bool:
    """Tell whether no line of a family is broken, without looking for the lines.

    Args:
        index: The line of the family on which each queen stands, all in `lines`.
        lines: The lines of the family.
        sense: How many queens a line takes that is not excluded.
        excluded: The lines that must not have a queen.
    """
    if sense is Sense.EXACTLY_ONE and len(index) != len(lines):
        return False
    occupied = np.zeros(len(lines), dtype=np.bool_)
    occupied[index] = True  # a negative line counts from the end, where there is no other
    if np.count_nonzero(occupied) != len(index):  # fewer lines than queens
        return False
    return not (excluded and occupied[list(excluded)].any())


def _suspects(
    index: IntArray, lines: range, sense: Sense, excluded: Sequence[int], on_board: bool
) -> tuple[list[int], list[int], IntArray]:
    """Find the broken lines of a family; the arguments are as for :func:`_in_order`.

    Returns:
        The broken lines, sorted; how many queens each has; and the positions of these queens,
        line by line.
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
