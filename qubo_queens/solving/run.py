"""A run: what is asked, how long it may go on, and what has been found so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dimod
import numpy as np

from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import counted
from qubo_queens.encodings.model import Model
from qubo_queens.exact.verdict import Verdict
from qubo_queens.samplers.annealers.interface import Reads
from qubo_queens.solving.answers import Answer, Candidate, best_read, num_reads
from qubo_queens.solving.choice import Choice
from qubo_queens.solving.proof_search import ProofSearch

_DOUBLINGS = 8  # calls of up to 256 reads
_SEED_LIMIT = 2**31
"""The samplers of dwave-samplers take seeds below this."""


@dataclass(frozen=True)
class Progress:
    """The state of a run, given to the `progress` function of ``solve`` after each call.

    Attributes:
        reads: The number of reads judged so far.
        num_reads: The largest number of reads, None for no bound.
        energy: The best energy so far.
    """

    reads: int
    num_reads: int | None
    energy: float


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


@dataclass(frozen=True)
class Limits:
    """How long a run may go on; None stands for no limit.

    Attributes:
        num_reads: The largest number of reads.
        time_limit: Seconds after which to stop.
        batch_size: The number of reads of each call; None to double it from 1 on.
        target_energy: The run stops at a verified board with at most this energy.
    """

    num_reads: int | None
    time_limit: float | None
    batch_size: int | None
    target_energy: float


@dataclass(frozen=True)
class Call:
    """A call of the sampler.

    Attributes:
        number: Counted from 0.
        parameters: The keywords that the sampler gets.
        info: What it reported: timing, problem ids and the like.
        reads: The number of reads that it returned; 0 while the answer is on its way.
    """

    number: int
    parameters: Mapping[str, Any]
    info: Mapping[str, Any] = field(default_factory=dict)
    reads: int = 0


@dataclass
class Run:
    """A run of ``solve``, from what is asked to what has been found.

    ``prepare`` makes it, ``submit`` calls the sampler and records the answers here, ``finish``
    turns it into a result.

    Attributes:
        reduction: What the prescribed and forced queens of the instance leave open.
        parameters: The keywords that all calls have in common.
        limits: How long it may go on.
        seed: The seed that the seeds of the calls derive from.
        clock: Where the time goes.
        needs_sampling: Whether the reduction has left anything to decide.
        calls: The calls whose answers have been judged.
        pending: The calls whose answers are still expected.
        reads: The number of reads that have been judged.
        kept: All sample sets so far, if they are kept.
        verdict: What the proof search found; None if there was none or it found nothing.
        interrupted: Whether Ctrl-C or an `interrupt_function` asked to stop.
        proof: The proof search beside the calls; None without one.
        not_counted_s: Seconds of compiling, which do not count to the time limit.
    """

    model: Model
    reduction: Reduction
    choice: Choice
    parameters: Mapping[str, Any]
    limits: Limits
    seed: int
    clock: Clock
    needs_sampling: bool
    progress: Callable[[Progress], object] | None = None
    keep_samples: bool = False
    calls: list[Call] = field(default_factory=list)
    pending: list[Call] = field(default_factory=list)
    reads: int = 0
    best: Candidate | None = None
    kept: list[dimod.SampleSet] = field(default_factory=list)
    verdict: Verdict | None = None
    interrupted: bool = False
    proof: ProofSearch | None = None
    not_counted_s: float = 0.0

    @property
    def seconds_left(self) -> float:
        """The seconds that are left, infinite without a time limit."""
        if self.limits.time_limit is None:
            return math.inf
        end = self.clock.started + self.not_counted_s + self.limits.time_limit
        return max(end - time.perf_counter(), 0.0)

    @property
    def solved(self) -> bool:
        """Whether a verified board with at most the target energy has been found."""
        best = self.best
        target = self.limits.target_energy
        return best is not None and best.verification.valid and best.energy <= target

    @property
    def proof_answered(self) -> bool:
        """Whether the proof search has an answer, or has failed, so that reads are pointless."""
        return self.proof is not None and self.proof.answered()

    @property
    def should_stop(self) -> bool:
        """Whether a call under way should end: time is up, Ctrl-C came, or a proof was found."""
        return self.interrupted or self.seconds_left == 0 or self.proof_answered

    def next_call(self) -> Call | None:
        """Return the next call and count it as pending; None if no further call may be made.

        The first call may always be made, however little time is left. Sizes and seeds of calls
        depend on the arguments of the run alone: the same seed gives the same samples.
        """
        number = len(self.calls) + len(self.pending)
        asked = self.reads + sum(call.parameters.get("num_reads", 1) for call in self.pending)
        used_up = self.limits.num_reads is not None and asked >= self.limits.num_reads
        given_up = self.interrupted or self.proof_answered or self.solved
        late = number > 0 and self.seconds_left == 0
        if used_up or given_up or late or (number > 0 and self._one_call_takes_all):
            return None
        takes, own = self.choice.takes, dict[str, Any]()
        if takes("num_reads"):
            own["num_reads"] = self._size(number, asked)
        if takes("seed"):
            own["seed"] = derived_seed(self.seed, number)
        if takes("time_limit") and self.limits.time_limit is not None:
            own["time_limit"] = self.seconds_left if number else self.limits.time_limit
        call = Call(number, {**self.parameters, **own})
        self.pending.append(call)
        return call

    @property
    def _one_call_takes_all(self) -> bool:
        """Whether the sampler takes the time limit and decides by itself how to use it."""
        limited = self.limits.time_limit is not None and self.choice.takes("time_limit")
        return limited and not self.choice.takes("num_reads")

    def _size(self, number: int, asked: int) -> int:
        """Return the number of reads of a call.

        It doubles from call to call: few reads are wasted if a board is found early, and little
        time goes into calls. Under a time limit, a sampler that cannot be interrupted makes single
        reads.
        """
        limits = self.limits
        single = limits.time_limit is not None and not self.choice.takes("interrupt_function")
        size = limits.batch_size or (1 if single else 2 ** min(number, _DOUBLINGS))
        return size if limits.num_reads is None else min(size, limits.num_reads - asked)

    def record(self, call: Call, answer: Answer) -> None:
        """Judge the answer of a pending call and keep what it brings."""
        with self.clock.part("sample_s"):
            reads = num_reads(answer)  # waits for an answer that is on its way
        self.pending.remove(call)
        self.calls.append(Call(call.number, call.parameters, answer.info, reads))
        self.reads += reads
        if self.keep_samples:
            self.kept.append(answer.sampleset() if isinstance(answer, Reads) else answer)
        with self.clock.part("verify_s"):
            found = Candidate.judged(self.model, *best_read(self.model, answer))
        if self.best is None or found.energy < self.best.energy:
            self.best = found
        if self.progress is not None:
            self.progress(Progress(self.reads, self.limits.num_reads, self.best.energy))

    def why_ended(self) -> str:
        """Return in words why the reads ended without a board."""
        reads = counted(self.reads, "read")
        if self.interrupted:
            ended = f"interrupted after {reads}"
        elif self.seconds_left == 0 and self.reads != self.limits.num_reads:
            ended = f"time limit of {self.limits.time_limit} s reached after {reads}"
        else:
            ended = f"no valid board in {reads}"
        if self.best is None:
            return ended
        broken = self.best.verification.num_violated
        return (
            f"{ended}; the best board has energy {self.best.energy} and violates "
            f"{counted(broken, 'constraint')}; this does not prove that there is none"
        )


def derived_seed(seed: int, number: int) -> int:
    """Return the seed of call `number`, in 0..2**31-1."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] % _SEED_LIMIT)
