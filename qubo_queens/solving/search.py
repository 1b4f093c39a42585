"""The search loop of ``solve``: batches of reads, each judged by the model and the verifier."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dimod

from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import Verification, verify
from qubo_queens.checks import counted
from qubo_queens.encodings.model import Model
from qubo_queens.errors import MismatchError
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.samplers.annealers.interface import NativeSampler
from qubo_queens.solving.calls import Batch, Budget, board_batches, bqm_batches
from qubo_queens.solving.choice import ChosenSampler


@dataclass(frozen=True)
class Progress:
    """Where a search stands; what the `progress` callback of ``solve`` gets.

    Attributes:
        reads: The number of reads judged so far.
        num_reads: The largest number of reads, None for no bound.
        energy: The best energy so far.
    """

    reads: int
    num_reads: int | None
    energy: float


@dataclass(frozen=True)
class Candidate:
    """A board with what the model and the verifier say of it."""

    placement: Placement
    energy: float
    verification: Verification

    @classmethod
    def judged(cls, model: Model, placement: Placement, energy: float | None = None) -> Candidate:
        """Judge a board twice: by the constraints on lines, and by the verifier.

        Args:
            model: The model.
            placement: The board.
            energy: That of the sample that it was read from, None if it is from no sample. A valid
                board gets the energy with the best auxiliary bits instead, 0.

        Raises:
            MismatchError: If the two disagree, or the energy says that the board is valid and the
                verifier that it is not.
        """
        verification = verify(model.instance, placement)
        if energy is None or verification.valid:
            energy = sum(model.placement_energies(placement).values())
        declared = not model.placement_violations(placement)
        solved = energy < model.gap / 2
        if verification.valid != declared or (solved and not verification.valid):
            raise MismatchError(placement, energy, verification)
        return cls(placement, energy, verification)


class Clock:
    """Adds up the seconds that the parts of a run take."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self._seconds = dict.fromkeys(("reduce_s", "build_s", "sample_s", "verify_s"), 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time spent inside to `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - start

    def timing(self) -> dict[str, float]:
        """Return the seconds of each part, and of everything since the start."""
        return {**self._seconds, "total_s": time.perf_counter() - self.started}


@dataclass
class Search:
    """A running search.

    Attributes:
        model: What is searched.
        budget: How long it may go on; tells afterwards why it ended.
        clock: Where the time goes.
        target_energy: The search stops at a verified board with at most this energy.
        progress: Called after each batch.
        keep_samples: Whether to keep all sample sets.
        best: The best board so far.
        kept: All sample sets so far, if they are to be kept.
    """

    model: Model
    budget: Budget
    clock: Clock
    target_energy: float = 0
    progress: Callable[[Progress], object] | None = None
    keep_samples: bool = False
    best: Candidate | None = None
    kept: list[dimod.SampleSet] = field(default_factory=list)

    def run(self, chosen: ChosenSampler, parameters: Mapping[str, Any], seed: int) -> None:
        """Judge batches until a board is found, the budget ends, or the user presses Ctrl-C."""
        try:
            batches = self._batches(chosen, parameters, seed)
            while not self.solved and (batch := self._next(batches)) is not None:
                if self.keep_samples:
                    self.kept.append(batch.samples())
                self._judge(batch)
        except KeyboardInterrupt:
            self.budget.interrupted = True

    def _batches(
        self, chosen: ChosenSampler, parameters: Mapping[str, Any], seed: int
    ) -> Iterator[Batch]:
        sampler = chosen.sampler
        if isinstance(sampler, NativeSampler) and sampler.anneals(self.model):
            started = time.perf_counter()
            # The compiler would lose a Ctrl-C that comes while it calls back.
            with self.clock.part("build_s"), interrupt_flag() as interrupted:
                sampler.load(self.model)
            if interrupted():
                raise KeyboardInterrupt
            self.budget.started += time.perf_counter() - started
            # Only a valid board ends the search, and its energy is 0: a read must not stop above.
            given: Mapping[str, Any] = {**parameters, "target_energy": 0}
            return board_batches(chosen, sampler, self.model, given, seed=seed, budget=self.budget)
        with self.clock.part("build_s"):
            self.model.bqm  # noqa: B018  # made here, so that its time counts as building
        given = {**parameters, "target_energy": 0} if chosen.takes("target_energy") else parameters
        return bqm_batches(chosen, self.model, given, seed=seed, budget=self.budget)

    def _next(self, batches: Iterator[Batch]) -> Batch | None:
        with self.clock.part("sample_s"):
            return next(batches, None)

    def _judge(self, batch: Batch) -> None:
        with self.clock.part("verify_s"):
            found = Candidate.judged(self.model, *batch.best())
        if self.best is None or found.energy < self.best.energy:
            self.best = found
        if self.progress is not None:
            self.progress(Progress(self.budget.reads, self.budget.num_reads, self.best.energy))

    @property
    def solved(self) -> bool:
        """Whether a verified board with at most the target energy is in hand."""
        best = self.best
        return best is not None and best.verification.valid and best.energy <= self.target_energy

    def why_ended(self) -> str:
        """Return why the search ended without a board, in words."""
        reads = counted(self.budget.reads, "read")
        if self.budget.interrupted:
            ended = f"interrupted after {reads}"
        elif self.budget.late and self.budget.reads != self.budget.num_reads:
            ended = f"time limit of {self.budget.time_limit} s reached after {reads}"
        else:
            ended = f"no valid board in {reads}"
        if self.best is None:
            return ended
        broken = self.best.verification.num_violated
        return (
            f"{ended}; the best board has energy {self.best.energy} and violates "
            f"{counted(broken, 'constraint')}; this does not prove that there is none"
        )
