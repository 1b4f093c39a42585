"""Metropolis sweeps over a list of cells, for boards with few free cells.

Where most cells of a board are forbidden, visiting each free cell is cheaper than the lists of
``flip_grid.py``. All proposals that raise the energy by at least ``straight`` are thinned as
described there, which saves their random numbers. The Markov chain is that of plain sequential
Metropolis sweeps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from qubo_queens.kernels.grid import Counts
from qubo_queens.kernels.jit import Float64Array, Int8Array, Int64Array, UInt32Array, kernel
from qubo_queens.kernels.rng import (
    NUM_CHANCES,
    RandomState,
    accepted,
    below,
    pass_scale,
    passes,
    set_chances,
)


class Cells(NamedTuple):
    """The N free cells in the order of visits; each array is of shape (N,).

    Indices are unsigned, because Numba tests signed ones for being negative at each access.

    Attributes:
        row, column, total, difference: The indices of the four lines of each cell in ``Counts``.
        field: The energy of a queen on each cell besides its lines, in units of energy.
    """

    row: UInt32Array
    column: UInt32Array
    total: UInt32Array
    difference: UInt32Array
    field: Int64Array


@kernel
def random_bits(cells: Cells, counts: Counts, rng: RandomState) -> Int8Array:
    """Return bits with one random free cell set in each row without a prescribed queen."""
    bits = np.zeros(len(cells.row), np.int8)
    start = 0
    while start < len(bits):
        row = cells.row[start]
        stop = start + 1
        while stop < len(bits) and cells.row[stop] == row:
            stop += 1
        if counts.row[row] == 0:
            bits[start + below(rng, stop - start)] = 1
        start = stop
    return bits


@kernel
def start_bits(cells: Cells, counts: Counts, bits: Int8Array, straight: int, diagonal: int) -> int:
    """Put queens on the cells whose bit is set, and return the energy that they add.

    `counts` are those of the prescribed queens, and are updated.
    """
    energy = 0
    for cell in np.flatnonzero(bits):
        row, column = cells.row[cell], cells.column[cell]
        total, difference = cells.total[cell], cells.difference[cell]
        energy += straight * (counts.row[row] + counts.column[column] - 1) + cells.field[cell]
        energy += diagonal * (counts.total[total] + counts.difference[difference])
        counts.row[row] += 1
        counts.column[column] += 1
        counts.total[total] += 1
        counts.difference[difference] += 1
    return energy


@kernel
def anneal_cells(
    cells: Cells,
    counts: Counts,
    bits: Int8Array,
    straight: int,
    diagonal: int,
    betas: Float64Array,
    target: int,
    rng: RandomState,
    trace: Int64Array,
) -> tuple[int, int]:
    """Make a sweep at each of `betas`; stop as soon as a flip makes the energy at most `target`.

    The arguments are those of ``anneal_grid``, except for `cells`, and `bits` of shape (N,), which
    are 1 where a queen stands.

    Returns:
        The energy relative to the start, and the number of sweeps; the last one may be unfinished.
    """
    in_row, in_column, in_total, in_difference = counts
    chances = np.empty(NUM_CHANCES)
    energy = 0
    lines_tell = not cells.field.any()
    scale = 0.0
    for sweep in range(len(betas)):
        beta = betas[sweep]
        if sweep == 0 or beta != betas[sweep - 1]:
            set_chances(chances, beta)
            scale = pass_scale(math.exp(-beta * straight))
        gap = passes(rng, scale)
        for cell in range(len(bits)):
            row, column = cells.row[cell], cells.column[cell]
            # Most proposals are thinned without reading the counts of the diagonals.
            attacked = in_row[row] > 0 and in_column[column] > 0
            if gap > 0 and bits[cell] == 0 and attacked and lines_tell:
                gap -= 1
                continue
            total, difference = cells.total[cell], cells.difference[cell]
            straights = in_row[row] + in_column[column]
            diagonals = in_total[total] + in_difference[difference]
            change = straight * (straights - 1) + diagonal * diagonals + cells.field[cell]
            step = 1
            if bits[cell]:
                change = 2 * straight + 2 * diagonal - change
                step = -1
            if change >= straight:
                if gap > 0:
                    gap -= 1
                    continue
                gap = passes(rng, scale)
                if not accepted(change - straight, beta, chances, rng):
                    continue
            elif not accepted(change, beta, chances, rng):
                continue
            bits[cell] += step
            in_row[row] += step
            in_column[column] += step
            in_total[total] += step
            in_difference[difference] += step
            energy += change
            if energy <= target:
                return energy, sweep + 1
        if sweep < len(trace):
            trace[sweep] = energy
    return energy, len(betas)
