"""The queens of a board as linked lists in the order of visits, and the start of a read.

Each row has a list of its queens from left to right, and there is one list of the empty columns. A
sweep follows both lists, so it inserts and removes only at its current position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qubo_queens.kernels.grid import CLOSED, Counts, Grid, is_taken
from qubo_queens.kernels.jit import Int32Array, Int64Array, UInt8Array, inlined, kernel
from qubo_queens.kernels.rng import RandomState, below

COLUMN, AFTER = 0, 1
"""The two entries of a node: the column position of a queen, and the next node (-1 at the end)."""

FREE, USED = 0, 1
"""In ``QueenLists.pool``: the first returned node (-1 if none), and how many were ever used."""


class QueenLists(NamedTuple):
    """Where the queens stand, as lists in the order of visits.

    Attributes:
        first: The first node of each row, -1 if it has no queen that moves; of shape (m,).
        pool: The counters `FREE` and `USED`, of shape (2,).
        next_empty: The empty columns from left to right as a list: entry j is the empty column
            after column position j, entry w is the first one, and w marks the end. Of shape
            (w + 1,).
        active: 0 only for quiet rows (see ``skip_quiet``), else 1; m entries, padded with 0 to a
            multiple of 8.
        on_column, on_total, on_difference: The sum of the row positions of the queens on each
            line, of shapes (w,), (2n - 1,), (2n - 1,). With one queen on the line, this is its row.
    """

    first: Int32Array
    pool: Int64Array
    next_empty: Int32Array
    active: UInt8Array
    on_column: Int64Array
    on_total: Int64Array
    on_difference: Int64Array


@inlined
def count_in(
    row: int,
    column: int,
    total: int,
    difference: int,
    in_lines: tuple[Int32Array, Int32Array, Int32Array],
    on_lines: tuple[Int64Array, Int64Array, Int64Array],
    active: UInt8Array,
) -> None:
    """Count a new queen on its column and diagonals, and mark the rows of the queens it attacks.

    Only a queen that was alone on its line can be in a quiet row. If that queen is prescribed, the
    sum of rows is 0, and row 0 is marked needlessly, which costs one visit.
    """
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
    """Remove a queen from the counts of its column and diagonals."""
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
    """Return a node for a queen: a returned one if there is any, else an unused one."""
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
    """Make `node` follow `before` in the list of `row`; -1 stands for the head of the list."""
    if before < 0:
        first[row] = node
    else:
        nodes[before, AFTER] = node


@kernel
def grown(nodes: Int32Array, needed: int) -> Int32Array:
    """Return a copy of `nodes` with room for at least `needed` nodes."""
    larger = np.empty((max(needed, 2 * len(nodes)), 2), np.int32)
    larger[: len(nodes)] = nodes
    return larger


@kernel
def start(
    grid: Grid,
    counts: Counts,
    queens: QueenLists,
    nodes: Int32Array,
    straight: int,
    diagonal: int,
    rows: Int32Array,
    columns: Int32Array,
) -> int:
    """Put queens on a board without any, and return its energy relative to that board.

    At the start `counts` has the prescribed queens, and in `queens` all of `first` is -1, `pool` is
    (-1, 0), and the sums are 0. There is a node for each queen. `rows` and `columns` are the
    positions of the queens in row-major order; the weights are those of ``anneal_grid``.
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
def random_start(grid: Grid, counts: Counts, tries: int, rng: RandomState) -> Int32Array:
    """Draw a random free cell in each row without a prescribed queen.

    A row gets no queen if none of `tries` drawn cells is free.

    Returns:
        Row and column positions, of shape (2, number of queens).
    """
    cells = np.empty((2, len(grid.rows)), np.int32)
    number = 0
    for row in range(len(grid.rows)):
        if counts.row[row] > 0 or len(grid.columns) == 0:
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
def standing(queens: QueenLists, nodes: Int32Array) -> Int32Array:
    """Return the row and column positions of all N queens in row-major order, shape (2, N)."""
    cells = np.empty((2, queens.pool[USED]), np.int32)
    number = 0
    for row in range(len(queens.first)):
        node = queens.first[row]
        while node >= 0:
            cells[0, number], cells[1, number] = row, nodes[node, COLUMN]
            number += 1
            node = nodes[node, AFTER]
    return cells[:, :number]
