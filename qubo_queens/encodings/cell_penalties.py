"""Encodings with a Boolean for each cell, and maybe auxiliary bits, declared as penalties."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from qubo_queens.board.lines import Kind
from qubo_queens.encodings.cell_bits import CellBits
from qubo_queens.encodings.line_groups import LineGroup, line_groups
from qubo_queens.encodings.penalties import Literals
from qubo_queens.encodings.penalty_model import PenaltyModel
from qubo_queens.encodings.sample import Label


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
        """Yield each line with its family and the number of its constraint, -1 for none."""
        for kind in Kind:
            numbers = self._numbers[kind].tolist()
            for number, group in zip(numbers, line_groups(self.reduction, kind), strict=True):
                yield kind, number, group
