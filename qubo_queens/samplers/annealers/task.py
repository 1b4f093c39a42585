"""What is sampled, made ready for a kernel; and how its reads are made."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

from qubo_queens.board.lines import IntArray
from qubo_queens.samplers.annealers.interface import ReadOptions
from qubo_queens.samplers.annealers.run import Outcome, Plan, Run, make_reads
from qubo_queens.samplers.annealers.schedule import (
    AnySchedule,
    FloatArray,
    Schedule,
    chosen_schedule,
)

_ROUNDING = 1e-6
"""How far below an integer a target may be, in units of energy, to count as that integer."""

_loaded: set[str] = set()
"""The names of the kernels that are compiled in this process."""

FreeQueens: TypeAlias = tuple[IntArray, IntArray]
"""The rows and columns of queens on free cells, in row-major order."""


class Task(ABC):
    """A problem made ready for a kernel.

    Attributes:
        kernel: The name of the kernel.
        unit: How much a unit of the energy of runs is.
        offset: The energy of a run that has the energy 0.
    """

    kernel: str
    unit: float
    offset: float

    @abstractmethod
    def begin(self, seed: int, number: int) -> Run:
        """Return the read of that number."""

    @abstractmethod
    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule of a read, in units of 1 / energy, where nobody asks for another."""

    @abstractmethod
    def rehearse(self) -> None:
        """Run every kernel of a read once, on something tiny, so that all are compiled."""

    def load(self) -> None:
        """Compile the kernels, or load them from disk; once in a process."""
        if self.kernel not in _loaded:
            self.rehearse()
            _loaded.add(self.kernel)

    def energy(self, run: Run) -> float:
        """Return the energy of a read."""
        return self.offset + self.unit * run.energy

    def relative(self, target_energy: float) -> float:
        """Return the energy that a run is to reach, as it counts energies."""
        return (target_energy - self.offset) / self.unit


class BoardTask(Task):
    """A board made ready for a kernel; energies of its runs are integers."""

    def relative(self, target_energy: float) -> float:
        """Return the largest energy of a run that reaches the target, -inf for none."""
        return whole(super().relative(target_energy))

    @abstractmethod
    def queens(self, run: Run) -> FreeQueens:
        """Return the free queens of a run."""


def whole(energy: float) -> float:
    """Return the largest integer that is not above `energy`, but for rounding; -inf stays."""
    return energy if math.isinf(energy) else math.floor(min(energy, 1e18) + _ROUNDING)


def run_task(
    task: Task, options: ReadOptions, started_ns: int
) -> tuple[list[Outcome], dict[str, Any]]:
    """Make the reads that are asked for; return them and the ``info`` about them.

    Args:
        task: What to sample.
        options: How. Compiling kernels does not count to the time limit.
        started_ns: The ``time.perf_counter_ns()`` at which the call began.
    """
    loading = time.perf_counter_ns()
    task.load()
    loading_ns = time.perf_counter_ns() - loading
    of_the_user = any(value is not None for value in options.schedule.values())

    first = chosen_schedule(task.default_schedule(0), **options.schedule)

    def schedule(number: int) -> AnySchedule:
        return first if of_the_user else task.default_schedule(number)

    plan = Plan(
        begin=lambda number: task.begin(options.seed, number),
        schedule=lambda number: schedule(number).scaled(task.unit),
        num_reads=options.num_reads,
        target=task.relative(options.target_energy),
        deadline=(started_ns + loading_ns) / 1e9 + options.time_limit,
        num_threads=options.num_threads,
        should_stop=options.interrupt_function or (lambda: False),
        progress=options.progress,
        trace_interval=options.trace_interval,
    )
    sampling = time.perf_counter_ns()
    outcomes = make_reads(plan)
    now = time.perf_counter_ns()
    timing = {
        "loading_ns": loading_ns,
        "preprocessing_ns": sampling - started_ns - loading_ns,
        "sampling_ns": now - sampling,
    }
    return outcomes, {
        "kernel": task.kernel,
        "beta_range": [first.first, first.last],
        "num_sweeps": first.num_sweeps,
        "seed": options.seed,
        "timing": timing,
    }


def traces_of(task: Task, outcomes: Sequence[Outcome], interval: int | None) -> list[FloatArray]:
    """Return the energies after every `interval`-th sweep; nothing if it is None."""
    if interval is None:
        return []
    return [task.offset + task.unit * outcome.trace for outcome in outcomes]
