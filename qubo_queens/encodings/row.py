"""The row encoding: a variable for each row, its queen's column, as one-hot bits.

``E = H * sum over rows of (count - 1)^2 + A * pairs of rows with equal columns + B * pairs of rows
whose columns are as far apart as they are + A * prescribed queens on forbidden cells``. E = 0
exactly on the solutions: n queens in n different columns fill them all. Elsewhere some term, a
whole number times its weight, is not 0: E >= min(A, B, H), which is 1 at the default strengths.
The couplings are those of the cell encoding: n(n-1)(5n-1)/3 on the plain board.

The default strengths are equal: then taking away a queen that one other attacks costs nothing, and
annealing succeeds far more often than with pairs at twice the weight (see benchmarks/).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, position
from qubo_queens.board.sizes import sizes
from qubo_queens.encodings.cell_bits import CellPenaltyModel, largest_cell_degree
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import line_groups, pair_number, pairs_in_groups
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.strengths import family_of


class RowModel(CellPenaltyModel):
    """A Boolean for each free cell (r, c), "C_r = c"; no constraint on columns but by pairs."""

    encoding = "row"
    default_strengths: ClassVar = {"row_column": 1, "diagonal": 1, "one_hot": 1}

    @property
    def gap(self) -> float:
        """min(A, B, H)."""
        return self.strengths.least

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """``C_r has one value``, ``C_r != C_s`` and ``|C_r - C_s| != s - r``, rows r < s."""
        return row_constraints(self.instance.n)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The sum of each row, and pairs of rows."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "one_hot"))
        for group in line_groups(self.reduction, Kind.ROW):
            queens = [*group.free.tolist(), *(group.fixed + self._first_queen).tolist()]
            penalties.square("one_hot", group.line.index, [queens], constant=-1)
        add_row_pairs(penalties, self.literals.cells[:-1], self.instance.n)
        return penalties.collected()

    def _size(self) -> tuple[int, int, bool]:
        """Cells of one row are coupled, of one column and of one diagonal."""
        size = sizes(self.reduction)
        return size.cells, size.row_column_pairs + size.diagonal_pairs, size.exact

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree of a cell in the middle, and the largest weight of a pair."""
        n, weights = self.instance.n, self.strengths
        one_hot = weights.of("one_hot")
        pair = max(2 * one_hot, weights.row_column, weights.diagonal)
        return largest_cell_degree(n), pair if n > 1 else one_hot


def row_constraints(n: int) -> tuple[Constraint, ...]:
    """Return ``C_r has one value`` for each row, then what is demanded of every two rows."""
    values = (f"C_{row} has one value" for row in range(n))
    return tuple(Constraint(None, statement=text) for text in (*values, *_of_pairs(n)))


def _of_pairs(n: int) -> Iterable[str]:
    for r in range(n):
        for s in range(r + 1, n):
            yield f"C_{r} != C_{s}"
            yield f"|C_{r} - C_{s}| != {s - r}"


def add_row_pairs(penalties: Penalties, cells: IntArray, n: int) -> None:
    """Add a product for every two queens of different rows that attack each other.

    Args:
        penalties: Takes those in a column as ``row_column``, those on a diagonal as ``diagonal``.
        cells: The row and column of each literal that is a queen, shape (literals, 2); the first
            literals are meant.
        n: The board size.
    """
    rows, columns = cells.T
    for kind in (Kind.COLUMN, Kind.SUM, Kind.DIFFERENCE):
        first, second = pairs_in_groups(position(kind, rows, columns, n))
        r, s = np.minimum(rows[first], rows[second]), np.maximum(rows[first], rows[second])
        numbers = n + 2 * pair_number(r, s, n) + (kind is not Kind.COLUMN)
        penalties.product(family_of(kind), numbers, first, second)
