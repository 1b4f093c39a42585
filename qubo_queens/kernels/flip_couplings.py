"""Metropolis sweeps over any QUBO, given as adjacency lists.

The kernel keeps for each variable what setting it adds to the energy. A refused proposal then takes
constant time, and an accepted one takes time proportional to the number of neighbours. The Markov
chain is that of plain sequential Metropolis sweeps.
"""

from __future__ import annotations

import math

from qubo_queens.kernels.jit import Float64Array, Int8Array, Int32Array, Int64Array, kernel
from qubo_queens.kernels.rng import RandomState, uniform


@kernel
def effective_fields(
    start: Int64Array,
    neighbour: Int32Array,
    coupling: Float64Array,
    field: Float64Array,
    bits: Int8Array,
) -> Float64Array:
    """Return what setting each variable adds to the energy, given all others; of shape (N,).

    For variable i this is its linear bias ``field[i]`` plus its couplings to the set bits. The
    other arguments are those of :func:`anneal_couplings`.
    """
    effective = field.copy()
    for variable in range(len(bits)):
        if bits[variable]:
            for at in range(start[variable], start[variable + 1]):
                effective[neighbour[at]] += coupling[at]
    return effective


@kernel
def anneal_couplings(
    start: Int64Array,
    neighbour: Int32Array,
    coupling: Float64Array,
    effective: Float64Array,
    bits: Int8Array,
    energy: float,
    betas: Float64Array,
    target: float,
    rng: RandomState,
    trace: Float64Array,
) -> tuple[float, int]:
    """Make a sweep at each of `betas`; stop as soon as a flip makes the energy at most `target`.

    A schedule can be cut into slices, with one call for each. `effective`, `bits`, `energy` and
    `rng` are the whole state, so the cuts do not change the results, not even by rounding.

    Args:
        start: Where the neighbours of each of the N variables begin: those of variable i are
            ``neighbour[start[i] : start[i + 1]]``. Of shape (N + 1,).
        neighbour: The other variable of each coupling, of shape (2M,) for M couplings.
        coupling: The weight of each coupling, of shape (2M,).
        effective: The result of :func:`effective_fields`, of shape (N,); updated.
        bits: 0 and 1, of shape (N,); updated.
        energy: The energy of `bits`, relative to any state.
        betas: Inverse temperatures, at least 0, in inverse units of energy.
        target: The energy at which to stop, relative to the same state; may be ``-inf``. Energies
            are sums of floats, so leave room for rounding.
        rng: Updated.
        trace: Entry k is set to the energy after sweep k, for k < len(trace), unless the target
            was reached within that sweep.

    Returns:
        The energy, and the number of sweeps; the last one may be unfinished.
    """
    for sweep in range(len(betas)):
        beta = betas[sweep]
        for variable in range(len(bits)):
            change = -effective[variable] if bits[variable] else effective[variable]
            if change > 0.0:
                cost = beta * change
                drawn = uniform(rng)
                # Since exp(-x) <= 1 / (1 + x), most refusals are decided without the exponential.
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
