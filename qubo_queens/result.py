"""What every answer about an instance has: the base of the results of ``solve`` and ``prove``."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import qubo_queens
from qubo_queens.board.certificate import Certificate
from qubo_queens.board.instance import Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.render import board_svg
from qubo_queens.board.verify import Verification
from qubo_queens.board.violation import Violation

REDUCTION = "reduction"
"""The value of ``answered_by`` where prescribed and forced queens decide everything."""


class Status(StrEnum):
    """What is known of an instance; equal to its value, a string.

    >>> Status.FEASIBLE == "feasible", str(Status.UNKNOWN)
    (True, 'unknown')
    """

    FEASIBLE = "feasible"
    """A verified board is in hand."""

    INFEASIBLE = "infeasible"
    """It is proven that there is none; never concluded from sampling."""

    UNKNOWN = "unknown"
    """Neither: no board was found, which proves nothing."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Result(ABC):
    """An answer about an instance; ``str(result)`` is one line about it.

    Attributes:
        status: ``feasible``, ``infeasible`` or ``unknown``.
        instance: The instance.
        answered_by: The method that decided it: ``reduction``, a kind of certificate, ``exhaustive
            search``, ``CaDiCaL``, or the name of a sampler; None with ``unknown``.
        placement: The board; with ``unknown`` the best one seen; None if there is none.
        verification: The verifier's answer about that board; None if there is no board.
        reason: Why the status is not ``feasible``; None if it is.
        certificate: The proof, with ``infeasible``.
        nodes: The number of nodes that an exhaustive search visited.
        interrupted: Whether Ctrl-C, or an `interrupt_function`, ended the run.
        timing: Seconds by part of the run; ``total_s`` is always there.
    """

    status: Status
    instance: Instance
    answered_by: str | None = None
    placement: Placement | None = None
    verification: Verification | None = None
    reason: str | None = None
    certificate: Certificate | None = None
    nodes: int = 0
    interrupted: bool = False
    timing: Mapping[str, float]

    @property
    @abstractmethod
    def summary(self) -> str:
        """One line about the answer and how it came about, without the reason."""

    def __str__(self) -> str:
        return self.summary if self.reason is None else f"{self.summary}; {self.reason}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} n={self.instance.n}: {self.summary}>"

    def _repr_svg_(self) -> str | None:
        """Return the board with prescribed queens in colour and blocked cells filled."""
        if self.placement is None:
            return None
        asked = self.instance
        return board_svg(asked.n, self.placement, prescribed=asked.queens, blocked=asked.blocked)

    def _repr_html_(self) -> str:
        """Return what ``str`` says, and the board, as HTML for a notebook."""
        return f"<p>{html.escape(str(self))}</p>{self._repr_svg_() or ''}"

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What the verifier finds wrong with ``placement``; empty if there is none."""
        return () if self.verification is None else self.verification.violations

    @property
    def num_violated(self) -> int | None:
        """The number of violations of ``placement``; None if there is none."""
        return None if self.verification is None else self.verification.num_violated

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict; all cells are 0-based.

        ``columns`` is a list only where ``placement`` has exactly one queen in each row.
        """
        placement = self.placement
        columns = placement.columns if placement is not None and placement.one_in_each_row else None
        return {
            "status": str(self.status),
            "n": self.instance.n,
            "columns": None if columns is None else list(columns),
            "queens": [] if placement is None else [list(cell) for cell in placement.cells],
            "num_violated": self.num_violated,
            "violations": [violation.to_dict() for violation in self.violations],
            "reason": self.reason,
            "answered_by": self.answered_by,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "nodes": self.nodes,
            "interrupted": self.interrupted,
            "timing": dict(self.timing),
            "version": qubo_queens.__version__,
        }
