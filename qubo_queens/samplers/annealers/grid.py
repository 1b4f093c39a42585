"""The open rows and columns of a board as the grid of the kernels."""

from __future__ import annotations

import numpy as np

from qubo_queens.board.lines import IntArray, Kind
from qubo_queens.board.reduction import Reduction
from qubo_queens.kernels.board import Grid


def open_grid(reduction: Reduction) -> Grid:
    """Return the cells of the open rows and columns, with the taken ones among them."""
    if reduction.untouched:
        every = np.arange(reduction.instance.n, dtype=np.int32)
        none_taken = np.zeros(len(every) + 1, np.int32)
        return Grid(every, every, len(every) - 1, none_taken, np.empty(0, np.int32))
    is_open = reduction.is_open
    taken = reduction.taken
    taken = taken[is_open[Kind.ROW][taken[:, 0]] & is_open[Kind.COLUMN][taken[:, 1]]]
    return grid_of(
        reduction.open_lines(Kind.ROW),
        reduction.open_lines(Kind.COLUMN),
        reduction.instance.n,
        taken,
    )


def grid_of(rows: IntArray, columns: IntArray, n: int, taken: IntArray) -> Grid:
    """Return the grid of some rows and columns.

    Args:
        rows: Row numbers, ascending.
        columns: Column numbers, ascending.
        n: The board size.
        taken: Cells of the grid that are taken out, of shape (number, 2), in row-major order.
    """
    row = np.searchsorted(rows, taken[:, 0])
    return Grid(
        rows.astype(np.int32),
        columns.astype(np.int32),
        n - 1,
        np.cumsum(np.bincount(row + 1, minlength=len(rows) + 1), dtype=np.int32),
        np.searchsorted(columns, taken[:, 1]).astype(np.int32),
    )


def missing_cells(
    grid_rows: IntArray, grid_columns: IntArray, rows: IntArray, columns: IntArray, n: int
) -> IntArray:
    """Return the cells of a grid that are not among given ones, of shape (number, 2), sorted."""
    every = (grid_rows[:, None] * n + grid_columns).ravel()
    missing = every[~np.isin(every, rows * n + columns, assume_unique=True)]
    return np.stack(np.divmod(missing, n), axis=1)
