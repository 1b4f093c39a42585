"""The result of ``solve``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dimod

from qubo_queens.checks import counted
from qubo_queens.result import REDUCTION, Result


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SolveResult(Result):
    """The answer of ``solve``.

    Attributes:
        encoding: The name of the encoding.
        sampler: The name of the sampler, whether it was needed or not.
        energy: The model's energy of ``placement``, recomputed from line counts; None if there is
            no board.
        num_variables: The number of variables of the model; None if none was made.
        num_interactions: The number of its interactions; None likewise.
        reads: The number of reads made; 0 if no sampling was needed.
        seed: The seed that all reads derive from; None if there were none or the sampler takes
            none.
        sampleset: All samples, if asked for with ``keep_samples``; else None.
    """

    encoding: str
    sampler: str
    energy: float | None = None
    num_variables: int | None = None
    num_interactions: int | None = None
    reads: int = 0
    seed: int | None = None
    sampleset: dimod.SampleSet | None = None

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
            parts.append("no sampling needed")
        if self.reads:
            seed = "" if self.seed is None else f", seed {self.seed}"
            parts.append(f"{self.sampler}, {counted(self.reads, 'read')}{seed}")
        if self.answered_by not in (None, self.sampler, REDUCTION):
            parts.append(f"answered by {self.answered_by}")
        if self.nodes:
            parts.append(f"{counted(self.nodes, 'node')} searched")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict; all cells are 0-based."""
        return {
            **super().to_dict(),
            "energy": self.energy,
            "encoding": self.encoding,
            "sampler": self.sampler,
            "num_variables": self.num_variables,
            "num_interactions": self.num_interactions,
            "reads": self.reads,
            "seed": self.seed,
        }
