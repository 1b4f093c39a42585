"""The encoding ``row-domain-wall``: the column of each row in n - 1 bits instead of n.

The free columns c_1 < ... < c_m of a row have bits s_2 ... s_m; s_j is 1 if C_r >= c_j. With
s_1 = 1 and s_{m+1} = 0 the queen is where the ones end: ``x_j = s_j - s_{j+1}`` (the encoding of
Chancellor, Quantum Sci. Technol. 4, 2019). ``E = W * walls the wrong way round, s_{j+1} (1 - s_j) +
A * sum of x x' over pairs of rows with equal columns + B * the same for pairs as far apart in rows
as in columns + A * prescribed queens on forbidden cells``. A row without free columns costs W, one
with f > 1 prescribed queens W (f - 1)^2.

If K walls are the wrong way round, then K of the x are -1, and products with them lower E. On a
line with p ones and q minus ones the products add up to ((p - q)^2 - p - q) / 2 >= -q, and each
cell is on one column and two diagonals: E >= (W - A - 2B) K, for every instance. So E = 0 exactly
on the solutions if W > A + 2B, which is required, and elsewhere E >= min(A, B, W - A - 2B). This is
min(A, B) already for W = 4 max(A, B). The default is 6 max(A, B): fewer samples of low energy have
broken walls, and annealing at n = 16 succeeds more often (see benchmarks/).

Bits of two rows at distance d, t columns apart, are coupled by f(t) = 2 w(t) - w(t-1) - w(t+1),
where w(0) = A, w(d) = w(-d) = B and w = 0 elsewhere: a second difference, since each x is a
difference of two bits. The plain board has n (n - 1) variables; see ``_plain_interactions``.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qubo_queens.board.lines import BoolArray, Kind, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.sizes import line_sizes
from qubo_queens.checks import counted
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import RowDomains, line_groups
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Literals, Penalties, PenaltyModel
from qubo_queens.encodings.row import add_row_pairs, row_constraints
from qubo_queens.encodings.sample import BitArray, Label, VartypeLike, integers, value_of_zero
from qubo_queens.encodings.strengths import Rule, Strength, Strengths, rows_columns_diagonals
from qubo_queens.errors import Argument, InputError

_COUNTED = 2_000_000
"""Boards with cells fixed are counted up to this bound on their interactions, others estimated."""


def _default_wall(strengths: Strengths) -> float:
    """Return the default strength of a wall, given the other two."""
    return 6 * max(strengths.row_column, strengths.diagonal)


class RowDomainWallModel(PenaltyModel):
    """Bits ``(row, column)``: 1 if the queen of the row is in this free column or further right.

    The first free column of a row has no bit, and rows with a fixed queen have no bits. A sample
    has one queen in each such row, or more where walls are broken. A board in which a row has no
    queen cannot be encoded.
    """

    encoding = "row-domain-wall"
    takes_strengths = (
        *rows_columns_diagonals(),
        Strength(
            "wall", Rule(_default_wall, "6 times the larger of the other two"), "domain walls"
        ),
    )
    neal_schedule = NealSchedule((2, 8), 1000)

    @classmethod
    def check_strengths(cls, strengths: Strengths) -> None:
        """Refuse walls that do not outweigh A + 2B."""
        a, b, wall = strengths.row_column, strengths.diagonal, strengths.of("wall")
        if wall - a - 2 * b <= 0:
            raise InputError(
                Argument("wall_strength"),
                f" {wall} is too small for ",
                Argument("row_column_strength"),
                f" {a} and ",
                Argument("diagonal_strength"),
                f" {b}: a broken wall could lower the energy; it must be above {a + 2 * b}, and "
                f"{_default_wall(strengths)} is the default",
            )
        super().check_strengths(strengths)

    @property
    def gap(self) -> float:
        """min(A, B, W - A - 2B)."""
        a, b = self.strengths.row_column, self.strengths.diagonal
        return min(a, b, self.strengths.of("wall") - a - 2 * b)

    def _labels(self) -> tuple[Label, ...]:
        """Return, row by row, the free cells except the first."""
        rows, columns = (numbers[~self._is_first].tolist() for numbers in self._domains.cells)
        return tuple(zip(rows, columns, strict=True))

    @cached_property
    def _domains(self) -> RowDomains:
        """The free columns of the rows without a fixed queen."""
        return RowDomains.of(self.reduction)

    @cached_property
    def _is_first(self) -> BoolArray:
        """For each free cell, row by row, whether it is the first of its row."""
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
        # Rows of F: the x of all cells, the fixed queens, from `base` on the bits, then their
        # complements, and the constant 1. Columns of F: the bits, and the constant.
        bits, base = np.arange(num_bits), num_cells + len(fixed)
        complements, last = base + num_bits + bits, base + 2 * num_bits
        # Bit k belongs to cell own[k]: it is added to the x there, and taken from the x before.
        own = np.flatnonzero(~self._is_first)
        ones = np.concatenate(
            (self._domains.starts[:-1], np.arange(num_cells, base), complements, [last])
        )
        rows = np.concatenate((own, own - 1, base + bits, complements, ones))
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
        # bit k is literal queens + k, its complement queens + num_bits + k
        rows = self._domains.cells[0][~self._is_first]
        left = np.flatnonzero(np.diff(rows) == 0)  # bits k such that k + 1 is in the same row
        penalties.product("wall", rows[left], queens + left + 1, queens + num_bits + left)
        add_row_pairs(penalties, self.literals.cells[:queens], self.instance.n)
        return penalties.collected()

    def _decode(self, bits: BitArray) -> Placement:
        """Return a queen wherever a row's bits go from 1 to 0, and the fixed queens."""
        rows, columns = self._domains.cells
        is_one = np.ones(len(rows), np.bool_)  # the first bit of a row, a constant, is 1
        is_one[~self._is_first] = bits != 0
        # a queen if the bit is 1 and the next one is 0, or belongs to another row
        ends = np.append(self._is_first[1:] | ~is_one[1:], np.ones(min(len(rows), 1), np.bool_))
        at = np.flatnonzero(is_one & ends)
        cells = zip(rows[at].tolist(), columns[at].tolist(), strict=True)
        return Placement(self.instance.n, [*self.reduction.queens, *cells])

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Return the bits of a board with one queen in each row."""
        off = value_of_zero(vartype)
        queens: dict[int, list[int]] = {row: [] for row in range(self.instance.n)}
        for row, column in sorted(self._stated_queens(placement)):
            queens[row].append(column)
        wrong = [row for row, columns in queens.items() if len(columns) != 1]
        if wrong:
            raise InputError(
                f"row {wrong[0]} of the placement has {counted(len(queens[wrong[0]]), 'queen')}; "
                f"encoding {self.encoding} can only encode boards with one queen in each row"
            )
        return {(row, c): 1 if queens[row][0] >= c else off for row, c in self.variables}

    def fixed_value(self, label: object) -> int | None:
        """Return the bit of a row with a fixed queen, None for any other label."""
        cell = integers(label, 2)
        fixed = dict(self.reduction.queens)
        if cell is None or cell[0] not in fixed or not 0 < cell[1] < self.instance.n:
            return None
        return int(fixed[cell[0]] >= cell[1])

    def _size(self) -> tuple[int, int, bool]:
        """A formula for plain boards; others are counted, or bounded from above if they are large.

        A pair of cells that attack each other couples at most four pairs of bits.
        """
        if self.reduction.untouched:
            n = self.instance.n
            return n * (n - 1), _plain_interactions(n, self.strengths), True
        lines = line_sizes(self.reduction)
        size, rows = lines.sizes, lines.unfilled([Kind.ROW])
        bits = round(float((rows[rows > 1] - 1).sum()))
        bound = 4 * (size.row_column_pairs + size.diagonal_pairs) + bits
        if bound <= _COUNTED:
            return bits, self._count_couplings(), True
        return bits, bound, False


def _plain_interactions(n: int, strengths: Strengths) -> int:
    """Return the number of interactions of the plain board.

    A row has n - 2 pairs of neighbours, and there are n - d pairs of rows at distance d.
    """

    def pairs(*offsets: int) -> int:
        """Return how many pairs of bits of two rows are t or -t columns apart, for some t >= 0."""
        return sum((1 if t == 0 else 2) * max(0, n - 1 - t) for t in offsets)

    a, b = strengths.row_column, strengths.diagonal
    # f(0), f(1) and f(2) at distance 1, where terms meet and may cancel
    near = [t for t, coupling in enumerate((2 * a - 2 * b, 2 * b - a, b)) if coupling]
    total = n * max(0, n - 2) + (n - 1) * pairs(*near)
    if n > 2:
        total += (n - 2) * pairs(0, 1, 2, 3)
    # At distance d > 2 f is not 0 at 0, 1, d - 1, d and d + 1. With e = n - d the last three have
    # 2 (e + (e - 1) + (e - 2)) = 6 e - 6 pairs of bits, but 2 pairs if e = 1; e runs from 1 to m.
    if n > 3:
        m = n - 3
        sum_e, sum_e2 = m * (m + 1) // 2, m * (m + 1) * (2 * m + 1) // 6
        total += pairs(0, 1) * sum_e + 6 * (sum_e2 - sum_e) + 2
    return total
