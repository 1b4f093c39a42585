"""Probing: free cells on which a queen would leave some row or column without a free cell.

Such a cell is in no solution. The free cells are the bits of one Python integer, so what a queen
attacks goes in one operation, and a probe takes microseconds on boards with hundreds of cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qubo_queens.board.certificate import Dropped, Forced
from qubo_queens.board.lines import (
    ROW_COLUMN,
    Cell,
    Kind,
    Line,
    coordinates,
    position,
)
from qubo_queens.board.reduction import Reduction

PROBED_CELLS = 10_000
"""Boards with more free cells are not probed: the work grows with more than their square."""


def probe(reduction: Reduction, should_stop: Callable[[], bool] = lambda: False) -> Reduction:
    """Return what is left once no free cell can be refuted by propagation alone.

    Each free cell is tried: a queen there, and all queens that it forces. If that leaves a row or
    column without a free cell, the cell is dropped, which may force queens or allow to drop others.
    Boards with more than ``PROBED_CELLS`` free cells are returned as they are.

    Args:
        reduction: A reduction that is propagated already, of an instance without contradictions.
        should_stop: Asked after each probe; if it returns true, what was found so far is returned.
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
    """A board on which queens have been placed one by one.

    Attributes:
        free: The free cells, as bits.
        missing: The numbers of the rows and columns without a queen.
        forced: The queens that were forced on the way here.
        empty: A row or column without a queen and without a free cell.
    """

    free: int
    missing: tuple[int, ...]
    forced: tuple[Forced, ...] = ()
    empty: Line | None = None


class _Bits:
    """The free cells and the open rows and columns of a reduction, as bits."""

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
        """For each cell, the cells on its lines, itself included."""
        attacked = [0] * len(self.cells)
        for kind, cells in self._on_line.items():
            for bit, line in enumerate(self._at[kind]):
                attacked[bit] |= cells[line]
        return attacked

    def with_queen(self, state: _State, bit: int) -> _State:
        """Return the board with one more queen, whose forced queens are told from here on."""
        missing = tuple(at for at in state.missing if not self._masks[at] >> bit & 1)
        return _State(state.free & ~self._attacked[bit], missing)

    def settled(self, state: _State) -> _State:
        """Return the board with all forced queens, or with a line that has become empty."""
        free, missing, forced = state.free, list(state.missing), list(state.forced)
        changed = True
        while changed:
            changed = False
            for at in missing:
                left = free & self._masks[at]
                if not left:
                    return _State(free, tuple(missing), tuple(forced), self.lines[at])
                if left & (left - 1):
                    continue
                bit = left.bit_length() - 1
                forced.append(Forced(self.cells[bit], self.lines[at]))
                free &= ~self._attacked[bit]
                missing = [other for other in missing if not self._masks[other] >> bit & 1]
                changed = True
                break
        return _State(free, tuple(missing), tuple(forced))


def _reduced(reduction: Reduction, steps: list[Forced | Dropped]) -> Reduction:
    """Return a reduction after further steps."""
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
