"""The row encoding with domain walls: a variable for each row in n - 1 bits instead of n.

The free columns c_1 < ... < c_m of a row have bits s_2 ... s_m, "C_r >= c_j". With s_1 = 1 and
s_{m+1} = 0 the queen is where the ones end: ``x_j = s_j - s_{j+1}`` (the encoding of Chancellor,
Quantum Sci. Technol. 4, 2019). ``E = W * walls the wrong way round, s_{j+1} (1 - s_j) + A * sum of
x x' over pairs of rows with equal columns + B * the same for pairs as far apart in rows as in
columns + A * prescribed queens on forbidden cells``. A row without free columns costs W, one with
f > 1 prescribed queens W (f - 1)^2.

With K walls the wrong way round, K of the x are -1, and products with them lower E. On a line with
p ones and q minus ones the products add up to ((p - q)^2 - p - q) / 2 >= -q, and each cell is on
one column and two diagonals: E >= (W - A - 2B) K, whatever is blocked or prescribed. So E = 0
exactly on the solutions if W > A + 2B, which is demanded, and elsewhere
E >= min(A, B, W - A - 2B). W = 4 max(A, B) already makes that min(A, B). The default is
6 max(A, B): it leaves fewer broken walls at low energies, and annealing at n = 16 succeeds more
often (see benchmarks/).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from qubo_queens.board.lines import BoolArray, Kind, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.sizes import line_sizes
from qubo_queens.checks import counted
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.domain_wall_sizes import (
    plain_coefficient,
    plain_degree,
    plain_interactions,
)
from qubo_queens.encodings.domains import RowDomains
from qubo_queens.encodings.groups import line_groups
from qubo_queens.encodings.penalties import Family, Literals, Penalties, PenaltyModel
from qubo_queens.encodings.row import add_row_pairs, row_constraints
from qubo_queens.encodings.sample import Label, Sample, VartypeLike, integers, value_of_zero
from qubo_queens.encodings.strengths import Strengths
from qubo_queens.errors import InputError

_COUNTED = 2_000_000
"""Boards with cells fixed and up to so many interactions are counted, others are estimated."""


WALL = 6
"""The default strength of a wall, in units of the larger of A and B."""


class RowDomainWallModel(PenaltyModel):
    """Bits ``(row, column)``: is the queen of this row in this free column or further right?

    The first free column of a row has no bit, and rows with a fixed queen have none. In the model
    a row has one queen or, where walls are broken, more; boards without are not statable.
    """

    encoding = "row-domain-wall"
    default_strengths: ClassVar = {"row_column": 1, "diagonal": 1, "wall": None}

    @classmethod
    def settled(cls, strengths: Strengths) -> Strengths:
        """Return the strengths with a wall, by default ``WALL`` times the larger of A and B.

        Raises:
            InputError: If the wall is not above A + 2B, or two strengths are too far apart.
        """
        a, b = strengths.row_column, strengths.diagonal
        if strengths.wall is None:
            return super().settled(replace(strengths, wall=WALL * max(a, b)))
        if strengths.wall - a - 2 * b <= 0:
            raise InputError(
                f"wall_strength {strengths.wall} is too small for row_column_strength {a} and "
                f"diagonal_strength {b}: broken walls would pay; it must be above {a + 2 * b}, "
                f"and {WALL * max(a, b)} is the default"
            )
        return super().settled(strengths)

    @property
    def gap(self) -> float:
        """min(A, B, W - A - 2B)."""
        a, b = self.strengths.row_column, self.strengths.diagonal
        return min(a, b, self.strengths.of("wall") - a - 2 * b)

    def _labels(self) -> tuple[Label, ...]:
        """Return, row by row, the free columns but the first."""
        rows, columns = (numbers[~self._is_first].tolist() for numbers in self._domains.cells)
        return tuple(zip(rows, columns, strict=True))

    @cached_property
    def _domains(self) -> RowDomains:
        """The free columns of the rows without a fixed queen."""
        return RowDomains.of(self.reduction)

    @cached_property
    def _is_first(self) -> BoolArray:
        """Which of the free cells, row by row, is the first of its row."""
        first = np.zeros(len(self._domains.cells[0]), np.bool_)
        first[self._domains.starts[:-1]] = True
        return first

    @property
    def _num_bits(self) -> int:
        return int(np.count_nonzero(~self._is_first))

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """``C_r has one value``, ``C_r != C_s`` and ``|C_r - C_s| != s - r``, rows r < s."""
        return row_constraints(self.instance.n)

    @cached_property
    def literals(self) -> Literals:
        """The x of all free cells, the fixed queens, the bits, and their complements."""
        cells = np.stack(self._domains.cells, axis=1)
        fixed = np.stack(coordinates(self.reduction.queens), axis=1)
        num_cells, num_bits = len(cells), self._num_bits
        own = np.flatnonzero(~self._is_first)  # cells with a bit, which the cell before loses
        bits, base = np.arange(num_bits), num_cells + len(fixed)
        constants = [self._domains.starts[:-1], np.arange(num_cells, base)]
        constants += [base + num_bits + bits, np.array([base + 2 * num_bits])]
        ones = np.concatenate(constants)
        rows = np.concatenate((own, own - 1, base + bits, base + num_bits + bits, ones))
        columns = np.concatenate((bits, bits, bits, bits, np.full(len(ones), num_bits)))
        signs = np.repeat((1, -1, 1, -1, 1), (*[num_bits] * 4, len(ones)))
        queens = np.concatenate((cells, fixed))
        return Literals.of_forms((signs, (rows, columns)), num_bits, queens)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """Walls the wrong way round, rows without or with several queens, and pairs of rows."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "wall"))
        num_cells, num_bits = len(self._is_first), self._num_bits
        queens = num_cells + len(self.reduction.queens)
        for group in line_groups(self.reduction, Kind.ROW):
            if len(group.fixed) > 1 or group.line.index in self._domains.empty:
                several = (num_cells + group.fixed)[None, :]
                penalties.square("wall", group.line.index, several, constant=-1)
        rows = self._domains.cells[0][~self._is_first]
        left = np.flatnonzero(np.diff(rows) == 0) + queens
        penalties.product("wall", rows[left - queens], left + 1, left + num_bits)
        add_row_pairs(penalties, self.literals.cells[:queens], self.instance.n)
        return penalties.collected()

    def decode(self, sample: Sample) -> Placement:
        """Return a queen wherever a row's bits go from 1 to 0, and the fixed queens."""
        ones, cells = frozenset(self._ones(sample)), list(self.reduction.queens)
        listed = list(zip(*(numbers.tolist() for numbers in self._domains.cells), strict=True))
        bits = [
            bool(first) or cell in ones for cell, first in zip(listed, self._is_first, strict=True)
        ]
        ends = [*self._is_first, True][1:]  # the last cell of a row has no bit after it
        after = [*bits, True][1:]
        cells += [
            cell
            for cell, here, there, end in zip(listed, bits, after, ends, strict=True)
            if here and (end or not there)
        ]
        return Placement(self.instance.n, cells)

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Return the bits of a board with one queen in each row.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If the model cannot state that board.
        """
        off = value_of_zero(vartype)
        queens: dict[int, list[int]] = {row: [] for row in range(self.instance.n)}
        for row, column in sorted(self._statable(placement)):
            queens[row].append(column)
        wrong = [row for row, columns in queens.items() if len(columns) != 1]
        if wrong:
            raise InputError(
                f"row {wrong[0]} of the placement has {counted(len(queens[wrong[0]]), 'queen')}; "
                f"encoding {self.encoding} states boards with one queen in each row"
            )
        return {(row, c): 1 if queens[row][0] >= c else off for row, c in self.variables}

    def _fixed_value(self, label: object) -> int | None:
        """Return the bit of a row with a fixed queen, None for a label of no such row.

        A row that is still open has bits for its free columns only: the others would repeat them.
        """
        cell = integers(label, 2)
        fixed = dict(self.reduction.queens)
        if cell is None or cell[0] not in fixed or not 0 < cell[1] < self.instance.n:
            return None
        return int(fixed[cell[0]] >= cell[1])

    def _size(self) -> tuple[int, int, bool]:
        """A closed form on plain boards; else counted, or for large boards bounded from above.

        A pair of cells that attack each other couples at most four pairs of bits.
        """
        if self.reduction.untouched:
            n = self.instance.n
            return n * (n - 1), plain_interactions(n, self.strengths), True
        lines = line_sizes(self.reduction)
        size, rows = lines.sizes, lines.unfilled([Kind.ROW])
        bits = round(float((rows[rows > 1] - 1).sum()))
        bound = 4 * (size.row_column_pairs + size.diagonal_pairs) + bits
        if bound <= _COUNTED:
            return bits, self._count_couplings(), True
        return bits, bound, False

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree of a bit in the middle, and the largest coefficient."""
        return plain_degree(self.instance.n, self.strengths), plain_coefficient(
            self.instance.n, self.strengths
        )
