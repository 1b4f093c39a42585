"""The cells of a board and the queens on its lines, as arrays that the annealing kernels share.

A *queen* below is a queen that moves. Prescribed queens are only part of the counts.
"""

from __future__ import annotations

from typing import NamedTuple

from qubo_queens.kernels.jit import Int32Array, kernel

CLOSED = 1 << 28
"""Added to the count of a diagonal without a free cell."""


class Grid(NamedTuple):
    """The cells that are proposed: m open rows times w open columns, except the taken ones.

    Attributes:
        rows: The numbers of the open rows, ascending; of shape (m,).
        columns: The numbers of the open columns, ascending; of shape (w,).
        last: The largest row number of the board, n - 1.
        taken_from: Where the taken cells of each row begin in `taken`, of shape (m + 1,).
        taken: The column positions of the taken cells, row by row, ascending within a row.
    """

    rows: Int32Array
    columns: Int32Array
    last: int
    taken_from: Int32Array
    taken: Int32Array


class Counts(NamedTuple):
    """The number of queens on each line, prescribed ones included.

    Attributes:
        row: By row position, of shape (m,).
        column: By column position, of shape (w,).
        total: By ``r + c``, of shape (2n - 1,). ``CLOSED`` is added where no cell is free.
        difference: By ``r - c + n - 1``, otherwise like `total`.
    """

    row: Int32Array
    column: Int32Array
    total: Int32Array
    difference: Int32Array


@kernel
def is_taken(grid: Grid, row: int, column: int) -> bool:
    """Return whether a cell, given by positions, is among the taken cells; by bisection."""
    low, high = grid.taken_from[row], grid.taken_from[row + 1]
    while low < high:
        middle = (low + high) // 2
        if grid.taken[middle] < column:
            low = middle + 1
        else:
            high = middle
    return bool(low < grid.taken_from[row + 1] and grid.taken[low] == column)
