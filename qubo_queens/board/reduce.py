"""reduce(): drop what the prescribed queens decide."""

from __future__ import annotations

import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import DIAGONAL, Kind, coordinates, indices, position
from qubo_queens.board.probe import probe
from qubo_queens.board.propagate import propagate
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import shown
from qubo_queens.errors import InputError

MODES: tuple[Mode, ...] = ("none", "lines", "propagate", "probe")


def reduce(instance: InstanceLike, mode: Mode = "propagate") -> Reduction:
    """Drop what the prescribed queens decide.

    Args:
        instance: The instance, or n for the plain board.
        mode: How far to go; each does what the ones before it do. ``none`` closes excluded
            diagonals and takes out blocked and prescribed cells. ``lines`` closes every line of a
            prescribed queen. ``propagate`` (the default) places a queen wherever a row or column
            has one free cell, until there is none. ``probe`` drops each free cell on which a
            queen would, by such forced queens, leave a row or column without one; it takes
            seconds on boards with thousands of free cells, and passes over those with more than
            10,000. Contradictory prescribed queens end at ``lines``; the plain board stays whole.

    Raises:
        InputError: If the mode is unknown.
    """
    instance = as_instance(instance)
    if not isinstance(mode, str) or mode not in MODES:
        raise InputError(f"reduce={shown(mode)} is unknown; choose one of {', '.join(MODES)}")
    reduction = _without_lines(instance, mode)
    if mode in ("none", "lines") or reduction.untouched or reduction.infeasible:
        return reduction
    reduction = propagate(reduction)
    return reduction if mode == "propagate" or reduction.infeasible else probe(reduction)


def further(reduction: Reduction, mode: Mode) -> Reduction:
    """Return a reduction taken as far as `mode`, or as it is if it goes as far."""
    if MODES.index(reduction.mode) >= MODES.index(mode):
        return reduction
    return reduce(reduction.instance, mode)


def _without_lines(instance: Instance, mode: Mode) -> Reduction:
    """Close excluded diagonals and, unless the mode is ``none``, the lines of prescribed queens."""
    n = instance.n
    is_open = {kind: np.ones(len(indices(kind, n)), dtype=np.bool_) for kind in Kind}
    for kind in DIAGONAL:
        if excluded := instance.excluded(kind):
            is_open[kind][np.array(excluded) - indices(kind, n)[0]] = False
    if instance.queens and mode != "none":
        rows, columns = coordinates(instance.queens)
        for kind in Kind:
            is_open[kind][position(kind, rows, columns, n)] = False
    taken = {*instance.blocked, *(instance.queens if mode == "none" else ())}
    return Reduction(instance, mode, is_open, np.stack(coordinates(sorted(taken)), axis=1))
