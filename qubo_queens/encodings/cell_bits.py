"""Encodings with a bit for each free cell: their boards and their literals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from qubo_queens.board.lines import Cell, Kind, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.encodings.groups import LineGroup, line_groups
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.penalties import Literals, PenaltyModel
from qubo_queens.encodings.sample import BitArray, Label, VartypeLike, integers, value_of_zero


class CellBits(Model):
    """A model whose first variables are bits of the free cells: 1 for a queen.

    Their labels are ``(row, column)`` in row-major order. Auxiliary bits may follow; their labels
    have three numbers.
    """

    def _decode(self, bits: BitArray) -> Placement:
        """Return the queens of a sample, the prescribed and the forced ones."""
        free, fixed = self.reduction.free_arrays, coordinates(self.reduction.queens)
        at = np.flatnonzero(bits[: len(free[0])])
        rows, columns = (
            np.concatenate((numbers[at], others))
            for numbers, others in zip(free, fixed, strict=True)
        )
        return Placement.from_arrays(rows, columns, self.instance.n)

    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> dict[Label, int]:
        """Return 1 for each free cell with a queen, and 0 (or -1) for the others."""
        off = value_of_zero(vartype)
        queens = self._stated_queens(placement)
        bits: dict[Label, bool] = {cell: cell in queens for cell in self.reduction.free_cells}
        bits.update(self._auxiliaries(queens))
        return {label: 1 if bit else off for label, bit in bits.items()}

    def _auxiliaries(self, queens: frozenset[Cell]) -> Mapping[Label, bool]:
        """Return the best values of the auxiliary bits for queens that the model can state."""
        return {}

    def fixed_value(self, label: object) -> int | None:
        """Return the value that the model has fixed a cell to, None if it is not on the board."""
        cell = integers(label, 2)
        if cell is None or not all(0 <= number < self.instance.n for number in cell):
            return None
        return int(cell in self._fixed_queens)


def largest_cell_degree(n: int) -> int:
    """Return the number of cells that share a line with a cell in the middle of the board."""
    return max(0, 4 * n - (4 if n % 2 else 5))


class CellPenaltyModel(CellBits, PenaltyModel):
    """A model whose literals are the free cells, auxiliary bits, and the fixed queens."""

    def _labels(self) -> tuple[Label, ...]:
        """Return the free cells in row-major order, then the auxiliary bits."""
        return (*self.reduction.free_cells, *self._auxiliary_labels)

    @cached_property
    def _auxiliary_labels(self) -> tuple[Label, ...]:
        """The labels of the auxiliary bits."""
        return ()

    @cached_property
    def literals(self) -> Literals:
        """The literals, numbered as the variables and then the fixed queens."""
        return Literals.of_cells(self.reduction, len(self._auxiliary_labels))

    @property
    def _num_cells(self) -> int:
        """The number of free cells, and of the first auxiliary bit."""
        return len(self.reduction.free_arrays[0])

    @property
    def _first_queen(self) -> int:
        """The number of the first fixed queen among the literals."""
        return self._num_cells + len(self._auxiliary_labels)

    def _lines(self) -> Iterator[tuple[Kind, int, LineGroup]]:
        """Yield each line with its kind and the number of its constraint (-1 for none)."""
        for kind in Kind:
            numbers = self._numbers[kind].tolist()
            for number, group in zip(numbers, line_groups(self.reduction, kind), strict=True):
                yield kind, number, group

    def _literals_on(self, line: LineGroup) -> list[int]:
        """Return the literals of the queens on a line: its free cells and its fixed queens."""
        return [*line.free.tolist(), *(line.fixed + self._first_queen).tolist()]
