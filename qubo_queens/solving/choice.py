"""Which sampler makes the reads: named, given as an object, or chosen for the model by ``auto``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from dimod.core.sampler import Sampler

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN
from qubo_queens.checks import shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, ParameterError, Remedy
from qubo_queens.samplers.annealers.interface import NativeSampler
from qubo_queens.samplers.annealers.recognise import in_units
from qubo_queens.samplers.entry import SamplerEntry
from qubo_queens.samplers.registry import get_entry

AUTO = "auto"

SMALL = 2500
"""``auto`` leaves plain boards and completions up to this many variables to neal, which answers
before the compiler of the other samplers is even loaded."""

SMALL_HARD = 150
"""The same for boards with blocked cells or excluded diagonals, on which neal needs many reads."""

LARGE = 1000
"""Above this many open rows, swaps are faster than flips where solutions abound."""

SPARSE = 0.25
"""Boards that have lost more than this part of their cells or diagonals may have few solutions."""

_READS_OF_AN_OBJECT = 100
"""Default number of reads of an unknown sampler: they may cost money."""

_OF_INSTANCES = ("queens", "blocked", "excluded_sums", "excluded_differences")
_ELSEWHERE = {
    **{name: f"Instance(n, {name}=...)" for name in _OF_INSTANCES},
    "relaxation": "build(..., relaxation=...)",
}


@dataclass(frozen=True)
class Choice:
    """The sampler of a run.

    Attributes:
        name: Its name in the registry, or the class of the object.
        entry: What the registry knows of it; None for an object.
        proves: Whether a proof is searched for beside the reads: with ``auto``.
    """

    name: str
    sampler: Sampler
    entry: SamplerEntry | None = None
    proves: bool = False

    def takes(self, parameter: str) -> bool:
        """Return whether the sampler has a parameter of that name."""
        return parameter in (self.sampler.parameters or ())

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse keywords that the sampler does not have, and values that are NaN."""
        unknown = sorted(key for key in parameters if not self.takes(key))
        if unknown:
            known = ", ".join(sorted(self.sampler.parameters or ())) or "none"
            picked = ", which auto picks for this board," if self.proves else ""
            places = [_ELSEWHERE[key] for key in unknown if key in _ELSEWHERE]
            raise ParameterError(
                f"sampler {self.name}{picked} has no parameter {', '.join(unknown)}; "
                f"its parameters are {known}",
                Remedy(f"; did you mean {' and '.join(places)}?") if places else "",
            )
        if "trace_interval" in parameters and isinstance(self.sampler, NativeSampler):
            raise ParameterError(
                "`solve` returns no traces",
                Remedy("; get_sampler(name).anneal(instance, trace_interval=...) does"),
            )
        for key, value in parameters.items():
            if key == "interrupt_function" and value is not None and not callable(value):
                raise InputTypeError(f"interrupt_function must be a function, not {shown(value)}")
            if _has_nan(value):
                raise InputError(
                    f"parameter {key} of sampler {self.name} has a NaN: {shown(value)}"
                )

    def parameters(
        self, model: Model, given: Mapping[str, Any], time_limit: float | None
    ) -> dict[str, Any]:
        """Return `given` over the defaults for a model and a time limit in seconds.

        A `beta_schedule` that is given replaces the default schedule as a whole.
        """
        defaults = {} if self.entry is None else dict(self.entry.defaults(model, time_limit))
        if self.entry is not None and "beta_schedule" in given:
            for name in ("beta_range", "num_sweeps"):
                defaults.pop(name, None)
            defaults["beta_schedule_type"] = "custom"
        return {**defaults, **given}

    def default_reads(self, model: Model) -> int:
        """Return how many reads to make where neither reads nor a time limit are asked for.

        An object that takes no number of reads is called once.
        """
        if self.entry is not None:
            return self.entry.default_reads(model)
        return _READS_OF_AN_OBJECT if self.takes("num_reads") else 1


def choose(sampler: str | Sampler, model: Model) -> Choice:
    """Return the sampler that a user named or gave, or with ``auto`` the one that suits a model."""
    if isinstance(sampler, str):
        entry = get_entry(suitable_sampler(model) if sampler == AUTO else sampler)
        return Choice(entry.name, entry.make(), entry, proves=sampler == AUTO)
    if isinstance(sampler, Sampler):
        return Choice(type(sampler).__name__, sampler)
    raise InputTypeError(
        f"sampler must be a name or a dimod.Sampler object, not {type(sampler).__name__}"
    )


def suitable_sampler(model: Model) -> str:
    """Return the name of the sampler that suits a model."""
    instance = model.instance
    forbidden = bool(instance.blocked or instance.excluded_sums or instance.excluded_differences)
    if not _has_line_counts(model):
        return "neal"
    if model.num_variables <= (SMALL_HARD if forbidden else SMALL):
        return "neal"
    num_rows, num_columns = (len(model.reduction.open_lines(kind)) for kind in ROW_COLUMN)
    large = num_rows == num_columns > LARGE and model.strengths.diagonal
    return "swap" if large and _forbidden_part(model) <= SPARSE else "flip"


def _has_line_counts(model: Model) -> bool:
    """Return whether our annealers can work from line counts: the strengths have a common unit."""
    if model.encoding != "cell":
        return False
    try:
        in_units(np.array([2 * model.strengths.row_column, model.strengths.diagonal], np.float64))
    except InputError:
        return False
    return True


def _forbidden_part(model: Model) -> float:
    """Return the part of the cells that is blocked or of the diagonals excluded, if larger."""
    instance = model.instance
    diagonals = max(len(instance.excluded(kind)) for kind in DIAGONAL) / (2 * instance.n - 1)
    open_cells = len(model.reduction.open_lines(ROW_COLUMN[0])) ** 2
    return max(diagonals, len(model.reduction.taken) / max(1, open_cells))


def _has_nan(value: object) -> bool:
    """Return whether a number, or a list or array of numbers, is or holds NaN."""
    if value is None or isinstance(value, str):
        return False
    try:
        return bool(np.isnan(np.asarray(value, dtype=np.float64)).any())
    except (TypeError, ValueError, OverflowError):
        return False
