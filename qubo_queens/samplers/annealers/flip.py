"""``flip``: single-flip Metropolis annealing of the cell energy, by line counts.

From top to bottom: the sampler, the task that it makes of a model or a BQM, the schedules, and the
two sorts of reads: over the whole grid or over a list of cells.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import dimod
import numpy as np

from qubo_queens.board.lines import FloatArray
from qubo_queens.board.reduce import reduce
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import InputError, Remedy
from qubo_queens.kernels.flip_cells import Cells, anneal_cells, random_bits, start_bits
from qubo_queens.kernels.flip_grid import anneal_grid
from qubo_queens.kernels.grid import Counts
from qubo_queens.kernels.jit import Int64Array
from qubo_queens.kernels.queen_lists import QueenLists, random_start, standing, start
from qubo_queens.kernels.rng import RandomState, state_of_read
from qubo_queens.samplers.annealers.board_sampler import BoardSampler
from qubo_queens.samplers.annealers.bqm_tasks import (
    BqmTask,
    CouplingTask,
    board_bqm_task,
    energy_of_zeros,
    initial_queens,
)
from qubo_queens.samplers.annealers.interface import FreeQueens, merged
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.recognise import Refusal, in_units, recognise
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import BoardTask

WARM = 2.9, 3.3
"""The betas for hard boards, nearly constant: their reads succeed at a moderate temperature."""

OTHER_EVERY = 8
"""Every eighth read takes the schedule of the other sort of board, in case a board is misjudged."""

_START_TRIES = 32
"""How many cells of a row are drawn to find a free one for its first queen."""

_CELLS_IN_FIRST_SLICE = 1_000_000
"""How many cells can be visited in some milliseconds."""

_NO_TRACE = np.empty(0, np.int64)
_NEVER = -(1 << 62)


class FlipSampler(BoardSampler):
    """Single-flip Metropolis annealing by line counts.

    The Markov chain is that of plain sequential sweeps over the free cells in row-major order, with
    one proposal for each: the chain of a simulated annealer on the BQM, with the same Boltzmann
    distribution at each temperature. The change of energy by a flip follows from four line counts
    instead of couplings, and runs of proposals that would be refused are skipped (see
    ``kernels/flip_grid.py``), so boards of 10^10 cells fit in memory.

    ``anneal`` takes an instance or a cell model and returns :class:`Reads` with placements.
    ``sample`` takes any binary quadratic model: one with exactly the coefficients of a cell model
    is annealed by its line counts, any other by its couplings. ``info["kernel"]`` says which was
    used, and ``info["reason"]`` why line counts could not be used.

    The first read that reaches `target_energy` ends a search; for exactly `num_reads` reads, leave
    it out:

    >>> from qubo_queens import verify
    >>> found = FlipSampler().anneal(8, num_reads=50, target_energy=0, seed=1)
    >>> len(found) <= 50, verify(8, found.best_placement).valid
    (True, True)
    >>> reads = FlipSampler().anneal(8, num_reads=50, seed=1)
    >>> success_rate = (reads.energies == 0).mean()
    """

    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        if not isinstance(model, CellModel):
            raise InputError(
                f"flip anneals boards in the encoding cell, not {model.encoding}",
                Remedy("; sample(model.bqm) takes any model"),
            )
        return LineTask.of_model(model, starts)

    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        found = recognise(bqm)
        if isinstance(found, Refusal):
            task = CouplingTask(bqm, initial)
            return BqmTask(task, task.bits, found.reason)
        board = LineBoard.of_recognised(found)
        starts = initial_queens(found, initial)
        return board_bqm_task(found, LineTask(board, found.unit, energy_of_zeros(bqm), starts))


class LineTask(BoardTask):
    """A board that is annealed by its line counts.

    Reads start with the queens of `starts`, repeated in their order; None is a random start.
    """

    def __init__(
        self, board: LineBoard, unit: float, offset: float, starts: Sequence[FreeQueens | None]
    ) -> None:
        self.board = board
        self.kernel = board.kernel
        self.unit = unit
        self.offset = offset
        self.starts = starts
        self._rounded: Model | None = None  # the model, if multiples of the unit are not exact

    @classmethod
    def of_model(cls, model: Model, starts: Sequence[FreeQueens | None]) -> LineTask:
        """Return the task of a model in the cell encoding."""
        strengths = model.strengths
        unit, straight, diagonal = _in_units(2 * strengths.row_column, strengths.diagonal)
        board = LineBoard.of_reduction(model.reduction, straight, diagonal)
        task = cls(board, unit, model.offset, starts)
        if not all(isinstance(w, int) for w in (strengths.row_column, strengths.diagonal)):
            task._rounded = model
        return task

    def begin(self, seed: int, number: int) -> LineRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        return begin_run(self.board, rng, self.starts[number % len(self.starts)])

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule that suits the board, in units of 1 / energy."""
        row_column = self.board.straight * self.unit / 2
        return default_schedule(self.board, number).scaled(1 / row_column)

    def energy(self, run: Run) -> float:
        """Return the energy of a read; it is exactly 0 on solutions for any strengths."""
        if self._rounded is None:
            return super().energy(run)
        board = merged(self._rounded.reduction, self.queens(run))
        return sum(self._rounded.placement_energies(board).values())

    def rehearse(self) -> None:
        """Make a sweep of a board with four rows by the same kernels."""
        board = LineBoard.of_reduction(reduce(4), 1, 1)
        if self.board.cells is None:
            board = replace(board, cells=None)
        run = begin_run(board, state_of_read(np.uint64(0), np.uint64(0)))
        run.advance(np.ones(1), -math.inf, np.empty(0))
        run.queens()

    def queens(self, run: Run) -> FreeQueens:
        """Return the free queens of a run."""
        assert isinstance(run, LineRun)
        return run.queens()


def default_schedule(board: LineBoard, number: int) -> Schedule:
    """Return the default schedule of a read, with betas in units of 1 / A.

    On plain boards and completions solutions are frequent: flips that do not change the energy lead
    to one from any state, and higher temperatures only make the search longer. Their reads are cold
    from the start, so cold that in equilibrium less than one superfluous queen is expected (about
    n^2 exp(-2 beta) of them). Boards with few free cells or few open diagonals need a higher
    temperature to leave local minima. ``benchmarks/tune_flip.py`` compares other schedules.
    """
    other = number % OTHER_EVERY == OTHER_EVERY - 1
    size = len(board.grid.rows)
    first = math.log(max(size, 1)) + 2
    cold = Schedule(first, first + 3, 3000 + 10 * size)
    if board.is_hard:
        return cold if other else Schedule(*WARM, 5000)
    return replace(cold, first=WARM[0]) if other else cold


@lru_cache(maxsize=64)
def _in_units(straight: float, diagonal: float) -> tuple[float, int, int]:
    """Return the unit of two weights, and these as multiples of it."""
    try:
        unit, multiples = in_units(np.array([straight, diagonal], dtype=np.float64))
    except InputError as error:
        remedy = Remedy("; sample(model.bqm) takes any strengths")
        raise InputError(*error.args, remedy) from None
    return unit, int(multiples[0]), int(multiples[1])


def begin_run(board: LineBoard, rng: RandomState, queens: FreeQueens | None = None) -> LineRun:
    """Return a new read of a board that starts with the given free queens.

    By default there is one on a random free cell of each open row without a prescribed queen.
    """
    if board.cells is None:
        return GridRun(board, rng, queens)
    return CellsRun(board, board.cells, rng, queens)


class LineRun(Run):
    """A read of a board; its energy is relative to the state without free queens."""

    energy: int

    def __init__(self, board: LineBoard, rng: RandomState) -> None:
        self._board = board
        self._rng = rng
        self._weights = board.straight, board.diagonal
        self._counts = Counts(*(counts.copy() for counts in board.counts))
        cells = len(board.grid.rows) * len(board.grid.columns)
        self.first_slice = max(1, _CELLS_IN_FIRST_SLICE // max(1, cells))

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
    def queens(self) -> FreeQueens:
        """Return the free queens."""


class GridRun(LineRun):
    """A read that sweeps the whole grid."""

    def __init__(self, board: LineBoard, rng: RandomState, queens: FreeQueens | None) -> None:
        super().__init__(board, rng)
        grid = board.grid
        if queens is None:
            rows, columns = random_start(grid, self._counts, _START_TRIES, rng)
        else:
            rows = np.searchsorted(grid.rows, queens[0]).astype(np.int32)
            columns = np.searchsorted(grid.columns, queens[1]).astype(np.int32)
        self._queens = _no_queens(len(grid.rows), len(grid.columns), grid.last + 1)
        self._nodes = np.empty((2 * len(rows) + len(grid.columns) + 8, 2), np.int32)
        state = self._counts, self._queens, self._nodes
        self.energy = start(grid, *state, *self._weights, rows, columns)

    def _sweep(self, betas: FloatArray, target: int, trace: Int64Array) -> tuple[int, int]:
        state = self._counts, self._queens, self._nodes
        change, made, self._nodes = anneal_grid(
            self._board.grid, *state, *self._weights, betas, target, self._rng, trace
        )
        return change, made

    def queens(self) -> FreeQueens:
        """Return the free queens."""
        rows, columns = standing(self._queens, self._nodes)
        grid = self._board.grid
        return grid.rows[rows].astype(np.int64), grid.columns[columns].astype(np.int64)


class CellsRun(LineRun):
    """A read that sweeps the list of free cells."""

    def __init__(
        self, board: LineBoard, cells: Cells, rng: RandomState, queens: FreeQueens | None
    ) -> None:
        super().__init__(board, rng)
        self._cells = cells
        if queens is None:
            self._bits = random_bits(cells, self._counts, rng)
        else:
            self._bits = board.bits(queens)
        self.energy = start_bits(cells, self._counts, self._bits, *self._weights)

    def _sweep(self, betas: FloatArray, target: int, trace: Int64Array) -> tuple[int, int]:
        state = self._cells, self._counts, self._bits
        return anneal_cells(*state, *self._weights, betas, target, self._rng, trace)

    def queens(self) -> FreeQueens:
        """Return the free queens."""
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
