"""What models declare: constraints; and which of those on lines a board violates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import (
    ROW_COLUMN,
    IntArray,
    Kind,
    Line,
    course,
    indices,
    position,
)
from qubo_queens.board.placement import Placement
from qubo_queens.board.violation import Sense, Violation


@dataclass(frozen=True)
class Constraint:
    """A declared constraint: on a line of the board, or on variables that are no line.

    Attributes:
        line: The line; None where the constraint is about other variables.
        sense: How many queens the line takes: exactly one, at most one, or none.
        statement: What has to hold, where there is no line: ``C_2 != C_5``.
    """

    line: Line | None
    sense: Sense | None = None
    statement: str | None = None

    def __str__(self) -> str:
        return f"{self.line}: {self.sense}" if self.statement is None else self.statement


@dataclass(frozen=True)
class LineRules:
    """The constraints on the lines of a board, and on the cells of prescribed queens.

    Attributes:
        instance: The instance.
        diagonals: Whether there are any on diagonals that are not excluded.
    """

    instance: Instance
    diagonals: bool

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints on lines; a diagonal of one cell has none."""
        declared = []
        for kind in Kind:
            excluded, sense = frozenset(self.instance.excluded(kind)), self._sense(kind)
            for index in indices(kind, self.instance.n):
                line = Line(kind, index)
                if index in excluded:
                    declared.append(Constraint(line, Sense.NONE))
                elif sense is Sense.EXACTLY_ONE or (
                    sense and course(line, self.instance.n).length > 1
                ):
                    declared.append(Constraint(line, sense))
        return tuple(declared)

    def violations(self, placement: Placement) -> tuple[Violation, ...]:
        """Return the violated constraints, and each prescribed queen on a blocked cell."""
        rows, columns = placement.arrays
        broken: list[Violation] = []
        for kind in Kind:
            broken += self._broken_lines(kind, rows, columns)
        return (*broken, *self._queens_on_blocked)

    def _broken_lines(self, kind: Kind, rows: IntArray, columns: IntArray) -> Iterator[Violation]:
        """Yield the violated constraints of a family, by index."""
        n, sense, excluded = self.instance.n, self._sense(kind), self._excluded_places[kind]
        where = position(kind, rows, columns, n)
        counts = np.bincount(where, minlength=len(indices(kind, n)))
        if sense is Sense.EXACTLY_ONE:
            is_broken = counts != 1
        else:
            is_broken = counts > (1 if sense is Sense.AT_MOST_ONE else len(rows))
        if len(excluded):
            is_broken[excluded] = counts[excluded] > 0
        broken = np.flatnonzero(is_broken)
        if not len(broken):
            return
        at = np.flatnonzero(is_broken[where])
        at = at[np.argsort(where[at], kind="stable")]
        cells = zip(rows[at].tolist(), columns[at].tolist(), strict=True)
        barred = frozenset(excluded.tolist())
        for place, count in zip(broken.tolist(), counts[broken].tolist(), strict=True):
            line_sense = Sense.NONE if place in barred or sense is None else sense
            line = Line(kind, indices(kind, n)[place])
            yield Violation.of_line(line, line_sense, islice(cells, count))

    def _sense(self, kind: Kind) -> Sense | None:
        """Return what is demanded of lines of a family that are not excluded; None: nothing."""
        if kind in ROW_COLUMN:
            return Sense.EXACTLY_ONE
        return Sense.AT_MOST_ONE if self.diagonals else None

    @cached_property
    def _excluded_places(self) -> dict[Kind, IntArray]:
        """The sorted positions of the excluded lines in each family."""
        n = self.instance.n
        return {
            kind: np.array(self.instance.excluded(kind), dtype=np.int64) - indices(kind, n)[0]
            for kind in Kind
        }

    @cached_property
    def _queens_on_blocked(self) -> tuple[Violation, ...]:
        """The violations by prescribed queens on blocked cells, whatever the rest of a board."""
        both = set(self.instance.blocked).intersection(self.instance.queens)
        return tuple(Violation.of_cell(cell, "blocked", Sense.NONE, 1) for cell in sorted(both))
