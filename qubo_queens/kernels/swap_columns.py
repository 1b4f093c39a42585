"""Metropolis swaps on a permutation; the cost of a sweep depends on the conflicts that are left.

The m open rows are matched one to one with the m open columns, so the constraints on rows and
columns always hold. A swap exchanges the columns of two rows. The energy, in units of one attacking
pair, is the number of pairs of queens on one diagonal plus the number of queens on taken cells. A
closed diagonal holds one phantom queen, so that each queen there costs a pair.

Only rows on a list propose swaps. A queen is added to the list when it moves to a cell where it is
in conflict, and removed when it is found without conflict. The other queen of that conflict need
not be added: at most one queen of a diagonal can be in conflict without being listed, and none on a
closed diagonal or a taken cell. So every conflict has a listed queen, no map from diagonals to
queens is needed, and a sweep over a nearly solved board takes almost no time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qubo_queens.kernels.grid import Grid, is_taken
from qubo_queens.kernels.jit import Float64Array, Int8Array, Int32Array, Int64Array, inlined, kernel
from qubo_queens.kernels.rng import NUM_CHANCES, RandomState, accepted, below, set_chances

ENERGY, FIRST, WAITING = 0, 1, 2
"""In ``Permutation.tally``: the energy, the start of the list, and its number of rows."""


class Permutation(NamedTuple):
    """A board with one queen in each open row and column.

    The counts of diagonals are single bytes because most cache misses occur there. A byte is large
    enough for the conflict-avoiding start: the probability that 128 queens of a nearly random
    permutation share a diagonal is below 1e-200. The sampler checks given starts.

    Attributes:
        column_of: The column position of each row position, of shape (m,).
        total: The number of queens by ``r + c``, with the phantom of a closed diagonal; of shape
            (2n - 1,).
        difference: The same by ``r - c + n - 1``.
        listed: 1 for the rows on the list, else 0; of shape (m,).
        waiting: The list of rows that propose swaps, as a ring buffer; of shape (m,).
        tally: The counters `ENERGY`, `FIRST` and `WAITING`, of shape (3,).
    """

    column_of: Int32Array
    total: Int8Array
    difference: Int8Array
    listed: Int8Array
    waiting: Int32Array
    tally: Int64Array


@inlined
def queens_on(
    in_total: Int8Array, in_difference: Int8Array, row: int, column: int, last: int
) -> int:
    """Return how many queens are on the two diagonals through a cell, given by its numbers."""
    # A sum, also where it is compared with 0: both counts are fetched at the same time.
    return int(in_total[row + column]) + int(in_difference[row - column + last])


@inlined
def add_to_diagonals(
    in_total: Int8Array, in_difference: Int8Array, row: int, column: int, last: int, step: int
) -> None:
    """Add `step` to the counts of the two diagonals through a cell, given by its numbers."""
    in_total[row + column] += step
    in_difference[row - column + last] += step


@inlined
def append(listed: Int8Array, waiting: Int32Array, tally: Int64Array, row: int) -> None:
    """Append `row`, which is not on the list, to the list."""
    end = tally[FIRST] + tally[WAITING]
    waiting[end - len(waiting) if end >= len(waiting) else end] = row
    tally[WAITING] += 1
    listed[row] = 1


@kernel
def put(grid: Grid, board: Permutation, row: int) -> None:
    """Count the queen of `row`; list it if it is in conflict with the queens counted before."""
    position = board.column_of[row]
    number, column = grid.rows[row], grid.columns[position]
    cost = queens_on(board.total, board.difference, number, column, grid.last)
    if len(grid.taken) > 0 and is_taken(grid, row, position):
        cost += 1
    add_to_diagonals(board.total, board.difference, number, column, grid.last, 1)
    if cost > 0:
        board.tally[ENERGY] += cost
        append(board.listed, board.waiting, board.tally, row)


@kernel
def given_start(grid: Grid, board: Permutation, columns: Int32Array) -> None:
    """Put the queens on given columns, by position; otherwise like :func:`conflict_free_start`.

    At most 64 queens may share a diagonal, since swaps can add some and a byte counts up to 127.
    """
    for row in range(len(columns)):
        board.column_of[row] = columns[row]
        put(grid, board, row)


@kernel
def conflict_free_start(grid: Grid, board: Permutation, tries: int, rng: RandomState) -> None:
    """Put the queens row by row on columns where they attack no other queen, as far as possible.

    The method is due to R. Sosic and J. Gu, "3,000,000 queens in less than one minute", SIGART
    Bulletin 2 (1991): unused columns are those of the rows still to come, and only some of the last
    rows find no column. With 100 tries these are about ten on a plain board of any size, and a row
    makes three tries on average. Rows are processed in order, so that only accesses by column are
    far apart in memory. A row that finds no column keeps the random one of its last try, and later
    rows avoid its diagonals.

    Args:
        grid: The cells.
        board: A board without queens: only phantoms are counted, and the list is empty; updated.
        tries: How many columns a row tries, at least 1.
        rng: The generator; updated.
    """
    column_of, in_total, in_difference = board.column_of, board.total, board.difference
    size, last = len(column_of), grid.last
    holes = len(grid.taken) > 0
    plain = size == last + 1  # the position of a column is its number: no need to fetch it
    for row in range(size):
        number = int(grid.rows[row])
        found = False
        other = row
        column = 0
        for _ in range(tries):
            other = row + below(rng, size - row)
            position = column_of[other]
            column = int(position if plain else grid.columns[position])
            if queens_on(in_total, in_difference, number, column, last) == 0:
                found = not (holes and is_taken(grid, row, position))
                if found:
                    break
        column_of[row], column_of[other] = column_of[other], column_of[row]
        if found:
            add_to_diagonals(in_total, in_difference, number, column, last, 1)
        else:
            put(grid, board, row)


@kernel
def anneal_swaps(
    grid: Grid,
    board: Permutation,
    tries: int,
    betas: Float64Array,
    target: int,
    rng: RandomState,
    trace: Int64Array,
) -> int:
    """Make a sweep at each of `betas`; stop as soon as the energy is at most `target`.

    In a sweep each row on the list proposes to swap columns with random rows, until it has no
    conflict or has made its tries. Rows that are added meanwhile wait for the next sweep. A
    schedule can be cut into slices: `board` and `rng` are the whole state.

    Args:
        grid: The cells.
        board: The board; updated.
        tries: How many swaps a row proposes in a sweep, at least 1.
        betas: Inverse temperatures, at least 0, per attacking pair.
        target: The energy at which to stop; no sweep is made if it is reached already.
        rng: The generator; updated.
        trace: Entry k is set to the energy after sweep k, for k < len(trace), unless the target
            was reached within that sweep.

    Returns:
        The number of sweeps; the last one may be unfinished.
    """
    column_of, in_total, in_difference, listed, waiting, tally = board
    rows, columns, last = grid.rows, grid.columns, grid.last
    size = len(rows)
    holes = len(grid.taken) > 0
    chances = np.empty(NUM_CHANCES)
    for sweep in range(len(betas)):
        if tally[ENERGY] <= target:
            return sweep
        beta = betas[sweep]
        set_chances(chances, beta)
        for _ in range(tally[WAITING]):
            row = int(waiting[tally[FIRST]])
            tally[FIRST] = tally[FIRST] + 1 if tally[FIRST] + 1 < size else 0
            tally[WAITING] -= 1
            number = int(rows[row])
            position = column_of[row]
            column = int(columns[position])
            # The conflicts of a queen on its cell (it is on both diagonals itself: minus 2), and
            # below those of a queen on the cell that it would move to.
            here = queens_on(in_total, in_difference, number, column, last) - 2
            if holes:
                here += int(is_taken(grid, row, position))
            for _ in range(tries):
                if here == 0 or size == 1 or tally[ENERGY] <= target:
                    break
                other = below(rng, size - 1)
                if other >= row:
                    other += 1
                other_number = int(rows[other])
                other_position = column_of[other]
                other_column = int(columns[other_position])
                there = queens_on(in_total, in_difference, number, other_column, last)
                other_there = queens_on(in_total, in_difference, other_number, column, last)
                other_here = (
                    queens_on(in_total, in_difference, other_number, other_column, last) - 2
                )
                if holes:
                    there += int(is_taken(grid, row, other_position))
                    other_there += int(is_taken(grid, other, position))
                    other_here += int(is_taken(grid, other, other_position))
                # If both queens are on one diagonal, they share one of the other direction after
                # the swap. The counts have this pair twice before the swap and never after it.
                pair = 1 if abs(number - other_number) == abs(column - other_column) else 0
                change = there + other_there - here - other_here + 2 * pair
                if not accepted(change, beta, chances, rng):
                    continue
                add_to_diagonals(in_total, in_difference, number, column, last, -1)
                add_to_diagonals(in_total, in_difference, other_number, other_column, last, -1)
                add_to_diagonals(in_total, in_difference, number, other_column, last, 1)
                add_to_diagonals(in_total, in_difference, other_number, column, last, 1)
                column_of[row], column_of[other] = other_position, position
                tally[ENERGY] += change
                position, column = other_position, other_column
                here = there + pair
                if other_there + pair > 0 and listed[other] == 0:
                    append(listed, waiting, tally, other)
            if here == 0:
                listed[row] = 0
            else:
                append(listed, waiting, tally, row)
        if tally[ENERGY] <= target:
            return sweep + 1
        if sweep < len(trace):
            trace[sweep] = tally[ENERGY]
    return len(betas)
