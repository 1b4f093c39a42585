"""The state of an annealed board as integer arrays, shared by the kernels.

A position is an index into the open rows or the open columns, not their number on the board. A
*queen* below is one that moves; prescribed ones are only part of the counts.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.jit import kernel

Int32Array: TypeAlias = npt.NDArray[np.int32]
UInt32Array: TypeAlias = npt.NDArray[np.uint32]
Int64Array: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]

CLOSED = 1 << 28
"""Added to the count of a diagonal on which no cell is free."""


class Grid(NamedTuple):
    """The cells that are offered: open rows times open columns.

    Attributes:
        rows: The numbers of the open rows, of shape (m,).
        columns: The numbers of the open columns, of shape (w,).
        last: The largest row number of the board, n - 1.
        taken_from: Where the taken cells of each row begin in `taken`, of shape (m + 1,).
        taken: The column positions of the taken cells, row by row and sorted.
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
        total: For each ``r + c``, of shape (2n - 1,); ``CLOSED`` is added where no cell is free.
        difference: For each ``r - c + n - 1``, likewise.
    """

    row: Int32Array
    column: Int32Array
    total: Int32Array
    difference: Int32Array


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
