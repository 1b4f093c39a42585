"""Boards annealed by line counts: from free cells to the arrays of the kernels.

The cell energy is a function of the numbers of queens on the lines, so what a flip changes follows
from four of them, and no coupling is ever looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from qubo_queens.board.lines import DIAGONAL, IntArray, Kind, coordinates, line_index, position
from qubo_queens.board.reduction import Reduction
from qubo_queens.encodings.model import BitArray
from qubo_queens.kernels.board import CLOSED, Counts, Grid
from qubo_queens.kernels.cells import Cells
from qubo_queens.samplers.annealers.recognise import LineModel

FEW_CELLS = 16
"""Boards with at most this many free cells a row are swept cell by cell."""

FEW_CELLS_WARM = 40
"""The same for hard boards: at the temperatures that suit these, more cells matter."""

TIGHT = 0.75
"""Rows per diagonal of a family, from which on a board counts as hard; 0.5 is plain."""

_COUNTED_CELLS = 1 << 20
"""Up to this many candidate cells are counted to find that out; larger boards go by the grid."""


@dataclass(frozen=True, eq=False)
class LineBoard:
    """What the kernels need to know of a board.

    Attributes:
        grid: Open rows times open columns.
        counts: The prescribed queens on each line.
        cells: The free cells as a list, None if the grid is swept instead.
        is_hard: Whether the board looks as if solutions were rare.
        straight: Twice the weight of a row or column, in units of energy.
        diagonal: The weight of a pair of queens on a diagonal, in units of energy.
    """

    grid: Grid
    counts: Counts
    cells: Cells | None
    is_hard: bool
    straight: int
    diagonal: int

    @classmethod
    def of_reduction(cls, reduction: Reduction, straight: int, diagonal: int) -> LineBoard:
        """Return the board that a reduction leaves open."""
        board = _boards.get(reduction)
        if board is None:
            board = _boards[reduction] = _open_board(reduction)
        return replace(board, straight=straight, diagonal=diagonal)

    @classmethod
    def of_line_model(cls, model: LineModel) -> LineBoard:
        """Return the board of a recognised model, moved into the corner of the smallest board."""
        rows, columns = model.moved()
        order = np.lexsort((columns, rows))
        rows, columns, field = rows[order], columns[order], model.field[order]
        open_rows, open_columns = np.unique(rows), np.unique(columns)
        n = int(max(rows.max(initial=0), columns.max(initial=0))) + 1
        is_hard, few = _looks(len(open_columns), rows, columns)
        room = len(open_rows) * len(open_columns)
        in_a_grid = not field.any() and room <= 2 * len(rows)
        if few or not in_a_grid:
            grid = grid_of(open_rows, open_columns, n, np.empty((0, 2), np.int64))
            cells: Cells | None = _cells(grid, rows, columns, field)
        else:
            taken = missing_cells(open_rows, open_columns, rows, columns, n)
            grid, cells = grid_of(open_rows, open_columns, n, taken), None
        lengths = len(open_rows), len(open_columns), 2 * n - 1, 2 * n - 1
        counts = Counts(*(np.zeros(length, np.int32) for length in lengths))
        return cls(grid, counts, cells, is_hard, model.straight, model.diagonal)

    @property
    def kernel(self) -> str:
        """How the board is swept: ``lines`` or ``cells``."""
        return "lines" if self.cells is None else "cells"

    @property
    def empty(self) -> bool:
        """Whether there are no open rows or no open columns."""
        return not (len(self.grid.rows) and len(self.grid.columns))

    def bits(self, queens: tuple[IntArray, IntArray]) -> BitArray:
        """Return for each of the listed cells whether one of the queens stands there."""
        assert self.cells is not None
        width = len(self.grid.columns)
        places = self.cells.row.astype(np.int64) * width + self.cells.column  # ascending
        rows = np.searchsorted(self.grid.rows, queens[0])
        bits = np.zeros(len(places), np.int8)
        bits[
            np.searchsorted(places, rows * width + np.searchsorted(self.grid.columns, queens[1]))
        ] = 1
        return bits


_boards: WeakKeyDictionary[Reduction, LineBoard] = WeakKeyDictionary()
"""The boards of reductions in use: a search makes many calls for one, each for a few reads."""


def _open_board(reduction: Reduction) -> LineBoard:
    """Return the board that a reduction leaves open, with weights 1."""
    grid, counts = open_grid(reduction), _prescribed_counts(reduction)
    num_rows, width = len(grid.rows), len(grid.columns)
    if reduction.untouched or num_rows * width > _COUNTED_CELLS:
        is_hard, few = False, width <= FEW_CELLS
    else:
        is_hard, few = _looks(width, *reduction.free_arrays)
    cells = None
    if few:
        rows, columns = reduction.free_arrays
        cells = _cells(grid, rows, columns, np.zeros(len(rows), np.int64))
    return LineBoard(grid, counts, cells, is_hard, 1, 1)


def _prescribed_counts(reduction: Reduction) -> Counts:
    """Count the queens of the reduction on each open line, and mark the closed diagonals."""
    n = reduction.instance.n
    rows, columns = coordinates(reduction.queens)
    counted = []
    for kind in Kind:
        is_open = reduction.is_open[kind]
        counts = np.zeros(len(is_open), np.int32)
        if len(rows):
            np.add.at(counts, position(kind, rows, columns, n), 1)
        if kind in DIAGONAL:
            counts[~is_open] += CLOSED
            counted.append(counts)
        else:
            counted.append(counts[is_open])
    return Counts(*counted)


def _looks(width: int, rows: IntArray, columns: IntArray) -> tuple[bool, bool]:
    """Tell what the free cells of a board look like.

    Args:
        width: The number of open columns.
        rows: The rows of the free cells.
        columns: Their columns.

    Returns:
        Whether the board looks hard: rows with few free cells of many, or hardly more diagonals
        than rows. And whether it costs less to look at each free cell than to walk over the grid.
    """
    if not len(rows):
        return False, True
    num_rows = len(np.unique(rows))
    per_row = len(rows) / num_rows
    diagonals = min(len(np.unique(line_index(kind, rows, columns))) for kind in DIAGONAL)
    is_hard = per_row <= FEW_CELLS < width or num_rows > TIGHT * diagonals
    return is_hard, per_row <= (FEW_CELLS_WARM if is_hard else FEW_CELLS)


def _cells(grid: Grid, rows: IntArray, columns: IntArray, field: IntArray) -> Cells:
    return Cells(
        np.searchsorted(grid.rows, rows).astype(np.uint32),
        np.searchsorted(grid.columns, columns).astype(np.uint32),
        (rows + columns).astype(np.uint32),
        (rows - columns + grid.last).astype(np.uint32),
        field,
    )


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
