"""Metropolis sweeps over a whole board, at the cost of what can happen instead of n^2.

A sweep offers every cell of the grid once, in row-major order, and flips it with probability
``min(1, exp(-beta * change))``: plain sequential Metropolis. What a flip changes follows from four
line counts. Two kinds of proposals raise the energy by at least ``straight`` (twice the row and
column strength): a queen on an empty cell whose row and column have one already, and the removal of
a queen that nobody attacks. Each of these is accepted with probability at most
``p = exp(-beta * straight)``, so how many of them to pass over is drawn from the geometric
distribution, and the one that is reached is accepted with its true probability divided by p. The
state before a proposal tells its kind, and the order of visits never depends on the state: the
chain is that of the plain sweep, not an approximation to it.

All energies are in units of a common divisor of the strengths.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.board import CLOSED, Counts, FloatArray, Grid, Int32Array, Int64Array
from qubo_queens.kernels.jit import inlined, kernel
from qubo_queens.kernels.rng import RandomState, below, pass_scale, passes, uniform

NUM_CHANCES = 16
"""How many acceptance probabilities are tabulated; larger changes are rare."""

COLUMN, AFTER = 0, 1
"""A node of a list of queens: the column position, and the next node (-1 at the end)."""

FREE, USED = 0, 1
"""In ``Queens.pool``: the first node given back (-1 if none), and how many were ever used."""


class Queens(NamedTuple):
    """Which queens stand where, as lists in the order of visits.

    Attributes:
        first: The first node of each row, -1 if it has no queen that moves; of shape (m,).
        pool: The counters `FREE` and `USED`.
        next_empty: The empty columns from left to right as a list: entry j is the one after
            column position j, entry w the first one; w marks the end. Of shape (w + 1,).
        active: 1 for each row that may hold something other than one queen whom nobody attacks;
            of shape (m,), filled up with 0 to a multiple of 8.
        on_column, on_total, on_difference: The sum of the row positions of the queens on each
            line: with one queen there, its row.
    """

    first: Int32Array
    pool: Int64Array
    next_empty: Int32Array
    active: npt.NDArray[np.uint8]
    on_column: Int64Array
    on_total: Int64Array
    on_difference: Int64Array


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


@kernel
def is_taken(grid: Grid, row: int, column: int) -> bool:
    """Tell whether a cell, given by positions, is taken out of the grid; by bisection."""
    low, high = grid.taken_from[row], grid.taken_from[row + 1]
    while low < high:
        middle = (low + high) // 2
        if grid.taken[middle] < column:
            low = middle + 1
        else:
            high = middle
    return bool(low < grid.taken_from[row + 1] and grid.taken[low] == column)


@inlined
def skip_quiet(active: npt.NDArray[np.uint8], row: int, num_rows: int, gap: int, width: int) -> int:
    """Return the next row in which something can happen, where no column is empty.

    Quiet rows hold only proposals that are passed over, so `gap` tells how many to skip.
    """
    words = active.view(np.uint64)
    at = row
    while at < num_rows and active[at] == 0:
        at += 8 if at % 8 == 0 and words[at >> 3] == 0 else 1
    return min(at, num_rows, row + gap // width)


@inlined
def count_in(
    row: int,
    column: int,
    total: int,
    difference: int,
    in_lines: tuple[Int32Array, Int32Array, Int32Array],
    on_lines: tuple[Int64Array, Int64Array, Int64Array],
    active: npt.NDArray[np.uint8],
) -> None:
    """Count a queen in on its column and diagonals; whom it attacks is no longer quiet."""
    in_column, in_total, in_difference = in_lines
    on_column, on_total, on_difference = on_lines
    if in_column[column] == 1:
        active[on_column[column]] = 1
    if in_total[total] == 1:
        active[on_total[total]] = 1
    if in_difference[difference] == 1:
        active[on_difference[difference]] = 1
    in_column[column] += 1
    in_total[total] += 1
    in_difference[difference] += 1
    on_column[column] += row
    on_total[total] += row
    on_difference[difference] += row


@inlined
def count_out(
    row: int,
    column: int,
    total: int,
    difference: int,
    in_lines: tuple[Int32Array, Int32Array, Int32Array],
    on_lines: tuple[Int64Array, Int64Array, Int64Array],
) -> None:
    """Take a queen off the counts of its column and diagonals."""
    in_column, in_total, in_difference = in_lines
    on_column, on_total, on_difference = on_lines
    in_column[column] -= 1
    in_total[total] -= 1
    in_difference[difference] -= 1
    on_column[column] -= row
    on_total[total] -= row
    on_difference[difference] -= row


@inlined
def new_node(nodes: Int32Array, pool: Int64Array, column: int, after: int) -> int:
    """Return a node for a queen: one that was given back, or a fresh one."""
    node = pool[FREE]
    if node >= 0:
        pool[FREE] = nodes[node, AFTER]
    else:
        node = pool[USED]
        pool[USED] += 1
    nodes[node, COLUMN] = column
    nodes[node, AFTER] = after
    return int(node)


@inlined
def link(first: Int32Array, nodes: Int32Array, row: int, before: int, node: int) -> None:
    """Let `node` follow the node `before` in the list of `row`; -1 stands for its beginning."""
    if before < 0:
        first[row] = node
    else:
        nodes[before, AFTER] = node


@kernel
def grown(nodes: Int32Array, needed: int) -> Int32Array:
    """Return `nodes` with room for at least `needed` of them."""
    larger = np.empty((max(needed, 2 * len(nodes)), 2), np.int32)
    larger[: len(nodes)] = nodes
    return larger


@kernel
def start(
    grid: Grid,
    counts: Counts,
    queens: Queens,
    nodes: Int32Array,
    straight: int,
    diagonal: int,
    rows: Int32Array,
    columns: Int32Array,
) -> int:
    """Put queens on an empty state, and return its energy relative to the state without them.

    Args:
        grid: The cells.
        counts: The line counts of the prescribed queens, which are updated.
        queens: The state without queens: `first` all -1, `pool` (-1, 0), the sums all 0.
        nodes: Room for the nodes, of shape (at least the number of queens, 2).
        straight: As in :func:`anneal`.
        diagonal: As in :func:`anneal`.
        rows: Row positions of the queens, ascending.
        columns: Their column positions, ascending in each row.
    """
    energy = 0
    for node in range(len(rows) - 1, -1, -1):
        row, column = rows[node], columns[node]
        total = grid.rows[row] + grid.columns[column]
        difference = grid.rows[row] - grid.columns[column] + grid.last
        energy += straight * (counts.row[row] + counts.column[column] - 1)
        energy += diagonal * (counts.total[total] + counts.difference[difference])
        counts.row[row] += 1
        counts.column[column] += 1
        counts.total[total] += 1
        counts.difference[difference] += 1
        queens.on_column[column] += row
        queens.on_total[total] += row
        queens.on_difference[difference] += row
        nodes[node, COLUMN] = column
        nodes[node, AFTER] = queens.first[row]
        queens.first[row] = node
    queens.pool[USED] = len(rows)
    width = len(grid.columns)
    before = width
    for column in range(width):
        if counts.column[column] == 0:
            queens.next_empty[before] = column
            before = column
    queens.next_empty[before] = width
    queens.active[: len(grid.rows)] = 1
    return energy


@kernel
def standing(queens: Queens, nodes: Int32Array) -> Int32Array:
    """Return the row and column positions of all queens in the order of visits, shape (2, N)."""
    number = 0
    for row in range(len(queens.first)):
        node = queens.first[row]
        while node >= 0:
            number += 1
            node = nodes[node, AFTER]
    cells = np.empty((2, number), np.int32)
    number = 0
    for row in range(len(queens.first)):
        node = queens.first[row]
        while node >= 0:
            cells[0, number], cells[1, number] = row, nodes[node, COLUMN]
            number += 1
            node = nodes[node, AFTER]
    return cells


@kernel
def random_start(grid: Grid, counts: Counts, tries: int, rng: RandomState) -> Int32Array:
    """Draw a free cell in each row in which no queen is prescribed.

    A row in which no cell of `tries` drawn ones is free gets none.

    Returns:
        Row and column positions, of shape (2, number of queens).
    """
    cells = np.empty((2, len(grid.rows)), np.int32)
    number = 0
    for row in range(len(grid.rows)):
        if counts.row[row] > 0:
            continue
        for _ in range(tries):
            column = below(rng, len(grid.columns))
            total = grid.rows[row] + grid.columns[column]
            difference = grid.rows[row] - grid.columns[column] + grid.last
            closed = counts.total[total] + counts.difference[difference] >= CLOSED
            if not closed and not is_taken(grid, row, column):
                cells[0, number], cells[1, number] = row, column
                number += 1
                break
    return cells[:, :number]


@kernel
def anneal(
    grid: Grid,
    counts: Counts,
    queens: Queens,
    nodes: Int32Array,
    straight: int,
    diagonal: int,
    betas: FloatArray,
    target: int,
    rng: RandomState,
    trace: Int64Array,
) -> tuple[int, int, Int32Array]:
    """Make a sweep at each of `betas`, and stop at once when the energy is at most `target`.

    Args:
        grid: The cells.
        counts: The line counts, which are updated.
        queens: The queens, which are updated.
        nodes: The nodes of their lists, of shape (any, 2).
        straight: Twice the weight of a row or column, in units of energy.
        diagonal: The weight of a pair of queens on a diagonal, in units of energy.
        betas: Inverse temperatures, at least 0, in inverse units of energy.
        target: The energy at which to stop, relative to the energy at the start.
        rng: The generator, which is updated.
        trace: Gets the energy after each sweep, relative to the start, as far as it is long.

    Returns:
        The energy relative to the start, the number of sweeps (the last one may be unfinished),
        and the nodes, which may have been moved to get more room.
    """
    in_row, in_column, in_total, in_difference = counts
    first, pool, next_empty, active, on_column, on_total, on_difference = queens
    in_lines = in_column, in_total, in_difference
    on_lines = on_column, on_total, on_difference
    num_rows, width = len(grid.rows), len(grid.columns)
    holes = len(grid.taken) > 0
    chances = np.empty(NUM_CHANCES)
    energy = 0
    scale = 0.0
    for sweep in range(len(betas)):
        beta = betas[sweep]
        if sweep == 0 or beta != betas[sweep - 1]:
            set_chances(chances, beta)
            scale = pass_scale(math.exp(-beta * straight))
        gap = passes(rng, scale)
        row = 0
        while row < num_rows:
            if next_empty[width] == width:
                until = skip_quiet(active, row, num_rows, gap, width)
                gap -= (until - row) * width
                row = until
                if row == num_rows:
                    break
            if pool[USED] + width > len(nodes):
                nodes = grown(nodes, pool[USED] + width)
            number = grid.rows[row]
            in_this = in_row[row]
            before, queen = -1, first[row]
            before_empty, empty = width, next_empty[width]
            column = 0
            while True:
                # Where to look next: the next queen, the next empty column, the next hit.
                hit = False
                if in_this == 0:
                    if column == width:
                        break
                    while empty < column:
                        before_empty, empty = empty, next_empty[empty]
                else:
                    stop = min(nodes[queen, COLUMN] if queen >= 0 else width, empty)
                    if gap < stop - column:
                        column += gap
                        gap = passes(rng, scale)
                        hit = True
                    else:
                        gap -= stop - column
                        column = stop
                        if column == width:
                            break
                total = number + grid.columns[column]
                difference = number - grid.columns[column] + grid.last
                in_this_column = in_column[column]
                on_diagonals = in_total[total] + in_difference[difference]
                if queen >= 0 and nodes[queen, COLUMN] == column:
                    change = straight * (3 - in_this - in_this_column) - diagonal * (
                        on_diagonals - 2
                    )
                    if in_this == 1 and in_this_column == 1 and on_diagonals == 2:
                        flip = gap == 0
                        gap = passes(rng, scale) if flip else gap - 1
                    else:
                        flip = accepted(change, beta, chances, rng)
                    if flip:
                        node, queen = queen, nodes[queen, AFTER]
                        link(first, nodes, row, before, queen)
                        nodes[node, AFTER] = pool[FREE]
                        pool[FREE] = node
                        in_this -= 1
                        count_out(row, column, total, difference, in_lines, on_lines)
                        if in_this_column == 1:
                            next_empty[before_empty] = column
                            next_empty[column] = empty
                            before_empty = column
                        energy += change
                    else:
                        before, queen = queen, nodes[queen, AFTER]
                else:
                    change = straight * (in_this + in_this_column - 1) + diagonal * on_diagonals
                    flip = on_diagonals < CLOSED and not (holes and is_taken(grid, row, column))
                    if flip:
                        flip = accepted(change - straight if hit else change, beta, chances, rng)
                    if flip:
                        node = new_node(nodes, pool, column, queen)
                        link(first, nodes, row, before, node)
                        before = node
                        in_this += 1
                        count_in(row, column, total, difference, in_lines, on_lines, active)
                        if in_this_column == 0:
                            empty = next_empty[column]
                            next_empty[before_empty] = empty
                        energy += change
                    elif in_this_column == 0:
                        before_empty, empty = column, next_empty[column]
                column += 1
                if flip and energy <= target:
                    in_row[row] = in_this
                    active[row] = 1
                    return energy, sweep + 1, nodes
            in_row[row] = in_this
            active[row] = 1
            queen = first[row]
            if queen < 0:
                if in_this > 0:
                    active[row] = 0
            elif in_this == 1:
                column = nodes[queen, COLUMN]
                total = number + grid.columns[column]
                difference = number - grid.columns[column] + grid.last
                if in_column[column] + in_total[total] + in_difference[difference] == 3:
                    active[row] = 0
            row += 1
        if sweep < len(trace):
            trace[sweep] = energy
    return energy, len(betas), nodes
