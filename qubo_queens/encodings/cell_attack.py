"""The encoding ``cell-attack``: n queens in all, no two of which attack each other.

``E = C * (queens - n)^2 + A * pairs on one row or column + B * pairs on one diagonal + A *
prescribed queens on forbidden cells``. E = 0 exactly on the solutions, since n queens of which no
two attack each other are one; elsewhere some term, a whole number times its weight, is not 0:
E >= min(A, B, C), which is 1 at the default strengths. These are equal, for the reason given in
``row.py``. Every two of the N free cells are coupled: N (N - 1) / 2 interactions, which is
n^2 (n^2 - 1) / 2 on the plain board.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qubo_queens.board.lines import Kind, position
from qubo_queens.board.sizes import sizes
from qubo_queens.board.violation import Sense
from qubo_queens.encodings.cell_bits import CellPenaltyModel
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import pairs_in_groups
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.strengths import Strength, family_of, rows_columns_diagonals


class CellAttackModel(CellPenaltyModel):
    """A bit for each free cell; constraints on pairs, and one on the number of queens."""

    encoding = "cell-attack"
    takes_strengths = (*rows_columns_diagonals(), Strength("count", 1, "the number of queens"))
    neal_schedule = NealSchedule((2, 12), 300)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """At most one queen on each line, excluded diagonals none; and n queens."""
        lines = (
            Constraint(each.line, Sense.AT_MOST_ONE if each.sense is not Sense.NONE else each.sense)
            for each in super().constraints
        )
        return (*lines, Constraint(None, statement=f"{self.instance.n} queens"))

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The pairs on each line, and the number of queens."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "count"))
        cells = self.literals.cells[:-1]
        for kind in Kind:
            places = position(kind, cells[:, 0], cells[:, 1], self.instance.n)
            first, second = pairs_in_groups(places)
            penalties.product(family_of(kind), self._numbers[kind][places[first]], first, second)
        everyone = [np.arange(len(cells))]
        penalties.square("count", len(self.constraints) - 1, everyone, constant=-self.instance.n)
        return penalties.collected()

    def _size(self) -> tuple[int, int, bool]:
        size = sizes(self.reduction)
        return size.cells, size.cells * (size.cells - 1) // 2, size.exact

    def _plain_extremes(self) -> tuple[int, float]:
        """Every cell is coupled with every other."""
        n, weights = self.instance.n, self.strengths
        count = weights.of("count")
        pair = 2 * count + max(weights.row_column, weights.diagonal)
        return n * n - 1, max((2 * n - 1) * count, pair if n > 1 else 0)
