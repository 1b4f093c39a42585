"""The labelled encoding: a variable over the cells for each of n queens, as one-hot bits.

``E = H * sum over labels of (cells - 1)^2 + A * pairs of labels with equal rows + A * pairs with
equal columns + B * pairs on one diagonal + A * prescribed queens on forbidden cells``. E = 0
exactly where each label has one cell and these make a solution, so each solution appears once for
every numbering of the queens that are not fixed: (n - k)! times with k of them fixed. Elsewhere
some term, a whole number times its weight, is not 0: E >= min(A, B, H), which is 1 at the default
strengths; these are equal, which suits annealing best (see ``row.py``).

The fixed queens have the first labels; m labels are left, over N free cells with P attacking pairs:
m N variables and m N (N - 1) / 2 + m (m - 1) / 2 (N + 2 P) interactions. It is meant for boards of
up to about 16 rows.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, coordinates, position
from qubo_queens.board.placement import Placement
from qubo_queens.board.sizes import sizes
from qubo_queens.encodings.cell_bits import largest_cell_degree
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.groups import pair_number, pairs_in_groups
from qubo_queens.encodings.penalties import Family, Literals, Penalties, PenaltyModel
from qubo_queens.encodings.sample import Label, Sample, VartypeLike, integers, value_of_zero
from qubo_queens.encodings.strengths import family_of
from qubo_queens.errors import InputError


class LabelledModel(PenaltyModel):
    """For each label that is left, a Boolean for each free cell: ``(label, row, column)``.

    Labels 0 .. k - 1 are those of the prescribed queens, in row-major order, then of forced ones.
    """

    encoding = "labelled"
    default_strengths: ClassVar = {"row_column": 1, "diagonal": 1, "one_hot": 1}

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
        """The labels that are left."""
        return range(len(self._fixed), self.num_labels)

    @property
    def gap(self) -> float:
        """min(A, B, H)."""
        return self.strengths.least

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """``Q_i is on one cell``, and for i < j that rows, columns and diagonals differ."""
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
        """The sum of each label, and pairs of labels."""
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
        """Return the pairs of literals of different labels that share a line of a family.

        Two queens on one cell share both diagonals, which is one violation and not two.
        """
        cells = self.literals.cells[:-1]
        first, second = pairs_in_groups(position(kind, cells[:, 0], cells[:, 1], self.instance.n))
        counts = labels[first] != labels[second]
        if kind is Kind.DIFFERENCE:
            counts &= (cells[first] != cells[second]).any(axis=1)
        return first[counts], second[counts]

    def decode(self, sample: Sample) -> Placement:
        """Return the cells on which any label is, and the fixed queens."""
        cells = {(row, column) for _, row, column in self._ones(sample)}
        return Placement(self.instance.n, sorted(cells | self._queens))

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Return the sample in which the labels that are left number the queens in row-major order.

        With too few queens, the last labels have no cell.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If the model cannot state that board.
        """
        off = value_of_zero(vartype)
        queens = sorted(self._statable(placement) - self._queens)
        if len(queens) > len(self._open_labels):
            raise InputError(
                f"the placement has {len(queens) - len(self._open_labels)} queens more than the "
                f"{self.num_labels} that have labels"
            )
        ones = {(label, *cell) for label, cell in zip(self._open_labels, queens, strict=False)}
        return {label: 1 if label in ones else off for label in self.variables}

    def _fixed_value(self, label: object) -> int | None:
        """Return 1 for the cell of a fixed label, and 0 for its others and for closed cells."""
        numbers, n = integers(label, 3), self.instance.n
        if numbers is None or not 0 <= numbers[0] < self.num_labels:
            return None
        if not all(0 <= number < n for number in numbers[1:]):
            return None
        return int(numbers[0] < len(self._fixed) and self._fixed[numbers[0]] == numbers[1:])

    def _size(self) -> tuple[int, int, bool]:
        """Bits of one label are all coupled, those of two where the cells are equal or attack."""
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
