"""Proofs that an instance has no solution, as data and in words.

This module has the base class and the certificates that reductions produce; the other certificates
stand beside the code that finds them, in ``exact/``. A certificate is confirmed from the instance
and ``to_dict`` alone (``exact.certificates.check_certificate``), which is also what a proof file
contains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from qubo_queens.board.instance import Contradiction
from qubo_queens.board.lines import Cell, Line
from qubo_queens.checks import counted

_SHOWN_STEPS = 4
"""How many steps of a proof its reason lists."""


@dataclass(frozen=True)
class Forced:
    """A queen that every solution has: it is on the only free cell of a row or column."""

    cell: Cell
    line: Line

    def __str__(self) -> str:
        return f"{self.cell} is the only free cell of {self.line}"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict."""
        return {"forced": list(self.cell), "line": line_list(self.line)}


@dataclass(frozen=True)
class Dropped:
    """A free cell that no solution uses: a queen there leaves a row or column without a free cell.

    The trail has the queens that would be forced before that, in this order.
    """

    cell: Cell
    trail: tuple[Forced, ...]
    line: Line

    def __str__(self) -> str:
        after = f", {counted(len(self.trail), 'forced queen')} later," if self.trail else ""
        return f"a queen on {self.cell} would{after} leave {self.line} without a free cell"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict."""
        return {
            "dropped": list(self.cell),
            "then": [step.to_dict() for step in self.trail],
            "empty": line_list(self.line),
        }


Step: TypeAlias = Forced | Dropped
"""One step of a reduction: it holds for the board that the steps before it leave."""


@dataclass(frozen=True)
class Certificate(ABC):
    """A proof that an instance has no solution.

    Attributes:
        kind: What the proof rests on, in a word or two; the key of its check.
        checkable: Whether ``to_dict`` is the whole proof. False where a search is the proof; its
            steps are then written and checked as clauses.
    """

    kind: ClassVar[str]
    checkable: ClassVar[bool] = True

    @property
    @abstractmethod
    def reason(self) -> str:
        """The proof in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict, from which the certificate can be checked again."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class Contradictory(Certificate):
    """Prescribed queens attack each other, or stand on forbidden cells."""

    kind = "contradiction"
    contradictions: tuple[Contradiction, ...]

    @property
    def reason(self) -> str:
        """The first three contradictions."""
        more = len(self.contradictions) - 3
        shown = "; ".join(map(str, self.contradictions[:3]))
        return f"{shown} (and {more} more)" if more > 0 else shown

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict: the kind and the contradictions."""
        found = [
            {"kind": c.kind, "line": c.line, "cells": [list(cell) for cell in c.cells]}
            for c in self.contradictions
        ]
        return {**super().to_dict(), "contradictions": found}


@dataclass(frozen=True)
class SmallBoard(Certificate):
    """The board is 2 x 2 or 3 x 3, which has no solution."""

    kind = "small board"
    n: int

    @property
    def reason(self) -> str:
        """The theorem."""
        return f"{self.n} non-attacking queens do not fit on a {self.n} x {self.n} board"


@dataclass(frozen=True)
class Reduced(Certificate):
    """A proof about the board that some steps leave."""

    steps: tuple[Step, ...]

    @property
    def reason(self) -> str:
        """The first steps, and what follows from all of them."""
        if not self.steps:
            return self._conclusion
        more = len(self.steps) - _SHOWN_STEPS
        shown = "; ".join(map(str, self.steps[:_SHOWN_STEPS]))
        return f"{shown}{f'; {more} more such steps' if more > 0 else ''}; then {self._conclusion}"

    @property
    @abstractmethod
    def _conclusion(self) -> str:
        """Why the board that the steps leave has no solution."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict: the kind and the steps."""
        return {**super().to_dict(), "steps": [step.to_dict() for step in self.steps]}


@dataclass(frozen=True)
class EmptyLine(Reduced):
    """A row or column has no queen and no free cell."""

    kind = "empty line"
    line: Line

    @property
    def _conclusion(self) -> str:
        if self.steps:
            return f"{self.line} has no free cell and no queen"
        return f"{self.line} has no free cell and no prescribed queen"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict: the kind, the steps and the line."""
        return {**super().to_dict(), "line": line_list(self.line)}


def line_list(line: Line) -> list[Any]:
    """Return a line as certificates write it: its kind and its index."""
    return [str(line.kind), line.index]
