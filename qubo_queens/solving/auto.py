"""Which sampler suits a model: what ``sampler="auto"`` stands for."""

from __future__ import annotations

import numpy as np

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError
from qubo_queens.samplers.annealers.recognise import in_units

SMALL = 2500
"""Plain boards and completions up to this many variables are left to neal.

It answers before the compiler of the other samplers is even loaded.
"""

SMALL_HARD = 150
"""The same for boards with blocked cells or excluded diagonals, on which it needs many reads."""

LARGE = 1000
"""Above this many open rows, swaps are faster than flips where solutions abound."""

SPARSE = 0.25
"""Boards that have lost more than this part of their cells or diagonals may have few solutions."""


def automatic(model: Model) -> str:
    """Return the name of the sampler for a model."""
    instance = model.instance
    forbidden = bool(instance.blocked or instance.excluded_sums or instance.excluded_differences)
    if not _suits_line_counts(model):
        return "neal"
    if model.num_variables <= (SMALL_HARD if forbidden else SMALL):
        return "neal"
    num_rows, num_columns = (len(model.reduction.open_lines(kind)) for kind in ROW_COLUMN)
    large = num_rows == num_columns > LARGE and model.strengths.diagonal
    return "swap" if large and _forbidden_part(model) <= SPARSE else "flip"


def _suits_line_counts(model: Model) -> bool:
    if model.encoding != "cell":
        return False
    try:
        in_units(np.array([2 * model.strengths.row_column, model.strengths.diagonal], np.float64))
    except InputError:
        return False
    return True


def _forbidden_part(model: Model) -> float:
    """Return which part of the cells is blocked or of the diagonals excluded, the larger one."""
    instance = model.instance
    diagonals = max(len(instance.excluded(kind)) for kind in DIAGONAL) / (2 * instance.n - 1)
    open_cells = len(model.reduction.open_lines(ROW_COLUMN[0])) ** 2
    return max(diagonals, len(model.reduction.taken) / max(1, open_cells))
