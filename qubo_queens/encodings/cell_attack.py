"""The cell encoding by attacking pairs: n queens in all, no two of which attack each other.

``E = C * (queens - n)^2 + A * pairs on one row or column + B * pairs on one diagonal + A *
prescribed queens on forbidden cells``. E = 0 exactly on the solutions, since n queens of which no
two attack each other are one; elsewhere E >= min(A, B, C), which is 1 at the default strengths.
These are equal, which suits annealing best (see ``row.py``). Every two of the N free cells are
coupled: N (N - 1) / 2 interactions, n^2 (n^2 - 1) / 2 on the plain board.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from qubo_queens.board.lines import ROW_COLUMN, Cell, Kind, position
from qubo_queens.board.sizes import sizes
from qubo_queens.board.violation import Sense
from qubo_queens.encodings.cell_bits import CellBits
from qubo_queens.encodings.couplings import pairs_in_groups
from qubo_queens.encodings.penalties import Family, Literals, Penalties
from qubo_queens.encodings.penalty_model import PenaltyModel
from qubo_queens.encodings.rules import Constraint


class CellAttackModel(CellBits, PenaltyModel):
    """A Boolean for each free cell; constraints on pairs, and one on the number of queens."""

    encoding = "cell-attack"
    default_strengths: ClassVar = {"row_column": 1, "diagonal": 1, "count": 1}

    @property
    def variables(self) -> tuple[Cell, ...]:
        """The free cells in row-major order."""
        return self.reduction.free_cells

    @property
    def gap(self) -> float:
        """min(A, B, C)."""
        weights = self.strengths
        return min(weights.row_column, weights.diagonal, weights.of("count"))

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """At most one queen on each line, excluded diagonals none; and n queens."""
        lines = (
            Constraint(each.line, Sense.AT_MOST_ONE if each.sense is not Sense.NONE else each.sense)
            for each in super().constraints
        )
        return (*lines, Constraint(None, statement=f"{self.instance.n} queens"))

    @cached_property
    def literals(self) -> Literals:
        """The free cells and the fixed queens."""
        return Literals.of_cells(self.reduction)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The pairs on each line, and the number of queens."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "count"))
        cells = self.literals.cells[:-1]
        for kind in Kind:
            places = position(kind, cells[:, 0], cells[:, 1], self.instance.n)
            first, second = pairs_in_groups(places)
            family = "row_column" if kind in ROW_COLUMN else "diagonal"
            penalties.product(family, self._numbers[kind][places[first]], first, second)
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
