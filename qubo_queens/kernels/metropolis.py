"""The Metropolis rule."""

from __future__ import annotations

import math

from qubo_queens.kernels.board import FloatArray
from qubo_queens.kernels.jit import inlined
from qubo_queens.kernels.rng import RandomState, uniform

NUM_CHANCES = 16
"""How many acceptance probabilities are tabulated; larger changes are rare."""


@inlined
def accepted(change: int, beta: float, chances: FloatArray, rng: RandomState) -> bool:
    """Draw whether a proposal that changes the energy by `change` is accepted."""
    if change <= 0:
        return True
    if change < NUM_CHANCES:
        return uniform(rng) < float(chances[change])
    return uniform(rng) < math.exp(-beta * change)


@inlined
def set_chances(chances: FloatArray, beta: float) -> None:
    """Tabulate ``exp(-beta * change)`` for small changes."""
    step = math.exp(-beta)
    chances[0] = 1.0
    for change in range(1, NUM_CHANCES):
        chances[change] = chances[change - 1] * step
