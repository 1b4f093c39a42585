"""Boards as the arrays of the kernels: the line counts of ``flip``, and the grid of both annealers.

The cell energy is a function of the numbers of queens on the lines, so the change by a flip follows
from four of them, and no couplings are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from qubo_queens.board.lines import DIAGONAL, IntArray, Kind, coordinates, line_index, position
from qubo_queens.board.reduction import Reduction
from qubo_queens.encodings.model import BitArray
from qubo_queens.kernels.flip_cells import Cells
from qubo_queens.kernels.grid import CLOSED, Counts, Grid
from qubo_queens.samplers.annealers.interface import FreeQueens
from qubo_queens.samplers.annealers.recognise import RecognisedBoard

FEW_CELLS = 16
"""Boards with at most this many free cells per row are swept by a list of cells."""

FEW_CELLS_WARM = 40
"""The same for hard boards: at their temperatures the kernel for grids skips fewer cells."""

TIGHT = 0.75
"""Boards with more rows than this per open diagonal of a kind are hard; plain boards have 0.5."""

_COUNTED_CELLS = 1 << 20
"""The free cells of larger boards are not counted; these are swept by the grid, and not hard."""


@dataclass(frozen=True, eq=False)
class LineBoard:
    """A board as the arrays of the kernels.

    Attributes:
        grid: The open rows times the open columns.
        counts: The number of prescribed queens on each line.
        cells: The free cells as a list; None if the whole grid is swept.
        is_hard: Whether solutions are likely to be rare.
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
    def of_recognised(cls, found: RecognisedBoard) -> LineBoard:
        """Return a recognised board, translated into the corner of the smallest board."""
        rows, columns = found.moved()
        order = np.lexsort((columns, rows))  # row-major
        rows, columns, field = rows[order], columns[order], found.field[order]
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
        return cls(grid, counts, cells, is_hard, found.straight, found.diagonal)

    @property
    def kernel(self) -> str:
        """The name of its kernel: ``lines`` for the grid, ``cells`` for the list of cells."""
        return "lines" if self.cells is None else "cells"

    @property
    def empty(self) -> bool:
        """Whether there are no open rows or no open columns."""
        return not (len(self.grid.rows) and len(self.grid.columns))

    def bits(self, queens: FreeQueens) -> BitArray:
        """Return 1 for each of the listed cells with a queen, else 0."""
        assert self.cells is not None
        width = len(self.grid.columns)
        places = self.cells.row.astype(np.int64) * width + self.cells.column  # ascending
        rows = np.searchsorted(self.grid.rows, queens[0])
        columns = np.searchsorted(self.grid.columns, queens[1])
        bits = np.zeros(len(places), np.int8)
        bits[np.searchsorted(places, rows * width + columns)] = 1
        return bits


_boards: WeakKeyDictionary[Reduction, LineBoard] = WeakKeyDictionary()
"""The boards of reductions in use: a search makes many calls for one reduction."""


def _open_board(reduction: Reduction) -> LineBoard:
    """Return the board that a reduction leaves open, with both weights 1."""
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
    """Return the number of queens of the reduction on each line, with closed diagonals marked."""
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
    """Return whether a board looks hard, and whether a list of its cells is faster than the grid.

    A board looks hard if its rows have few free cells of many (`width` columns are open), or if it
    has hardly more diagonals of a kind than rows.
    """
    if not len(rows):
        return False, True
    num_rows = len(np.unique(rows))
    per_row = len(rows) / num_rows
    diagonals = min(len(np.unique(line_index(kind, rows, columns))) for kind in DIAGONAL)
    is_hard = per_row <= FEW_CELLS < width or num_rows > TIGHT * diagonals
    return is_hard, per_row <= (FEW_CELLS_WARM if is_hard else FEW_CELLS)


def _cells(grid: Grid, rows: IntArray, columns: IntArray, field: IntArray) -> Cells:
    """Return cells, given by their numbers, as positions of their lines in ``Counts``."""
    return Cells(
        np.searchsorted(grid.rows, rows).astype(np.uint32),
        np.searchsorted(grid.columns, columns).astype(np.uint32),
        (rows + columns).astype(np.uint32),
        (rows - columns + grid.last).astype(np.uint32),
        field,
    )


def open_grid(reduction: Reduction) -> Grid:
    """Return the grid of the open rows and columns of a reduction, with its taken cells."""
    if reduction.untouched:
        every = np.arange(reduction.instance.n, dtype=np.int32)
        none_taken = np.zeros(len(every) + 1, np.int32)
        return Grid(every, every, len(every) - 1, none_taken, np.empty(0, np.int32))
    is_open, taken = reduction.is_open, reduction.taken
    taken = taken[is_open[Kind.ROW][taken[:, 0]] & is_open[Kind.COLUMN][taken[:, 1]]]
    rows, columns = reduction.open_lines(Kind.ROW), reduction.open_lines(Kind.COLUMN)
    return grid_of(rows, columns, reduction.instance.n, taken)


def grid_of(rows: IntArray, columns: IntArray, n: int, taken: IntArray) -> Grid:
    """Return the grid of some rows and columns of a board, given by ascending numbers.

    `taken` has the cells of the grid that are not free, of shape (number, 2), in row-major order.
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
    """Return the cells of a grid that are not among the cells (rows, columns).

    The result has shape (number, 2), in row-major order.
    """
    every = (grid_rows[:, None] * n + grid_columns).ravel()
    missing = every[~np.isin(every, rows * n + columns, assume_unique=True)]
    return np.stack(np.divmod(missing, n), axis=1)
