"""Metropolis sweeps over any QUBO, given as adjacency lists.

The change of energy on setting each variable is kept up to date: a refused proposal costs O(1), an
accepted one as much as the variable has neighbours. The chain is plain sequential Metropolis.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.board import FloatArray, Int32Array, Int64Array
from qubo_queens.kernels.jit import kernel
from qubo_queens.kernels.rng import RandomState, uniform


@kernel
def anneal_adjacency(
    start: Int64Array,
    neighbour: Int32Array,
    coupling: FloatArray,
    field: FloatArray,
    bits: npt.NDArray[np.int8],
    betas: FloatArray,
    target: float,
    rng: RandomState,
    trace: FloatArray,
) -> tuple[float, int]:
    """Make a sweep at each of `betas`, and stop at once when the energy is at most `target`.

    A schedule may be cut into slices, one call for each with the same `bits` and `rng`: the chain
    goes on. Each call computes the effective fields anew, so rounding does not build up.

    Args:
        start: Where the neighbours of each of the N variables begin, of shape (N + 1,).
        neighbour: The other variable of each coupling, of shape (2M,) for M couplings.
        coupling: The weight of each coupling, likewise.
        field: The linear biases, of shape (N,).
        bits: 0 and 1, of shape (N,), which are updated.
        betas: Inverse temperatures, at least 0, in inverse units of energy.
        target: The energy at which to stop, relative to the energy at the start; may be ``-inf``.
            Energies are sums of floats: leave room for rounding.
        rng: The generator, which is updated.
        trace: Gets the energy after each sweep, relative to the start, as far as it is long.

    Returns:
        The energy relative to the start, and the number of sweeps (the last may be unfinished).
    """
    effective = field.copy()
    for variable in range(len(bits)):
        if bits[variable]:
            for at in range(start[variable], start[variable + 1]):
                effective[neighbour[at]] += coupling[at]
    energy = 0.0
    for sweep in range(len(betas)):
        beta = betas[sweep]
        for variable in range(len(bits)):
            change = -effective[variable] if bits[variable] else effective[variable]
            if change > 0.0:
                cost = beta * change
                drawn = uniform(rng)
                # As exp(-x) <= 1 / (1 + x), most refusals need no exponential.
                if drawn * (1.0 + cost) >= 1.0 or drawn >= math.exp(-cost):
                    continue
            step = -1 if bits[variable] else 1
            bits[variable] += step
            for at in range(start[variable], start[variable + 1]):
                effective[neighbour[at]] += step * coupling[at]
            energy += change
            if energy <= target:
                return energy, sweep + 1
        if sweep < len(trace):
            trace[sweep] = energy
    return energy, len(betas)
