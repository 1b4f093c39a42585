"""The ladder on a Zephyr chip: a layout in which no chain is longer than 2.

A Zephyr chip of size m has 2m + 1 columns and rows of t parallel tracks. Along each track run 2m
qubits; the p-th one covers the crossings p and p + 1, so it shares a coupler with the two before it
and the two after it, and with every qubit across it at these two crossings (Boothby, King and
Raymond, *Zephyr topology of D-Wave quantum processors*, 2021).

A cell has a chain bit behind it on each of its lines. Behind the last cell of a diagonal there is
one too, because the chain of a diagonal ends free (its line has a queen or none); that of a sum
diagonal lies in column 0 of the chip, which the board leaves empty, while that of a difference
diagonal has no column to go to and needs an exception (``_gap``).

The cell (r, c) is a vertical qubit at column c + 1 that covers the rows r and r + 1 of the chip. A
chain bit between it and the next cell of a line is a horizontal qubit that covers the columns of
both cells: in row r for the bits of rows, which follow each other on one track, and in row r + 1
for those of columns and diagonals. These latter also have a vertical qubit below, in the column of
the next cell, which meets the next bit of the line. These are the eight qubits, with x for the cell
and R, C, S, D for the bits of its row, column, sum and difference diagonal, side by side where they
run on parallel tracks::

    column       c             c + 1         c + 2
                 .             x             .
    row r        .             x  RRRRRRRRRRRRRR
                 .             x             .
    row r + 1    SSSSSSSSSSSSSSxS            .
                 S             xDDDDDDDDDDDDDD
                 S CCCCCCCCCCCCxC            D
                 S              C            D
    row r + 2    S              C            D

A cell takes one qubit on each of four tracks in each direction, 8 in all, and that is what there
is: the board of size n = 2m fills the chip of size m with t = 4.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from qubo_queens.board.lines import Cell, Kind
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.geometry import BoardLabels
from qubo_queens.embedding.topology import Topology, cloud_package

Place: TypeAlias = tuple[int, int, int, int]
"""A qubit: 0 vertical or 1 horizontal, the column or row, the track, where it begins."""

Shift: TypeAlias = tuple[int, int]
"""By how many rows and columns a board is moved down and to the right."""

TRACKS = 4
"""The number of parallel tracks that a layout takes."""

_TRACK = {Kind.SUM: 1, Kind.DIFFERENCE: 2, Kind.COLUMN: 3}
"""The track of a family in both directions; cells and the bits of rows have track 0."""

_NEXT = {Kind.SUM: -1, Kind.DIFFERENCE: 1, Kind.COLUMN: 0}
"""How far to the right the next cell of a line is."""


def zephyr_shifts(labels: BoardLabels, topology: Topology) -> list[Shift]:
    """Return by how many rows and columns the board can be moved; empty if it does not fit."""
    if topology.family != "zephyr" or topology.tile < TRACKS:
        return []
    top, left, bottom, right = labels.box
    down, across = (2 * topology.size - side for side in (bottom - top + 1, right - left + 1))
    return list(product(range(down + 1), range(across + 1)))


def zephyr_chains(labels: BoardLabels, topology: Topology, shift: Shift) -> Chains:
    """Return the chains of a layout, some with more qubits than they need.

    Where a line passes over cells that are not free, the chain bit has the qubits of all of them.

    Args:
        labels: Cells and chain bits.
        topology: The chip.
        shift: One of ``zephyr_shifts``.
    """
    top, left, _, right = labels.box
    down, across = shift[0] - top, shift[1] - left + 1
    edge = right + across
    number = _numbering(topology)

    def chain(places: list[Place]) -> tuple[int, ...]:
        return tuple(number(place) for place in places if 0 <= place[3] < 2 * topology.size)

    found: Chains = {
        (row, column): chain([_cell(row + down, column + across, edge)])
        for row, column in labels.cells
    }
    for bit, span in labels.spans.items():
        moved = [(row + down, column + across) for row, column in span.gaps()]
        found[bit] = chain([place for cell in moved for place in _gap(span.kind, cell, edge)])
    return found


def _cell(row: int, column: int, edge: int) -> Place:
    # In the last column a second track is free, since no sum diagonal comes from further right.
    return 0, column, row % 2 if column == edge else 0, row


def _gap(kind: Kind, cell: Cell, edge: int) -> list[Place]:
    """Return the qubits of a chain bit right behind a cell of the chip."""
    row, column = cell
    if kind is Kind.ROW:
        return [(1, row, 0, column)]
    if kind is Kind.DIFFERENCE and column == edge:
        # There is no column further right: beside the cell, on its own track, which has a gap here.
        return [(0, column, row % 2, row - 1)]
    track, right = _TRACK[kind], _NEXT[kind]
    begin = column + min(right, 0) if kind is not Kind.COLUMN else column - 1
    return [(1, row + 1, track, begin), (0, column + right, track, row + 1)]


def _numbering(topology: Topology) -> Callable[[Place], int]:
    convert = cloud_package("dwave.graphs").zephyr_coordinates(topology.size, topology.tile)

    def number(place: Place) -> int:
        across, line, track, begin = place
        return int(convert.zephyr_to_linear((across, line, track, begin % 2, begin // 2)))

    return number
