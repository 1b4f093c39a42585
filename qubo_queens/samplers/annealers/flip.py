"""``flip``: single-flip Metropolis annealing of the cell energy, from line counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import dimod
import numpy as np

from qubo_queens.board.reduce import reduce
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import InputError
from qubo_queens.kernels.rng import state_of_read
from qubo_queens.samplers.annealers.board_sampler import BoardSampler
from qubo_queens.samplers.annealers.bqm_tasks import (
    BoardBqmTask,
    BqmTask,
    CouplingTask,
    energy_of_zeros,
    initial_queens,
)
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.line_runs import LineRun, begin_run
from qubo_queens.samplers.annealers.reads import merged
from qubo_queens.samplers.annealers.recognise import Refusal, recognise
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens
from qubo_queens.samplers.annealers.units import in_units


class FlipSampler(BoardSampler):
    """Single-flip Metropolis annealing, at the cost of what can happen on a board.

    The Markov chain is that of plain sequential sweeps over the free cells in row-major order, one
    proposal for each: the chain of a simulated annealer on the BQM, with the same Boltzmann
    distribution at each temperature. What a flip changes follows from four line counts instead of
    couplings, and proposals that would be refused anyhow are passed over (see
    ``kernels/anneal.py``), so boards of 10^10 cells fit in memory.

    ``anneal`` takes an instance or a cell model and returns :class:`Reads` with placements.
    ``sample`` takes any binary quadratic model: one with exactly the coefficients of a cell model
    is annealed by its line counts, every other by its couplings; ``info["kernel"]`` says which, and
    ``info["reason"]`` why not the other.
    """

    def _task(self, model: Model, starts: Sequence[FreeQueens | None]) -> BoardTask:
        if not isinstance(model, CellModel):
            raise InputError(
                f"flip anneals boards in the encoding cell, not {model.encoding}; "
                "sample(model.bqm) takes any model"
            )
        return LineTask.of_model(model, starts)

    def _bqm_task(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> BqmTask:
        found = recognise(bqm)
        if isinstance(found, Refusal):
            return CouplingTask(bqm, initial, found.reason)
        board = LineBoard.of_line_model(found)
        starts: list[FreeQueens | None] = [*initial_queens(found, initial)] or [None]
        return BoardBqmTask(found, LineTask(board, found.unit, energy_of_zeros(bqm), starts))


class LineTask(BoardTask):
    """A board that is annealed by its line counts.

    Attributes:
        board: The board.
        starts: The queens that reads start with, over and over again; None stands for at random.
    """

    def __init__(
        self, board: LineBoard, unit: float, offset: float, starts: Sequence[FreeQueens | None]
    ) -> None:
        self.board = board
        self.kernel = board.kernel
        self.unit = unit
        self.offset = offset
        self.starts = starts
        self._rounds: Model | None = None  # if multiples of the unit are not exact

    @classmethod
    def of_model(cls, model: Model, starts: Sequence[FreeQueens | None]) -> LineTask:
        """Return the task of a model in the cell encoding.

        Raises:
            InputError: If the strengths have no common unit.
        """
        strengths = model.strengths
        unit, straight, diagonal = _in_units(2 * strengths.row_column, strengths.diagonal)
        board = LineBoard.of_reduction(model.reduction, straight, diagonal)
        task = cls(board, unit, model.offset, starts)
        if not all(isinstance(w, int) for w in (strengths.row_column, strengths.diagonal)):
            task._rounds = model
        return task

    def begin(self, seed: int, number: int) -> LineRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        return begin_run(self.board, rng, self.starts[number % len(self.starts)])

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule for what the board looks like, in units of 1 / energy."""
        row_column = self.board.straight * self.unit / 2
        return default_schedule(self.board, number).scaled(1 / row_column)

    def energy(self, run: Run) -> float:
        """Return the energy of a read; it is exactly 0 on solutions whatever the strengths."""
        if self._rounds is None:
            return super().energy(run)
        board = merged(self._rounds.reduction, self.queens(run))
        return sum(self._rounds.placement_energies(board).values())

    def rehearse(self) -> None:
        """Make a sweep of a board of four rows by the same kernels."""
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


@lru_cache(maxsize=64)
def _in_units(straight: float, diagonal: float) -> tuple[float, int, int]:
    """Return the unit of two weights, and these as multiples of it.

    Raises:
        InputError: If there is no such unit.
    """
    try:
        unit, multiples = in_units(np.array([straight, diagonal], dtype=np.float64))
    except InputError as error:
        raise InputError(f"{error}; sample(model.bqm) takes any strengths") from None
    return unit, int(multiples[0]), int(multiples[1])


WARM = 2.9, 3.3
"""The betas at which hard boards are searched: hardly rising, for what they need is not cold."""

OTHER_EVERY = 8
"""Every eighth read takes the other schedule: what a board looks like does not tell everything."""


def default_schedule(board: LineBoard, number: int) -> Schedule:
    """Return the schedule of a read, with betas in units of 1 / A.

    Plain boards and completions have solutions everywhere: from any state, flips that cost
    nothing lead to one, and heat only makes the way longer. Their reads are cold from the start, so
    cold that in equilibrium the board would hold no superfluous queen: these number
    about n^2 exp(-2 beta) there. Boards with few free cells or few open diagonals need heat to get
    out of local minima.

    Args:
        board: The board.
        number: The number of the read.
    """
    other = number % OTHER_EVERY == OTHER_EVERY - 1
    cold = _cold(board)
    if board.is_hard:
        return cold if other else Schedule(*WARM, 5000)
    return Schedule(WARM[0], cold.last, cold.num_sweeps) if other else cold


def _cold(board: LineBoard) -> Schedule:
    size = len(board.grid.rows)
    first = math.log(max(size, 1)) + 2
    return Schedule(first, first + 3, 3000 + 10 * size)
