"""Reads in batches, with derived seeds, until a budget is used up.

Most samplers know no target energy: the caller looks at each batch and stops when it likes what
it sees. Batches double in size, so few reads are wasted and little time goes into calls. Their
sizes and seeds depend on nothing but the arguments: same seed, same samples.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import dimod
import numpy as np

from qubo_queens.board.placement import Placement
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, MissingVariableError, SampleError
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.samplers.annealers.interface import NativeSampler, Reads
from qubo_queens.solving.choice import ChosenSampler

_DOUBLINGS = 8  # up to batches of 256 reads
_SEED_LIMIT = 2**31
"""The samplers of dwave-samplers take seeds below this."""


@dataclass
class Budget:
    """How long a search may go on, and why it ended.

    Attributes:
        num_reads: The largest number of reads, None for no bound.
        time_limit: Seconds after which to stop, None for no limit.
        batch_size: Reads of each call of the sampler; None to double from 1 on.
        started: The ``time.perf_counter()`` from which the time counts.
        reads: The number of reads made so far.
        calls: The number of calls made so far.
        interrupted: Whether the user asked to stop.
        answered: Tells whether somebody else has the answer, so that no more reads are needed.
    """

    num_reads: int | None
    time_limit: float | None = None
    batch_size: int | None = None
    started: float = 0.0
    reads: int = 0
    calls: int = 0
    interrupted: bool = False
    answered: Callable[[], bool] = lambda: False

    @property
    def left(self) -> float:
        """The seconds that are left, infinite without a time limit."""
        if self.time_limit is None:
            return math.inf
        return max(self.started + self.time_limit - time.perf_counter(), 0.0)

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.left == 0

    @property
    def exhausted(self) -> bool:
        """Whether no further read may be made; the first one always may."""
        used_up = self.num_reads is not None and self.reads >= self.num_reads
        given_up = self.interrupted or self.answered()
        return given_up or used_up or (self.reads > 0 and self.late)

    def next_call(self, takes: Collection[str], seed: int) -> dict[str, Any]:
        """Return our own parameters of the next call, of those that a sampler `takes`."""
        own: dict[str, Any] = {}
        if "num_reads" in takes:
            own["num_reads"] = self._next_batch(interruptible="interrupt_function" in takes)
        if "seed" in takes:
            own["seed"] = derived_seed(seed, self.calls)
        if "time_limit" in takes and self.time_limit is not None:
            own["time_limit"] = self.left if self.calls else self.time_limit
        self.calls += 1
        return own

    def _next_batch(self, *, interruptible: bool) -> int:
        """Return the size of the next batch: single reads where only that keeps the time limit."""
        single = self.time_limit is not None and not interruptible
        doubled = 1 if single else 2 ** min(self.calls, _DOUBLINGS)
        size = self.batch_size or doubled
        return size if self.num_reads is None else min(size, self.num_reads - self.reads)


@dataclass(frozen=True)
class Batch:
    """The reads of one call.

    Attributes:
        best: Returns the board and the energy of the read with the lowest energy.
        samples: Returns all reads as a sample set.
    """

    best: Callable[[], BestRead]
    samples: Callable[[], dimod.SampleSet]


def bqm_batches(
    chosen: ChosenSampler,
    model: Model,
    parameters: Mapping[str, Any],
    *,
    seed: int,
    budget: Budget,
) -> Iterator[Batch]:
    """Yield the reads that a sampler makes of a BQM, until the budget is exhausted.

    Args:
        chosen: Any dimod sampler. Of `num_reads`, `seed`, `time_limit` (the seconds that are
            left) and `interrupt_function` it gets those that it takes.
        model: The model.
        parameters: Further parameters, already checked.
        seed: The seed that the seeds of the batches are derived from.
        budget: Is kept up to date with the reads made.

    Raises:
        InputError: If a sampler of the registry refuses the model or a parameter, or any sampler
            returns no sample. What a sampler object raises is passed on.
        InputTypeError: If it returns something else than a sample set.
    """

    def sample(**own: Any) -> object:
        # A sampler that we do not know may change what it gets.
        return chosen.sampler.sample(model.bqm if chosen.known else model.bqm.copy(), **own)

    takes = set(chosen.sampler.parameters or ())
    for sampleset in _calls(chosen, sample, parameters, seed, budget):
        if not isinstance(sampleset, dimod.SampleSet):
            kind = type(sampleset).__name__
            raise InputTypeError(f"the sampler returned {kind} instead of a dimod.SampleSet")
        rows = int(sampleset.record.num_occurrences.sum())
        if rows <= 0:
            raise InputError("the sampler returned no sample")
        budget.reads += rows
        yield Batch(partial(best_read, model, sampleset), partial(_itself, sampleset))
        if budget.time_limit is not None and "time_limit" in takes and "num_reads" not in takes:
            return  # it has used the time as it sees fit


def board_batches(
    chosen: ChosenSampler,
    sampler: NativeSampler,
    model: Model,
    parameters: Mapping[str, Any],
    *,
    seed: int,
    budget: Budget,
) -> Iterator[Batch]:
    """Yield the reads that one of our annealers makes of a board, until the budget is exhausted.

    The arguments are those of :func:`bqm_batches`; no BQM is made.

    Raises:
        QueensError: If the sampler refuses the model or a parameter.
    """
    for reads in _calls(chosen, partial(sampler.anneal, model), parameters, seed, budget):
        assert isinstance(reads, Reads)
        budget.reads += len(reads)
        yield Batch(partial(_best_of, model, reads), reads.sampleset)


def _calls(
    chosen: ChosenSampler,
    sample: Callable[..., object],
    parameters: Mapping[str, Any],
    seed: int,
    budget: Budget,
) -> Iterator[object]:
    """Yield what a sampler returns, call after call, until the budget is exhausted."""
    takes = set(chosen.sampler.parameters or ())
    call = _interruptible if "interrupt_function" in takes else _plain
    if chosen.known and not isinstance(chosen.sampler, NativeSampler):
        sample = partial(_worded, chosen.name, sample)
    while not budget.exhausted:
        own = budget.next_call(takes, seed)
        yield call(sample, {**parameters, **own}, budget)


def _worded(name: str, sample: Callable[..., object], /, **parameters: Any) -> object:
    """Sample, and word what the sampler raises as bad input."""
    try:
        return sample(**parameters)
    except (TypeError, ValueError, ArithmeticError, IndexError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"sampler {name} refuses the model or a parameter: {reason}") from error


def _best_of(model: Model, reads: Reads) -> BestRead:
    placement = reads.best_placement
    return BestRead(placement, sum(model.placement_energies(placement).values()))


def _itself(sampleset: dimod.SampleSet) -> dimod.SampleSet:
    return sampleset


def derived_seed(seed: int, number: int) -> int:
    """Return the seed of batch `number`, in 0..2**31-1."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] % _SEED_LIMIT)


def _plain(sample: Callable[..., object], parameters: dict[str, Any], budget: Budget) -> object:
    return sample(**parameters)


def _interruptible(
    sample: Callable[..., object], parameters: dict[str, Any], budget: Budget
) -> object:
    """Sample, stopping between two reads at the time limit, on Ctrl-C or if the caller says so.

    What the caller's own function raises would be swallowed by compiled code: it stops the
    sampler, and is raised again afterwards.
    """
    theirs = parameters.get("interrupt_function") or (lambda: False)
    raised: list[Exception] = []
    with interrupt_flag() as interrupted:

        def stop() -> bool:
            try:
                budget.interrupted |= bool(theirs())
            except Exception as error:
                raised.append(error)
            given_up = bool(raised) or interrupted() or budget.interrupted
            return given_up or budget.late or budget.answered()

        found = sample(**{**parameters, "interrupt_function": stop})
    budget.interrupted |= interrupted()  # Ctrl-C may come until the context is left
    if raised:
        raise raised[0]
    return found


class BestRead(NamedTuple):
    """The read with the lowest energy: its board, and its energy."""

    placement: Placement
    energy: float


def best_read(model: Model, sampleset: dimod.SampleSet) -> BestRead:
    """Return the board and the energy of the sample with the lowest energy.

    The energies are recomputed from the model, since a sampler may report them without the
    offset; values are read as bits or spins, whatever vartype the sample set claims.

    Raises:
        MissingVariableError: If a variable of the model has no values.
        SampleError: If there are values other than 0/1 or -1/+1.
    """
    place = {label: at for at, label in enumerate(sampleset.variables)}
    missing = [label for label in model.variables if label not in place]
    if missing:
        raise MissingVariableError(
            f"the sampler returned no value for variable {missing[0]}; "
            f"{len(missing)} of {len(model.variables)} are missing"
        )
    values = sampleset.record.sample
    if not np.isin(values, (-1, 0, 1)).all():
        raise SampleError("the sampler returned values other than 0/1 (BINARY) or -1/+1 (SPIN)")
    bits = (values[:, [place[label] for label in model.variables]] == 1).astype(np.int8)
    energies = model.sample_energies(bits)
    at = int(np.argmin(energies))
    best = dict(zip(sampleset.variables, values[at].tolist(), strict=True))
    return BestRead(model.decode(best), model.energy(best))
