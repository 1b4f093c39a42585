"""``flip``: single-flip Metropolis annealing of the cell energy, from line counts."""

from __future__ import annotations

from collections.abc import Sequence

import dimod

from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.errors import InputError
from qubo_queens.samplers.annealers.board_sampler import BoardSampler
from qubo_queens.samplers.annealers.bqm_tasks import (
    BoardBqmTask,
    BqmTask,
    CouplingTask,
    energy_of_zeros,
    initial_queens,
)
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.line_task import LineTask
from qubo_queens.samplers.annealers.recognise import Refusal, recognise
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens


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
