"""The encoding ``cell``: a bit for each free cell, 1 for a queen.

``E = A * sum over rows and columns of (count - 1)^2 + B * sum over diagonals of
count * (count - 1) / 2 + A * prescribed queens on forbidden cells``. E = 0 exactly on the
solutions (of the relaxed problem with ``relaxation="rooks"``). Elsewhere E >= min(2A, B), or
E >= A if a prescribed queen stands on a forbidden cell. The plain board has n^2 variables and
n(n-1)(5n-1)/3 interactions: no two cells share two lines, so no two couplings are merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    Cell,
    IntArray,
    Kind,
    coordinates,
    line_counts,
    line_index,
    position,
)
from qubo_queens.board.placement import Placement
from qubo_queens.board.sizes import sizes
from qubo_queens.board.violation import Violation
from qubo_queens.encodings.cell_bits import CellBits, largest_cell_degree
from qubo_queens.encodings.forecast import BuildMemory
from qubo_queens.encodings.groups import couplings, exact_dtype
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.sample import BitArray
from qubo_queens.encodings.strengths import rows_columns_diagonals


class CellModel(CellBits):
    """A model in the cell encoding; labels are ``(row, column)`` in row-major order."""

    encoding = "cell"
    takes_strengths = rows_columns_diagonals(1, 2)
    takes_relaxation = True
    neal_schedule = NealSchedule((2, 8), 300)
    build_memory = BuildMemory(2.2, 250)

    def _labels(self) -> tuple[Cell, ...]:
        """Return the free cells in row-major order."""
        return self.reduction.free_cells

    @property
    def gap(self) -> float:
        """min(2A, B), or 2A without diagonals; A with a prescribed queen on a forbidden cell."""
        return self.strengths.gap_of_sums(self._num_forbidden)

    def _size(self) -> tuple[int, int, bool]:
        """A variable for each free cell, an interaction for each pair of them on one line."""
        size = sizes(self.reduction)
        diagonal_pairs = size.diagonal_pairs if self.strengths.diagonal else 0
        return size.cells, size.row_column_pairs + diagonal_pairs, size.exact

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree of a cell in the middle, and the weight of a pair or of one queen."""
        n, a, b = self.instance.n, self.strengths.row_column, self.strengths.diagonal
        if not b:
            return 2 * (n - 1), 2 * a
        return largest_cell_degree(n), max(2 * a, b) if n > 1 else 2 * a

    def _energies(self, bits: BitArray) -> dict[str, float]:
        """Return the energy by family, and ``forbidden``."""
        return self.placement_energies(self._decode(bits))

    def _violations(self, bits: BitArray) -> tuple[Violation, ...]:
        """Return the lines whose constraints a sample violates."""
        return self.placement_violations(self._decode(bits))

    def placement_energies(self, placement: Placement) -> dict[str, float]:
        """Return the energy of any board of this size by family, from line counts alone."""
        counts = line_counts(*self._checked_placement(placement).arrays, placement.n)
        return self._energies_of(counts)

    def _energies_of_samples(self, bits: BitArray) -> npt.NDArray[np.float64]:
        """Return the energy of each row of `bits`, from line counts and not from couplings."""
        n = self.instance.n
        rows, columns = self.reduction.free_arrays
        energies = np.empty(len(bits))
        for at, ones_of_read in enumerate(bits.astype(np.bool_)):
            counts = line_counts(rows[ones_of_read], columns[ones_of_read], n)
            merged = {kind: counts[kind] + self._prescribed[kind] for kind in Kind}
            energies[at] = sum(self._energies_of(merged).values())
        return energies

    def _energies_of(self, counts: Mapping[Kind, IntArray]) -> dict[str, float]:
        """Return the energy by family, given the number of queens on each line."""
        queens = int(counts[Kind.ROW].sum())
        squares = {kind: int(count @ count) for kind, count in counts.items()}
        # (count - 1)^2 and count (count - 1) / 2, added up over n lines and over all diagonals
        missed = sum(squares[kind] - 2 * queens + self.instance.n for kind in ROW_COLUMN)
        pairs = sum((squares[kind] - queens) // 2 for kind in DIAGONAL)
        return {
            "row_column": self.strengths.row_column * missed,
            "diagonal": self.strengths.diagonal * pairs,
            "forbidden": self.strengths.row_column * self._num_forbidden,
        }

    def _make_bqm(self) -> dimod.BinaryQuadraticModel:
        """Build the model directly on the free cells.

        With f queens fixed on a line and s free ones, ``A (s + f - 1)^2`` contributes
        ``A (2f - 1)`` to each cell, 2A to each pair and ``A (f - 1)^2`` to the offset;
        ``B (s + f)(s + f - 1) / 2`` contributes B f, B and ``B f (f - 1) / 2``.
        """
        self._check_memory()
        rows, columns = self.reduction.free_arrays
        weights = dict.fromkeys(ROW_COLUMN, 2 * self.strengths.row_column)
        if self.strengths.diagonal:
            weights |= dict.fromkeys(DIAGONAL, self.strengths.diagonal)
        first, second, weight = couplings(
            [(line_index(kind, rows, columns), weights[kind]) for kind in weights]
        )
        linear = self._linear()
        dtype = np.result_type(exact_dtype(linear), weight)
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            linear.astype(dtype),
            (first, second, weight.astype(dtype, copy=False)),
            self.offset,
            dimod.BINARY,
            variable_order=self.variables,
        )

    @cached_property
    def _prescribed(self) -> dict[Kind, IntArray]:
        """How many prescribed and forced queens stand on each line."""
        return line_counts(*coordinates(self.reduction.queens), self.instance.n)

    def _linear(self) -> npt.NDArray[np.float64]:
        rows, columns = self.reduction.free_arrays
        n, strengths = self.instance.n, self.strengths
        bias = np.full(len(rows), -2.0 * strengths.row_column)  # as floats: integers could overflow
        for kind in Kind:
            per_queen = 2.0 * strengths.row_column if kind in ROW_COLUMN else strengths.diagonal
            bias += float(per_queen) * self._prescribed[kind][position(kind, rows, columns, n)]
        return bias

    @property
    def offset(self) -> float:
        """The energy of the board with the prescribed and forced queens alone."""
        return float(sum(self._energies_of(self._prescribed).values()))
