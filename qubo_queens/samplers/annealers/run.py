"""Reads of our annealers: in slices of a schedule, on several threads, with early stopping.

Kernels release the global interpreter lock, so reads run in parallel. The results depend on the
arguments alone: each read has its own generator, and the first read *in their order* that reaches
the target is the last one returned, whichever thread was faster.
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

from qubo_queens.board.lines import FloatArray
from qubo_queens.samplers.annealers.schedule import AnySchedule

SLICE_S = 0.01
"""About how long a slice takes; between slices the clock and the callbacks are checked."""


class Run(ABC):
    """The state of one read.

    Attributes:
        energy: The current energy, relative to a state and in a unit that the task defines.
        first_slice: The number of sweeps of the first slice, at least 1; it takes at most about
            ``SLICE_S``.
    """

    energy: float
    first_slice: int = 1

    @abstractmethod
    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make a sweep at each of `betas`; stop as soon as the energy is at most `target`.

        Args:
            betas: Inverse temperatures, in units of 1 / `energy`.
            target: The energy at which to stop, relative like `energy`.
            trace: Entry k is set to the energy after sweep k, for k < len(trace).

        Returns:
            The number of sweeps.
        """


@dataclass(frozen=True)
class Outcome:
    """A read that has ended.

    Attributes:
        run: Its final state.
        num_sweeps: The number of sweeps made; the last one may be unfinished.
        trace: The energy after every `trace_interval` sweeps; empty without it.
    """

    run: Run
    num_sweeps: int
    trace: FloatArray


@dataclass(frozen=True)
class ReadProgress:
    """The progress of reads: the argument of the `progress` callback of a sampler.

    Attributes:
        reads: The number of reads that have ended.
        num_reads: The number of reads of the call.
        num_sweeps: The number of sweeps made so far, over all reads.
    """

    reads: int
    num_reads: int
    num_sweeps: int


@dataclass
class Plan:
    """What reads to make, and when to stop.

    Attributes:
        begin: Returns the initial state of the read of a given number, from 0.
        schedule: Returns the schedule of the read of that number, in units of 1 / ``Run.energy``.
        target: The energy, relative like ``Run.energy``, at which to stop; -inf for none.
        deadline: The ``time.perf_counter()`` at which to stop.
        num_threads: The number of reads that are made in parallel.
        should_stop, progress: Called about every 10 ms in the calling thread.
        trace_interval: Record the energy after every so many sweeps; None for no trace.
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

    The first read is always started. After the deadline, or when ``should_stop`` returns true,
    reads end with their current slice, and their states so far are returned.
    """
    reading = _Reading(plan)
    if plan.num_threads == 1 or plan.num_reads == 1:
        reading.work(after_slice=reading.call_back)
    else:
        _on_threads(reading, min(plan.num_threads, plan.num_reads))
    reading.report()
    return reading.outcomes()


def _on_threads(reading: _Reading, num_threads: int) -> None:
    with ThreadPoolExecutor(num_threads) as pool:
        try:  # also around the submissions: leaving the pool waits for the threads started so far
            workers = [pool.submit(reading.work) for _ in range(num_threads)]
            reading.call_back()
            while wait(workers, SLICE_S).not_done:
                reading.call_back()
        except BaseException:
            reading.stopped = True
            raise
    for worker in workers:
        worker.result()


class _Reading:
    """The reads of a plan, shared by the threads that make them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.stopped = False
        self._lock = threading.Lock()
        self._next = 0
        self._last = plan.num_reads - 1  # the last read that is returned
        self._ended: dict[int, Outcome] = {}
        self._num_sweeps = 0

    def work(self, after_slice: Callable[[], None] = lambda: None) -> None:
        """Make reads until none is left; call `after_slice` after each slice."""
        try:
            while (number := self._take()) is not None:
                self._read(number, after_slice)
        except BaseException:
            self.stopped = True
            raise

    def call_back(self) -> None:
        """Call ``should_stop`` and ``progress``; only in the calling thread."""
        self.stopped |= bool(self.plan.should_stop())
        self.report()

    def report(self) -> None:
        """Report the progress."""
        if self.plan.progress is not None:
            self.plan.progress(
                ReadProgress(len(self._ended), self.plan.num_reads, self._num_sweeps)
            )

    def outcomes(self) -> list[Outcome]:
        """Return the reads up to the first that reached the target."""
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

    def _read(self, number: int, after_slice: Callable[[], None]) -> None:
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
                # Entry k is sweep done + k + 1 of the read: keep the multiples of the interval.
                traces.append(trace[:made][-(done + 1) % interval :: interval])
            done += made
            size = _next_size(size, time.perf_counter() - started)
            with self._lock:
                self._num_sweeps += made
            after_slice()
        with self._lock:
            self._ended[number] = Outcome(run, done, np.concatenate(traces))
            if run.energy <= plan.target:
                self._last = min(self._last, number)


def _next_size(size: int, seconds: float) -> int:
    """Return the size of the next slice, so that it takes about ``SLICE_S``."""
    if seconds < SLICE_S / 2:
        return size * min(16, max(2, int(SLICE_S / max(seconds, 1e-9))))
    return max(1, size // 2) if seconds > 2 * SLICE_S else size
