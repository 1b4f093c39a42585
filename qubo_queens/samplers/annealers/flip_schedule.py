"""The schedules of ``flip``, by what a board looks like; see ``benchmarks/tune_flip.py``."""

from __future__ import annotations

import math

from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.schedule import Schedule

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
