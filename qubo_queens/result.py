"""What ``solve`` and ``prove`` answer."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import dimod

import qubo_queens
from qubo_queens.board.certificate import Certificate
from qubo_queens.board.instance import Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.render import board_svg
from qubo_queens.board.verify import Verification
from qubo_queens.board.violation import Violation
from qubo_queens.checks import counted

REDUCTION = "reduction"
"""Who answers where prescribed and forced queens decide everything."""


class Status(StrEnum):
    """What is known of an instance."""

    FEASIBLE = "feasible"
    """A verified board is in hand."""

    INFEASIBLE = "infeasible"
    """It is proven that there is none; never concluded from sampling."""

    UNKNOWN = "unknown"
    """Neither: no board was found, which proves nothing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """The answer of ``solve`` and ``prove``; ``str(result)`` is one line about it.

    Attributes:
        status: ``feasible``, ``infeasible`` or ``unknown``.
        instance: What was asked.
        encoding: The name of the encoding; None from ``prove``.
        sampler: The name of the sampler, whether it was needed or not; None from ``prove``.
        formulation: What was decided, from ``prove``; None from ``solve``.
        answered_by: What decided it: ``reduction``, a kind of certificate, ``exhaustive search``,
            ``CaDiCaL``, or the name of a sampler; None with ``unknown``.
        placement: The board; with ``unknown`` the best one seen; None if there is none.
        energy: The model's energy of that board, recomputed from its line counts; None likewise,
            and from ``prove``.
        verification: What the verifier says of that board; None likewise.
        reason: Why the status is not ``feasible``; None if it is.
        certificate: With ``infeasible``, the proof.
        proof: The file that the proof was written to; None if it was not.
        nodes: How many nodes an exhaustive search looked at.
        num_variables: The number of variables of the model; None if none was made.
        num_interactions: The number of its interactions; None likewise.
        reads: The number of reads made; 0 if no sampling was needed.
        seed: The seed that all reads derive from; None if there were none or the sampler
            takes none.
        interrupted: Whether Ctrl-C, or the caller's `interrupt_function`, ended the search.
        timing: Seconds, ``reduce_s build_s sample_s verify_s total_s``; ``prove`` has the last.
        sampleset: All samples, if asked for with ``keep_samples``.
    """

    status: Status
    instance: Instance
    encoding: str | None = None
    sampler: str | None = None
    formulation: str | None = None
    answered_by: str | None = None
    placement: Placement | None = None
    energy: float | None = None
    verification: Verification | None = None
    reason: str | None = None
    certificate: Certificate | None = None
    proof: str | None = None
    nodes: int = 0
    num_variables: int | None = None
    num_interactions: int | None = None
    reads: int = 0
    seed: int | None = None
    interrupted: bool = False
    timing: Mapping[str, float]
    sampleset: dimod.SampleSet | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.summary if self.reason is None else f"{self.summary}; {self.reason}"

    @property
    def summary(self) -> str:
        """One line about the answer and how it came about, without the reason."""
        parts = [f"{self.status} in {self.timing['total_s']:.2f} s"]
        if self.num_variables and self.num_interactions is not None:
            parts.append(
                f"{self.encoding} encoding, {counted(self.num_variables, 'variable')}, "
                f"{counted(self.num_interactions, 'interaction')}"
            )
        elif not self.reads:
            how = "no sampling needed" if self.encoding else f"{self.formulation} formulation"
            parts.append(how)
        if self.reads:
            seed = "" if self.seed is None else f", seed {self.seed}"
            parts.append(f"{self.sampler}, {counted(self.reads, 'read')}{seed}")
        if self.answered_by not in (None, self.sampler, REDUCTION):
            parts.append(f"answered by {self.answered_by}")
        if self.nodes:
            parts.append(f"{counted(self.nodes, 'node')} searched")
        return "; ".join(parts)

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
        """Return the result as plain JSON-able values; all cells are 0-based.

        ``columns`` is a list only where ``placement`` has exactly one queen in each row.
        """
        placement = self.placement
        columns = placement.columns if placement is not None and placement.one_in_each_row else None
        return {
            "status": str(self.status),
            "n": self.instance.n,
            "columns": None if columns is None else list(columns),
            "queens": [] if placement is None else [list(cell) for cell in placement.cells],
            "energy": self.energy,
            "num_violated": self.num_violated,
            "violations": [violation.to_dict() for violation in self.violations],
            "reason": self.reason,
            "answered_by": self.answered_by,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "proof": self.proof,
            "nodes": self.nodes,
            "formulation": self.formulation,
            "encoding": self.encoding,
            "sampler": self.sampler,
            "num_variables": self.num_variables,
            "num_interactions": self.num_interactions,
            "reads": self.reads,
            "seed": self.seed,
            "timing": dict(self.timing),
            "version": qubo_queens.__version__,
        }
