"""The free cells and the fixed queens of each line, for encodings that write lines one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, Line, coordinates, indices, position
from qubo_queens.board.reduction import Reduction


class LineGroup(NamedTuple):
    """One line.

    Attributes:
        line: The line.
        free: Its free cells along its course, by their places in ``reduction.free_cells``.
        fixed: Its fixed queens, by their places in ``reduction.queens``.
    """

    line: Line
    free: IntArray
    fixed: IntArray


def line_groups(reduction: Reduction, kind: Kind) -> Iterator[LineGroup]:
    """Yield the lines of a family, by index."""
    n = reduction.instance.n
    every = indices(kind, n)
    free = _by_line(position(kind, *reduction.free_arrays, n), len(every))
    fixed = _by_line(position(kind, *coordinates(reduction.queens), n), len(every))
    for index, on_line, queens in zip(every, free, fixed, strict=True):
        yield LineGroup(Line(kind, index), on_line, queens)


def _by_line(places: IntArray, number: int) -> list[IntArray]:
    """Return for each line the cells on it; along any line, row-major order is its course."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(number), side="right")
    return np.split(order, ends[:-1])
