"""The ladder encoding: a chain of bits along each line, so that no variable has many neighbours.

Bit i of a line says "there is a queen among the first i free cells", and each cell is tied to the
two bits around it by ``(x_i - s_i + s_{i-1})^2``, weighted A on rows and columns and B on
diagonals; s_0 = 0, the chains of rows and columns end at 1, those of diagonals end free. With the
chain bits at their best values a line costs |count - 1|, or max(count - 1, 0) on a diagonal, so
E = 0 exactly on the solutions; every other sample has E >= min(2A, B). A prescribed queen on a
forbidden cell costs A more.

A plain board has 5 n^2 - 2n - 4 variables and 12 n^2 - 16 n interactions (n >= 2), and no variable
has more than 8 neighbours. On a line that a queen is fixed on, every further queen costs its
weight, without a chain; a diagonal with one free cell needs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN, Cell, IntArray, Kind
from qubo_queens.board.sizes import line_sizes
from qubo_queens.encodings.cell_penalties import CellPenaltyModel
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.sample import KIND_NUMBERS, Label
from qubo_queens.encodings.strengths import family_of


class Chain(NamedTuple):
    """The bits along one line.

    Attributes:
        free: The free cells on the line, by their places in ``reduction.free_cells``.
        labels: The labels of the bits, in order.
    """

    free: IntArray
    labels: tuple[Label, ...]


class LadderModel(CellPenaltyModel):
    """A Boolean for each free cell, then chain bits: label ``(kind, index, i)`` with i from 1.

    Kind 0 is a row, 1 a column, 2 a diagonal r + c = index, 3 a diagonal r - c = index. Since i
    counts free cells, chain bits of samples belong to the ``reduce`` mode of their model.
    """

    encoding = "ladder"
    default_strengths: ClassVar = {"row_column": 1, "diagonal": 1}

    @cached_property
    def _auxiliary_labels(self) -> tuple[Label, ...]:
        """The bits of one chain after the other."""
        return tuple(bit for chain in self._chains.values() for bit in chain.labels)

    @cached_property
    def _chains(self) -> dict[int, Chain]:
        """The chains, by the number of the constraint of their line."""
        found = {}
        for kind, number, group in self._lines():
            if not len(group.fixed) and len(group.free) > 1:
                last = len(group.free) - (kind in ROW_COLUMN)
                name = KIND_NUMBERS[kind], group.line.index
                found[number] = Chain(group.free, tuple((*name, i) for i in range(1, last + 1)))
        return found

    @property
    def gap(self) -> float:
        """min(2A, B); A with a prescribed queen on a forbidden cell.

        What is missed along a row adds up to the number of queens minus 1: if that is 0, two
        links are missed, and if not, another row or a column is wrong too.
        """
        return self.strengths.gap_of_sums(self._num_forbidden)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The links of each chain; on lines without one, each queen too many or missing."""
        penalties = Penalties(self.literals, ("row_column", "diagonal"))
        next_bit = self._num_cells
        for kind, number, group in self._lines():
            family = family_of(kind)
            chain = self._chains.get(number)
            if chain is not None:
                bits = np.arange(next_bit, next_bit + len(chain.labels))
                next_bit += len(bits)
                _add_links(penalties, family, number, group.free, bits)
            elif len(group.fixed):
                others = np.concatenate((group.free, self._first_queen + group.fixed[1:]))
                penalties.square(family, number, others[:, None])
            elif kind in ROW_COLUMN:
                penalties.square(family, number, group.free[None, :], constant=-1)
        return penalties.collected()

    def _auxiliaries(self, queens: frozenset[Cell]) -> Mapping[Label, bool]:
        """Return for each chain bit whether there is a queen among the first cells of its line."""
        cells, found = self.reduction.free_cells, {}
        for chain in self._chains.values():
            seen = False
            for label, at in zip(chain.labels, chain.free.tolist(), strict=False):
                seen = seen or cells[at] in queens
                found[label] = seen
        return found

    def _size(self) -> tuple[int, int, bool]:
        """A line with m > 1 free cells: m - 1 or m bits, 3m - 4 or 3m - 2 interactions."""
        lines = line_sizes(self.reduction)
        cells = lines.free[Kind.ROW].sum()
        straight, diagonal = (
            free[free > 1] for free in map(lines.unfilled, (ROW_COLUMN, DIAGONAL))
        )
        bits = (straight - 1).sum() + diagonal.sum()
        interactions = (3 * straight - 4).sum() + (3 * diagonal - 2).sum()
        return round(float(cells + bits)), round(float(interactions)), lines.exact

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree and the bias of a cell within four chains."""
        n, a, b = self.instance.n, self.strengths.row_column, self.strengths.diagonal
        if n > 2:
            return 8, 2 * (a + b)
        return (4, max(2 * a + b, 2 * b)) if n == 2 else (0, 2 * a)


def _add_links(
    penalties: Penalties, family: str, number: int, free: IntArray, bits: IntArray
) -> None:
    """Add ``(x_i - s_i + s_{i-1})^2`` along a line; s_0 = 0, and past the last bit s = 1."""
    penalties.square(family, number, [[free[0], bits[0]]], (1, -1))
    inner = np.stack((free[1 : len(bits)], bits[1:], bits[:-1]), axis=1)
    penalties.square(family, number, inner, (1, -1, 1))
    if len(bits) < len(free):
        penalties.square(family, number, [[free[-1], bits[-1]]], (1, 1), constant=-1)
