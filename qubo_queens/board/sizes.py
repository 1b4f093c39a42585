"""The numbers of free cells, and of pairs of them on a common line, before a model is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    IntArray,
    Kind,
    Line,
    coordinates,
    indices,
    line_counts,
)
from qubo_queens.board.reduction import Reduction

EXACT_CELLS = 30_000_000
"""Boards with at most this many candidate cells are counted; larger ones are estimated."""

_SAMPLED_LINES = 40, 400
"""The least and the largest number of lines of a kind that are counted for an estimate."""

_SAMPLED_CELLS = 4 * 10**8
"""The largest number of cells on these lines, if they are more than the least number."""

PerLine = Mapping[Kind, npt.NDArray[Any]]
"""For each kind a number for each line, by position."""


@dataclass(frozen=True, eq=False)
class LineSizes:
    """The numbers of free cells, and of prescribed and forced queens, on each line.

    Unless they are exact, the numbers of free cells are estimates, and not integers.
    """

    free: PerLine
    fixed: Mapping[Kind, IntArray]
    exact: bool

    @property
    def sizes(self) -> Sizes:
        """The total numbers of cells and of pairs of them on a common line."""
        pairs = {kind: (free * (free - 1) / 2).sum() for kind, free in self.free.items()}
        return Sizes(
            round(self.free[Kind.ROW].sum()),
            round(sum(pairs[kind] for kind in ROW_COLUMN)),
            round(sum(pairs[kind] for kind in DIAGONAL)),
            self.exact,
        )

    def unfilled(self, kinds: Iterable[Kind]) -> npt.NDArray[Any]:
        """Return the free cells of the lines of some kinds that have no queen yet."""
        return np.concatenate([self.free[kind][self.fixed[kind] == 0] for kind in kinds])


@dataclass(frozen=True)
class Sizes:
    """The numbers of free cells, and of pairs of them on a common line; exact or estimates."""

    cells: int
    row_column_pairs: int
    diagonal_pairs: int
    exact: bool


def sizes(reduction: Reduction) -> Sizes:
    """Return the size of what `reduction` leaves open, without a model and in bounded memory.

    For a board with all cells free it is a closed form, else it follows from ``line_sizes``.
    """
    n = reduction.instance.n
    if not reduction.untouched:
        return line_sizes(reduction).sizes
    return Sizes(n * n, n * n * (n - 1), n * (n - 1) * (2 * n - 1) // 3, True)


def line_sizes(reduction: Reduction) -> LineSizes:
    """Return the number of cells that are left on each line, in bounded memory.

    Boards with up to ``EXACT_CELLS`` candidate cells are counted. On larger ones up to 400 evenly
    spaced lines of each kind are counted, and the others are interpolated linearly.
    """
    n = reduction.instance.n
    fixed = line_counts(*coordinates(reduction.queens), n)
    if reduction.untouched:
        return LineSizes({kind: line_lengths(kind, n) for kind in Kind}, fixed, exact=True)
    if not all(lines.any() for lines in reduction.is_open.values()):
        return LineSizes({kind: 0 * line_lengths(kind, n) for kind in Kind}, fixed, exact=True)
    candidates = len(reduction.open_lines(Kind.ROW)) * len(reduction.open_lines(Kind.COLUMN))
    exact = candidates <= EXACT_CELLS
    free = _counted(reduction) if exact else _estimated(reduction)
    return LineSizes(free, fixed, exact)


def line_lengths(kind: Kind, n: int) -> IntArray:
    """Return the number of cells of each line of a kind, by position."""
    if kind in ROW_COLUMN:
        return np.full(n, n)
    return n - np.abs(np.arange(1 - n, n))


def _counted(reduction: Reduction) -> PerLine:
    n = reduction.instance.n
    counts = {kind: np.zeros(len(indices(kind, n)), dtype=np.int64) for kind in Kind}
    for rows, columns in reduction.free_chunks():
        for kind, count in line_counts(rows, columns, n).items():
            counts[kind] += count
    return counts


def _estimated(reduction: Reduction) -> PerLine:
    counts, n = {}, reduction.instance.n
    least, most = _SAMPLED_LINES
    number = max(least, min(most, _SAMPLED_CELLS // n))
    for kind in Kind:
        every = indices(kind, n)
        lines = reduction.open_lines(kind)
        at = np.unique(np.linspace(0, len(lines) - 1, number).astype(np.int64))
        sampled = [reduction.count_on(Line(kind, index)) for index in lines[at].tolist()]
        counts[kind] = np.zeros(len(every))
        counts[kind][lines - every[0]] = np.interp(np.arange(len(lines)), at, sampled)
    return counts
