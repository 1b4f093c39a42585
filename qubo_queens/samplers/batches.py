"""Reads in batches, with derived seeds, until a budget is used up.

Most samplers know no target energy: the caller looks at each batch and stops when it likes what
it sees. Batches double in size, so few reads are wasted and little time goes into calls. Their
sizes and seeds depend on nothing but the arguments: same seed, same samples.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dimod
import numpy as np
from dimod.core.sampler import Sampler

from qubo_queens.errors import InputError, ParameterError
from qubo_queens.samplers.interrupt import interrupt_flag

_LARGEST_BATCH = 256
_SEED_LIMIT = 2**31
"""The samplers of dwave-samplers take seeds below this."""


@dataclass
class Budget:
    """How long a search may go on, and why it ended.

    Attributes:
        num_reads: The largest number of reads, None for no bound.
        deadline: The ``time.perf_counter()`` at which to stop, None for never.
        reads: The number of reads made so far.
        interrupted: Whether the user asked to stop.
    """

    num_reads: int | None
    deadline: float | None
    reads: int = 0
    interrupted: bool = False
    _sizes: int = field(default=1, repr=False)

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    @property
    def exhausted(self) -> bool:
        """Whether no further read may be made; the first one always may."""
        used_up = self.num_reads is not None and self.reads >= self.num_reads
        return self.interrupted or used_up or (self.reads > 0 and self.late)

    def next_batch(self, *, single: bool) -> int:
        """Return the size of the next batch."""
        size = 1 if single else self._sizes
        self._sizes = min(2 * self._sizes, _LARGEST_BATCH)
        return size if self.num_reads is None else min(size, self.num_reads - self.reads)


def check_parameters(sampler: Sampler, name: str, parameters: Mapping[str, Any]) -> None:
    """Refuse keywords that a sampler does not have, and values that are NaN.

    Raises:
        ParameterError: If a keyword is unknown; the message lists the known ones.
        InputError: If a value is NaN.
    """
    unknown = sorted(set(parameters) - set(sampler.parameters))
    if unknown:
        known = ", ".join(sorted(sampler.parameters)) or "none"
        raise ParameterError(
            f"sampler {name} has no parameter {', '.join(unknown)}; its parameters are {known}"
        )
    for key, value in parameters.items():
        numbers = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(number, float) and math.isnan(number) for number in numbers):
            raise InputError(f"parameter {key} of sampler {name} must not be NaN, got {value}")


def merge_parameters(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `given` over `defaults`; a schedule of the caller's own replaces ours as a whole."""
    if "beta_schedule" in given:
        schedule = ("beta_range", "num_sweeps")
        defaults = {key: value for key, value in defaults.items() if key not in schedule}
        defaults["beta_schedule_type"] = "custom"
    return {**defaults, **given}


def sample_batches(
    sampler: Sampler,
    bqm: dimod.BinaryQuadraticModel,
    parameters: Mapping[str, Any],
    *,
    seed: int,
    budget: Budget,
) -> Iterator[dimod.SampleSet]:
    """Yield sample sets until the budget is exhausted or the user interrupts.

    Args:
        sampler: Any dimod sampler; `num_reads`, `seed` and `interrupt_function` are passed on
            only if it has them.
        bqm: The model.
        parameters: Further parameters, already checked.
        seed: The seed that the seeds of the batches are derived from.
        budget: Is kept up to date with the reads made.

    Raises:
        InputError: If the sampler refuses a parameter, or returns nothing.
    """
    takes = set(sampler.parameters)
    interruptible = "interrupt_function" in takes
    single = budget.deadline is not None and not interruptible
    number = 0
    while not budget.exhausted:
        own: dict[str, Any] = {}
        if "num_reads" in takes:
            own["num_reads"] = budget.next_batch(single=single)
        if "seed" in takes:
            own["seed"] = derived_seed(seed, number)
        try:
            if interruptible:
                sampleset = _interruptible(sampler, bqm, {**parameters, **own}, budget)
            else:
                sampleset = sampler.sample(bqm, **parameters, **own)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the sampler refuses its parameters: {error}") from error
        rows = int(sampleset.record.num_occurrences.sum())
        if not rows:
            raise InputError("the sampler returned no sample")
        budget.reads += rows
        number += 1
        yield sampleset


def derived_seed(seed: int, number: int) -> int:
    """Return the seed of batch `number`, in 0..2**31-1."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] % _SEED_LIMIT)


def _interruptible(
    sampler: Sampler,
    bqm: dimod.BinaryQuadraticModel,
    parameters: dict[str, Any],
    budget: Budget,
) -> dimod.SampleSet:
    """Sample, stopping between two reads at the deadline, or on Ctrl-C."""
    theirs = parameters.get("interrupt_function") or (lambda: False)
    with interrupt_flag() as interrupted:

        def stop() -> bool:
            return interrupted() or budget.late or bool(theirs())

        parameters["interrupt_function"] = stop
        sampleset: dimod.SampleSet = sampler.sample(bqm, **parameters)
        budget.interrupted |= interrupted()
    return sampleset
