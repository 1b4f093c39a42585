"""The encoding ``labelled``: for each of n labelled queens a variable, its cell, as one-hot bits.

``E = H * sum over labels of (cells - 1)^2 + A * pairs of labels with equal rows + A * pairs with
equal columns + B * pairs on one diagonal + A * prescribed queens on forbidden cells``. E = 0
exactly if each label has one cell and these cells are a solution. Each solution appears once for
every numbering of the queens that are not fixed: (n - k)! times if k queens are fixed. Elsewhere
some term, a whole number times its weight, is not 0: E >= min(A, B, H), which is 1 at the default
strengths. These are equal, for the reason given in ``row.py``.

The fixed queens have the first labels. With m other labels and N free cells, P pairs of which
attack each other, there are m N variables and m N (N - 1) / 2 + m (m - 1) / 2 (N + 2 P)
interactions. The encoding is meant for boards of up to about 16 rows.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, coordinates, position
from qubo_queens.board.placement import Placement
from qubo_queens.board.sizes import sizes
from qubo_queens.encodings.cell_bits import largest_cell_degree
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import pair_number, pairs_in_groups
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Literals, Penalties, PenaltyModel
from qubo_queens.encodings.row import ONE_HOT
from qubo_queens.encodings.sample import BitArray, Label, VartypeLike, integers, value_of_zero
from qubo_queens.encodings.strengths import family_of, rows_columns_diagonals
from qubo_queens.errors import InputError


class LabelledModel(PenaltyModel):
    """For each label without a fixed queen a bit for each free cell: ``(label, row, column)``.

    Labels 0 .. k - 1 are those of the prescribed queens in row-major order, then of forced ones.
    """

    encoding = "labelled"
    takes_strengths = (*rows_columns_diagonals(), ONE_HOT)
    neal_schedule = NealSchedule((3, 12), 300)

    def _labels(self) -> tuple[Label, ...]:
        """Return, label by label, the free cells in row-major order."""
        cells = self.reduction.free_cells
        return tuple((label, *cell) for label in self._open_labels for cell in cells)

    @cached_property
    def _fixed(self) -> tuple[tuple[int, int], ...]:
        """The fixed queens in the order of their labels: the prescribed ones come first."""
        return self.instance.queens + self.reduction.forced

    @property
    def num_labels(self) -> int:
        """The number of labels: n, or the number of prescribed queens if these are more."""
        return max(self.instance.n, len(self._fixed))

    @property
    def _open_labels(self) -> range:
        """The labels without a fixed queen."""
        return range(len(self._fixed), self.num_labels)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """``Q_i is on one cell``; for i < j, rows, columns and diagonals differ."""
        statements = [f"Q_{label} is on one cell" for label in range(self.num_labels)]
        for i, j in combinations(range(self.num_labels), 2):
            statements += [f"R_{i} != R_{j}", f"C_{i} != C_{j}"]
            statements += [f"|R_{i} - R_{j}| != |C_{i} - C_{j}|"]
        return tuple(Constraint(None, statement=text) for text in statements)

    @cached_property
    def literals(self) -> Literals:
        """The bits, and the fixed queens."""
        free = np.stack(self.reduction.free_arrays, axis=1)
        fixed = np.stack(coordinates(self._fixed), axis=1)
        return Literals.of_bits(np.tile(free, (len(self._open_labels), 1)), fixed)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The number of cells of each label, and pairs of labels."""
        penalties = Penalties(self.literals, ("row_column", "diagonal", "one_hot"))
        num_cells = len(self.reduction.free_arrays[0])
        for at, label in enumerate(self._open_labels):
            bits = np.arange(at * num_cells, (at + 1) * num_cells)
            penalties.square("one_hot", label, bits[None, :], constant=-1)
        open_labels = np.repeat(self._open_labels, num_cells)
        labels = np.concatenate((open_labels, np.arange(len(self._fixed))))
        for kind in Kind:
            first, second = self._attacks(kind, labels)
            i, j = np.sort((labels[first], labels[second]), axis=0)
            demand = {Kind.ROW: 0, Kind.COLUMN: 1}.get(kind, 2)
            numbers = self.num_labels + 3 * pair_number(i, j, self.num_labels) + demand
            penalties.product(family_of(kind), numbers, first, second)
        return penalties.collected()

    def _attacks(self, kind: Kind, labels: IntArray) -> tuple[IntArray, IntArray]:
        """Return the pairs of literals of different labels that share a line of one kind."""
        cells = self.literals.cells[:-1]
        first, second = pairs_in_groups(position(kind, cells[:, 0], cells[:, 1], self.instance.n))
        counts = labels[first] != labels[second]
        if kind is Kind.DIFFERENCE:  # of two queens on one cell only the sum diagonal counts
            counts &= (cells[first] != cells[second]).any(axis=1)
        return first[counts], second[counts]

    def _decode(self, bits: BitArray) -> Placement:
        """Return the cells that any label has, and the fixed queens."""
        ones = (self.variables[at] for at in np.flatnonzero(bits).tolist())
        cells = {(row, column) for _, row, column in ones}
        return Placement(self.instance.n, cells | self._fixed_queens)

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Number the other queens in row-major order; with too few, the last labels have none."""
        off = value_of_zero(vartype)
        queens = sorted(self._stated_queens(placement) - self._fixed_queens)
        if len(queens) > len(self._open_labels):
            raise InputError(
                f"the placement has {len(queens) - len(self._open_labels)} queens more than the "
                f"{self.num_labels} that have labels"
            )
        ones = {(label, *cell) for label, cell in zip(self._open_labels, queens, strict=False)}
        return {label: 1 if label in ones else off for label in self.variables}

    def fixed_value(self, label: object) -> int | None:
        """Return 1 for the cell of a fixed queen's label, 0 for other cells that are not free."""
        numbers, n = integers(label, 3), self.instance.n
        if numbers is None or not 0 <= numbers[0] < self.num_labels:
            return None
        if not all(0 <= number < n for number in numbers[1:]):
            return None
        return int(numbers[0] < len(self._fixed) and self._fixed[numbers[0]] == numbers[1:])

    def _size(self) -> tuple[int, int, bool]:
        """All bits of one label are coupled; those of two if the cells are equal or attack."""
        size, labels = sizes(self.reduction), len(self._open_labels)
        attacks = size.row_column_pairs + size.diagonal_pairs
        interactions = labels * comb(size.cells, 2) + comb(labels, 2) * (size.cells + 2 * attacks)
        return labels * size.cells, interactions, size.exact

    def _plain_extremes(self) -> tuple[int, float]:
        """Two queens on one cell have equal rows, equal columns, and are on one diagonal."""
        n, weights = self.instance.n, self.strengths
        one_hot = weights.of("one_hot")
        if n == 1:
            return 0, one_hot
        degree = n * n - 1 + (n - 1) * (1 + largest_cell_degree(n))
        return degree, max(2 * one_hot, 2 * weights.row_column + weights.diagonal)
