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
def effective_fields(
    start: Int64Array,
    neighbour: Int32Array,
    coupling: FloatArray,
    field: FloatArray,
    bits: npt.NDArray[np.int8],
) -> FloatArray:
    """Return what setting each variable adds to the energy, given all others; of shape (N,).

    The arguments are those of :func:`anneal_adjacency`, and `field` has the linear biases.
    """
    effective = field.copy()
    for variable in range(len(bits)):
        if bits[variable]:
            for at in range(start[variable], start[variable + 1]):
                effective[neighbour[at]] += coupling[at]
    return effective


@kernel
def anneal_adjacency(
    start: Int64Array,
    neighbour: Int32Array,
    coupling: FloatArray,
    effective: FloatArray,
    bits: npt.NDArray[np.int8],
    energy: float,
    betas: FloatArray,
    target: float,
    rng: RandomState,
    trace: FloatArray,
) -> tuple[float, int]:
    """Make a sweep at each of `betas`; stop as soon as a flip makes the energy at most `target`.

    A schedule may be cut into slices, one call for each: `effective`, `bits`, `energy` and `rng`
    are all that is carried over, so the cuts change nothing, not even by rounding.

    Args:
        start: Where the neighbours of each of the N variables begin, of shape (N + 1,).
        neighbour: The other variable of each coupling, of shape (2M,) for M couplings.
        coupling: The weight of each coupling, likewise.
        effective: What :func:`effective_fields` returns, which is updated.
        bits: 0 and 1, of shape (N,), which are updated.
        energy: The energy of `bits`, relative to any state.
        betas: Inverse temperatures, at least 0, in inverse units of energy.
        target: The energy at which to stop, relative likewise; may be ``-inf``. Energies are sums
            of floats: leave room for rounding.
        rng: The generator, which is updated.
        trace: Entry k gets the energy after sweep k, for k < len(trace); not that of a sweep cut
            short by the target.

    Returns:
        The energy, and the number of sweeps (the last may be unfinished).
    """
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
