"""What a broken rule looks like, for the verifier and for the models alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from qubo_queens.board.lines import Cell, Line, lines_through
from qubo_queens.checks import counted


class Sense(StrEnum):
    """How many queens a line takes."""

    EXACTLY_ONE = "exactly one"
    AT_MOST_ONE = "at most one"
    NONE = "none"

    def allows(self, count: int) -> bool:
        """Tell whether a line of this sense may hold `count` queens."""
        if self is Sense.EXACTLY_ONE:
            return count == 1
        return count <= (1 if self is Sense.AT_MOST_ONE else 0)


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    Attributes:
        line: The name of the line by its formula (``row 3``, ``r - c = 0``), or of the cell, or
            what has to hold (``C_2 != C_5``).
        kind: ``row``, ``column``, ``sum``, ``difference``; ``blocked`` (a queen on a blocked
            cell), ``prescribed`` (a prescribed queen is missing) or ``domain`` (a queen that is
            not on the board, or there twice). From encodings that demand something else than lines
            do: ``statement`` (a number that should be another), ``attack`` (pairs of queens that
            should not be) or ``auxiliary`` (bits that should count the queens of a line do not).
        index: The index of the line; None where `kind` is not about one.
        sense: How many queens there should be; ``none`` for the last three.
        count: How many there are; by how much a statement is missed, how many pairs attack each
            other, by how much auxiliary bits are wrong.
        cells: Where those queens stand; for ``prescribed``, where one should.
    """

    line: str
    kind: str
    index: int | None
    sense: Sense
    count: int
    cells: tuple[Cell, ...]

    @classmethod
    def of_line(cls, line: Line, sense: Sense, cells: Iterable[Cell]) -> Violation:
        """Return the violation of `line`, on which the queens on `cells` stand."""
        found = tuple(sorted(cells))
        return cls(str(line), str(line.kind), line.index, sense, len(found), found)

    @classmethod
    def of_cell(cls, cell: Cell, kind: str, sense: Sense, count: int) -> Violation:
        """Return the violation of a rule about one cell."""
        return cls(f"cell {cell}", kind, None, sense, count, (cell,))

    @classmethod
    def of_statement(
        cls, statement: str, count: int, cells: Iterable[Cell], *, attack: bool
    ) -> Violation:
        """Return the violation of a statement about the queens on `cells`, or on their attacks."""
        kind = "attack" if attack else "statement"
        return cls(statement, kind, None, Sense.NONE, count, tuple(sorted(cells)))

    @classmethod
    def of_auxiliaries(cls, line: Line, count: int) -> Violation:
        """Return that the auxiliary bits of `line` disagree with its queens."""
        return cls(f"auxiliary bits of {line}", "auxiliary", line.index, Sense.NONE, count, ())

    def __str__(self) -> str:
        if self.kind in ("statement", "attack"):
            by = counted(self.count, "pair") if self.kind == "attack" else str(self.count)
            return f"{self.line} is violated by {by}{self._where()}"
        if self.kind == "auxiliary":
            return f"{self.line} disagree with its queens"
        queens = counted(self.count, "queen")
        if self.kind == "prescribed":
            return f"the prescribed queen on {self.line} is missing"
        if self.kind == "domain":
            return f"{queens} on {self.line}, which allows {self.sense}"
        where = f"{self.line} ({self.kind})" if self.kind == "blocked" else self.line
        verb = "needed" if self.sense is Sense.EXACTLY_ONE else "allowed"
        return f"{where} has {queens}, {self.sense} {verb}"

    def _where(self) -> str:
        """Return the queens in words, and for an attack the lines that they share."""
        if not self.cells:
            return ""
        through = [lines_through(cell) for cell in self.cells]
        shared = [line for line in through[0] if all(line in lines for lines in through)]
        on = f" on {', '.join(map(str, shared))}" if self.kind == "attack" and shared else ""
        return f" (queens {', '.join(map(str, self.cells))}{on})"

    def to_dict(self) -> dict[str, Any]:
        """Return the violation as plain JSON-able values."""
        return {
            "line": self.line,
            "kind": self.kind,
            "index": self.index,
            "sense": str(self.sense),
            "count": self.count,
            "cells": [list(cell) for cell in self.cells],
        }
