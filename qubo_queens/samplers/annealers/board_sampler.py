"""The calls that our annealers share: from an instance, a model or a BQM to reads."""

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
from qubo_queens.errors import Argument, InputError, InputTypeError, Remedy
from qubo_queens.samplers.annealers.bqm_tasks import BqmTask
from qubo_queens.samplers.annealers.interface import (
    PARAMETERS,
    PROPERTIES,
    AnnealParameters,
    CheckedParameters,
    FreeQueens,
    NativeSampler,
    Reads,
)
from qubo_queens.samplers.annealers.task import BoardTask, run_task, traces_of


class BoardSampler(NativeSampler, Initialized):
    """A sampler that takes instances and cell models directly, and returns placements."""

    parameters = PARAMETERS
    properties = PROPERTIES

    default_generator: InitialStateGenerator = "random"
    """The default of `initial_states_generator` for a BQM."""

    @abstractmethod
    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        """Prepare a model; read k starts with the queens ``starts[k % len(starts)]``."""

    @abstractmethod
    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        """Prepare a BQM; read k starts with the bits ``initial[k]``."""

    def sample(
        self, bqm: dimod.BinaryQuadraticModel | Model | InstanceLike, **parameters: Any
    ) -> dimod.SampleSet:
        """Sample a binary quadratic model (BQM), a model or an instance.

        Args:
            bqm: What to sample.
            **parameters: The parameters of :meth:`anneal`. For a BQM, `initial_states` are samples,
                one for each read, and `initial_states_generator` (``none``, ``tile`` or
                ``random``) determines the others if there are fewer than `num_reads`, as in
                ``dimod.Initialized``.

        Returns:
            A sample for each read, in their order. For a model or an instance this is
            ``anneal(...).sampleset()``. Besides the entries of ``Reads.info``, ``info`` has the
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
        **parameters: Any,
    ) -> dimod.SampleSet:
        started = time.perf_counter_ns()
        checked = CheckedParameters.of(num_reads=num_reads, **parameters)
        initial = None
        if initial_states is not None or initial_states_generator is not None:
            generator = initial_states_generator or self.default_generator
            seed = checked.seed % 2**32
            try:
                parsed = self.parse_initial_states(
                    bqm, initial_states, generator, num_reads, seed, copy_always=True
                )
            except (TypeError, ValueError) as error:
                raise InputError(f"initial_states are not samples of the model: {error}") from error
            places = [parsed.initial_states.variables.index(label) for label in bqm.variables]
            initial = (parsed.initial_states.record.sample[:, places] == 1).astype(np.int8)
            checked = replace(checked, num_reads=parsed.num_reads)
        task, bits, reason = self._bqm_task(bqm, initial)
        outcomes, info = run_task(task, checked, started)
        ended = time.perf_counter_ns()
        samples = np.array([bits(outcome.run) for outcome in outcomes], dtype=np.int8)
        samples = samples.reshape(len(outcomes), bqm.num_variables)
        traces = traces_of(task, outcomes, checked.trace_interval)
        info |= {"reason": reason, "traces": [trace.tolist() for trace in traces]}
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
        **parameters: Unpack[AnnealParameters],
    ) -> Reads:
        """Make reads on a board, without a binary quadratic model.

        With a `target_energy` this is a search: it ends with the first read that reaches the
        target, and returns the reads up to that one. For exactly `num_reads` reads, for instance to
        measure a success rate, leave `target_energy` out; see the example of each sampler.

        Args:
            problem: An instance, n for the plain board, or a model in the cell encoding.
            initial_states: Boards to start with, one for each read; by default random boards.
            initial_states_generator: What to do if there are fewer of them than reads: repeat them
                in their order (``tile``, the default), start the other reads at random
                (``random``), or raise an error (``none``).
            **parameters: Any of the following; None stands for the default.

                num_reads: The number of reads, 1 to 10**7; by default that of the initial
                states, or 1.
                num_sweeps: The number of sweeps of each read, 1 to 10**9. The defaults of this and
                the next two parameters depend on the board; if none of the three and no
                `beta_schedule` is given, every eighth read of ``flip`` has another schedule.
                beta_range: The first and the last inverse temperature (beta), in units of
                1 / energy, at least 0.
                beta_schedule_type: ``linear``, ``geometric``, or ``custom`` with `beta_schedule`.
                beta_schedule: The beta of each sweep, instead of the three parameters above.
                seed: An integer in 0..2**64-1; by default a random one. The same seed gives the
                same reads, on any number of threads.
                target_energy: A read stops as soon as its energy is at most this, and only the
                reads up to the first such read are returned. By default there is no target.
                time_limit: The time from the start of the call, in seconds above 0, after which
                reads are cut short within their schedule. Compiling kernels does not count.
                The first read is always started, and slices of some 10 ms (or one sweep, if that
                takes longer) are finished.
                num_threads: The number of reads that are made in parallel; by default one for each
                core.
                interrupt_function: Called about every 10 ms in the calling thread; reads are cut
                short when it returns true.
                progress: Called about every 10 ms in the calling thread, with a ``ReadProgress``.
                trace_interval: If given, the energy after every so many sweeps is recorded.

        Raises:
            InputError: If the prescribed queens contradict each other, or a value is out of range.
            InputTypeError: If a value has the wrong type.
            ParameterError: If a keyword is unknown.
        """
        started = time.perf_counter_ns()
        if isinstance(problem, dimod.BinaryQuadraticModel):
            raise InputTypeError("anneal takes boards and cell models", Remedy("; use sample(bqm)"))
        model = problem if isinstance(problem, Model) else build(as_instance(problem))
        contradictions = model.instance.contradictions()
        if contradictions:
            raise InputError(f"there is nothing to sample: {contradictions[0]}")
        initial = _initial_queens(model, initial_states)
        if initial and parameters.get("num_reads") is None:
            parameters = {**parameters, "num_reads": len(initial)}
        checked = CheckedParameters.of(**parameters)
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
    """Return the starts of reads, to be repeated in their order; None is a random start."""
    if generator not in ("none", "tile", "random"):
        raise InputError(
            f"initial_states_generator {shown(generator)} is unknown; choose none, tile or random"
        )
    if generator == "none" and len(initial) < num_reads:
        raise InputError(
            f"{len(initial)} initial states are fewer than {num_reads} reads; give more, or ",
            Argument("initial_states_generator"),
            " tile or random",
        )
    missing = num_reads - len(initial) if generator == "random" else 0
    return [*initial, *([None] * missing)] or [None]


def _initial_queens(
    model: Model, initial_states: Placement | Iterable[Placement] | None
) -> list[FreeQueens]:
    """Return the free queens of boards: all but the prescribed and forced ones."""
    if initial_states is None:
        return []
    if isinstance(initial_states, Placement):
        initial_states = [initial_states]
    boards = as_list(initial_states, "placements")
    if not boards:
        raise InputError("initial_states is empty; leave it out to start at random")
    return [_free_queens(model, board) for board in boards]


def _free_queens(model: Model, board: Placement) -> FreeQueens:
    if not isinstance(board, Placement):
        raise InputTypeError(
            f"initial_states must be placements, not {shown(board)}",
            Remedy(
                "; model.decode(sample) and Placement.from_cells(cells, n) make them, and "
                "sample(model.bqm) takes samples"
            ),
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
