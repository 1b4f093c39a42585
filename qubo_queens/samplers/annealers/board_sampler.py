"""What our own annealers have in common: reads on a board, from an instance to placements."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Unpack

import dimod
import numpy as np
from dimod.core.initialized import Initialized, InitialStateGenerator

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.placement import Placement
from qubo_queens.checks import as_list, shown
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.samplers.annealers.bqm_tasks import BqmTask
from qubo_queens.samplers.annealers.interface import (
    PARAMETERS,
    PROPERTIES,
    NativeSampler,
    Options,
    ReadOptions,
)
from qubo_queens.samplers.annealers.reads import Reads
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens, run_task, traces_of


class BoardSampler(NativeSampler, Initialized):
    """A sampler that takes an instance or a model as it is and returns placements.

    Attributes:
        parameters: The keywords of ``sample`` and ``anneal``.
        properties: ``beta_schedule_options``.
    """

    parameters = PARAMETERS
    properties = PROPERTIES

    default_generator: InitialStateGenerator = "random"
    """The default of `initial_states_generator` for a binary quadratic model."""

    @abstractmethod
    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        """Make a model ready; read k starts with the queens ``starts[k % len(starts)]``."""

    @abstractmethod
    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        """Make a binary quadratic model ready; read k starts with the bits ``initial[k]``."""

    def sample(
        self, bqm: dimod.BinaryQuadraticModel | Model | InstanceLike, **parameters: Any
    ) -> dimod.SampleSet:
        """Sample a binary quadratic model, a model or an instance.

        Args:
            bqm: What to sample.
            **parameters: Those of :meth:`anneal`. For a binary quadratic model, `initial_states`
                are samples, one for each read, and `initial_states_generator` (``none``, ``tile``
                or ``random``) says what to do if they are fewer than `num_reads`, as in
                ``dimod.Initialized``.

        Returns:
            A sample for each read, in their order. For a model and an instance that is
            ``anneal(...).sampleset()``. ``info`` has, besides what ``Reads.info`` has, the
            `reason` why line counts could not be used (None if they were) and the `traces`.

        Raises:
            InputError: If a value is out of range, a coefficient is not finite, or the sampler
                does not take such models.
            InputTypeError: If a value has the wrong type.
            ParameterError: If a keyword is unknown.
        """
        if isinstance(bqm, Model | Instance | Integral):
            return self.anneal(bqm, **parameters).sampleset()
        if not isinstance(bqm, dimod.BinaryQuadraticModel):
            raise InputTypeError(
                f"expected a binary quadratic model, a model, an instance or a board size, not "
                f"{shown(bqm)}"
            )
        return self._sample_bqm(bqm, **parameters)

    def _sample_bqm(
        self,
        bqm: dimod.BinaryQuadraticModel,
        *,
        initial_states: Any = None,
        initial_states_generator: InitialStateGenerator | None = None,
        num_reads: int | None = None,
        **options: Any,
    ) -> dimod.SampleSet:
        started = time.perf_counter_ns()
        checked = ReadOptions.checked(num_reads=num_reads, **options)
        initial = None
        if initial_states is not None or initial_states_generator is not None:
            generator = initial_states_generator or self.default_generator
            seed = checked.seed % 2**32
            try:
                parsed = self.parse_initial_states(
                    bqm, initial_states, generator, num_reads, seed, copy_always=True
                )
            except (TypeError, ValueError) as error:
                raise InputError(f"initial_states are no samples of the model: {error}") from error
            places = [parsed.initial_states.variables.index(label) for label in bqm.variables]
            initial = (parsed.initial_states.record.sample[:, places] == 1).astype(np.int8)
            checked = replace(checked, num_reads=parsed.num_reads)
        task = self._bqm_task(bqm, initial)
        outcomes, info = run_task(task, checked, started)
        ended = time.perf_counter_ns()
        samples = np.array([task.bits(outcome.run) for outcome in outcomes], dtype=np.int8)
        samples = samples.reshape(len(outcomes), bqm.num_variables)
        traces = traces_of(task, outcomes, checked.trace_interval)
        info |= {"reason": task.reason, "traces": [trace.tolist() for trace in traces]}
        sampleset: dimod.SampleSet = dimod.SampleSet.from_samples_bqm(
            (2 * samples - 1 if bqm.vartype is dimod.SPIN else samples, list(bqm.variables)),
            bqm,
            sort_labels=False,
            info=info,
            num_sweeps=np.array([outcome.num_sweeps for outcome in outcomes]),
        )
        info["timing"]["postprocessing_ns"] = time.perf_counter_ns() - ended
        return sampleset

    def load(self, model: Model) -> None:
        """Compile the kernels for a model, or load them from disk; once in a process."""
        self._task(model, [None]).load()

    def anneal(
        self,
        problem: Model | InstanceLike,
        *,
        initial_states: Placement | Iterable[Placement] | None = None,
        initial_states_generator: InitialStateGenerator = "tile",
        **options: Unpack[Options],
    ) -> Reads:
        """Make reads on a board, without a binary quadratic model.

        Args:
            problem: An instance, n for the plain board, or a model in the cell encoding.
            initial_states: Boards to start with, one for each read; by default reads start at
                random.
            initial_states_generator: What to do if they are fewer than the reads: begin with the
                first one again (``tile``, the default), start the others at random (``random``),
                or refuse it (``none``).
            **options: Any of these; None, or leaving one out, stands for its default.

                num_reads: The number of reads, 1 to 10**7; by default that of the initial
                states, or 1.
                num_sweeps: The number of sweeps of each read, 1 to 10**9. Its default, and that
                of the next two, suits what the board looks like; where none of the three and no
                `beta_schedule` is given, every eighth read has another one.
                beta_range: The first and the last inverse temperature, in units of 1 / energy,
                at least 0.
                beta_schedule_type: ``linear``, ``geometric``, or ``custom`` with the next one.
                beta_schedule: The inverse temperature of each sweep, instead of the three above.
                seed: An integer in 0..2**64-1; by default a random one. The same seed gives the
                same reads, on any number of threads.
                target_energy: A read stops at once when its energy is at most this, and reads
                after the first such one in their order are not returned. By default none does.
                time_limit: Seconds from the call on, above 0, after which reads are cut short, in
                the middle of their schedule. Compiling kernels does not count.
                The first read is begun in any case, and a slice of some 10 ms (or one sweep, if
                that takes longer) is finished.
                num_threads: How many reads are under way together; by default one for each core.
                interrupt_function: Is called about every 10 ms in the calling thread, and cuts
                the reads short when it returns true.
                progress: Is called likewise with a ``ReadProgress``.
                trace_interval: If given, the energy after every so many sweeps is noted.

        Raises:
            InputError: If the prescribed queens contradict each other, or a value is out of range.
            InputTypeError: If a value has the wrong type.
            ParameterError: If a keyword is unknown.
        """
        started = time.perf_counter_ns()
        if isinstance(problem, dimod.BinaryQuadraticModel):
            raise InputTypeError("anneal takes boards and cell models; use sample(bqm)")
        model = problem if isinstance(problem, Model) else build(as_instance(problem))
        contradictions = model.instance.contradictions()
        if contradictions:
            raise InputError(f"there is nothing to sample: {contradictions[0]}")
        initial = _initial_queens(model, initial_states)
        if initial and options.get("num_reads") is None:
            options = {**options, "num_reads": len(initial)}
        checked = ReadOptions.checked(**options)
        starts = filled(initial, initial_states_generator, checked.num_reads)
        task = self._task(model, starts)
        outcomes, info = run_task(task, checked, started)
        info["reason"] = None
        ended = time.perf_counter_ns()
        reads = Reads(
            model=model,
            queens=[task.queens(outcome.run) for outcome in outcomes],
            energies=np.array([task.energy(o.run) for o in outcomes], dtype=np.float64),
            num_sweeps=np.array([outcome.num_sweeps for outcome in outcomes]),
            traces=traces_of(task, outcomes, checked.trace_interval),
            info=info,
        )
        info["timing"]["postprocessing_ns"] = time.perf_counter_ns() - ended
        return reads


def filled(
    initial: Sequence[FreeQueens], generator: InitialStateGenerator, num_reads: int
) -> Sequence[FreeQueens | None]:
    """Return what reads start with, one after the other and over again; None stands for at random.

    Raises:
        InputError: If `generator` is unknown, or ``none`` and there are fewer states than reads.
    """
    if generator not in ("none", "tile", "random"):
        raise InputError(
            f"initial_states_generator {shown(generator)} is unknown; choose none, tile or random"
        )
    if generator == "none" and len(initial) < num_reads:
        raise InputError(
            f"{len(initial)} initial states are fewer than {num_reads} reads; give more, or "
            "initial_states_generator tile or random"
        )
    missing = num_reads - len(initial) if generator == "random" else 0
    return [*initial, *([None] * missing)] or [None]


def _initial_queens(
    model: Model, initial_states: Placement | Iterable[Placement] | None
) -> list[FreeQueens]:
    """Return the free queens of boards; those that the model has fixed are left out."""
    if initial_states is None:
        return []
    if isinstance(initial_states, Placement):
        return [_free_queens(model, initial_states)]
    boards = as_list(initial_states, "placements")
    if not boards:
        raise InputError("initial_states is empty; leave it out to start at random")
    return [_free_queens(model, board) for board in boards]


def _free_queens(model: Model, board: Placement) -> FreeQueens:
    if not isinstance(board, Placement):
        raise InputTypeError(
            f"initial_states must be placements, not {shown(board)}; model.decode(sample) and "
            "Placement.from_cells(cells, n) make them, and sample(model.bqm) takes samples"
        )
    instance = model.instance
    if board.n != instance.n:
        raise InputError(f"an initial state has n={board.n}, the problem n={instance.n}")
    fixed = set(model.reduction.queens)
    cells = [cell for cell in board.cells if cell not in fixed]
    closed = [cell for cell in cells if not model.reduction.is_free(cell)]
    if closed:
        raise InputError(
            f"queen {closed[0]} of an initial state stands on a cell that is not free: it is "
            "blocked, excluded, or attacked by a prescribed or forced queen"
        )
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    return rows, columns
