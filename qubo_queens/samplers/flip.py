"""``flip``: single-flip Metropolis annealing of the cell energy, from line counts.

The Markov chain is that of plain sequential sweeps over the variables of the BQM in row-major order;
``kernels/anneal.py`` says how it gets by without looking at most of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import Model
from qubo_queens.kernels.rng import state_of_read
from qubo_queens.samplers.board_sampler import BoardSampler, BoardTask, Queens
from qubo_queens.samplers.line_board import LineBoard
from qubo_queens.samplers.line_runs import LineRun, begin_run
from qubo_queens.samplers.run import Run
from qubo_queens.samplers.schedule import Schedule
from qubo_queens.samplers.units import common_unit


class FlipSampler(BoardSampler):
    """Single-flip annealing."""

    def _task(self, model: Model, initial: Sequence[Queens]) -> BoardTask:
        return LineTask(model, initial)


    def _sample_bqm(self, bqm, **parameters):
        raise NotImplementedError


class LineTask(BoardTask):
    """A cell model, annealed by its line counts."""

    def __init__(self, model: Model, initial: Sequence[Queens]) -> None:
        weights = 2 * model.strengths.row_column, model.strengths.diagonal
        unit = common_unit(weights)
        straight, diagonal = (round(w / unit) for w in weights)
        self.unit = unit
        self.offset = model.offset
        self.board = LineBoard.of_reduction(model.reduction, straight, diagonal)
        self.kernel = self.board.kernel
        self._initial = initial

    def begin(self, seed: int, number: int) -> LineRun:
        initial = self._initial[number % len(self._initial)] if self._initial else None
        return begin_run(self.board, state_of_read(np.uint64(seed), np.uint64(number)), initial)

    def default_schedule(self, number: int) -> Schedule:
        n = self.board.grid.last + 1
        return Schedule(np.log(n) + 2, np.log(n) + 5, 3000 + n)

    def queens(self, run: Run) -> Queens:
        return run.queens()
