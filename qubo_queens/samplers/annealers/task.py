"""A problem prepared for a kernel (a task), and the reads of it."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from qubo_queens.board.lines import FloatArray
from qubo_queens.samplers.annealers.interface import CheckedParameters, FreeQueens
from qubo_queens.samplers.annealers.run import Outcome, Plan, Run, make_reads
from qubo_queens.samplers.annealers.schedule import AnySchedule, Schedule, chosen_schedule

_ROUNDING = 1e-6
"""A target at most this far below an integer, in units of energy, counts as that integer."""

_DEFAULTS = 8
"""Default schedules repeat after so many reads at most."""

_loaded: set[str] = set()
"""The names of the kernels that are compiled in this process."""


class Task(ABC):
    """A problem prepared for a kernel. Energies are ``offset + unit * Run.energy``."""

    kernel: str
    unit: float
    offset: float

    @abstractmethod
    def begin(self, seed: int, number: int) -> Run:
        """Return the read of that number."""

    @abstractmethod
    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule of a read, in units of 1 / energy, unless the call states one."""

    @abstractmethod
    def rehearse(self) -> None:
        """Run every kernel of a read once on a tiny problem, so that all are compiled."""

    def load(self) -> None:
        """Compile the kernels, or load them from disk; once in a process."""
        if self.kernel not in _loaded:
            self.rehearse()
            _loaded.add(self.kernel)

    def energy(self, run: Run) -> float:
        """Return the energy of a read."""
        return self.offset + self.unit * run.energy

    def relative(self, target_energy: float) -> float:
        """Return a target energy in units of ``Run.energy``."""
        return (target_energy - self.offset) / self.unit


class BoardTask(Task):
    """A board prepared for a kernel; energies of its runs are integers."""

    def relative(self, target_energy: float) -> float:
        """Return the largest energy of a run that reaches the target, -inf for none."""
        return whole(super().relative(target_energy))

    @abstractmethod
    def queens(self, run: Run) -> FreeQueens:
        """Return the free queens of a run."""


def whole(energy: float) -> float:
    """Return the largest integer at most `energy`, up to rounding; infinities are kept."""
    return energy if math.isinf(energy) else math.floor(min(energy, 1e18) + _ROUNDING)


def run_task(
    task: Task, parameters: CheckedParameters, started_ns: int
) -> tuple[list[Outcome], dict[str, Any]]:
    """Make the reads of a call that started at that ``time.perf_counter_ns()``.

    Returns the reads and their ``info``. Compiling kernels does not count as time.
    """
    loading = time.perf_counter_ns()
    task.load()
    loading_ns = time.perf_counter_ns() - loading
    stated = any(value is not None for value in parameters.schedule.values())
    first = chosen_schedule(task.default_schedule(0), **parameters.schedule)

    def schedule(number: int) -> AnySchedule:
        return (first if stated else task.default_schedule(number)).scaled(task.unit)

    plan = Plan(
        begin=lambda number: task.begin(parameters.seed, number),
        schedule=schedule,
        num_reads=parameters.num_reads,
        target=task.relative(parameters.target_energy),
        deadline=(started_ns + loading_ns) / 1e9 + parameters.time_limit,
        num_threads=parameters.num_threads,
        should_stop=parameters.interrupt_function or (lambda: False),
        progress=parameters.progress,
        trace_interval=parameters.trace_interval,
    )
    sampling = time.perf_counter_ns()
    outcomes = make_reads(plan)
    now = time.perf_counter_ns()
    few = [] if stated else map(task.default_schedule, range(1, min(len(outcomes), _DEFAULTS)))
    used = {(each.first, each.last, each.num_sweeps) for each in (first, *few)}
    return outcomes, {
        "kernel": task.kernel,
        "beta_range": [first.first, first.last],
        "num_sweeps": first.num_sweeps,
        "schedules": sorted(used),
        "seed": parameters.seed,
        "timing": {
            "loading_ns": loading_ns,
            "preprocessing_ns": sampling - started_ns - loading_ns,
            "sampling_ns": now - sampling,
        },
    }


def traces_of(task: Task, outcomes: Sequence[Outcome], interval: int | None) -> list[FloatArray]:
    """Return the energies of each read after every `interval` sweeps; nothing if it is None."""
    if interval is None:
        return []
    return [task.offset + task.unit * outcome.trace for outcome in outcomes]
