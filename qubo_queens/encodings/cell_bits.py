"""What the encodings with a Boolean for each cell have in common: reading and stating boards."""

from __future__ import annotations

from collections.abc import Mapping

from qubo_queens.board.lines import Cell
from qubo_queens.board.placement import Placement
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.sample import Label, Sample, VartypeLike, integers, value_of_zero


class CellBits(Model):
    """A model whose first variables are the free cells, "is there a queen?".

    Their labels are ``(row, column)`` in row-major order; auxiliary bits, if there are any, follow.
    """

    def decode(self, sample: Sample) -> Placement:
        """Return the queens of a sample, the prescribed and the forced ones."""
        # the labels of auxiliary bits have three numbers
        cells = [label for label in self._ones(sample) if len(label) == 2]
        return Placement(self.instance.n, [*cells, *self.reduction.queens])

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Return 1 for each free cell with a queen, and 0 (or -1) for the others.

        Auxiliary bits have values of least energy.
        """
        off = value_of_zero(vartype)
        queens = self._statable(placement)
        bits: dict[Label, bool] = {cell: cell in queens for cell in self.reduction.free_cells}
        bits.update(self._auxiliaries(queens))
        return {label: 1 if bit else off for label, bit in bits.items()}

    def _auxiliaries(self, queens: frozenset[Cell]) -> Mapping[Label, bool]:
        """Return the best values of the auxiliary bits for queens that the model can state."""
        return {}

    def _fixed_value(self, label: object) -> int | None:
        """Return the value that the model has fixed a cell to, None if it is not on the board."""
        cell = integers(label, 2)
        if cell is None or not all(0 <= number < self.instance.n for number in cell):
            return None
        return int(cell in self._queens)


def largest_cell_degree(n: int) -> int:
    """Return how many other cells share a line with a cell in the middle of the plain board."""
    return max(0, 4 * n - (4 if n % 2 else 5))
