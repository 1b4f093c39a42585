"""reduce(): drop what the prescribed queens decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qubo_queens.board.certificate import Forced
from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    Cell,
    IntArray,
    Kind,
    Line,
    coordinates,
    course,
    indices,
    line_index,
    position,
)
from qubo_queens.board.probe import probe
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


LISTED_CELLS = 30_000_000
"""Boards with at most this many candidate cells are propagated by listing their free cells."""

_COUNTED_LINES = 2000
"""On larger boards at most this many lines are looked at in each round."""


def propagate(reduction: Reduction) -> Reduction:
    """Return what is left once every forced queen stands.

    The work is that of listing the free cells once, and none at all on boards where a bound shows
    that each row and column keeps two of them. A board with more than ``LISTED_CELLS`` candidates
    whose lines may be short is looked at line by line, the 2,000 shortest ones by that bound; only
    there may a forced queen be missed.

    Args:
        reduction: A reduction with the lines of its queens closed, of an instance without
            contradictions.
    """
    if not any(len(_short(reduction, kind)) for kind in ROW_COLUMN):
        return reduction
    board = _Forcing(reduction)
    rows, columns = (reduction.open_lines(kind) for kind in ROW_COLUMN)
    if len(rows) * len(columns) <= LISTED_CELLS:
        _by_cells(board)
    else:
        _by_lines(board)
    return board.reduction()


class _Forcing:
    """A board on which forced queens are placed."""

    def __init__(self, reduction: Reduction) -> None:
        self.before = reduction
        self.is_open = {kind: lines.copy() for kind, lines in reduction.is_open.items()}
        self.steps: list[Forced] = []

    def reduction(self) -> Reduction:
        """Return what is left."""
        if not self.steps:
            return self.before
        steps = (*self.before.steps, *self.steps)
        return replace(self.before, is_open=self.is_open, steps=steps)

    def place(self, forced: list[Forced]) -> bool:
        """Place queens one by one; return False at the first one that another one attacks."""
        n = self.before.instance.n
        placed = set[Cell]()
        for step in forced:
            if step.cell in placed:
                continue  # the only free cell of its row and of its column
            places = [(kind, position(kind, *step.cell, n)) for kind in Kind]
            if not all(self.is_open[kind][at] for kind, at in places):
                return False
            for kind, at in places:
                self.is_open[kind][at] = False
            self.steps.append(step)
            placed.add(step.cell)
        return True

    def free(self, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return those of some cells whose lines are all open."""
        n = self.before.instance.n
        keep = np.ones(len(rows), dtype=np.bool_)
        for kind in Kind:
            keep &= self.is_open[kind][position(kind, rows, columns, n)]
        return rows[keep], columns[keep]


def _by_cells(board: _Forcing) -> None:
    """Place forced queens, counting the free cells of all lines in each round."""
    rows, columns = board.before.free_arrays
    while True:
        forced = []
        for kind in ROW_COLUMN:
            of_cell = line_index(kind, rows, columns)
            counts = np.bincount(of_cell, minlength=board.before.instance.n)
            if (counts[board.is_open[kind]] == 0).any():
                return
            for at in np.flatnonzero(counts[of_cell] == 1).tolist():
                cell = int(rows[at]), int(columns[at])
                forced.append(Forced(cell, Line(kind, int(of_cell[at]))))
        if not forced or not board.place(forced):
            return
        rows, columns = board.free(rows, columns)


def _by_lines(board: _Forcing) -> None:
    """Place forced queens, looking only at lines that may be short."""
    while True:
        reduction = board.reduction()
        forced = []
        for kind in ROW_COLUMN:
            for index in _short(reduction, kind)[:_COUNTED_LINES].tolist():
                line = Line(kind, index)
                number = reduction.count_on(line)
                if number == 0:
                    return
                if number == 1:
                    forced.append(Forced(_only_cell(reduction, line), line))
        if not forced or not board.place(forced):
            return


def _short(reduction: Reduction, kind: Kind) -> IntArray:
    """Return the open rows or columns that may have fewer than two free cells, shortest first."""
    spare = reduction.least_free(kind)
    short = np.flatnonzero(reduction.is_open[kind] & (spare < 2))
    return short[np.argsort(spare[short], kind="stable")]


def _only_cell(reduction: Reduction, line: Line) -> Cell:
    """Return the one free cell of a line."""
    way = course(line, reduction.instance.n)
    along = (
        (way.row + at * way.row_step, way.column + at * way.column_step) for at in range(way.length)
    )
    return next(cell for cell in along if reduction.is_free(cell))
