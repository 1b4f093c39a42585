"""Reads of a board by its line counts."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from qubo_queens.board.lines import IntArray
from qubo_queens.kernels.anneal import anneal
from qubo_queens.kernels.board import Counts, Int64Array
from qubo_queens.kernels.cells import Cells, anneal_cells, random_bits, start_bits
from qubo_queens.kernels.queens import QueenLists, random_start, standing, start
from qubo_queens.kernels.rng import RandomState
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import FloatArray

_START_TRIES = 32
"""How many cells of a row are drawn to find a free one for the first queen there."""

_LOOKS = 1_000_000
"""How many cells can be looked at in some milliseconds."""

_NO_TRACE = np.empty(0, np.int64)
_NEVER = -(1 << 62)


def begin_run(
    board: LineBoard, rng: RandomState, queens: tuple[IntArray, IntArray] | None = None
) -> LineRun:
    """Return a new read of a board.

    Args:
        board: The board.
        rng: The generator of the read.
        queens: The rows and columns of the free queens at the start, in row-major order; by
            default one on a random free cell of each open row without a prescribed queen.
    """
    if board.cells is None:
        return ThinnedRun(board, rng, queens)
    return CellsRun(board, board.cells, rng, queens)


class LineRun(Run):
    """A read of a board; its energy is relative to the state without free queens."""

    energy: int

    def __init__(self, board: LineBoard, rng: RandomState) -> None:
        self._board = board
        self._rng = rng
        self._counts = Counts(*(counts.copy() for counts in board.counts))
        self.first_slice = max(1, _LOOKS // max(1, len(board.grid.rows) * len(board.grid.columns)))

    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make sweeps; see :class:`Run`."""
        if self._board.empty:
            trace[:] = self.energy
            return len(betas)
        noted = np.zeros(len(trace), np.int64) if len(trace) else _NO_TRACE
        relative = _NEVER if target < _NEVER else int(target) - self.energy
        change, made = self._sweep(betas, relative, noted)
        trace[:made] = self.energy + noted[:made]
        self.energy += change
        trace[made - 1 : made] = self.energy  # also if the target cut the sweep short
        return made

    @abstractmethod
    def _sweep(self, betas: FloatArray, target: int, trace: Int64Array) -> tuple[int, int]:
        """Return the change of the energy and the number of sweeps."""

    @abstractmethod
    def queens(self) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the free queens, in row-major order."""


class ThinnedRun(LineRun):
    """A read that sweeps the grid."""

    def __init__(
        self, board: LineBoard, rng: RandomState, queens: tuple[IntArray, IntArray] | None
    ) -> None:
        super().__init__(board, rng)
        grid = board.grid
        if queens is None:
            rows, columns = random_start(grid, self._counts, _START_TRIES, rng)
        else:
            rows = np.searchsorted(grid.rows, queens[0]).astype(np.int32)
            columns = np.searchsorted(grid.columns, queens[1]).astype(np.int32)
        self._queens = _no_queens(len(grid.rows), len(grid.columns), grid.last + 1)
        self._nodes = np.empty((2 * len(rows) + len(grid.columns) + 8, 2), np.int32)
        weights = board.straight, board.diagonal
        self.energy = start(grid, self._counts, self._queens, self._nodes, *weights, rows, columns)

    def _sweep(self, betas: FloatArray, target: int, trace: Int64Array) -> tuple[int, int]:
        board = self._board
        change, made, self._nodes = anneal(
            board.grid,
            self._counts,
            self._queens,
            self._nodes,
            board.straight,
            board.diagonal,
            betas,
            target,
            self._rng,
            trace,
        )
        return change, made

    def queens(self) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the free queens, in row-major order."""
        rows, columns = standing(self._queens, self._nodes)
        grid = self._board.grid
        return grid.rows[rows].astype(np.int64), grid.columns[columns].astype(np.int64)


class CellsRun(LineRun):
    """A read that sweeps the list of free cells."""

    def __init__(
        self,
        board: LineBoard,
        cells: Cells,
        rng: RandomState,
        queens: tuple[IntArray, IntArray] | None,
    ) -> None:
        super().__init__(board, rng)
        self._cells = cells
        if queens is None:
            self._bits = random_bits(cells, self._counts, rng)
        else:
            self._bits = board.bits(queens)
        self.energy = start_bits(cells, self._counts, self._bits, board.straight, board.diagonal)

    def _sweep(self, betas: FloatArray, target: int, trace: Int64Array) -> tuple[int, int]:
        board = self._board
        return anneal_cells(
            self._cells,
            self._counts,
            self._bits,
            board.straight,
            board.diagonal,
            betas,
            target,
            self._rng,
            trace,
        )

    def queens(self) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the free queens, in row-major order."""
        grid, cells = self._board.grid, self._cells
        at = np.flatnonzero(self._bits)
        rows, columns = grid.rows[cells.row[at]], grid.columns[cells.column[at]]
        return rows.astype(np.int64), columns.astype(np.int64)


def _no_queens(num_rows: int, width: int, n: int) -> QueenLists:
    return QueenLists(
        first=np.full(num_rows, -1, np.int32),
        pool=np.array([-1, 0]),
        next_empty=np.empty(width + 1, np.int32),
        active=np.zeros(-(-num_rows // 8) * 8, np.uint8),
        on_column=np.zeros(width, np.int64),
        on_total=np.zeros(2 * n - 1, np.int64),
        on_difference=np.zeros(2 * n - 1, np.int64),
    )
