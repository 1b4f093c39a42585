"""Declared constraints of models, and the violations of those on lines."""

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
from qubo_queens.board.violation import LineViolation, QueenOnBlockedCell, Sense, Violation


@dataclass(frozen=True)
class Constraint:
    """A declared constraint: on a line of the board, or a statement about variables.

    >>> from qubo_queens import build
    >>> print(build(4).constraints[0])
    row 0: exactly one
    >>> print(build(4, "row").constraints[4])
    C_0 != C_1

    Attributes:
        line: The line; None for a statement.
        sense: How many queens the line may have: exactly one, at most one, or none.
        statement: The statement, such as ``C_2 != C_5``; None for a line.
    """

    line: Line | None
    sense: Sense | None = None
    statement: str | None = None

    def __str__(self) -> str:
        return f"{self.line}: {self.sense}" if self.statement is None else self.statement


@dataclass(frozen=True)
class LineRules:
    """The constraints on the lines of a board, and on the cells of prescribed queens."""

    instance: Instance
    diagonals: bool
    """Whether diagonals that are not excluded have constraints."""

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints on lines; a diagonal of one cell has no constraint."""
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
        broken = (each for kind in Kind for each in self._broken_lines(kind, rows, columns))
        return (*broken, *self._queens_on_blocked)

    def _broken_lines(
        self, kind: Kind, rows: IntArray, columns: IntArray
    ) -> Iterator[LineViolation]:
        """Yield the violated constraints of one kind of line, by index."""
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
            yield LineViolation(line, line_sense, tuple(islice(cells, count)))

    def _sense(self, kind: Kind) -> Sense | None:
        """Return the sense of the lines of one kind that are not excluded; None: no constraint."""
        if kind in ROW_COLUMN:
            return Sense.EXACTLY_ONE
        return Sense.AT_MOST_ONE if self.diagonals else None

    @cached_property
    def _excluded_places(self) -> dict[Kind, IntArray]:
        """For each kind of line, the sorted positions of the excluded ones."""
        n = self.instance.n
        return {
            kind: np.array(self.instance.excluded(kind), dtype=np.int64) - indices(kind, n)[0]
            for kind in Kind
        }

    @cached_property
    def _queens_on_blocked(self) -> tuple[Violation, ...]:
        """The violations by prescribed queens on blocked cells, the same for every board."""
        both = set(self.instance.blocked).intersection(self.instance.queens)
        return tuple(map(QueenOnBlockedCell, sorted(both)))
