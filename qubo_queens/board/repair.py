"""Repair of permutations: from one queen in each row and column to a solution.

The swaps are those of R. Sosic and J. Gu, "A polynomial time algorithm for the N-queens problem",
SIGART Bulletin 1(3), 1990.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np


def repair(columns: list[int], rng: np.random.Generator) -> bool:
    """Swap columns, in place, until no two queens attack each other.

    Args:
        columns: The column of the queen of each row, all different.
        rng: Decides which other row is looked at first.

    Returns:
        Whether that was reached; False if no swap leaves fewer attacking pairs.
    """
    queens = _Permutation(columns)
    n = len(columns)
    while attacked := queens.attacked():
        improved = False
        for row in attacked:
            start = int(rng.integers(n))
            improved |= any(queens.improve(row, other) for other in _from(start, n))
        if not improved:
            return False
    return True


def _from(start: int, n: int) -> Iterator[int]:
    return chain(range(start, n), range(start))


class _Permutation:
    """One queen in each row and column, with the number of queens on each diagonal."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        self._sums = [0] * (2 * len(columns) - 1)
        self._differences = self._sums.copy()  # negative differences count from the end
        for row in range(len(columns)):
            self._put(row)

    def attacked(self) -> list[int]:
        """Return the rows whose queen is attacked."""
        return [
            row
            for row, column in enumerate(self.columns)
            if self._sums[row + column] > 1 or self._differences[row - column] > 1
        ]

    def improve(self, row: int, other: int) -> bool:
        """Swap the columns of two rows if that leaves fewer attacking pairs."""
        if self._swap(row, other) < 0:
            return True
        self._swap(row, other)
        return False

    def _swap(self, row: int, other: int) -> int:
        """Swap the columns of two rows; return the change in the number of attacking pairs."""
        columns = self.columns
        lost = self._take(row) + self._take(other)
        columns[row], columns[other] = columns[other], columns[row]
        return self._put(row) + self._put(other) - lost

    def _take(self, row: int) -> int:
        """Take the queen off its diagonals; return how many others are there."""
        column = self.columns[row]
        self._sums[row + column] -= 1
        self._differences[row - column] -= 1
        return self._sums[row + column] + self._differences[row - column]

    def _put(self, row: int) -> int:
        """Put the queen on its diagonals; return how many others are there."""
        column = self.columns[row]
        self._sums[row + column] += 1
        self._differences[row - column] += 1
        return self._sums[row + column] + self._differences[row - column] - 2
