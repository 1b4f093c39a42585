"""The encoding ``row``: for each row r a variable C_r, the column of its queen, as one-hot bits.

``E = H * sum over rows of (count - 1)^2 + A * pairs of rows with C_r = C_s + B * pairs of rows with
|C_r - C_s| = |r - s| + A * prescribed queens on forbidden cells``. E = 0 exactly on the solutions:
n queens in n different columns fill all columns. Elsewhere some term, a whole number times its
weight, is not 0: E >= min(A, B, H), which is 1 at the default strengths. The couplings are those of
the encoding ``cell``: n(n-1)(5n-1)/3 on the plain board.

The default strengths are equal: then the energy stays the same if a queen that one other attacks is
taken away, and annealing succeeds far more often than with pairs at twice the weight (see
benchmarks/).
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, position
from qubo_queens.board.sizes import sizes
from qubo_queens.encodings.cell_bits import CellPenaltyModel, largest_cell_degree
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import line_groups, pair_number, pairs_in_groups
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.strengths import Strength, family_of, rows_columns_diagonals

ONE_HOT = Strength("one_hot", 1, "one value for each variable")


class RowModel(CellPenaltyModel):
    """A bit for each free cell (r, c): 1 if C_r = c. Columns are constrained by pairs alone."""

    encoding = "row"
    takes_strengths = (*rows_columns_diagonals(), ONE_HOT)
    neal_schedule = NealSchedule((3, 12), 300)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """``C_r has one value``, ``C_r != C_s`` and ``|C_r - C_s| != s - r``, rows r < s."""
        return row_constraints(self.instance.n)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The sum of each row, and pairs of rows."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "one_hot"))
        for group in line_groups(self.reduction, Kind.ROW):
            queens = self._literals_on(group)
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
    """Return ``C_r has one value`` for each row, then the two statements on each pair of rows."""
    statements = [f"C_{row} has one value" for row in range(n)]
    for r, s in combinations(range(n), 2):
        statements += [f"C_{r} != C_{s}", f"|C_{r} - C_{s}| != {s - r}"]
    return tuple(Constraint(None, statement=text) for text in statements)


def add_row_pairs(penalties: Penalties, cells: IntArray, n: int) -> None:
    """Add a product for every two queens of different rows that attack each other."""
    rows, columns = cells.T
    for kind in (Kind.COLUMN, Kind.SUM, Kind.DIFFERENCE):
        first, second = pairs_in_groups(position(kind, rows, columns, n))
        r, s = np.minimum(rows[first], rows[second]), np.maximum(rows[first], rows[second])
        numbers = n + 2 * pair_number(r, s, n) + (kind is not Kind.COLUMN)
        penalties.product(family_of(kind), numbers, first, second)
