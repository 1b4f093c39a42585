"""Which boards a model can state: those that agree with what it has fixed."""

from __future__ import annotations

from qubo_queens.board.lines import Cell
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.errors import InputError


def stated_queens(placement: Placement, reduction: Reduction) -> frozenset[Cell]:
    """Return the queens of a board if they agree with what a reduction has fixed.

    Raises:
        InputError: If a fixed queen is missing, or one stands on a cell that is fixed to 0.
    """
    queens, fixed = frozenset(placement), frozenset(reduction.queens)
    missing = sorted(fixed - queens)
    if missing:
        raise InputError(_missing(missing[0], reduction))
    lost = sorted(queens.difference(reduction.free_cells, fixed))
    if lost:
        raise InputError(
            f"queen {lost[0]} stands on a cell that the model has fixed to 0; "
            "build it with reduce='none' to state any board with the prescribed queens"
        )
    return queens


def _missing(cell: Cell, reduction: Reduction) -> str:
    """Word that a placement has no queen on a cell that the model has fixed to 1."""
    if cell in reduction.instance.queens:
        return f"the placement lacks the prescribed queen {cell}"
    return (
        f"the placement lacks queen {cell}, which every solution has and the model has fixed "
        "to 1; build it with reduce='lines' to state boards without it"
    )
