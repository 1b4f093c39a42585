"""Metropolis sweeps over a list of cells: for boards with few free cells.

Where most cells of a board are forbidden, it costs less to look at each free cell than to find out
which ones matter. All proposals that raise the energy by at least ``straight`` are thinned as in
``anneal.py``, which spares their random numbers. The chain is plain sequential Metropolis.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.board import Counts, FloatArray, Int64Array, UInt32Array
from qubo_queens.kernels.jit import kernel
from qubo_queens.kernels.metropolis import NUM_CHANCES, accepted, set_chances
from qubo_queens.kernels.rng import RandomState, below, pass_scale, passes


class Cells(NamedTuple):
    """The free cells in the order of visits, each of shape (N,).

    Places are unsigned: signed ones would be tested for counting from the end at each access.

    Attributes:
        row, column, total, difference: Where their lines stand in ``Counts``.
        field: What a queen there costs besides its lines, in units of energy.
    """

    row: UInt32Array
    column: UInt32Array
    total: UInt32Array
    difference: UInt32Array
    field: Int64Array


@kernel
def random_bits(cells: Cells, counts: Counts, rng: RandomState) -> npt.NDArray[np.int8]:
    """Draw one free cell in each row in which no queen is prescribed; return the bits."""
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
def start_bits(
    cells: Cells, counts: Counts, bits: npt.NDArray[np.int8], straight: int, diagonal: int
) -> int:
    """Put queens on the cells whose bit is set, and return the energy that they bring.

    The counts, which are updated, are those of the prescribed queens.
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
    bits: npt.NDArray[np.int8],
    straight: int,
    diagonal: int,
    betas: FloatArray,
    target: int,
    rng: RandomState,
    trace: Int64Array,
) -> tuple[int, int]:
    """Make a sweep at each of `betas`; stop as soon as a flip makes the energy at most `target`.

    The arguments are those of ``anneal``; `bits`, of shape (N,), tells where queens stand.

    Returns:
        The energy relative to the start, and the number of sweeps.
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
            # The usual case needs no look at the diagonals.
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
