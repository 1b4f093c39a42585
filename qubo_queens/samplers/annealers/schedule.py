"""Annealing schedules: an inverse temperature (beta) for each sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from qubo_queens.board.lines import FloatArray
from qubo_queens.checks import as_list, int_in_range, positive_number, shown
from qubo_queens.errors import InputError, InputTypeError

Shape = Literal["linear", "geometric"]

SHAPES: tuple[Shape, ...] = ("linear", "geometric")
LARGEST_SWEEPS = 10**9

_COLDEST = 1e300
"""The largest beta; products of larger ones with energies may not be finite."""


@dataclass(frozen=True)
class Schedule:
    """A schedule that is linear or geometric in beta.

    Attributes:
        first, last: The first and the last beta, in units of 1 / energy, at least 0.
        num_sweeps: The number of sweeps, at least 1.
        shape: ``linear`` (constant difference) or ``geometric`` (constant ratio).
    """

    first: float
    last: float
    num_sweeps: int
    shape: Shape = "linear"

    def betas(self, start: int, stop: int) -> FloatArray:
        """Return the betas of the sweeps `start` to `stop` - 1."""
        part = np.arange(start, min(stop, self.num_sweeps)) / max(1, self.num_sweeps - 1)
        if self.shape == "geometric":
            return np.asarray(self.first * (self.last / self.first) ** part)
        return np.asarray(self.first + (self.last - self.first) * part)

    def scaled(self, factor: float) -> Schedule:
        """Return the schedule with all betas times `factor`."""
        first, last = (min(beta * factor, _COLDEST) for beta in (self.first, self.last))
        return replace(self, first=first, last=last)


@dataclass(frozen=True, eq=False)
class CustomSchedule:
    """A schedule given by the beta of each sweep, in `values` of shape (num_sweeps,)."""

    values: FloatArray

    @property
    def num_sweeps(self) -> int:
        """The number of sweeps."""
        return len(self.values)

    @property
    def first(self) -> float:
        """The first beta."""
        return float(self.values[0])

    @property
    def last(self) -> float:
        """The last beta."""
        return float(self.values[-1])

    def betas(self, start: int, stop: int) -> FloatArray:
        """Return the betas of the sweeps `start` to `stop` - 1."""
        return self.values[start:stop]

    def scaled(self, factor: float) -> CustomSchedule:
        """Return the schedule with all betas times `factor`."""
        with np.errstate(over="ignore"):
            return CustomSchedule(np.minimum(self.values * factor, _COLDEST))


AnySchedule: TypeAlias = Schedule | CustomSchedule


def chosen_schedule(
    default: Schedule,
    *,
    num_sweeps: int | None = None,
    beta_range: Sequence[float] | None = None,
    beta_schedule_type: str | None = None,
    beta_schedule: Sequence[float] | FloatArray | None = None,
) -> AnySchedule:
    """Return the schedule for the parameters of a call, as ``BoardSampler.anneal`` describes them.

    None stands for the value of `default`.
    """
    if num_sweeps is not None:
        num_sweeps = int_in_range(num_sweeps, "num_sweeps", 1, LARGEST_SWEEPS)
    if beta_schedule is not None:
        return _custom(beta_schedule, num_sweeps, beta_range, beta_schedule_type)
    shape = default.shape if beta_schedule_type is None else beta_schedule_type
    if not isinstance(shape, str) or shape not in SHAPES:
        if isinstance(shape, str) and shape == "custom":
            raise InputError("beta_schedule_type custom needs beta_schedule, a beta for each sweep")
        raise InputError(
            f"beta_schedule_type {shown(shape)} is unknown; choose one of "
            f"{', '.join(SHAPES)}, custom"
        )
    first, last = default.first, default.last
    if beta_range is not None:
        values = as_list(beta_range, "two betas")
        if len(values) != 2:
            raise InputError(f"beta_range has two betas, not {len(values)}: {shown(beta_range)}")
        first, last = (positive_number(b, "beta of beta_range", zero=True) for b in values)
        if max(first, last) > _COLDEST:
            raise InputError(f"the betas of beta_range must be within 0..{_COLDEST:g}")
    if shape == "geometric" and not (first and last):
        raise InputError("a geometric schedule cannot begin or end at beta 0; use linear")
    return Schedule(first, last, num_sweeps or default.num_sweeps, shape)


def _custom(
    beta_schedule: Sequence[float] | FloatArray,
    num_sweeps: int | None,
    beta_range: Sequence[float] | None,
    beta_schedule_type: str | None,
) -> CustomSchedule:
    given = np.asarray(beta_schedule if hasattr(beta_schedule, "__len__") else list(beta_schedule))
    if given.dtype.kind not in "iuf":
        raise InputTypeError(f"beta_schedule must be a list of numbers, not {shown(beta_schedule)}")
    betas = given.astype(np.float64)
    if betas.ndim != 1 or not len(betas):
        raise InputError(
            f"beta_schedule needs at least one beta in one dimension, not {shown(beta_schedule)}"
        )
    if not ((betas >= 0) & (betas <= _COLDEST)).all():
        raise InputError(f"the betas of beta_schedule must be within 0..{_COLDEST:g}")
    if num_sweeps not in (None, len(betas)):
        raise InputError(
            f"num_sweeps={num_sweeps} disagrees with the {len(betas)} betas of beta_schedule; "
            "leave it out"
        )
    if beta_range is not None or beta_schedule_type not in (None, "custom"):
        raise InputError("beta_schedule states all betas; leave out beta_range and the type")
    return CustomSchedule(betas)
