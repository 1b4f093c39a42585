"""Samplers that take a model as it is, without its binary quadratic model."""

from __future__ import annotations

import math
import secrets
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypedDict, Unpack

from dimod.core.initialized import InitialStateGenerator
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.placement import Placement
from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, ParameterError
from qubo_queens.samplers.annealers.reads import Reads
from qubo_queens.samplers.annealers.run import ReadProgress, all_cores
from qubo_queens.samplers.annealers.schedule import SHAPES, FloatArray


class NativeSampler(Sampler):
    """A sampler with a method for boards; ``solve`` never makes a BQM for it.

    It stands apart from ``BoardSampler`` so that it can be recognised without loading Numba.
    """

    def anneals(self, model: Model) -> bool:
        """Tell whether ``anneal`` takes a model; any other has to be sampled as a BQM."""
        return model.encoding == "cell"

    @abstractmethod
    def load(self, model: Model) -> None:
        """Compile the kernels for a model, or load them from disk; once in a process."""

    @abstractmethod
    def anneal(
        self,
        problem: Model | InstanceLike,
        *,
        initial_states: Placement | Iterable[Placement] | None = None,
        initial_states_generator: InitialStateGenerator = "tile",
        **options: Unpack[Options],
    ) -> Reads:
        """Make reads on a board; see ``BoardSampler``."""


PARAMETERS: dict[str, list[str]] = {
    "num_reads": [],
    "num_sweeps": [],
    "beta_range": [],
    "beta_schedule_type": ["beta_schedule_options"],
    "beta_schedule": [],
    "seed": [],
    "initial_states": [],
    "initial_states_generator": [],
    "target_energy": [],
    "time_limit": [],
    "num_threads": [],
    "interrupt_function": [],
    "progress": [],
    "trace_interval": [],
}
"""The keywords of our annealers, as in ``dimod.Sampler.parameters``."""

PROPERTIES: dict[str, Any] = {"beta_schedule_options": (*SHAPES, "custom")}

_SCHEDULE = frozenset(("num_sweeps", "beta_range", "beta_schedule_type", "beta_schedule"))

LARGEST_READS = 10**7


class Options(TypedDict, total=False):
    """The keywords of ``BoardSampler.anneal``, where their meaning is told."""

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


@dataclass(frozen=True)
class ReadOptions:
    """How to make reads; see ``BoardSampler.anneal`` for the meaning of the fields."""

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
    def checked(
        cls,
        *,
        num_reads: int | None = None,
        seed: int | None = None,
        target_energy: float | None = None,
        time_limit: float | None = None,
        num_threads: int | None = None,
        interrupt_function: Callable[[], bool] | None = None,
        progress: Callable[[ReadProgress], object] | None = None,
        trace_interval: int | None = None,
        **schedule: Any,
    ) -> ReadOptions:
        """Return the options; None stands for the default of each.

        Raises:
            ParameterError: If there are unknown keywords.
            InputError: If a value is out of range.
            InputTypeError: If a value has the wrong type.
        """
        unknown = sorted(set(schedule).difference(_SCHEDULE))
        if unknown:
            known = ", ".join(Options.__annotations__)
            raise ParameterError(
                f"unknown parameter {', '.join(unknown)}; those of reads are {known}, and "
                "initial_states, initial_states_generator"
            )
        for name, function in (("interrupt_function", interrupt_function), ("progress", progress)):
            if function is not None and not callable(function):
                raise InputTypeError(f"{name} must be a function, not {shown(function)}")
        reads = 1 if num_reads is None else int_in_range(num_reads, "num_reads", 1, LARGEST_READS)
        limit = math.inf if time_limit is None else positive_number(time_limit, "time_limit")
        return cls(
            num_reads=reads,
            seed=secrets.randbits(32) if seed is None else int_in_range(seed, "seed", 0, 2**64 - 1),
            target_energy=-math.inf if target_energy is None else _number(target_energy),
            time_limit=limit,
            num_threads=all_cores()
            if num_threads is None
            else int_in_range(num_threads, "num_threads", 1, 1024),
            interrupt_function=interrupt_function,
            progress=progress,
            trace_interval=None
            if trace_interval is None
            else int_in_range(trace_interval, "trace_interval", 1, 10**9),
            schedule=schedule,
        )


def _number(value: object) -> float:
    """Return a target energy: any finite number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputTypeError(f"target_energy must be a number, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"target_energy must be finite, not {shown(value)}")
    return number
