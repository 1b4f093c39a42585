"""``swap``: annealing over permutations, in which only diagonals have an energy.

From top to bottom: the sampler, the task that it makes of a model or a BQM, its reads, and the
board as the arrays of the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import dimod
import numpy as np

from qubo_queens.board.lines import DIAGONAL, BoolArray, FloatArray
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import Argument, InputError, Remedy
from qubo_queens.kernels.grid import Grid
from qubo_queens.kernels.jit import Int32Array, Int64Array
from qubo_queens.kernels.rng import RandomState, state_of_read
from qubo_queens.kernels.swap_columns import (
    ENERGY,
    Permutation,
    anneal_swaps,
    conflict_free_start,
    given_start,
)
from qubo_queens.samplers.annealers.board_sampler import BoardSampler
from qubo_queens.samplers.annealers.bqm_tasks import (
    BqmTask,
    board_bqm_task,
    energy_of_zeros,
    initial_queens,
)
from qubo_queens.samplers.annealers.interface import FreeQueens, merged
from qubo_queens.samplers.annealers.line_board import grid_of, missing_cells, open_grid
from qubo_queens.samplers.annealers.recognise import RecognisedBoard, Refusal, recognise
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import BoardTask, whole

START_TRIES = 100
"""How many columns a row tries at the start before it is left in conflict."""

SWAP_TRIES = 20
"""How many swaps a row in conflict proposes in a sweep."""

_LARGEST_COUNT = 64
"""How many queens of an initial state may share a diagonal. The counts are bytes, up to 127, and
swaps at high temperature can add some queens to a diagonal, but not as many again."""


class SwapSampler(BoardSampler):
    """Annealing over permutations, with one queen in each open row and column at any time.

    A move swaps the columns of two rows. Each attack on a diagonal, and each queen on a cell that
    is not free, has the energy ``diagonal_strength``. Reads start with as few conflicts as
    possible, and only queens in conflict propose swaps, so boards of 10^7 rows take seconds. This
    is a search without a stationary distribution. Betas are still in units of 1 / energy.

    ``anneal`` takes an instance or a cell model and returns :class:`Reads`. Queens that end on
    cells that are not free are left out of the placements, and the energies are those of the model
    for these placements. Traces have the energy of the permutation. ``sample`` also takes the BQM
    of a board, and raises an error with the reason for any other BQM.

    A target of 0 is always noticed. Where some cells are not free, a `target_energy` above 0 may be
    overlooked: during a read each conflict is counted with the most that it can cost (a queen left
    out costs ``2 * row_column_strength``), so a read may continue below the target.

    The first read that reaches `target_energy` ends a search; for exactly `num_reads` reads, leave
    it out:

    >>> from qubo_queens import verify
    >>> found = SwapSampler().anneal(1000, num_reads=50, target_energy=0, seed=1)
    >>> len(found), verify(1000, found.best_placement).valid
    (1, True)
    >>> reads = SwapSampler().anneal(20, num_reads=50, num_sweeps=100, seed=1)
    >>> success_rate = (reads.energies == 0).mean()
    """

    default_generator = "tile"

    def anneals(self, model: Model) -> bool:
        """Return True: no model is sampled as a BQM, and ``anneal`` refuses unsuitable ones."""
        return True

    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        if not isinstance(model, CellModel):
            raise InputError(f"swap anneals boards in the encoding cell, not {model.encoding}")
        strengths = model.strengths
        if not strengths.diagonal:
            raise InputError("without diagonals any permutation is a solution; use flip")
        board = SwapBoard.of_reduction(model.reduction)
        return SwapTask(
            board, float(strengths.diagonal), 2.0 * strengths.row_column, 0.0, starts, model
        )

    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        found = recognise(bqm)
        if isinstance(found, Refusal):
            raise InputError(f"swap samples boards only, and this model is not one: {found.reason}")
        board = SwapBoard.of_recognised(found)
        starts = initial_queens(found, initial)
        diagonal, straight = found.diagonal * found.unit, found.straight * found.unit
        # Without conflicts there is a queen in each row, and each lowers the energy of zeros.
        offset = energy_of_zeros(bqm) - len(board.grid.rows) * straight
        return board_bqm_task(found, SwapTask(board, diagonal, straight, offset, starts))


class SwapTask(BoardTask):
    """A board that is annealed by swaps.

    Args:
        board: The board.
        unit: The energy of an attacking pair on a diagonal.
        straight: The energy of an empty row and an empty column together.
        offset: The energy of a permutation without conflicts.
        starts: As for ``LineTask``; None is the conflict-avoiding start.
        model: Gives the energy of placements; by default energies are those of permutations.
    """

    kernel = "swap"

    def __init__(
        self,
        board: SwapBoard,
        unit: float,
        straight: float,
        offset: float,
        starts: Sequence[FreeQueens | None],
        model: Model | None = None,
    ) -> None:
        self.unit = unit
        self._straight = straight
        self.offset = offset
        self._board = board
        self._model = model
        self._starts = [None if queens is None else board.columns(queens) for queens in starts]

    def begin(self, seed: int, number: int) -> SwapRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        return SwapRun(self._board, rng, self._starts[number % len(self._starts)])

    def rehearse(self) -> None:
        """Make a sweep of a board with four rows, from either start."""
        board = SwapBoard.of_reduction(reduce(4))
        for columns in (None, np.arange(4, dtype=np.int32)):
            run = SwapRun(board, state_of_read(np.uint64(0), np.uint64(0)), columns)
            run.advance(np.ones(1), -math.inf, np.empty(0))

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule for the size of the board."""
        return default_schedule(len(self._board.grid.rows)).scaled(1 / self.unit)

    def energy(self, run: Run) -> float:
        """Return the energy of the placement, without queens on cells that are not free."""
        if self._model is None or run.energy == 0:
            return super().energy(run)
        placement = merged(self._model.reduction, self.queens(run))
        return sum(self._model.placement_energies(placement).values())

    def relative(self, target_energy: float) -> float:
        """Return the largest number of conflicts whose energy is certainly at most the target.

        A queen on a cell that is not free is left out in the end. The energy of the empty row and
        column may be larger than that of the conflict.
        """
        each = self.unit if self._board.all_free else max(self.unit, self._straight)
        return whole((target_energy - self.offset) / each)

    def queens(self, run: Run) -> FreeQueens:
        """Return the queens of a run that stand on free cells."""
        assert isinstance(run, SwapRun)
        return self._board.queens(run.board)


def default_schedule(size: int) -> Schedule:
    """Return the schedule for boards with `size` open rows, with betas per attacking pair.

    The conflict-avoiding start leaves about ten conflicts at any size, so a read has to resolve
    these without making many new ones. Below beta = 3 or so, a queen in conflict makes new
    conflicts faster than it resolves its own, until the energy is proportional to the size and
    falls only as the schedule cools. So large boards start at beta = 4. Small boards have few
    solutions, separated by energy barriers, and need a higher temperature. Their first beta falls
    with the logarithm of the size, as does the beta at which a disordered board of that size
    approaches energy 0.

    A successful read stops long before its last sweep, so the number of sweeps matters only for the
    others. ``benchmarks/tune_swap.py`` compares other schedules.
    """
    start = min(max(1.25 * math.log(max(size, 1)) - 1.75, 1.5), 4.0)
    return Schedule(start, start + 2.0, 10_000)


class SwapRun(Run):
    """A read by swaps; its energy is the number of conflicts."""

    energy: int

    def __init__(self, board: SwapBoard, rng: RandomState, columns: Int32Array | None) -> None:
        self.board = board.empty()
        self._grid = board.grid
        self._rng = rng
        if columns is None:
            conflict_free_start(self._grid, self.board, START_TRIES, rng)
        else:
            given_start(self._grid, self.board, columns)
        self.energy = int(self.board.tally[ENERGY])

    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make sweeps; see :class:`Run`."""
        noted: Int64Array = np.zeros(len(trace), np.int64)
        bound = -1 if target < 0 else int(target)
        made = int(anneal_swaps(self._grid, self.board, SWAP_TRIES, betas, bound, self._rng, noted))
        trace[:made] = noted[:made]
        self.energy = int(self.board.tally[ENERGY])
        trace[made - 1 : made] = self.energy  # also if the target cut the sweep short
        return made


@dataclass(frozen=True, eq=False)
class SwapBoard:
    """A board of open rows and as many open columns, shared by all its reads.

    Attributes:
        grid: The cells, for the kernels.
        closed_total: Which sum diagonals ``r + c`` have no free cell, of shape (2n - 1,).
        closed_difference: Which difference diagonals, by ``r - c + n - 1``, of shape (2n - 1,).
    """

    grid: Grid
    closed_total: BoolArray
    closed_difference: BoolArray

    @classmethod
    def of_reduction(cls, reduction: Reduction) -> SwapBoard:
        """Return the board that a reduction leaves open."""
        if reduction.mode == "none" and reduction.instance.queens:
            reduction = reduce(reduction.instance, "lines")
        closed = (~reduction.is_open[kind] for kind in DIAGONAL)
        return cls(open_grid(reduction), *closed)

    @classmethod
    def of_recognised(cls, found: RecognisedBoard) -> SwapBoard:
        """Return a recognised board, translated into the corner."""
        if found.field.any():
            raise InputError(
                "the linear biases are not those of a board without prescribed queens",
                Remedy(" (build it with ", Argument("reduce", "lines"), ")"),
            )
        if not found.diagonal:
            raise InputError("no couplings on diagonals: any permutation is a ground state")
        rows, columns = found.moved()
        open_rows, open_columns = np.unique(rows), np.unique(columns)
        n = int(max(rows.max(initial=0), columns.max(initial=0))) + 1
        taken = missing_cells(open_rows, open_columns, rows, columns, n)
        none = np.zeros(2 * n - 1, dtype=np.bool_)
        return cls(grid_of(open_rows, open_columns, n, taken), none, none)

    def __post_init__(self) -> None:
        rows, columns = len(self.grid.rows), len(self.grid.columns)
        if rows != columns:
            raise InputError(
                f"swaps need as many open rows as open columns, not {rows} and {columns}"
            )

    @property
    def all_free(self) -> bool:
        """Whether every cell of the grid is free."""
        closed = self.closed_total.any() or self.closed_difference.any()
        return not closed and not len(self.grid.taken)

    def empty(self) -> Permutation:
        """Return the board without queens, on which only the phantoms are counted."""
        size = len(self.grid.rows)
        return Permutation(
            np.arange(size, dtype=np.int32),
            self.closed_total.astype(np.int8),
            self.closed_difference.astype(np.int8),
            np.zeros(size, np.int8),
            np.empty(size, np.int32),
            np.zeros(3, np.int64),
        )

    def columns(self, queens: FreeQueens) -> Int32Array:
        """Return the column position of each row position."""
        grid = self.grid
        rows, columns = queens
        if not (np.array_equal(rows, grid.rows) and np.array_equal(np.sort(columns), grid.columns)):
            raise InputError(
                "an initial state of swap needs exactly one queen in each open row and column "
                "(not the case for reads that left out queens on cells that are not free, and for "
                "random states, as of initial_states_generator random)"
            )
        for counts in (np.bincount(rows + columns), np.bincount(rows - columns + grid.last)):
            if counts.max(initial=0) > _LARGEST_COUNT:
                raise InputError(
                    f"{counts.max()} queens of an initial state share a diagonal; swap takes up to "
                    f"{_LARGEST_COUNT}"
                )
        return np.searchsorted(grid.columns, columns).astype(np.int32)

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
