"""``swap``: annealing over permutations, in which only diagonals cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import dimod
import numpy as np

from qubo_queens.board.lines import DIAGONAL, BoolArray
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import InputError
from qubo_queens.kernels.board import Grid, Int32Array, Int64Array
from qubo_queens.kernels.rng import RandomState, state_of_read
from qubo_queens.kernels.swap import (
    ENERGY,
    Permutation,
    anneal_swaps,
    conflict_free_start,
    given_start,
)
from qubo_queens.samplers.annealers.board_sampler import BoardSampler
from qubo_queens.samplers.annealers.bqm_tasks import (
    BoardBqmTask,
    BqmTask,
    energy_of_zeros,
    initial_queens,
)
from qubo_queens.samplers.annealers.line_board import grid_of, missing_cells, open_grid
from qubo_queens.samplers.annealers.reads import merged
from qubo_queens.samplers.annealers.recognise import LineModel, Refusal, recognise
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import FloatArray, Schedule
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens, whole

_LARGEST_COUNT = 64
"""How many queens of an initial state may share a diagonal: the counts are bytes, up to 127, and
hot swaps may add a few queens to so crowded a diagonal, though not as many again."""


class SwapSampler(BoardSampler):
    """Annealing over permutations: one queen in each open row and column at any time.

    A move swaps the columns of two rows; only attacks on diagonals, and queens on cells that are
    not free, cost energy: ``diagonal_strength`` each. Reads start where as few queens as possible
    are in conflict, and only queens in conflict propose swaps, so boards of 10^7 rows take seconds.
    This is a search without a stationary distribution; betas are in units of 1 / energy all the
    same.

    ``anneal`` takes an instance or a cell model and returns :class:`Reads`; queens that end on
    cells that are not free are left out of their placements, so their energies are those of the
    model. Traces tell the energy of the permutation. Where some cells are not free, a
    `target_energy` above 0 is judged by the most that the conflicts may cost, so reads may go on
    below it. ``sample`` takes the BQM of a board too, and refuses every other with the reason.
    """

    default_generator = "tile"

    def anneals(self, model: Model) -> bool:
        """Tell that no model is to be sampled as a BQM: those that are no board are refused."""
        return True

    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        if not isinstance(model, CellModel):
            raise InputError(f"swap anneals boards in the encoding cell, not {model.encoding}")
        if not model.strengths.diagonal:
            raise InputError("without diagonals any permutation is a solution; use flip")
        problem = SwapProblem.of_reduction(model.reduction)
        strengths = model.strengths
        return SwapTask(
            problem, float(strengths.diagonal), 2.0 * strengths.row_column, 0.0, starts, model
        )

    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        found = recognise(bqm)
        if isinstance(found, Refusal):
            raise InputError(f"swap samples boards only, and this model is none: {found.reason}")
        problem = SwapProblem.of_line_model(found)
        starts: list[FreeQueens | None] = [*initial_queens(found, initial)] or [None]
        diagonal, straight = found.diagonal * found.unit, found.straight * found.unit
        offset = energy_of_zeros(bqm) - len(problem.grid.rows) * straight
        task = SwapTask(problem, diagonal, straight, offset, starts)
        return BoardBqmTask(found, task)


class SwapTask(BoardTask):
    """A board that is annealed by swaps.

    Args:
        problem: The board.
        unit: The energy of an attacking pair on a diagonal.
        straight: The energy of an empty row and column.
        offset: The energy of a permutation without conflicts.
        starts: The queens that reads start with, over and over again; None stands for the
            conflict-avoiding start.
        model: Tells the energy of boards; without one it is that of the permutation.

    Raises:
        InputError: If an initial state is no permutation.
    """

    kernel = "swap"

    def __init__(
        self,
        problem: SwapProblem,
        unit: float,
        straight: float,
        offset: float,
        starts: Sequence[FreeQueens | None],
        model: Model | None = None,
    ) -> None:
        self.unit = unit
        self._straight = straight
        self.offset = offset
        self._problem = problem
        self._model = model
        self._starts = [
            None if queens is None else _column_positions(problem, queens) for queens in starts
        ]

    def begin(self, seed: int, number: int) -> SwapRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        return SwapRun(self._problem, rng, self._starts[number % len(self._starts)])

    def rehearse(self) -> None:
        """Make a sweep of a board of four rows, from either start."""
        problem = SwapProblem.of_reduction(reduce(4))
        for columns in (None, np.arange(4, dtype=np.int32)):
            run = SwapRun(problem, state_of_read(np.uint64(0), np.uint64(0)), columns)
            run.advance(np.ones(1), -math.inf, np.empty(0))

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule for the size of the board, in units of 1 / energy."""
        return default_schedule(len(self._problem.grid.rows)).scaled(1 / self.unit)

    def energy(self, run: Run) -> float:
        """Return the energy of the board, without queens on cells that are not free."""
        if self._model is None or run.energy == 0:
            return super().energy(run)
        board = merged(self._model.reduction, self.queens(run))
        return sum(self._model.placement_energies(board).values())

    def relative(self, target_energy: float) -> float:
        """Return how many conflicts cost at most the target.

        A queen on a cell that is not free is left out in the end, which costs what an empty row and
        column cost, and that may be more than the conflict did.
        """
        each = self.unit if self._problem.all_free else max(self.unit, self._straight)
        return whole((target_energy - self.offset) / each)

    def queens(self, run: Run) -> FreeQueens:
        """Return the queens of a run that stand on free cells."""
        assert isinstance(run, SwapRun)
        return self._problem.queens(run.board)


class SwapRun(Run):
    """A read by swaps; its energy is the number of conflicts."""

    energy: int

    def __init__(self, problem: SwapProblem, rng: RandomState, columns: Int32Array | None) -> None:
        self.board = problem.empty_board()
        self._grid = problem.grid
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


def _column_positions(problem: SwapProblem, queens: FreeQueens) -> Int32Array:
    """Return the column position of each row position.

    Raises:
        InputError: If there is not one queen in each open row and column, or a diagonal has more
            than 64.
    """
    grid = problem.grid
    rows, columns = queens
    if not (np.array_equal(rows, grid.rows) and np.array_equal(np.sort(columns), grid.columns)):
        raise InputError(
            "an initial state of swap has one queen in each open row and column, and this has not "
            "(reads leave queens out that ended on cells that are not free, and random states, as "
            "of initial_states_generator random, are none either)"
        )
    for counts in (np.bincount(rows + columns), np.bincount(rows - columns + grid.last)):
        if counts.max(initial=0) > _LARGEST_COUNT:
            raise InputError(
                f"{counts.max()} queens of an initial state share a diagonal; swap takes up to "
                f"{_LARGEST_COUNT}"
            )
    return np.searchsorted(grid.columns, columns).astype(np.int32)


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
