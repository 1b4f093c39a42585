"""Boards for the swap kernels: from a reduction to arrays, and back to a placement."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qubo_queens.board.lines import DIAGONAL, BoolArray
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.errors import InputError
from qubo_queens.kernels.board import Grid
from qubo_queens.kernels.swap import ENERGY, Permutation
from qubo_queens.samplers.annealers.grid import grid_of, missing_cells, open_grid
from qubo_queens.samplers.annealers.recognise import LineModel
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import FreeQueens

START_TRIES = 100
"""How many columns a row tries before it is left in conflict."""

SWAP_TRIES = 20
"""How many swaps a row in conflict proposes in a sweep."""


@dataclass(frozen=True, eq=False)
class SwapProblem:
    """What all reads of one board share.

    Attributes:
        grid: The cells, for the kernels.
        closed_total: Which ``r + c`` have no free cell, of shape (2n - 1,).
        closed_difference: Which ``r - c + n - 1``, likewise.
    """

    grid: Grid
    closed_total: BoolArray
    closed_difference: BoolArray

    @classmethod
    def of_reduction(cls, reduction: Reduction) -> SwapProblem:
        """Return the problem of matching the open rows with the open columns.

        Raises:
            InputError: If open rows and columns differ in number.
        """
        if reduction.mode == "none" and reduction.instance.queens:
            reduction = reduce(reduction.instance, "lines")
        closed = (~reduction.is_open[kind] for kind in DIAGONAL)
        return cls(open_grid(reduction), *closed)._checked()

    @classmethod
    def of_line_model(cls, model: LineModel) -> SwapProblem:
        """Return the problem of a recognised BQM, moved into the corner.

        Raises:
            InputError: If prescribed queens attack its cells, if its diagonals cost nothing, or if
                its rows and columns differ in number.
        """
        if model.field.any():
            raise InputError(
                "the linear biases are not those of a board without prescribed queens "
                '(build it with reduce="lines")'
            )
        if not model.diagonal:
            raise InputError("no couplings on diagonals: any permutation is a ground state")
        rows, columns = model.moved()
        open_rows, open_columns = np.unique(rows), np.unique(columns)
        n = int(max(rows.max(initial=0), columns.max(initial=0))) + 1
        taken = missing_cells(open_rows, open_columns, rows, columns, n)
        none = np.zeros(2 * n - 1, dtype=np.bool_)
        return cls(grid_of(open_rows, open_columns, n, taken), none, none)._checked()

    def _checked(self) -> SwapProblem:
        rows, columns = len(self.grid.rows), len(self.grid.columns)
        if rows != columns:
            raise InputError(
                f"swaps need as many open rows as open columns, not {rows} and {columns}"
            )
        return self

    @property
    def all_free(self) -> bool:
        """Whether every cell of the grid is free."""
        closed = self.closed_total.any() or self.closed_difference.any()
        return not closed and not len(self.grid.taken)

    def empty_board(self) -> Permutation:
        """Return a board without queens, on which only the phantoms are counted."""
        size = len(self.grid.rows)
        return Permutation(
            np.arange(size, dtype=np.int32),
            self.closed_total.astype(np.int8),
            self.closed_difference.astype(np.int8),
            np.zeros(size, np.int8),
            np.empty(size, np.int32),
            np.zeros(3, np.int64),
        )

    def queens(self, board: Permutation) -> FreeQueens:
        """Return the rows and columns of the queens that stand on free cells."""
        grid = self.grid
        rows, columns = grid.rows.astype(np.int64), grid.columns[board.column_of].astype(np.int64)
        if board.tally[ENERGY] == 0:
            return rows, columns
        free = ~self.closed_total[rows + columns]
        free &= ~self.closed_difference[rows - columns + grid.last]
        if len(grid.taken):
            width = len(grid.columns)
            taken_rows = np.repeat(np.arange(len(rows)), np.diff(grid.taken_from))
            places = np.arange(len(rows)) * width + board.column_of
            free &= ~np.isin(places, taken_rows * width + grid.taken)
        return rows[free], columns[free]


def default_schedule(size: int) -> Schedule:
    """Return the schedule that suits boards with `size` open rows, with betas per attacking pair.

    The conflict-avoiding start leaves about ten conflicts whatever the size, so a read has to mend
    these and must not make many new ones. A queen in conflict keeps trying until a swap mends it;
    below beta = 3 or so it makes new conflicts faster than that, until the whole board is molten:
    then the energy is proportional to the size, and comes down only when the schedule cools. So
    large boards start at 4. Small boards have few solutions, with barriers on the way to them, and
    no room to melt: what they need is heat. Their start falls with the logarithm of the size, as
    does the beta at which a molten board of that size comes near energy 0.

    A read that succeeds stops long before its last sweep, so the number of sweeps only says when to
    give up. ``benchmarks/tune_swap.py`` compares other starts.

    Args:
        size: The number of open rows.
    """
    start = min(max(1.25 * math.log(max(size, 1)) - 1.75, 1.5), 4.0)
    return Schedule(start, start + 2.0, 10_000)
