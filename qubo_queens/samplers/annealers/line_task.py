"""Boards made ready for the kernels that work by line counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from qubo_queens.board.reduce import reduce
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError
from qubo_queens.kernels.rng import state_of_read
from qubo_queens.samplers.annealers.flip_schedule import default_schedule
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.line_runs import LineRun, begin_run
from qubo_queens.samplers.annealers.reads import merged
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens
from qubo_queens.samplers.annealers.units import in_units


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
