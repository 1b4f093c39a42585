"""Random numbers for kernels, and the Metropolis rule.

The generator is xoshiro256++, seeded by SplitMix64: D. Blackman and S. Vigna, "Scrambled linear
pseudorandom number generators", ACM Transactions on Mathematical Software 47 (2021). Its state is
an array of four ``uint64``. Each read has its own, so threads share nothing.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from qubo_queens.kernels.jit import Float64Array, UInt64Array, inlined, kernel

RandomState: TypeAlias = UInt64Array
"""The state of a generator, of shape (4,)."""

NUM_CHANCES = 16
"""How many acceptance probabilities are tabulated; larger changes of the energy are rare."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S17, _S19, _S23 = np.uint64(11), np.uint64(17), np.uint64(19), np.uint64(23)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_S41, _S45 = np.uint64(41), np.uint64(45)
_UNIT = 1.0 / (1 << 53)
_LARGEST_GAP = 1 << 62


@kernel
def random_state(seed: np.uint64) -> RandomState:
    """Return the generator of a seed."""
    state = np.empty(4, np.uint64)
    for at in range(4):
        seed += _GOLDEN
        mixed = (seed ^ (seed >> _S30)) * _MIX_1
        mixed = (mixed ^ (mixed >> _S27)) * _MIX_2
        state[at] = mixed ^ (mixed >> _S31)
    return state


@kernel
def state_of_read(seed: np.uint64, number: np.uint64) -> RandomState:
    """Return the generator of one read; the reads of a seed have different generators."""
    return random_state(random_state(seed)[0] ^ (number * _MIX_1))


@inlined
def uniform(state: RandomState) -> float:
    """Return a random number in [0, 1), with 53 bits."""
    total = state[0] + state[3]
    result = ((total << _S23) | (total >> _S41)) + state[0]
    shifted = state[1] << _S17
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << _S45) | (state[3] >> _S19)
    return float(result >> _S11) * _UNIT


@inlined
def below(state: RandomState, number: int) -> int:
    """Return a random integer in 0..number-1, for `number` far below 2^53."""
    return int(uniform(state) * number)


@inlined
def passes(state: RandomState, scale: float) -> int:
    """Return how many trials fail before the first success: the geometric distribution.

    `scale` is ``pass_scale(p)`` for the probability p of a success.
    """
    gap = math.log(1.0 - uniform(state)) * scale
    return int(gap) if gap < _LARGEST_GAP else _LARGEST_GAP


@kernel
def pass_scale(probability: float) -> float:
    """Return ``1 / log(1 - probability)``; the values for 0 and 1 are finite as well."""
    if probability >= 1.0:
        return 0.0
    if probability < 1e-300:
        return -1e300
    return 1.0 / math.log1p(-probability)


@inlined
def accepted(change: int, beta: float, chances: Float64Array, rng: RandomState) -> bool:
    """Draw whether a proposal that changes the energy by `change` is accepted.

    `chances` is the table of :func:`set_chances` for the same `beta`.
    """
    if change <= 0:
        return True
    if change < NUM_CHANCES:
        return uniform(rng) < float(chances[change])
    return uniform(rng) < math.exp(-beta * change)


@inlined
def set_chances(chances: Float64Array, beta: float) -> None:
    """Set ``chances[change]`` to ``exp(-beta * change)``, for 0 <= change < ``NUM_CHANCES``."""
    step = math.exp(-beta)
    chances[0] = 1.0
    for change in range(1, NUM_CHANCES):
        chances[change] = chances[change - 1] * step
