"""``reduce``: close lines, place forced queens, and drop cells that are in no solution.

From top to bottom: the function, propagation (mode ``propagate``), and probing (mode ``probe``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qubo_queens.board.certificate import Dropped, Forced
from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    Cell,
    IntArray,
    Kind,
    Line,
    coordinates,
    indices,
    line_index,
    position,
)
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import shown
from qubo_queens.errors import InputError

MODES: tuple[Mode, ...] = ("none", "lines", "propagate", "probe")

LISTED_CELLS = 30_000_000
"""Boards with at most this many candidate cells are propagated by listing their free cells."""

PROBED_CELLS = 10_000
"""Boards with more free cells are not probed: the work grows faster than their square."""

_COUNTED_LINES = 2000
"""On larger boards at most this many lines are counted in each round."""


def reduce(instance: InstanceLike, mode: Mode = "propagate") -> Reduction:
    """Remove from an instance what its prescribed queens decide.

    Args:
        instance: The instance, or n for the plain board.
        mode: How far to reduce. Each mode includes the ones before it:

            ``none`` closes excluded diagonals and takes blocked and prescribed cells.

            ``lines`` closes all lines through prescribed queens.

            ``propagate`` (the default) places a queen wherever a row or column has a single free
            cell, until there is no such line.

            ``probe`` drops each free cell on which a queen would, by further forced queens, leave a
            row or column without a free cell. It takes seconds on boards with thousands of free
            cells, and skips boards with more than 10,000.

            If prescribed queens contradict each other, every mode stops at ``lines``.

    Returns:
        What is left to decide; ``infeasible`` if the reduction proves that there is no solution.

    Raises:
        InputError: If the mode is unknown.

    Example:
        >>> from qubo_queens import Instance, reduce
        >>> instance = Instance(5, queens=[(0, 0), (1, 2)])
        >>> reduce(instance, "lines").free_cells
        ((2, 4), (3, 1), (4, 1), (4, 3))
        >>> reduction = reduce(instance)
        >>> reduction.free_cells, reduction.forced
        ((), ((2, 4), (3, 1), (4, 3)))
        >>> print(reduction.steps[0])
        (2, 4) is the only free cell of row 2
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
    """Return a reduction in at least `mode`: the given one if that is enough."""
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


def propagate(reduction: Reduction) -> Reduction:
    """Return a reduction in mode ``lines``, free of contradictions, after placing forced queens.

    The free cells are listed once, unless a bound shows that each row and column has two of them. A
    board with more than ``LISTED_CELLS`` candidate cells is propagated by counting single lines,
    the 2,000 shortest ones by that bound; only there can a forced queen be missed.
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
        """Return the reduction after the steps so far."""
        if not self.steps:
            return self.before
        steps = (*self.before.steps, *self.steps)
        return replace(self.before, is_open=self.is_open, steps=steps)

    def place(self, forced: list[Forced]) -> bool:
        """Place queens one by one; stop and return False at the first one that is attacked."""
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
        """Return the cells of (rows, columns) whose lines are all open."""
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
    """Place forced queens, counting only lines that may have fewer than two free cells."""
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
    """Return the one free cell of a row or column."""
    is_row = line.kind is Kind.ROW
    across = range(reduction.instance.n)
    along = ((line.index, at) if is_row else (at, line.index) for at in across)
    return next(cell for cell in along if reduction.is_free(cell))


def probe(reduction: Reduction, should_stop: Callable[[], bool] = lambda: False) -> Reduction:
    """Return the reduction after dropping all free cells that propagation refutes.

    For each free cell a queen is placed there, with all queens that it forces. If that leaves a row
    or column without a free cell, the cell is in no solution and is dropped. This can force queens,
    and refute further cells. Boards with more than ``PROBED_CELLS`` free cells are returned
    unchanged.

    Args:
        reduction: A reduction that is already propagated, of an instance without contradictions.
        should_stop: Called before each probe; if it returns true, the steps so far are returned.
    """
    rows, _ = reduction.free_arrays
    if not 0 < len(rows) <= PROBED_CELLS:
        return reduction
    board = _Bits(reduction)
    state = _State((1 << len(board.cells)) - 1, tuple(range(len(board.lines))))
    steps: list[Forced | Dropped] = []
    progress = True
    while progress and state.empty is None:
        progress = False
        for bit, cell in enumerate(board.cells):
            if not state.free >> bit & 1:
                continue
            if should_stop():
                return _reduced(reduction, steps)
            tried = board.settled(board.with_queen(state, bit))
            if tried.empty is not None:
                steps.append(Dropped(cell, tried.forced, tried.empty))
                state = board.settled(replace(state, free=state.free & ~(1 << bit), forced=()))
                steps += state.forced
                progress = True
                if state.empty is not None:
                    break
    return _reduced(reduction, steps)


@dataclass(frozen=True)
class _State:
    """A board with some queens placed, some of them forced.

    Free cells are the bits of an integer. The rows and columns without a queen are indices into
    ``_Bits.lines``; one of them may be empty, that is, without a free cell.
    """

    free: int
    missing: tuple[int, ...]
    forced: tuple[Forced, ...] = ()
    empty: Line | None = None


class _Bits:
    """The free cells of a reduction as bits, and its open rows and columns.

    A set of free cells is one Python integer: bit b stands for ``cells[b]``. All cells that a queen
    attacks are then removed by one operation, and a probe takes microseconds on boards with
    hundreds of cells.
    """

    def __init__(self, reduction: Reduction) -> None:
        self.cells = reduction.free_cells
        rows, columns = reduction.free_arrays
        n = reduction.instance.n
        self._at = {kind: position(kind, rows, columns, n).tolist() for kind in Kind}
        self._on_line: dict[Kind, dict[int, int]] = {kind: {} for kind in Kind}
        for kind, cells in self._on_line.items():
            for bit, line in enumerate(self._at[kind]):
                cells[line] = cells.get(line, 0) | 1 << bit
        open_lines = {kind: reduction.open_lines(kind).tolist() for kind in ROW_COLUMN}
        self.lines = [Line(kind, index) for kind in ROW_COLUMN for index in open_lines[kind]]
        self._masks = [self._on_line[line.kind].get(line.index, 0) for line in self.lines]

    @cached_property
    def _attacked(self) -> list[int]:
        """For each cell the cells on its four lines, including itself."""
        attacked = [0] * len(self.cells)
        for kind, cells in self._on_line.items():
            for bit, line in enumerate(self._at[kind]):
                attacked[bit] |= cells[line]
        return attacked

    def with_queen(self, state: _State, bit: int) -> _State:
        """Return the board with one more queen; its list of forced queens is empty."""
        missing = tuple(at for at in state.missing if not self._masks[at] >> bit & 1)
        return _State(state.free & ~self._attacked[bit], missing)

    def settled(self, state: _State) -> _State:
        """Return the board after placing all forced queens, or as soon as a line is empty."""
        free, missing, forced = state.free, list(state.missing), list(state.forced)
        changed = True
        while changed:
            changed = False
            for at in missing:
                left = free & self._masks[at]
                if not left:
                    return _State(free, tuple(missing), tuple(forced), self.lines[at])
                if left & (left - 1):  # two or more free cells
                    continue
                bit = left.bit_length() - 1
                forced.append(Forced(self.cells[bit], self.lines[at]))
                free &= ~self._attacked[bit]
                missing = [other for other in missing if not self._masks[other] >> bit & 1]
                changed = True
                break
        return _State(free, tuple(missing), tuple(forced))


def _reduced(reduction: Reduction, steps: list[Forced | Dropped]) -> Reduction:
    """Return the reduction after further steps."""
    if not steps:
        return reduction
    n = reduction.instance.n
    is_open = {kind: lines.copy() for kind, lines in reduction.is_open.items()}
    forced: list[Cell] = [step.cell for step in steps if isinstance(step, Forced)]
    rows, columns = coordinates(forced)
    for kind in Kind:
        is_open[kind][position(kind, rows, columns, n)] = False
    dropped = [step.cell for step in steps if isinstance(step, Dropped)]
    taken = sorted({*map(tuple, reduction.taken.tolist()), *dropped})
    return replace(
        reduction,
        is_open=is_open,
        taken=np.stack(coordinates(taken), axis=1),
        steps=(*reduction.steps, *steps),
    )
