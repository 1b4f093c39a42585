"""What ``solve`` knows of our annealers: the sampler interface, its parameters and its result.

This module does not load Numba, so that our samplers can be recognised without it.
"""

from __future__ import annotations

import math
import secrets
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, TypeAlias, TypedDict

import dimod
import numpy as np
from dimod.core.sampler import Sampler

from qubo_queens.board.lines import FloatArray, IntArray, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, ParameterError
from qubo_queens.samplers.annealers.run import ReadProgress, all_cores
from qubo_queens.samplers.annealers.schedule import SHAPES

FreeQueens: TypeAlias = tuple[IntArray, IntArray]
"""The rows and the columns of queens on free cells, in row-major order, each of shape (queens,)."""


class NativeSampler(Sampler):
    """A sampler that takes a model directly; ``solve`` does not make a BQM for it."""

    def anneals(self, model: Model) -> bool:
        """Return whether ``anneal`` takes a model; any other is sampled as a BQM."""
        return model.encoding == "cell"

    @abstractmethod
    def load(self, model: Model) -> None:
        """Compile the kernels for a model, or load them from disk; once in a process."""

    anneal: Callable[..., Reads]
    """Make reads on a board; see ``BoardSampler.anneal``."""


@dataclass(frozen=True, eq=False)
class Reads:
    """The reads of one call of ``anneal``, in their order.

    There are `num_reads` of them unless the call was given a `target_energy` (then the first read
    that reaches it is the last one), a `time_limit` or an `interrupt_function`.

    Attributes:
        model: The model that was sampled.
        queens: For each read, the rows and the columns of the queens on free cells.
        energies: The energy of each read, of shape (reads,).
        num_sweeps: The number of sweeps of each read, of shape (reads,).
        traces: The energy of each read after every `trace_interval` sweeps; empty without it.
        info: The `kernel` that was used (``lines``, ``cells``, ``adjacency`` or ``swap``), the
            `beta_range` and `num_sweeps` of the first read, the `seed`, and the `timing` in
            nanoseconds.
    """

    model: Model
    queens: Sequence[FreeQueens]
    energies: FloatArray
    num_sweeps: IntArray
    traces: Sequence[FloatArray]
    info: dict[str, Any]

    def __len__(self) -> int:
        """Return the number of reads."""
        return len(self.queens)

    def __iter__(self) -> Iterator[Placement]:
        """Iterate over the boards of the reads."""
        return map(self.placement, range(len(self)))

    def __repr__(self) -> str:
        lowest = self.energies[self.best_index]
        return f"<Reads: {len(self)}, lowest energy {lowest:g}, {self.info['kernel']} kernel>"

    @property
    def best_index(self) -> int:
        """The number of the first read with the lowest energy, from 0."""
        return int(np.argmin(self.energies))

    def placement(self, number: int) -> Placement:
        """Return the board of a read, including prescribed and forced queens."""
        return merged(self.model.reduction, self.queens[number])

    @cached_property
    def best_placement(self) -> Placement:
        """The board of the read with the lowest energy."""
        return self.placement(self.best_index)

    def sampleset(self) -> dimod.SampleSet:
        """Return the reads as a sample set, vartype BINARY, labelled by cells.

        It has a value for each read and variable, which takes seconds and gigabytes for boards of
        some thousand rows.
        """
        rows, columns = self.model.reduction.free_arrays
        n = self.model.instance.n
        places = rows * n + columns  # cell numbers, ascending: the position is the variable
        samples = np.zeros((len(self), len(places)), dtype=np.int8)
        for sample, (row, column) in zip(samples, self.queens, strict=True):
            sample[np.searchsorted(places, row * n + column)] = 1
        sampleset: dimod.SampleSet = dimod.SampleSet.from_samples(
            (samples, list(self.model.variables)),
            vartype=dimod.BINARY,
            energy=self.energies,
            info={**self.info, "traces": [trace.tolist() for trace in self.traces]},
            num_sweeps=self.num_sweeps,
            sort_labels=False,
        )
        return sampleset


def merged(reduction: Reduction, queens: FreeQueens) -> Placement:
    """Return the board with free queens, in row-major order, and the queens of the reduction."""
    rows, columns = queens
    if reduction.queens:
        given_rows, given_columns = coordinates(reduction.queens)
        # Inserted in the order of rows: no sort is needed if each row has one queen.
        before = np.searchsorted(rows, given_rows)
        rows = np.insert(rows, before, given_rows)
        columns = np.insert(columns, before, given_columns)
    return Placement.from_arrays(rows, columns, reduction.instance.n)


class AnnealParameters(TypedDict, total=False):
    """The keywords of ``BoardSampler.anneal``, which describes them."""

    num_reads: int | None
    num_sweeps: int | None
    beta_range: Sequence[float] | None
    beta_schedule_type: str | None
    beta_schedule: Sequence[float] | FloatArray | None
    seed: int | None
    target_energy: float | None
    time_limit: float | None
    num_threads: int | None
    interrupt_function: Callable[[], bool] | None
    progress: Callable[[ReadProgress], object] | None
    trace_interval: int | None


PARAMETERS: dict[str, list[str]] = {
    **{name: [] for name in AnnealParameters.__annotations__},
    "initial_states": [],
    "initial_states_generator": [],
    "beta_schedule_type": ["beta_schedule_options"],
}
"""The keywords of our annealers, as in ``dimod.Sampler.parameters``."""

PROPERTIES: dict[str, Any] = {"beta_schedule_options": (*SHAPES, "custom")}

LARGEST_READS = 10**7

_SCHEDULE = ("num_sweeps", "beta_range", "beta_schedule_type", "beta_schedule")


@dataclass(frozen=True)
class CheckedParameters:
    """The parameters of a call, checked and with their defaults; see ``BoardSampler.anneal``.

    Those of the schedule are in `schedule`, for ``chosen_schedule`` to check.
    """

    num_reads: int
    seed: int
    target_energy: float
    time_limit: float
    num_threads: int
    interrupt_function: Callable[[], bool] | None
    progress: Callable[[ReadProgress], object] | None
    trace_interval: int | None
    schedule: dict[str, Any]

    @classmethod
    def of(cls, **given: Any) -> CheckedParameters:
        """Check parameters; None stands for the default of each."""
        known = AnnealParameters.__annotations__
        unknown = sorted(set(given).difference(known))
        if unknown:
            raise ParameterError(
                f"unknown parameter {', '.join(unknown)}; those of reads are {', '.join(known)}, "
                "and initial_states, initial_states_generator"
            )
        stated = {name: value for name, value in given.items() if value is not None}
        for name in ("interrupt_function", "progress"):
            if name in stated and not callable(stated[name]):
                raise InputTypeError(f"{name} must be a function, not {shown(stated[name])}")

        def integer(name: str, default: int, low: int, high: int) -> int:
            return int_in_range(stated[name], name, low, high) if name in stated else default

        limit, target = stated.get("time_limit"), stated.get("target_energy")
        return cls(
            num_reads=integer("num_reads", 1, 1, LARGEST_READS),
            seed=integer("seed", secrets.randbits(32), 0, 2**64 - 1),
            target_energy=-math.inf if target is None else _finite(target),
            time_limit=math.inf if limit is None else positive_number(limit, "time_limit"),
            num_threads=integer("num_threads", all_cores(), 1, 1024),
            interrupt_function=stated.get("interrupt_function"),
            progress=stated.get("progress"),
            trace_interval=integer("trace_interval", 0, 1, 10**9) or None,
            schedule={name: stated.get(name) for name in _SCHEDULE},
        )


def _finite(value: object) -> float:
    """Return a target energy, which may be any finite number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputTypeError(f"target_energy must be a number, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"target_energy must be finite, not {shown(value)}")
    return number
