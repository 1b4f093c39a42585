"""reduce(): drop what the prescribed queens decide."""

from __future__ import annotations

import numpy as np

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.lines import DIAGONAL, Kind, coordinates, indices, position
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import shown
from qubo_queens.errors import InputError

MODES: tuple[Mode, ...] = ("none", "lines")


def reduce(instance: InstanceLike, mode: Mode = "lines") -> Reduction:
    """Drop what the prescribed queens decide.

    Args:
        instance: The instance, or n for the plain board.
        mode: ``lines`` (the default) closes every line of a prescribed queen; ``none`` keeps
            attacked cells free. Both close excluded diagonals and take out blocked cells.

    Raises:
        InputError: If the mode is unknown.
    """
    instance = as_instance(instance)
    if not isinstance(mode, str) or mode not in MODES:
        raise InputError(f"reduce={shown(mode)} is unknown; choose one of {', '.join(MODES)}")
    n = instance.n
    is_open = {kind: np.ones(len(indices(kind, n)), dtype=np.bool_) for kind in Kind}
    for kind in DIAGONAL:
        if excluded := instance.excluded(kind):
            is_open[kind][np.array(excluded) - indices(kind, n)[0]] = False
    if instance.queens and mode == "lines":
        rows, columns = coordinates(instance.queens)
        for kind in Kind:
            is_open[kind][position(kind, rows, columns, n)] = False
    taken = {*instance.blocked, *(instance.queens if mode == "none" else ())}
    return Reduction(instance, mode, is_open, np.stack(coordinates(sorted(taken)), axis=1))
