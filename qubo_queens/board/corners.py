"""Queens packed into the corners of a board."""

from __future__ import annotations

from itertools import product

import numpy as np

from qubo_queens.board.lines import Cell, IntArray, Kind, indices, position


def packed(n: int, k: int, rng: np.random.Generator) -> list[Cell]:
    """Return up to `k` mutually non-attacking queens, as close to the corners as they go.

    The corners take turns, in a random order in each round. A queen is put on a random one of
    those free cells that are nearest to its corner, in king's moves. Fewer than `k` are returned
    if no free cell is left.
    """
    free = _Free(n)
    corners = [_Corner(n, *flips) for flips in product((False, True), repeat=2)]
    queens: list[Cell] = []
    while True:
        for number in rng.permutation(len(corners)).tolist():
            rows, columns = corners[number].nearest(free)
            if len(queens) == k or not len(rows):
                return queens
            chosen = int(rng.integers(len(rows)))
            queens.append((int(rows[chosen]), int(columns[chosen])))
            free.take(*queens[-1])


class _Free:
    """Which lines have no queen yet."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._is_open = {kind: np.ones(len(indices(kind, n)), dtype=np.bool_) for kind in Kind}

    def among(self, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return those of some cells that no queen attacks."""
        kept = np.ones(len(rows), dtype=np.bool_)
        for kind, is_open in self._is_open.items():
            kept &= is_open[position(kind, rows, columns, self._n)]
        return rows[kept], columns[kept]

    def take(self, row: int, column: int) -> None:
        """Put a queen on a free cell."""
        for kind, is_open in self._is_open.items():
            is_open[position(kind, row, column, self._n)] = False


class _Corner:
    """One corner, and how far from it all cells are attacked: that only grows."""

    def __init__(self, n: int, bottom: bool, right: bool) -> None:
        self._n = n
        self._bottom = bottom
        self._right = right
        self._distance = 0

    def nearest(self, free: _Free) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the nearest free cells; none if none is left."""
        for distance in range(self._distance, self._n):
            rows, columns = free.among(*self._cells(distance))
            if len(rows):
                break
        self._distance = distance
        return rows, columns

    def _cells(self, distance: int) -> tuple[IntArray, IntArray]:
        """Return the cells so many king's moves from the corner."""
        run = np.arange(distance + 1)
        rows = np.concatenate((run, np.full(distance, distance)))
        columns = np.concatenate((np.full(distance + 1, distance), run[:-1]))
        last = self._n - 1
        return last - rows if self._bottom else rows, last - columns if self._right else columns
