"""Proofs that an instance has no solution: as data, and in words that a person can check.

Whoever finds a proof returns one of these; ``exact.check`` confirms it by itself, from the instance
and what ``to_dict`` returns, which is also what a proof file has. What the checker works out anew,
such as the number of missing queens, is not part of that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from qubo_queens.board.instance import Contradiction
from qubo_queens.board.lines import Cell, Line
from qubo_queens.checks import counted

_TOLD_STEPS = 4
"""How many steps of a proof its reason tells."""


@dataclass(frozen=True)
class Forced:
    """A queen that every solution has: on the only free cell of a row or column.

    Attributes:
        cell: Where the queen stands.
        line: The row or column.
    """

    cell: Cell
    line: Line

    def __str__(self) -> str:
        return f"{self.cell} is the only free cell of {self.line}"

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain JSON-able values."""
        return {"forced": list(self.cell), "line": _line_list(self.line)}


@dataclass(frozen=True)
class Dropped:
    """A free cell that no solution uses: a queen there leaves a row or column without a free cell.

    Attributes:
        cell: The cell.
        trail: The queens that would be forced after it, in this order.
        line: The row or column that would be left without a free cell.
    """

    cell: Cell
    trail: tuple[Forced, ...]
    line: Line

    def __str__(self) -> str:
        after = f", {counted(len(self.trail), 'forced queen')} later," if self.trail else ""
        return f"a queen on {self.cell} would{after} leave {self.line} without a free cell"

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain JSON-able values."""
        return {
            "dropped": list(self.cell),
            "then": [step.to_dict() for step in self.trail],
            "empty": _line_list(self.line),
        }


Step: TypeAlias = Forced | Dropped
"""One step of a reduction: it holds for the board that the steps before it leave."""


@dataclass(frozen=True)
class Certificate(ABC):
    """A proof that an instance has no solution.

    Attributes:
        kind: What it rests on, in a word or two.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def reason(self) -> str:
        """The proof in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain JSON-able values, from which it can be checked again."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class Contradictory(Certificate):
    """Prescribed queens attack each other, or stand on forbidden cells.

    Attributes:
        contradictions: All of these.
    """

    kind = "contradiction"
    contradictions: tuple[Contradiction, ...]

    @property
    def reason(self) -> str:
        """The first three contradictions."""
        more = len(self.contradictions) - 3
        told = "; ".join(map(str, self.contradictions[:3]))
        return f"{told} (and {more} more)" if more > 0 else told

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and the contradictions."""
        found = [
            {"kind": c.kind, "line": c.line, "cells": [list(cell) for cell in c.cells]}
            for c in self.contradictions
        ]
        return {**super().to_dict(), "contradictions": found}


@dataclass(frozen=True)
class SmallBoard(Certificate):
    """The board is 2 x 2 or 3 x 3, which no solution fits on.

    Attributes:
        n: The board size.
    """

    kind = "small board"
    n: int

    @property
    def reason(self) -> str:
        """The theorem."""
        return f"{self.n} non-attacking queens do not fit on a {self.n} x {self.n} board"


@dataclass(frozen=True)
class Reduced(Certificate):
    """A proof about the board that some steps leave.

    Attributes:
        steps: The steps, in the order in which they hold.
    """

    steps: tuple[Step, ...]

    @property
    def reason(self) -> str:
        """The steps, shortened, and what follows from them."""
        if not self.steps:
            return self._conclusion
        more = len(self.steps) - _TOLD_STEPS
        told = "; ".join(map(str, self.steps[:_TOLD_STEPS]))
        return f"{told}{f'; {more} more such steps' if more > 0 else ''}; then {self._conclusion}"

    @property
    @abstractmethod
    def _conclusion(self) -> str:
        """What is wrong with the board that the steps leave."""

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and the steps."""
        return {**super().to_dict(), "steps": [step.to_dict() for step in self.steps]}


@dataclass(frozen=True)
class EmptyLine(Reduced):
    """A row or column has no queen and no free cell.

    Attributes:
        line: The row or column.
    """

    kind = "empty line"
    line: Line

    @property
    def _conclusion(self) -> str:
        if self.steps:
            return f"{self.line} has no free cell and no queen"
        return f"{self.line} has no free cell and no prescribed queen"

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, the steps and the line."""
        return {**super().to_dict(), "line": _line_list(self.line)}


@dataclass(frozen=True)
class LineWeights(Reduced):
    """Weights of lines that no placement of the missing queens can afford.

    Each line takes at most one queen, so the weights of the lines through all queens add up to at
    most the total weight. But each free cell lies on lines that weigh at least `cover`, and m
    queens on m such cells need m times that.

    Attributes:
        weights: A positive integer for each of some open lines.
        cover: The least sum of the weights of the lines through a free cell.
        missing: The number m of queens still to place.
    """

    kind = "line weights"
    weights: Mapping[Line, int]
    cover: int
    missing: int

    @property
    def _conclusion(self) -> str:
        total = sum(self.weights.values())
        return (
            f"{counted(len(self.weights), 'line')} can be given weights of {total} in total such "
            f"that the lines through each free cell weigh {self.cover} or more, while "
            f"{counted(self.missing, 'queen')} would need {self.missing} x {self.cover} = "
            f"{self.missing * self.cover}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, the steps, the weights and what each cell is covered with."""
        weights = [[*_line_list(line), weight] for line, weight in self.weights.items()]
        return {**super().to_dict(), "weights": weights, "cover": self.cover}


@dataclass(frozen=True)
class DiagonalAccounting(Reduced):
    """No choice of diagonals gives the sums that the open rows and columns demand.

    The m queens still to place stand on m different sum diagonals k and m different difference
    diagonals d. Over all of them, k and d add up to what the open rows and columns say, and so does
    ``k^2 + d^2 = 2 r^2 + 2 c^2``.

    Attributes:
        missing: The number m of queens still to place.
        sums: What k has to add up to.
        differences: What d has to add up to.
        squares: What k^2 + d^2 has to add up to.
    """

    kind = "diagonal accounting"
    missing: int
    sums: int
    differences: int
    squares: int

    @property
    def _conclusion(self) -> str:
        return (
            f"no {self.missing} of the free diagonals r + c = k and {self.missing} of the free "
            f"diagonals r - c = d give what the open rows and columns demand: the k add up to "
            f"{self.sums}, the d to {self.differences}, and all k^2 and d^2 to {self.squares}"
        )


def _line_list(line: Line) -> list[Any]:
    return [str(line.kind), line.index]
