"""How many free cells, and pairs of them on one line, an instance has: known before building."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN, Kind, Line, indices, line_counts
from qubo_queens.board.reduction import Reduction

EXACT_CELLS = 30_000_000
"""Boards with at most this many candidate cells are counted; larger ones are estimated."""

_SAMPLED_LINES = 400


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

    A board with every cell free is answered in closed form, any other with up to
    ``EXACT_CELLS`` candidate cells by counting. Above that, some hundred evenly spaced lines of
    each family are counted and the others interpolated between them.
    """
    n = reduction.instance.n
    if reduction.untouched:
        return _full_board(n)
    if not all(lines.any() for lines in reduction.is_open.values()):
        return Sizes(0, 0, 0, exact=True)
    candidates = len(reduction.open_lines(Kind.ROW)) * len(reduction.open_lines(Kind.COLUMN))
    return _counted(reduction) if candidates <= EXACT_CELLS else _estimated(reduction)


def _full_board(n: int) -> Sizes:
    """Return the closed forms: n^2 cells, n^2(n-1) and n(n-1)(2n-1)/3 pairs."""
    return Sizes(n * n, n * n * (n - 1), n * (n - 1) * (2 * n - 1) // 3, True)


def _counted(reduction: Reduction) -> Sizes:
    n = reduction.instance.n
    counts = {kind: np.zeros(len(indices(kind, n)), dtype=np.int64) for kind in Kind}
    cells = 0
    for rows, columns in reduction.free_chunks():
        cells += len(rows)
        for kind, count in line_counts(rows, columns, n).items():
            counts[kind] += count
    pairs = {kind: int((count * (count - 1) // 2).sum()) for kind, count in counts.items()}
    return Sizes(cells, _total(pairs, ROW_COLUMN), _total(pairs, DIAGONAL), exact=True)


def _estimated(reduction: Reduction) -> Sizes:
    cells, pairs = {}, {}
    for kind in Kind:
        lines = reduction.open_lines(kind)
        at = np.unique(np.linspace(0, len(lines) - 1, _SAMPLED_LINES).astype(np.int64))
        counts = np.array([reduction.count_on(Line(kind, i)) for i in lines[at].tolist()], float)
        everywhere = np.arange(len(lines))
        cells[kind] = np.interp(everywhere, at, counts).sum()
        pairs[kind] = np.interp(everywhere, at, counts * (counts - 1) / 2).sum()
    return Sizes(
        round(cells[Kind.ROW]), _total(pairs, ROW_COLUMN), _total(pairs, DIAGONAL), exact=False
    )


def _total(pairs: Mapping[Kind, float], family: Iterable[Kind]) -> int:
    return round(sum(pairs[kind] for kind in family))
