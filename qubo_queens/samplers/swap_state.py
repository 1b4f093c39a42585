"""Boards for the swap kernels: from a reduction to arrays, and back to a placement."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    BoolArray,
    IntArray,
    Kind,
    coordinates,
    position,
)
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import Reduction
from qubo_queens.errors import InputError
from qubo_queens.kernels.board import FloatArray, Grid
from qubo_queens.kernels.rng import random_state
from qubo_queens.kernels.swap import (
    ENERGY,
    Permutation,
    anneal_swaps,
    conflict_free_start,
    random_start,
)

START_TRIES = 100
"""How many columns a row tries before it is left in conflict."""

SWAP_TRIES = 20
"""How many swaps a row in conflict proposes in a sweep."""


@dataclass(frozen=True, eq=False)
class SwapProblem:
    """What all reads of one instance share.

    Attributes:
        reduction: What was asked.
        grid: The cells, for the kernels.
        offset: The contradictions among the prescribed queens, which no swap can mend.
    """

    reduction: Reduction
    grid: Grid
    offset: int

    @classmethod
    def of(cls, reduction: Reduction) -> SwapProblem:
        """Return the problem of matching the open rows with the open columns.

        Args:
            reduction: A reduction by ``lines``; one by ``none`` if no queen is prescribed.

        Raises:
            InputError: If open rows and columns differ in number, or rows of prescribed queens
                are open.
        """
        if reduction.mode == "none" and reduction.instance.queens:
            raise InputError(
                'swaps need the rows of prescribed queens closed; reduce with mode="lines"'
            )
        rows, columns = (reduction.open_lines(kind) for kind in ROW_COLUMN)
        if len(rows) != len(columns):
            raise InputError(
                f"swaps need as many open rows as open columns, not {len(rows)} and "
                f"{len(columns)}: prescribed queens share a row or a column; choose other "
                "queens or another sampler"
            )
        offset = len(reduction.instance.contradictions())
        return cls(reduction, _grid(reduction, rows, columns), offset)

    def empty_board(self) -> Permutation:
        """Return a board without queens, on which only the phantoms are counted."""
        size = len(self.grid.rows)
        closed = (~self.reduction.is_open[kind] for kind in DIAGONAL)
        total, difference = (lines.astype(np.int8) for lines in closed)
        return Permutation(
            np.arange(size, dtype=np.int32),
            total,
            difference,
            np.zeros(size, np.int8),
            np.empty(size, np.int32),
            np.zeros(3, np.int64),
        )

    def placement(self, board: Permutation) -> Placement:
        """Return the prescribed queens and those of `board` that stand on free cells."""
        instance = self.reduction.instance
        rows = self.grid.rows.astype(np.int64)
        columns = self.grid.columns[board.column_of].astype(np.int64)
        free = self._free(rows, columns)
        if free is not None:
            rows, columns = rows[free], columns[free]
        if instance.queens:
            given_rows, given_columns = coordinates(instance.queens)
            # Merged in the order of rows, which spares a sort.
            before = np.searchsorted(rows, given_rows)
            rows = np.insert(rows, before, given_rows)
            columns = np.insert(columns, before, given_columns)
        return Placement.from_arrays(rows, columns, instance.n)

    def _free(self, rows: IntArray, columns: IntArray) -> BoolArray | None:
        """Tell which cells in open rows and columns are free, None if all must be."""
        reduction, n = self.reduction, self.reduction.instance.n
        if reduction.untouched:
            return None
        free = np.ones(len(rows), dtype=np.bool_)
        for kind in DIAGONAL:
            free &= reduction.is_open[kind][position(kind, rows, columns, n)]
        if len(reduction.taken):
            taken = reduction.taken[:, 0] * n + reduction.taken[:, 1]
            free &= ~np.isin(rows * n + columns, taken)
        return free


def _grid(reduction: Reduction, rows: IntArray, columns: IntArray) -> Grid:
    """Return the cells of the open rows and columns, with the taken ones among them."""
    is_open = reduction.is_open
    taken = reduction.taken
    taken = taken[is_open[Kind.ROW][taken[:, 0]] & is_open[Kind.COLUMN][taken[:, 1]]]
    row = np.searchsorted(rows, taken[:, 0])
    return Grid(
        rows.astype(np.int32),
        columns.astype(np.int32),
        reduction.instance.n - 1,
        np.cumsum(np.bincount(row + 1, minlength=len(rows) + 1), dtype=np.int32),
        np.searchsorted(columns, taken[:, 1]).astype(np.int32),
    )


@dataclass(frozen=True, eq=False)
class SwapRead:
    """What one read found.

    Attributes:
        energy: Attacking pairs, queens on cells that are not free, and contradictions among the
            prescribed queens: 0 exactly if the board is a solution.
        num_sweeps: The number of sweeps; the last one may be unfinished.
        board: The queens that move.
    """

    energy: int
    num_sweeps: int
    board: Permutation


def default_schedule(size: int) -> tuple[tuple[float, float], int]:
    """Return the range of beta and the number of sweeps that suit boards with `size` open rows.

    The conflict-avoiding start leaves about ten conflicts whatever the size, so a read has to mend
    these and must not make many new ones. A queen in conflict keeps trying until a swap mends it;
    below beta = 3 or so it makes new conflicts faster than that, until the whole board is molten:
    then the energy is proportional to the size, and comes down only when the schedule cools. So
    large boards start at 4. Small boards have few solutions, with barriers on the way to them, and
    no room to melt: what they need is heat. Their start falls with the logarithm of the size, as
    does the beta at which a molten board of that size comes near energy 0.

    Measured with seeds from 0 on: all of 1000 reads solve each of the plain boards n = 4..50, 100,
    300 and 1000, in at most 41 sweeps on average; so do all reads of 10^4 to 10^7, in at most 60.
    Hundreds of prescribed queens, or a tenth of the diagonals excluded (n = 50), make little
    difference. A read that succeeds stops long before its last sweep, so the number of sweeps only
    says when to give up. Where solutions are rare (60 excluded diagonals, n = 50), 44 % of the
    reads succeed with 10,000 sweeps and 3 % with 1000, at the same cost per success.

    Args:
        size: The number of open rows.
    """
    start = min(max(1.25 * math.log(max(size, 1)) - 1.75, 1.5), 4.0)
    return (start, start + 2.0), 10_000


def run_swap_read(
    problem: SwapProblem,
    betas: FloatArray,
    *,
    seed: int,
    target: int = 0,
    avoid_conflicts: bool = True,
) -> SwapRead:
    """Start a board and anneal it until its energy is at most `target` or `betas` are used up.

    Args:
        problem: From :meth:`SwapProblem.of`.
        betas: Inverse temperatures of the sweeps, per attacking pair; ``float64``.
        seed: An integer in 0..2**64-1.
        target: The energy at which to stop.
        avoid_conflicts: Whether to start where queens attack nobody as far as such cells are
            found, or else from a uniformly random permutation.
    """
    rng = random_state(np.uint64(seed))
    grid, board = problem.grid, problem.empty_board()
    if avoid_conflicts:
        conflict_free_start(grid, board, START_TRIES, rng)
    else:
        random_start(grid, board, rng)
    no_trace = np.empty(0, np.int64)
    num_sweeps = anneal_swaps(
        grid, board, SWAP_TRIES, betas, target - problem.offset, rng, no_trace
    )
    return SwapRead(problem.offset + int(board.tally[ENERGY]), int(num_sweeps), board)
