"""What our own annealers have in common: reads on a board, from an instance to placements."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import dimod
import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import IntArray
from qubo_queens.board.placement import Placement
from qubo_queens.checks import shown
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.samplers.options import PARAMETERS, PROPERTIES, ReadOptions
from qubo_queens.samplers.reads import Reads
from qubo_queens.samplers.run import Outcome, Plan, Run, make_reads
from qubo_queens.samplers.schedule import AnySchedule, Schedule, chosen_schedule

Queens = tuple[IntArray, IntArray]
"""The rows and columns of queens on free cells, in row-major order."""


class Task:
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


class BoardTask(Task):
    """An instance made ready for a kernel."""

    @abstractmethod
    def queens(self, run: Run) -> Queens:
        """Return the free queens of a run."""


class BoardSampler(dimod.Sampler):
    """A sampler that takes an instance or a model as it is and returns placements.

    Attributes:
        parameters: The keywords of ``sample`` and ``anneal``.
        properties: ``beta_schedule_options``.
    """

    parameters: ClassVar[Mapping[str, Any]] = PARAMETERS
    properties: ClassVar[Mapping[str, Any]] = PROPERTIES

    @abstractmethod
    def _task(self, model: Model, initial: Sequence[Queens]) -> BoardTask:
        """Make a model ready; read k starts with the queens ``initial[k % len(initial)]``."""

    def sample(
        self, bqm: dimod.BinaryQuadraticModel | Model | InstanceLike, **parameters: Any
    ) -> dimod.SampleSet:
        """Sample a binary quadratic model, a model or an instance; see the class.

        Returns:
            A sample for each read, in their order. For a model and an instance that is
            ``anneal(...).sampleset()``.
        """
        if isinstance(bqm, Model | Instance | int):
            return self.anneal(bqm, **parameters).sampleset()
        return self._sample_bqm(bqm, **parameters)

    @abstractmethod
    def _sample_bqm(
        self, bqm: dimod.BinaryQuadraticModel, **parameters: Any
    ) -> dimod.SampleSet:
        """Sample a binary quadratic model."""

    def anneal(
        self,
        problem: Model | InstanceLike,
        *,
        initial_states: Placement | Iterable[Placement] | None = None,
        **options: Any,
    ) -> Reads:
        """Make reads on a board, without a binary quadratic model.

        Args:
            problem: An instance, n for the plain board, or a model in the cell encoding.
            initial_states: Boards to start with, one after the other and over again; by default
                each read starts at random.
            **options: See :meth:`sample`, but for ``initial_states_generator``.

        Raises:
            InputError: If the prescribed queens contradict each other, or a value is out of range.
            InputTypeError: If a value has the wrong type.
            ParameterError: If a keyword is unknown.
        """
        started = time.perf_counter_ns()
        checked = ReadOptions.checked(**options)
        model = problem if isinstance(problem, Model) else build(as_instance(problem))
        contradictions = model.instance.contradictions()
        if contradictions:
            raise InputError(f"there is nothing to sample: {contradictions[0]}")
        task = self._task(model, _initial_queens(model, initial_states))
        outcomes, info = run_task(task, checked, started)
        ended = time.perf_counter_ns()
        reads = Reads(
            model=model,
            queens=[task.queens(outcome.run) for outcome in outcomes],
            energies=energies_of(task, outcomes),
            num_sweeps=np.array([outcome.num_sweeps for outcome in outcomes]),
            traces=traces_of(task, outcomes, checked.trace_interval),
            info=info,
        )
        info["timing"]["postprocessing_ns"] = time.perf_counter_ns() - ended
        return reads


def run_task(
    task: Task, options: ReadOptions, started_ns: int
) -> tuple[list[Outcome], dict[str, Any]]:
    """Make the reads that are asked for; return them and the ``info`` about them.

    Args:
        task: What to sample.
        options: How.
        started_ns: The ``time.perf_counter_ns()`` at which the call began.
    """

    def schedule(number: int) -> AnySchedule:
        return chosen_schedule(task.default_schedule(number), **options.schedule)

    first = schedule(0)
    plan = Plan(
        begin=lambda number: task.begin(options.seed, number),
        schedule=lambda number: schedule(number).scaled(task.unit),
        num_reads=options.num_reads,
        target=(options.target_energy - task.offset) / task.unit,
        deadline=started_ns / 1e9 + options.time_limit,
        num_threads=options.num_threads,
        should_stop=options.interrupt_function or (lambda: False),
        progress=options.progress,
        traced=options.trace_interval is not None,
    )
    sampling = time.perf_counter_ns()
    outcomes = make_reads(plan)
    now = time.perf_counter_ns()
    timing = {"preprocessing_ns": sampling - started_ns, "sampling_ns": now - sampling}
    return outcomes, {
        "kernel": task.kernel,
        "beta_range": [first.first, first.last],
        "num_sweeps": first.num_sweeps,
        "seed": options.seed,
        "timing": timing,
    }


def energies_of(task: Task, outcomes: Sequence[Outcome]) -> np.ndarray:
    """Return the energies of reads."""
    return np.array([task.offset + task.unit * outcome.run.energy for outcome in outcomes])


def traces_of(
    task: Task, outcomes: Sequence[Outcome], interval: int | None
) -> list[np.ndarray]:
    """Return the energies after every `interval`-th sweep; nothing if it is None."""
    if interval is None:
        return []
    return [
        task.offset + task.unit * outcome.trace[interval - 1 :: interval] for outcome in outcomes
    ]


def _initial_queens(
    model: Model, initial_states: Placement | Iterable[Placement] | None
) -> list[Queens]:
    """Return the free queens of boards; prescribed ones are left out."""
    if initial_states is None:
        return []
    boards = [initial_states] if isinstance(initial_states, Placement) else list(initial_states)
    if not boards:
        raise InputError("initial_states is empty; leave it out to start at random")
    return [_free_queens(model, board) for board in boards]


def _free_queens(model: Model, board: Placement) -> Queens:
    if not isinstance(board, Placement):
        raise InputTypeError(f"initial_states must be placements, not {shown(board)}")
    instance = model.instance
    if board.n != instance.n:
        raise InputError(f"an initial state has n={board.n}, the problem n={instance.n}")
    prescribed = set(instance.queens)
    cells = [cell for cell in board.cells if cell not in prescribed]
    closed = [cell for cell in cells if not model.reduction.is_free(cell)]
    if closed:
        raise InputError(
            f"queen {closed[0]} of an initial state stands on a cell that is not free: it is "
            "blocked, excluded, or attacked by a prescribed queen"
        )
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    return rows, columns
