"""The sampler that a user chose: by name, with our defaults, or as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from dimod.core.sampler import Sampler

from qubo_queens.checks import shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, ParameterError, Remedy
from qubo_queens.samplers.annealers.interface import NativeSampler
from qubo_queens.samplers.registry import (
    default_parameters,
    default_reads,
    get_sampler,
    resolve,
)
from qubo_queens.solving.auto import automatic

_READS_OF_AN_OBJECT = 100
"""Default reads of a sampler that we do not know: they may cost money."""

_ELSEWHERE = {
    "queens": "Instance(n, queens=...)",
    "blocked": "Instance(n, blocked=...)",
    "excluded_sums": "Instance(n, excluded_sums=...)",
    "excluded_differences": "Instance(n, excluded_differences=...)",
    "relaxation": "build(..., relaxation=...)",
}


@dataclass(frozen=True)
class ChosenSampler:
    """A sampler with its name.

    Attributes:
        name: The name in the registry, or the class of the object.
        sampler: The sampler.
        known: Whether it is one of the registry, so that there are defaults for it.
    """

    name: str
    sampler: Sampler
    known: bool

    @classmethod
    def of(cls, sampler: str | Sampler, model: Model) -> ChosenSampler:
        """Return the choice for a model; ``auto`` looks at it.

        Raises:
            InputError: If a name is unknown.
            InputTypeError: If `sampler` is neither a name nor a sampler.
            MissingPackageError: If the package of a named sampler is not installed.
        """
        if isinstance(sampler, str):
            name = automatic(model) if sampler == "auto" else resolve(sampler)
            return cls(name, get_sampler(name), True)
        if isinstance(sampler, Sampler):
            return cls(type(sampler).__name__, sampler, False)
        raise InputTypeError(
            f"sampler must be a name or a dimod.Sampler object, not {type(sampler).__name__}"
        )

    def takes(self, parameter: str) -> bool:
        """Tell whether the sampler has a parameter of that name."""
        return parameter in (self.sampler.parameters or ())

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse keywords that the sampler does not have, and values that are NaN.

        Raises:
            ParameterError: If a keyword is unknown; the message lists the known ones.
            InputError: If a value is NaN.
            InputTypeError: If `interrupt_function` is no function.
        """
        unknown = sorted(key for key in parameters if not self.takes(key))
        if unknown:
            known = ", ".join(sorted(self.sampler.parameters or ())) or "none"
            places = [_ELSEWHERE[key] for key in unknown if key in _ELSEWHERE]
            raise ParameterError(
                f"sampler {self.name} has no parameter {', '.join(unknown)}; "
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
        self, model: Model, given: Mapping[str, Any], time_limit: float | None = None
    ) -> dict[str, Any]:
        """Return `given` over the defaults for a model and a time limit in seconds.

        A beta schedule of the caller's own replaces ours as a whole.
        """
        defaults = default_parameters(self.name, model, time_limit) if self.known else {}
        if self.known and "beta_schedule" in given:
            schedule = ("beta_range", "num_sweeps")
            defaults = {key: value for key, value in defaults.items() if key not in schedule}
            defaults["beta_schedule_type"] = "custom"
        return {**defaults, **given}

    def default_reads(self, model: Model) -> int:
        """Return how many reads to make where neither reads nor a time limit are asked for.

        A sampler that takes no number of reads is called once.
        """
        if self.known:
            return default_reads(self.name, model)
        return _READS_OF_AN_OBJECT if self.takes("num_reads") else 1


def _has_nan(value: object) -> bool:
    """Tell whether a number, or a list or array of numbers, is or holds NaN."""
    if value is None or isinstance(value, str):
        return False
    try:
        return bool(np.isnan(np.asarray(value, dtype=np.float64)).any())
    except (TypeError, ValueError, OverflowError):
        return False
