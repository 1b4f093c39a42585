"""How many free cells, and pairs of them on one line, an instance has: known before building."""

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
"""At least and at most so many lines of a family are counted for an estimate."""

_SAMPLED_CELLS = 4 * 10**8
"""How many cells they may have in all, if there are more than the least number of them."""

Counts = Mapping[Kind, npt.NDArray[Any]]
"""For each family a number for each of its lines, by position."""


@dataclass(frozen=True, eq=False)
class LineSizes:
    """How many cells each line has left.

    Attributes:
        free: The number of free cells on each line; not whole numbers where they are estimated.
        fixed: The number of prescribed and forced queens on each line.
        exact: False if the free cells are estimates.
    """

    free: Counts
    fixed: Mapping[Kind, IntArray]
    exact: bool

    @property
    def sizes(self) -> Sizes:
        """The cells, and the pairs of them on one line, in all."""
        pairs = {kind: (free * (free - 1) / 2).sum() for kind, free in self.free.items()}
        return Sizes(
            round(self.free[Kind.ROW].sum()),
            round(sum(pairs[kind] for kind in ROW_COLUMN)),
            round(sum(pairs[kind] for kind in DIAGONAL)),
            self.exact,
        )

    def unfilled(self, kinds: Iterable[Kind]) -> npt.NDArray[Any]:
        """Return the free cells of the lines of some families that hold no queen yet."""
        return np.concatenate([self.free[kind][self.fixed[kind] == 0] for kind in kinds])


@dataclass(frozen=True)
class Sizes:
    """The size of the problem that a reduction leaves.

    Attributes:
        cells: The number of free cells.
        row_column_pairs: The number of pairs of free cells that share a row or column.
        diagonal_pairs: The number of pairs that share a diagonal (no pair shares two lines).
        exact: False if the three are estimates.
    """

    cells: int
    row_column_pairs: int
    diagonal_pairs: int
    exact: bool


def sizes(reduction: Reduction) -> Sizes:
    """Return the size of what `reduction` leaves open, without a model and in bounded memory.

    A board with every cell free is answered in closed form, any other from ``line_sizes``.
    """
    if reduction.untouched:
        return _full_board(reduction.instance.n)
    return line_sizes(reduction).sizes


def line_sizes(reduction: Reduction) -> LineSizes:
    """Return how many cells each line has left, in bounded memory.

    Boards with up to ``EXACT_CELLS`` candidate cells are counted. Above that, some hundred evenly
    spaced lines of each family are counted and the others interpolated between them.
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


def _full_board(n: int) -> Sizes:
    """Return the closed forms: n^2 cells, n^2(n-1) and n(n-1)(2n-1)/3 pairs."""
    return Sizes(n * n, n * n * (n - 1), n * (n - 1) * (2 * n - 1) // 3, True)


def line_lengths(kind: Kind, n: int) -> IntArray:
    """Return how many cells the lines of a family have."""
    if kind in ROW_COLUMN:
        return np.full(n, n)
    return n - np.abs(np.arange(1 - n, n))


def _counted(reduction: Reduction) -> Counts:
    n = reduction.instance.n
    counts = {kind: np.zeros(len(indices(kind, n)), dtype=np.int64) for kind in Kind}
    for rows, columns in reduction.free_chunks():
        for kind, count in line_counts(rows, columns, n).items():
            counts[kind] += count
    return counts


def _estimated(reduction: Reduction) -> Counts:
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
