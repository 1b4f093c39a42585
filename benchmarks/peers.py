"""The samplers that ours are measured against: whole ``sample`` calls on a finished BQM."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import dimod
from dwave.samplers import SimulatedAnnealingSampler, TabuSampler

from qubo_queens import Model
from qubo_queens.samplers.registry import get_entry

TUNED = "dwave-samplers SA, tuned"
DEFAULTS = "dwave-samplers SA, its defaults"
TABU = "dwave-samplers tabu"
OPENJIJ = "OpenJij SA, tuned"

NUM_SWEEPS = 300
BETAS = 2.0, 8.0
"""The schedule found by schedule.py, for the annealers that are tuned."""

_TOLERANCE = 1e-6
_MOST_RESTARTS = 10_000


@dataclass(frozen=True)
class Peer:
    """A sampler with its parameters.

    Attributes:
        name: How the tables call it.
        sample: Makes one call: from a model, a seed and a number of reads to a sample set.
        rounds: In how many rounds it takes part at most.
        largest: The largest board that it is given.
    """

    name: str
    sample: Callable[[Model, int, int], dimod.SampleSet]
    rounds: int
    largest: int


@dataclass(frozen=True)
class Found:
    """What restarts led to: the sample set with a ground state, None if time ran out."""

    sampleset: dimod.SampleSet | None
    calls: int


def peers() -> tuple[list[Peer], list[str]]:
    """Return the peers that are installed, and for each that is not why."""
    present = [
        Peer(TUNED, tuned, 9, 200),
        Peer(DEFAULTS, _defaults, 5, 100),
        Peer(TABU, _tabu, 3, 100),
    ]
    try:
        present.append(Peer(OPENJIJ, _openjij(), 5, 100))
    except ImportError as error:
        return present, [f"{OPENJIJ}: not measured, since openjij is not installed ({error})"]
    return present, []


def first_board(
    peer: Peer,
    model: Model,
    seed: int,
    limit: float,
    *,
    num_reads: int = 1,
    clock: Callable[[], float] = time.process_time,
) -> Found:
    """Call a sampler again and again until it finds a ground state.

    Args:
        peer: The sampler.
        model: The model, its BQM built beforehand.
        seed: Call k has the seed 10,000 `seed` + k.
        limit: After so many seconds no further call is made.
        num_reads: The reads of a call.
        clock: Tells the seconds.
    """
    start = clock()
    for number in count(1):
        sampleset = peer.sample(model, _MOST_RESTARTS * seed + number, num_reads)
        if sampleset.record.energy.min() < model.solution_energy + _TOLERANCE:
            return Found(sampleset, number)
        if clock() - start >= limit or number == _MOST_RESTARTS:
            break
    return Found(None, number)


def tuned(model: Model, seed: int, num_reads: int, num_sweeps: int = NUM_SWEEPS) -> dimod.SampleSet:
    """Call the annealer of dwave-samplers with the schedule that suits these models."""
    return SimulatedAnnealingSampler().sample(
        model.bqm, num_reads=num_reads, num_sweeps=num_sweeps, beta_range=BETAS, seed=seed
    )


def _defaults(model: Model, seed: int, num_reads: int) -> dimod.SampleSet:
    return SimulatedAnnealingSampler().sample(model.bqm, num_reads=num_reads, seed=seed)


def _tabu(model: Model, seed: int, num_reads: int) -> dimod.SampleSet:
    """Stop at the ground energy; the time for a read grows with the model (2 s at n = 100)."""
    parameters = get_entry("tabu").defaults(model, None)
    return TabuSampler().sample(model.bqm, num_reads=num_reads, seed=seed, **parameters)


def _openjij() -> Callable[[Model, int, int], dimod.SampleSet]:
    from openjij import SASampler  # an extra

    def sample(model: Model, seed: int, num_reads: int) -> dimod.SampleSet:
        low, high = BETAS
        return SASampler().sample(
            model.bqm,
            beta_min=low,
            beta_max=high,
            num_sweeps=NUM_SWEEPS,
            num_reads=num_reads,
            seed=seed,
        )

    return sample
