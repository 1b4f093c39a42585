"""Metropolis sweeps over a whole board, without visiting all n^2 cells.

A sweep proposes to flip every free cell once, in row-major order, and accepts with probability
``min(1, exp(-beta * change))``: plain sequential Metropolis. The change of the energy follows from
four line counts. Two frequent sorts of proposals raise the energy by at least ``straight`` (twice
the row and column strength): putting a queen on a cell whose row and column have one already, and
removing a queen that is not attacked. Their acceptance probability is at most
``p = exp(-beta * straight)``.

These proposals are thinned. Toss a coin for each of them that shows heads with probability p. Tails
refuses the proposal; heads accepts it with the true probability divided by p. Whether a proposal
takes the next coin depends only on the state before it, hence on earlier coins, so each coin is
independent of the decision to toss it. The number of tails before the next head can therefore be
drawn at once, from the geometric distribution: this is the `gap`, and that many proposals are
passed over. It is drawn again in each sweep, since p changes with beta and the geometric
distribution is memoryless. Cells that are not free take coins too but never flip, which does not
change the distribution. The Markov chain is exactly that of the plain sweep, up to the 53 bits of a
random number.

All energies are integers, in units of a common divisor of the strengths.
"""

from __future__ import annotations

import math

import numpy as np

from qubo_queens.kernels.grid import CLOSED, Counts, Grid, is_taken
from qubo_queens.kernels.jit import (
    Float64Array,
    Int32Array,
    Int64Array,
    UInt8Array,
    inlined,
    kernel,
)
from qubo_queens.kernels.queen_lists import (
    AFTER,
    COLUMN,
    FREE,
    USED,
    QueenLists,
    count_in,
    count_out,
    grown,
    link,
    new_node,
)
from qubo_queens.kernels.rng import (
    NUM_CHANCES,
    RandomState,
    accepted,
    pass_scale,
    passes,
    set_chances,
)


@inlined
def skip_quiet(active: UInt8Array, row: int, num_rows: int, gap: int, width: int) -> int:
    """Return the next row in which a flip is possible, if no column is empty.

    A row is quiet if it holds a single queen that is not attacked, or only prescribed queens.
    If no column is empty, all proposals in quiet rows are thinned, so `gap` limits how many of
    them can be skipped. A row stops being quiet when a new queen attacks its queen; ``count_in``
    marks it in `active` then. While a column is empty, no rows are skipped.
    """
    words = active.view(np.uint64)  # word k has the flags of rows 8k to 8k + 7
    at = row
    while at < num_rows and active[at] == 0:
        at += 8 if at % 8 == 0 and words[at >> 3] == 0 else 1
    return min(at, num_rows, row + gap // width)


@kernel
def anneal_grid(
    grid: Grid,
    counts: Counts,
    queens: QueenLists,
    nodes: Int32Array,
    straight: int,
    diagonal: int,
    betas: Float64Array,
    target: int,
    rng: RandomState,
    trace: Int64Array,
) -> tuple[int, int, Int32Array]:
    """Make a sweep at each of `betas`; stop as soon as a flip makes the energy at most `target`.

    Args:
        grid: The cells.
        counts: Updated, like `queens` and `rng`.
        queens: The queens as lists.
        nodes: The nodes of these lists, of shape (any, 2); updated.
        straight: Twice the weight of a row or column, in units of energy.
        diagonal: The weight of a pair of queens on a diagonal, in units of energy.
        betas: Inverse temperatures, at least 0, in inverse units of energy.
        target: The energy at which to stop, relative to the energy at the start.
        rng: The generator.
        trace: Entry k is set to the energy after sweep k, relative to the start, for
            k < len(trace), unless the target was reached within that sweep.

    Returns:
        The energy relative to the start, the number of sweeps (the last one may be unfinished),
        and the nodes, in a larger array if they needed more room.
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
            in_this = in_row[row]  # the count of this row; written back at the end of the row
            # Two list cursors move along with `column`: the next queen of this row and the node
            # before it, the next empty column and the one before it (entry `width` is the head).
            before, queen = -1, first[row]
            before_empty, empty = width, next_empty[width]
            column = 0
            while True:
                # Find the next column to look at: in a row without queens each column, else the
                # next queen, empty column, or proposal whose coin shows heads (a hit).
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
