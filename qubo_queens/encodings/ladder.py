"""The encoding ``ladder``: chains of bits along lines, so that no variable has many neighbours.

Bit s_i of a line is 1 if there is a queen among its first i cells. Cell x_i is coupled with the two
bits next to it by the link ``(x_i - s_i + s_{i-1})^2``, with the weight A on rows and columns and B
on diagonals. s_0 is 0; the last bit of a row or column is 1, that of a diagonal is free. A
prescribed queen on a forbidden cell costs A more.

The terms that are squared along a line add up to count - s_end, and the square of a whole number is
at least its absolute value. So a line costs at least |count - 1|, or max(count - 1, 0) if it is a
diagonal, and with the best chain bits it costs exactly that. Hence E = 0 exactly on the solutions.
Every other sample has E >= min(2A, B): a link of a diagonal that is not 0 costs at least B. The
terms of a row or column add up to count - 1. If that is 0, at least two of them are not 0;
otherwise a second row or column has a wrong count too. With a prescribed queen on a forbidden cell
the bound is A.

A plain board has 5 n^2 - 2n - 4 variables and 12 n^2 - 16 n interactions (n >= 2), and no variable
has more than 8 neighbours. A line with a fixed queen has no chain: every further queen costs its
weight. A diagonal with one free cell needs no chain either. A chain reaches from the first free
cell to the last. Between two free cells that are not neighbours all bits would be equal, so only
the first of them is a variable. With ``reduce="none"`` each is a variable, coupled with the one
before it by ``(s_i - s_{i-1})^2``: this keeps the grid of the board, to which the layouts on chips
are fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from qubo_queens.board.lines import DIAGONAL, ROW_COLUMN, Cell, IntArray, Kind, course, position
from qubo_queens.board.sizes import LineSizes, line_lengths, line_sizes
from qubo_queens.encodings.cell_bits import CellPenaltyModel
from qubo_queens.encodings.groups import LineGroup
from qubo_queens.encodings.model import NealSchedule
from qubo_queens.encodings.penalties import Family, Penalties
from qubo_queens.encodings.sample import KIND_NUMBERS, Label
from qubo_queens.encodings.strengths import family_of, rows_columns_diagonals


class Chain(NamedTuple):
    """The chain of bits of one line.

    Attributes:
        free: The free cells of the line, as indices into ``reduction.free_cells``; shape (cells,).
        cells: Their numbers on the line, from 1; shape (cells,).
        bits: For each bit s_i of the chain the number i, shape (bits,).
    """

    free: IntArray
    cells: IntArray
    bits: IntArray
    labels: tuple[Label, ...]


class LadderModel(CellPenaltyModel):
    """A bit for each free cell, then chain bits with the labels ``(kind, index, i)``, i from 1.

    Kind 0 is a row, 1 a column, 2 a diagonal r + c = index, 3 a diagonal r - c = index. The bit is
    1 if there is a queen among the first i cells of the line, free or not.
    """

    encoding = "ladder"
    takes_strengths = rows_columns_diagonals()
    neal_schedule = NealSchedule((3.5, 6), 3000)

    @cached_property
    def _auxiliary_labels(self) -> tuple[Label, ...]:
        """The bits, chain by chain."""
        return tuple(bit for chain in self._chains.values() for bit in chain.labels)

    @cached_property
    def _chains(self) -> dict[int, Chain]:
        """The chains, by the number of the constraint of their line."""
        return {
            number: self._chain(kind, group)
            for kind, number, group in self._lines()
            if not len(group.fixed) and len(group.free) > 1
        }

    def _chain(self, kind: Kind, group: LineGroup) -> Chain:
        rows, columns = self.reduction.free_arrays
        way = course(group.line, self.instance.n)
        along = columns - way.column if kind is Kind.ROW else rows - way.row
        cells = along[group.free] + 1
        stops = np.arange(cells[0], cells[-1] + 1) if self.reduction.mode == "none" else cells
        bits = stops[:-1] if kind in ROW_COLUMN else stops
        name = KIND_NUMBERS[kind], group.line.index
        return Chain(group.free, cells, bits, tuple((*name, place) for place in bits.tolist()))

    @property
    def gap(self) -> float:
        """min(2A, B); A with a prescribed queen on a forbidden cell."""
        return self.strengths.gap_of_sums(self._num_forbidden)

    @cached_property
    def penalties(self) -> dict[str, Family]:
        """The links of each chain; on lines without a chain, further and missing queens."""
        penalties = Penalties(self.literals, ("row_column", "diagonal"))
        next_bit = self._num_cells
        for kind, number, group in self._lines():
            family = family_of(kind)
            chain = self._chains.get(number)
            if chain is not None:
                _add_links(penalties, family, number, chain, next_bit)
                next_bit += len(chain.bits)
            elif len(group.fixed):
                others = np.concatenate((group.free, self._first_queen + group.fixed[1:]))
                penalties.square(family, number, others[:, None])
            elif kind in ROW_COLUMN:
                penalties.square(family, number, group.free[None, :], constant=-1)
        return penalties.collected()

    def _auxiliaries(self, queens: frozenset[Cell]) -> Mapping[Label, bool]:
        """Return for each chain bit whether there is a queen among the cells up to it."""
        has_queen = np.array([cell in queens for cell in self.reduction.free_cells], np.bool_)
        found: dict[Label, bool] = {}
        for chain in self._chains.values():
            first = chain.cells[has_queen[chain.free]][:1]
            seen = (chain.bits >= first).tolist() if len(first) else [False] * len(chain.bits)
            found.update(zip(chain.labels, seen, strict=True))
        return found

    def _size(self) -> tuple[int, int, bool]:
        """Rows and columns of m > 1 free cells: m - 1 bits, 3m - 4 couplings; diagonals m, 3m - 2.

        With ``reduce="none"``, each other cell in between adds one bit and one interaction.
        """
        n = self.instance.n
        if self.reduction.untouched and n > 1:
            return 5 * n * n - 2 * n - 4, 12 * n * n - 16 * n, True
        lines = line_sizes(self.reduction)
        straight, diagonal = (
            free[free > 1] for free in map(lines.unfilled, (ROW_COLUMN, DIAGONAL))
        )
        bits = (straight - 1).sum() + diagonal.sum()
        interactions = (3 * straight - 4).sum() + (3 * diagonal - 2).sum()
        cells = lines.free[Kind.ROW].sum()
        between = self._num_between(lines) if self.reduction.mode == "none" else 0
        size = round(float(cells + bits)) + between, round(float(interactions)) + between
        return *size, lines.exact

    def _num_between(self, lines: LineSizes) -> int:
        """Return the number of cells within the chains that are not free.

        Where the numbers of free cells are estimates, all other cells of a line are counted.
        """
        n, found = self.instance.n, 0
        for kind in Kind:
            free, open_ = lines.free[kind], (lines.fixed[kind] == 0) & (lines.free[kind] > 1)
            reach = line_lengths(kind, n)
            if lines.exact:
                first, last = np.full(len(free), n), np.full(len(free), -1)
                for rows, columns in self.reduction.free_chunks():
                    where = position(kind, rows, columns, n)
                    along = columns if kind is Kind.ROW else rows
                    np.minimum.at(first, where, along)
                    np.maximum.at(last, where, along)
                reach = last - first + 1
            found += round(float((reach - free)[open_].sum()))
        return found

    def _plain_extremes(self) -> tuple[int, float]:
        """Return the degree and the bias of a cell inside four chains."""
        n, a, b = self.instance.n, self.strengths.row_column, self.strengths.diagonal
        if n > 2:
            return 8, 2 * (a + b)
        return (4, max(2 * a + b, 2 * b)) if n == 2 else (0, 2 * a)


def _add_links(penalties: Penalties, family: str, number: int, chain: Chain, next_bit: int) -> None:
    """Add ``(x_i - s_i + s_{i-1})^2`` along a line; s_0 = 0, and s = 1 after the last bit."""
    bits = np.arange(next_bit, next_bit + len(chain.bits))  # the literals
    # at[k]: the index in bits of s_i for the k-th free cell x_i; len(bits) where s_i is the 1
    at = np.searchsorted(chain.bits, chain.cells)
    penalties.square(family, number, [[chain.free[0], bits[0]]], (1, -1))
    inner = (at > 0) & (at < len(bits))
    here = at[inner]
    links = np.stack((chain.free[inner], bits[here], bits[here - 1]), axis=1)
    penalties.square(family, number, links, (1, -1, 1))
    if at[-1] == len(bits):
        penalties.square(family, number, [[chain.free[-1], bits[-1]]], (1, 1), constant=-1)
    over = np.flatnonzero(np.isin(chain.bits, chain.cells, invert=True))
    penalties.square(family, number, np.stack((bits[over], bits[over - 1]), axis=1), (1, -1))
