"""The result of ``reduce``: the part of an instance that is still to be decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from qubo_queens.board.certificate import (
    Certificate,
    Contradictory,
    EmptyLine,
    Forced,
    SmallBoard,
    Step,
)
from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    BoolArray,
    Cell,
    IntArray,
    Kind,
    Line,
    course,
    indices,
    line_counts,
    line_index,
    position,
)

Mode = Literal["none", "lines", "propagate", "probe"]

_CHUNK = 1 << 20
"""The number of candidate cells that are tested together when free cells are listed."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """The part of an instance that is still to be decided: open lines and free cells.

    A cell is free if all four lines through it are open and it is not in `taken`. Nothing of
    size n^2 is stored: free cells are listed on request.

    Attributes:
        instance: The instance.
        mode: The mode of ``reduce``.
        is_open: For each kind of line an array of booleans: entry i is whether the line with the
            i-th index of ``lines.indices(kind, n)`` is open. Of shape (n,) for rows and columns,
            (2n - 1,) for diagonals.
        taken: Further cells that are not free: blocked and dropped ones, and prescribed ones in
            mode ``none``. An integer array of shape (m, 2), in row-major order.
        steps: The forced queens and dropped cells, in the order in which they were found. Each step
            holds for the board after the steps before it.

    Example:
        >>> from qubo_queens import Instance, reduce
        >>> reduction = reduce(Instance(4, queens=[(0, 1)]))
        >>> reduction.forced, reduction.queens
        (((1, 3), (2, 0), (3, 2)), ((0, 1), (1, 3), (2, 0), (3, 2)))
        >>> reduction.decided, reduction.infeasible
        (True, False)
        >>> reduce(Instance(3)).reason
        '3 non-attacking queens do not fit on a 3 x 3 board'
    """

    instance: Instance
    mode: Mode
    is_open: Mapping[Kind, BoolArray] = field(repr=False)
    taken: IntArray = field(repr=False)
    steps: tuple[Step, ...] = field(default=(), repr=False)

    @cached_property
    def forced(self) -> tuple[Cell, ...]:
        """The forced queens, which all solutions have, in row-major order."""
        return tuple(sorted(step.cell for step in self.steps if isinstance(step, Forced)))

    @cached_property
    def queens(self) -> tuple[Cell, ...]:
        """The prescribed and the forced queens, in row-major order."""
        given = self.instance.queens
        return tuple(sorted(given + self.forced)) if self.steps else given

    def open_lines(self, kind: Kind) -> IntArray:
        """Return the indices of the open lines of `kind`, ascending."""
        return np.flatnonzero(self.is_open[kind]) + indices(kind, self.instance.n)[0]

    @cached_property
    def free_arrays(self) -> tuple[IntArray, IntArray]:
        """The rows and the columns of the N free cells, in row-major order, each of shape (N,)."""
        chunks = list(self.free_chunks())
        rows = [chunk[0] for chunk in chunks] or [np.empty(0, np.int64)]
        columns = [chunk[1] for chunk in chunks] or [np.empty(0, np.int64)]
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def free_cells(self) -> tuple[Cell, ...]:
        """The free cells in row-major order."""
        rows, columns = self.free_arrays
        return tuple(zip(rows.tolist(), columns.tolist(), strict=True))

    def free_chunks(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows and columns of free cells in row-major order, some rows at a time."""
        n = self.instance.n
        rows, columns = self.open_lines(Kind.ROW), self.open_lines(Kind.COLUMN)
        if not all(lines.any() for lines in self.is_open.values()):
            return
        taken = self._taken_places
        step = max(1, _CHUNK // max(1, len(columns)))
        for start in range(0, len(rows), step):
            # Axis 0 is the row and axis 1 the column; of shape (rows of the chunk, open columns).
            row, column = rows[start : start + step, None], columns[None, :]
            free = self.is_open[Kind.SUM][position(Kind.SUM, row, column, n)]
            free &= self.is_open[Kind.DIFFERENCE][position(Kind.DIFFERENCE, row, column, n)]
            at_row, at_column = np.nonzero(free)
            chunk = rows[start : start + step][at_row], columns[at_column]
            if len(taken):
                keep = ~np.isin(chunk[0] * n + chunk[1], taken, assume_unique=True)
                chunk = chunk[0][keep], chunk[1][keep]
            yield chunk

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is free, in time O(log m) for m taken cells."""
        row, column = cell
        n = self.instance.n
        if not all(self.is_open[kind][position(kind, row, column, n)] for kind in Kind):
            return False
        places = self._taken_places
        at = int(np.searchsorted(places, row * n + column))
        return at == len(places) or bool(places[at] != row * n + column)

    @cached_property
    def _taken_places(self) -> IntArray:
        return self.taken[:, 0] * self.instance.n + self.taken[:, 1]

    def count_on(self, line: Line) -> int:
        """Return the number of free cells on `line`, in time O(n)."""
        n = self.instance.n
        way = course(line, n)
        free = np.ones(way.length, dtype=np.bool_)  # entry i is the i-th cell of the line
        for kind in Kind:
            # Along the line, the crossing lines of a kind are at the positions start, start + step,
            # ... with step -2 to 2. Step 0 means the line itself.
            start = position(kind, way.row, way.column, n)
            step = line_index(kind, way.row_step, way.column_step)
            along = self.is_open[kind]
            if step == 0:
                if not along[start]:
                    return 0
                continue
            stop = start + step * way.length
            free &= along[start : stop if stop >= 0 else None : step]
        taken = self._taken_counts[line.kind][line.index - indices(line.kind, n)[0]]
        return int(np.count_nonzero(free) - taken)

    @cached_property
    def _taken_counts(self) -> dict[Kind, IntArray]:
        """For each kind the number of `taken` cells on each line whose four lines are all open."""
        n = self.instance.n
        rows, columns = self.taken.T
        counted = np.ones(len(rows), dtype=np.bool_)
        for kind in Kind:
            counted &= self.is_open[kind][position(kind, rows, columns, n)]
        return line_counts(rows[counted], columns[counted], n)

    @cached_property
    def untouched(self) -> bool:
        """Whether every cell is free."""
        return not len(self.taken) and all(lines.all() for lines in self.is_open.values())

    @cached_property
    def decided(self) -> bool:
        """Whether no cell is free, so that no queen can be added to `queens`."""
        return not self.untouched and not any(len(rows) for rows, _ in self.free_chunks())

    @property
    def infeasible(self) -> bool:
        """Whether it is proven that there is no solution; False does not prove the opposite."""
        return self.certificate is not None

    @property
    def reason(self) -> str | None:
        """Why there is no solution, as a proof in words; None if that is not proven."""
        return None if self.certificate is None else self.certificate.reason

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof that there is no solution; None if none was found."""
        contradictions = self.instance.contradictions()
        if contradictions:
            return Contradictory(contradictions)
        if self.instance.n in (2, 3):
            return SmallBoard(self.instance.n)
        empty = None if self.untouched else self._empty_line()
        return None if empty is None else EmptyLine(self.steps, empty)

    def _empty_line(self) -> Line | None:
        """Return a row or column without a queen and without a free cell; None if there is none."""
        filled = {Kind.ROW: set[int](), Kind.COLUMN: set[int]()}
        for row, column in self.queens:
            filled[Kind.ROW].add(row)
            filled[Kind.COLUMN].add(column)
        for kind in ROW_COLUMN:
            for index in np.flatnonzero(self.least_free(kind) <= 0).tolist():
                if index not in filled[kind] and self.count_on(Line(kind, index)) == 0:
                    return Line(kind, index)
        return None

    def least_free(self, kind: Kind) -> IntArray:
        """Return a lower bound on the free cells of each open row, or each open column, in O(n).

        An open line loses at most one cell to each closed line of another kind that crosses it. The
        result has shape (n,); values for closed lines are meaningless.
        """
        n, crossing = self.instance.n, Kind.COLUMN if kind is Kind.ROW else Kind.ROW
        least = np.count_nonzero(self.is_open[crossing]) - self._taken_counts[kind]
        for diagonal in DIAGONAL:
            # closed[i] is the number of closed diagonals at positions below i. Row or column i
            # crosses n diagonals at consecutive positions, from start[i] on.
            closed = np.concatenate(([0], np.cumsum(~self.is_open[diagonal])))
            start = np.arange(n)
            if (kind, diagonal) == (Kind.COLUMN, Kind.DIFFERENCE):
                start = start[::-1]  # column c crosses the differences -c to n - 1 - c
            least -= closed[start + n] - closed[start]
        return least
