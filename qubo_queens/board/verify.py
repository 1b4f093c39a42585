"""The independent verifier.

It works from the coordinates of the queens alone. The four formulas of the lines stand here a
second time on purpose: nothing is shared with the encodings nor with ``lines.course``, so a fault
there cannot hide itself. Only the names for lines and violations come from elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
    queens = set(placement.cells)
    missing = tuple(cell for cell in instance.queens if cell not in queens)
    violations = (
        *_off_domain(placement),
        *_broken_lines(instance, placement.cells),
        *(
            Violation.of_cell(cell, "blocked", Sense.NONE, 1)
            for cell in instance.blocked
            if cell in queens
        ),
        *(Violation.of_cell(cell, "prescribed", Sense.EXACTLY_ONE, 0) for cell in missing),
    )
    return Verification(violations, missing)


def _off_domain(placement: Placement) -> Iterator[Violation]:
    """Find queens off the board or placed twice; a checked Placement has none."""
    board = range(placement.n)
    for cell, count in Counter(placement.cells).items():
        if cell[0] not in board or cell[1] not in board:
            yield Violation.of_cell(cell, "domain", Sense.NONE, count)
        elif count > 1:
            yield Violation.of_cell(cell, "domain", Sense.AT_MOST_ONE, count)


def _broken_lines(instance: Instance, cells: tuple[Cell, ...]) -> Iterator[Violation]:
    r, c = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    families = (
        (Kind.ROW, r, Sense.EXACTLY_ONE),
        (Kind.COLUMN, c, Sense.EXACTLY_ONE),
        (Kind.SUM, r + c, Sense.AT_MOST_ONE),
        (Kind.DIFFERENCE, r - c, Sense.AT_MOST_ONE),
    )
    for kind, index, sense in families:
        excluded = set(instance.excluded(kind))
        needed = range(instance.n) if sense is Sense.EXACTLY_ONE else ()
        for line, at in _suspects(index, needed, excluded):
            line_sense = Sense.NONE if line in excluded else sense
            yield Violation.of_line(Line(kind, line), line_sense, (cells[i] for i in at))


def _suspects(
    index: IntArray, needed: Iterable[int], excluded: set[int]
) -> Iterator[tuple[int, list[int]]]:
    """Yield each broken line of a family with the positions of the queens on it.

    Args:
        index: The line of the family on which each queen stands.
        needed: The lines that must have a queen.
        excluded: The lines that must not.
    """
    lines, counts = np.unique(index, return_counts=True)
    order = np.argsort(index, kind="stable")
    ends = np.cumsum(counts)
    broken = {
        int(lines[i]): order[ends[i] - counts[i] : ends[i]].tolist()
        for i in np.flatnonzero((counts > 1) | np.isin(lines, list(excluded)))
    }
    filled = set(lines.tolist())
    broken |= {line: [] for line in needed if line not in filled}
    yield from sorted(broken.items())
