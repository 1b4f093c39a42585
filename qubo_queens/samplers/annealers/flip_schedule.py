"""The schedules of ``flip``, by what a board looks like; see ``benchmarks/tune_flip.py``."""

from __future__ import annotations

import math

import numpy as np

from qubo_queens.kernels.board import CLOSED
from qubo_queens.samplers.annealers.line_board import CELLS_PER_ROW, LineBoard
from qubo_queens.samplers.annealers.schedule import Schedule

TIGHT = 0.75
"""Open rows per open diagonal of a family, from which on a board counts as hard; 0.5 is plain."""

WARM = 3.0
"""The beta at which hard boards are searched: local minima last for about a sweep."""

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
    if is_hard(board):
        return cold if other else Schedule(WARM, WARM + 1, 3000)
    return Schedule(WARM, cold.last, cold.num_sweeps) if other else cold


def is_hard(board: LineBoard) -> bool:
    """Tell whether a board looks hard: few free cells a row, or few open diagonals."""
    num_rows = len(board.grid.rows)
    if board.cells is not None and len(board.grid.columns) > CELLS_PER_ROW:
        return True
    lines = (board.counts.total, board.counts.difference)
    fewest = min(int(np.count_nonzero(counts < CLOSED)) for counts in lines)
    return num_rows > TIGHT * fewest


def _cold(board: LineBoard) -> Schedule:
    size = len(board.grid.rows)
    first = math.log(max(size, 1)) + 2
    return Schedule(first, first + 3, 3000 + 10 * size)
