"""Reads of our own annealers: in slices of a schedule, on several threads, stopped when asked.

A kernel lets go of the interpreter while it works, so reads run side by side. What comes out
depends on the arguments alone: each read has a seed of its own, and the first read *in their order*
that reaches the target ends the rest, whichever thread was faster.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np

from qubo_queens.samplers.annealers.schedule import AnySchedule, FloatArray

SLICE_S = 0.01
"""About how long a kernel works before the clock and the wishes of the user are looked at."""


class Run(ABC):
    """A read under way.

    Attributes:
        energy: The energy now, relative to a state and in a unit that its maker knows.
        first_slice: How many sweeps surely take no longer than a slice may, at least 1.
    """

    energy: float
    first_slice: int = 1

    @abstractmethod
    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make a sweep at each of `betas`, until the energy is at most `target`.

        Args:
            betas: Inverse temperatures, in units of 1 / `energy`.
            target: Where to stop at once, relative as `energy` is.
            trace: Gets the energy after each sweep, as far as it is long.

        Returns:
            The number of sweeps.
        """


@dataclass(frozen=True)
class Outcome:
    """A read that has ended.

    Attributes:
        run: Its last state.
        num_sweeps: The sweeps that it made; the last one may be unfinished.
        trace: The energy after every so many of them, empty if no trace was asked for.
    """

    run: Run
    num_sweeps: int
    trace: FloatArray


@dataclass(frozen=True)
class ReadProgress:
    """Where reads of an annealer stand; what the `progress` callback of a sampler gets.

    Attributes:
        reads: The number of reads that have ended.
        num_reads: The number of reads that were asked for.
        num_sweeps: The sweeps made so far, in all reads together.
    """

    reads: int
    num_reads: int
    num_sweeps: int


@dataclass
class Plan:
    """What reads are to do, and when to stop.

    Attributes:
        begin: Makes the read of a number from 0 on.
        schedule: Returns the schedule of the read of that number, in units of 1 / ``Run.energy``.
        num_reads: How many reads to make.
        target: The energy, relative as ``Run.energy`` is, at which to stop; -inf for none.
        deadline: The ``time.perf_counter()`` at which to stop.
        num_threads: How many reads may be under way together.
        should_stop: Asked now and then, in the calling thread, whether to stop.
        progress: Told now and then, in the calling thread, where the reads stand.
        trace_interval: Note the energy after every so many sweeps; None for no trace.
    """

    begin: Callable[[int], Run]
    schedule: Callable[[int], AnySchedule]
    num_reads: int
    target: float = -np.inf
    deadline: float = np.inf
    num_threads: int = 1
    should_stop: Callable[[], bool] = field(default=lambda: False)
    progress: Callable[[ReadProgress], object] | None = None
    trace_interval: int | None = None


def all_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_reads(plan: Plan) -> list[Outcome]:
    """Return the reads in their order, up to the first one that reached the target.

    The first read is begun in any case; when the deadline has come, or the user asks to stop,
    reads end after the slice under way, and what they have reached is returned.
    """
    reading = _Reading(plan)
    if plan.num_threads == 1 or plan.num_reads == 1:
        reading.work(ask=reading.ask)
    else:
        _on_threads(reading, min(plan.num_threads, plan.num_reads))
    reading.tell()
    return reading.outcomes()


def _on_threads(reading: _Reading, num_threads: int) -> None:
    with ThreadPoolExecutor(num_threads) as pool:
        try:  # also while threads are started: leaving the pool waits for those that were
            workers = [pool.submit(reading.work) for _ in range(num_threads)]
            reading.ask()
            while wait(workers, SLICE_S).not_done:
                reading.ask()
        except BaseException:
            reading.stopped = True
            raise
    for worker in workers:
        worker.result()


class _Reading:
    """Reads under way, shared by the threads that make them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.stopped = False
        self._lock = threading.Lock()
        self._next = 0
        self._last = plan.num_reads - 1  # the last read whose outcome counts
        self._ended: dict[int, Outcome] = {}
        self._num_sweeps = 0

    def work(self, ask: Callable[[], None] = lambda: None) -> None:
        """Make reads, as long as there are any to make.

        Args:
            ask: Is called after each slice.
        """
        try:
            while (number := self._take()) is not None:
                self._read(number, ask)
        except BaseException:
            self.stopped = True
            raise

    def ask(self) -> None:
        """Find out, in the calling thread, whether to stop, and tell where the reads stand."""
        self.stopped |= bool(self.plan.should_stop())
        self.tell()

    def tell(self) -> None:
        """Tell the user where the reads stand."""
        if self.plan.progress is not None:
            self.plan.progress(
                ReadProgress(len(self._ended), self.plan.num_reads, self._num_sweeps)
            )

    def outcomes(self) -> list[Outcome]:
        """Return the reads that count."""
        return [self._ended[number] for number in sorted(self._ended) if number <= self._last]

    def _take(self) -> int | None:
        with self._lock:
            number = self._next
            if number > self._last or (number > 0 and self._ends(number)):
                return None
            self._next += 1
            return number

    def _ends(self, number: int) -> bool:
        return self.stopped or number > self._last or time.perf_counter() >= self.plan.deadline

    def _read(self, number: int, ask: Callable[[], None]) -> None:
        plan = self.plan
        run, schedule = plan.begin(number), plan.schedule(number)
        interval = plan.trace_interval
        traces = [np.empty(0)]
        done, size = 0, run.first_slice
        while run.energy > plan.target and done < schedule.num_sweeps and not self._ends(number):
            started = time.perf_counter()
            betas = schedule.betas(done, done + size)
            trace = np.zeros(len(betas) if interval else 0)
            made = run.advance(betas, plan.target, trace)
            if interval:
                traces.append(trace[:made][-(done + 1) % interval :: interval])
            done += made
            size = _next_size(size, time.perf_counter() - started)
            with self._lock:
                self._num_sweeps += made
            ask()
        with self._lock:
            self._ended[number] = Outcome(run, done, np.concatenate(traces))
            if run.energy <= plan.target:
                self._last = min(self._last, number)


def _next_size(size: int, seconds: float) -> int:
    """Return how many sweeps to make next, so that they take about ``SLICE_S``."""
    if seconds < SLICE_S / 2:
        return size * min(16, max(2, int(SLICE_S / max(seconds, 1e-9))))
    return max(1, size // 2) if seconds > 2 * SLICE_S else size
