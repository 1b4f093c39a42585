"""The encoding ``cell-slack``: a bit for each free cell, and a slack bit for each diagonal.

``E = A * sum over rows and columns of (count - 1)^2 + B * sum over diagonals of (count - slack)^2 +
A * prescribed queens on forbidden cells``. With the slack bits at their best values E = 0 exactly
on the solutions. Every other sample has E >= min(2A, B): a diagonal whose count differs from its
slack costs at least B, and if one row or column has a wrong number of queens, then so has a second
one, since rows and columns have the same sum. With a prescribed queen on a forbidden cell the bound
is A.

A diagonal has a slack bit if it has two or more free cells and no fixed queen: with a fixed queen
the best slack is 1, and a diagonal of one free cell cannot be violated. The plain board has
n^2 + 4n - 6 variables and n(n-1)(5n-1)/3 + 2n^2 - 4 interactions (n >= 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN, Cell
from qubo_queens.board.sizes import line_sizes
from qubo_queens.encodings.cell_bits import CellPenaltyModel, largest_cell_degree
from qubo_queens.encodings.groups import LineGroup, line_groups
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.sample import KIND_NUMBERS, Label
from qubo_queens.encodings.strengths import family_of, rows_columns_diagonals


class CellSlackModel(CellPenaltyModel):
    """A bit for each free cell, then slack bits with the labels ``(kind, index, 0)``.

    Kind 2 is a diagonal r + c = index, kind 3 a diagonal r - c = index.
    """

    encoding = "cell-slack"
    takes_strengths = rows_columns_diagonals()
    neal_schedule = NealSchedule((2, 6), 1000)

    @cached_property
    def _auxiliary_labels(self) -> tuple[Label, ...]:
        """The slack bits."""
        return tuple(self._slacks)

    @cached_property
    def _slacks(self) -> dict[Label, LineGroup]:
        """The slack bits, with the diagonals that they belong to."""
        return {
            (KIND_NUMBERS[kind], group.line.index, 0): group
            for kind in DIAGONAL
            for group in line_groups(self.reduction, kind)
            if len(group.free) > 1 and not len(group.fixed)
        }

    @property
    def gap(self) -> float:
        """min(2A, B); A with a prescribed queen on a forbidden cell."""
        return self.strengths.gap_of_sums(self._num_forbidden)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The sum of each line."""
        penalties = Penalties(self.literals, ("row_column", "diagonal"))
        slacks = enumerate(self._slacks.values(), self._num_cells)
        slack_of = {group.line: slack for slack, group in slacks}
        for kind, number, group in self._lines():
            family, slack = family_of(kind), slack_of.get(group.line)
            queens = self._literals_on(group)
            if slack is not None:
                penalties.square(family, number, [[*queens, slack]], [1] * len(queens) + [-1])
            elif kind in ROW_COLUMN or len(queens) > 1:
                penalties.square(family, number, [queens], constant=-1)
        return penalties.collected()

    def _auxiliaries(self, queens: frozenset[Cell]) -> Mapping[Label, bool]:
        """Return for each slack bit whether there is a queen on its diagonal."""
        cells = self.reduction.free_cells
        return {
            label: any(cells[at] in queens for at in group.free.tolist())
            for label, group in self._slacks.items()
        }

    def _size(self) -> tuple[int, int, bool]:
        """A slack bit is coupled with the cells of its diagonal."""
        n = self.instance.n
        if self.reduction.untouched and n > 1:
            return n * n + 4 * n - 6, n * (n - 1) * (5 * n - 1) // 3 + 2 * n * n - 4, True
        lines = line_sizes(self.reduction)
        size, diagonals = lines.sizes, lines.unfilled(DIAGONAL)
        with_slack = diagonals[diagonals > 1]
        return (
            size.cells + len(with_slack),
            size.row_column_pairs + size.diagonal_pairs + round(float(with_slack.sum())),
            size.exact,
        )

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree of a cell in the middle, and the weight of a pair."""
        n, a, b = self.instance.n, self.strengths.row_column, self.strengths.diagonal
        slacks = min(2, n - 1)  # of a cell in the middle
        return largest_cell_degree(n) + slacks, 2 * max(a, b) if n > 1 else 2 * a
