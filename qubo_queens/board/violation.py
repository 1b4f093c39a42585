"""Broken rules, as the verifier and the models report them.

Every type is a :class:`Violation`: ``str(violation)`` is a sentence, and the keys of
``violation.to_dict()`` are the same for all types. Their attributes differ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from qubo_queens.board.lines import Cell, Line, lines_through
from qubo_queens.checks import counted


class Sense(StrEnum):
    """How many queens a line may have."""

    EXACTLY_ONE = "exactly one"
    AT_MOST_ONE = "at most one"
    NONE = "none"

    def allows(self, count: int) -> bool:
        """Return whether a line of this sense may have `count` queens."""
        if self is Sense.EXACTLY_ONE:
            return count == 1
        return count <= (1 if self is Sense.AT_MOST_ONE else 0)


_Values: TypeAlias = tuple[str, str, int | None, Sense, int, tuple[Cell, ...]]


class Violation(ABC):
    """A broken rule.

    >>> from qubo_queens import Placement, verify
    >>> for violation in verify(2, Placement.from_columns([0, 1])).violations:
    ...     print(type(violation).__name__, "-", violation)
    LineViolation - r - c = 0 has 2 queens, at most one allowed
    """

    @abstractmethod
    def __str__(self) -> str:
        """Return the violation in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict.

        Its keys are ``line`` (what the rule is about, in words), ``kind`` (the type of the rule;
        for a line, the kind of line), ``index`` (the index of the line, or None), ``sense`` (how
        many queens there may be), ``count`` and ``cells``.
        """
        line, kind, index, sense, count, cells = self._values()
        return {
            "line": line,
            "kind": kind,
            "index": index,
            "sense": str(sense),
            "count": count,
            "cells": [list(cell) for cell in cells],
        }

    @abstractmethod
    def _values(self) -> _Values:
        """Return the values of the dict."""


@dataclass(frozen=True)
class LineViolation(Violation):
    """A line with a wrong number of queens.

    >>> from qubo_queens.board.lines import Kind
    >>> print(LineViolation(Line(Kind.ROW, 3), Sense.EXACTLY_ONE, ()))
    row 3 has 0 queens, exactly one needed

    Attributes:
        line: The line.
        sense: How many queens it may have.
        cells: The cells of the queens on it, sorted.
    """

    line: Line
    sense: Sense
    cells: tuple[Cell, ...]

    @property
    def count(self) -> int:
        """The number of queens on the line."""
        return len(self.cells)

    def __str__(self) -> str:
        verb = "needed" if self.sense is Sense.EXACTLY_ONE else "allowed"
        return f"{self.line} has {counted(self.count, 'queen')}, {self.sense} {verb}"

    def _values(self) -> _Values:
        kind, index = str(self.line.kind), self.line.index
        return str(self.line), kind, index, self.sense, self.count, self.cells


@dataclass(frozen=True)
class QueenOnBlockedCell(Violation):
    """A queen on a blocked cell.

    >>> print(QueenOnBlockedCell((0, 1)))
    cell (0, 1) (blocked) has 1 queen, none allowed
    """

    cell: Cell

    def __str__(self) -> str:
        return f"cell {self.cell} (blocked) has 1 queen, none allowed"

    def _values(self) -> _Values:
        return f"cell {self.cell}", "blocked", None, Sense.NONE, 1, (self.cell,)


@dataclass(frozen=True)
class MissingQueen(Violation):
    """A prescribed queen that is not on the board.

    >>> print(MissingQueen((0, 1)))
    the prescribed queen on cell (0, 1) is missing
    """

    cell: Cell

    def __str__(self) -> str:
        return f"the prescribed queen on cell {self.cell} is missing"

    def _values(self) -> _Values:
        return f"cell {self.cell}", "prescribed", None, Sense.EXACTLY_ONE, 0, (self.cell,)


@dataclass(frozen=True)
class MisplacedQueens(Violation):
    """Queens on a cell that is not on the board, or several on one that is.

    >>> print(MisplacedQueens((4, 4), 1, on_board=False))
    1 queen on cell (4, 4), which allows none
    """

    cell: Cell
    count: int
    on_board: bool

    @property
    def sense(self) -> Sense:
        """How many queens there may be."""
        return Sense.AT_MOST_ONE if self.on_board else Sense.NONE

    def __str__(self) -> str:
        return f"{counted(self.count, 'queen')} on cell {self.cell}, which allows {self.sense}"

    def _values(self) -> _Values:
        return f"cell {self.cell}", "domain", None, self.sense, self.count, (self.cell,)


@dataclass(frozen=True)
class MissedStatement(Violation):
    """A declared statement about a number that is another number, such as ``8 queens``.

    >>> print(MissedStatement("2 queens", 1, ((0, 0),)))
    2 queens is violated by 1 (queens (0, 0))

    Attributes:
        statement: The statement.
        amount: The difference to the right number, above 0.
        cells: The cells of the queens that it is about, sorted.
    """

    statement: str
    amount: int
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        return f"{self.statement} is violated by {self.amount}{_queens(self.cells)}"

    def _values(self) -> _Values:
        return self.statement, "statement", None, Sense.NONE, self.amount, self.cells


@dataclass(frozen=True)
class AttackingPairs(Violation):
    """A declared statement that excludes pairs of queens of which there are some.

    >>> print(AttackingPairs("C_0 != C_1", 1, ((0, 3), (1, 3))))
    C_0 != C_1 is violated by 1 pair (queens (0, 3), (1, 3) on column 3)

    Attributes:
        statement: The statement, such as ``C_0 != C_1``.
        pairs: The number of pairs that violate it.
        cells: The cells of these queens, sorted.
    """

    statement: str
    pairs: int
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        through = [lines_through(cell) for cell in self.cells]
        first = through[0] if through else ()
        shared = [str(line) for line in first if all(line in lines for lines in through)]
        on = f" on {', '.join(shared)}" if shared else ""
        pairs = counted(self.pairs, "pair")
        return f"{self.statement} is violated by {pairs}{_queens(self.cells, on)}"

    def _values(self) -> _Values:
        return self.statement, "attack", None, Sense.NONE, self.pairs, self.cells


@dataclass(frozen=True)
class WrongAuxiliaries(Violation):
    """Auxiliary bits that disagree with the queens on a line that has a right number of queens.

    >>> from qubo_queens.board.lines import Kind
    >>> print(WrongAuxiliaries(Line(Kind.SUM, 3), 1))
    auxiliary bits of r + c = 3 disagree with its queens

    Attributes:
        line: The line.
        amount: The sum of the absolute values of the terms that should be 0.
    """

    line: Line
    amount: int

    def __str__(self) -> str:
        return f"auxiliary bits of {self.line} disagree with its queens"

    def _values(self) -> _Values:
        words, index = f"auxiliary bits of {self.line}", self.line.index
        return words, "auxiliary", index, Sense.NONE, self.amount, ()


def _queens(cells: tuple[Cell, ...], on: str = "") -> str:
    """Return queens in words, in parentheses; empty if there are none."""
    return f" (queens {', '.join(map(str, cells))}{on})" if cells else ""
