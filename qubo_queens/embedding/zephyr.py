"""The ladder encoding on a Zephyr chip: a layout with chains of at most 2 qubits.

A Zephyr chip of size m has 2m + 1 columns and 2m + 1 rows of t parallel tracks each. Each track has
2m qubits. The p-th one covers the crossings p and p + 1: it has a coupler to every qubit that
crosses it there, and to the two qubits before it and the two after it on its track (Boothby, King
and Raymond, *Zephyr topology of D-Wave quantum processors*, 2021).

In the model, each cell has a chain bit behind it on each of its lines. The last cell of a diagonal
has one too, since the chain of a diagonal has a free end (a diagonal has one queen or none). For a
sum diagonal this bit lies in column 0 of the chip, which the board leaves empty. For a difference
diagonal there is no such column, and ``_gap`` makes an exception.

The cell (r, c) is a vertical qubit in column c + 1 that covers the rows r and r + 1 of the chip. A
chain bit between it and the next cell of a line has a horizontal qubit that covers the columns of
both cells. For bits of rows it lies in row r, and the bits follow each other on one track. For bits
of columns and diagonals it lies in row r + 1, and the chain has a second, vertical qubit below it,
in the column of the next cell, where it crosses the next bit of the line. The diagram shows these
eight qubits: x is the cell, and R, C, S, D are the bits of its row, column, sum diagonal and
difference diagonal. Parallel tracks are drawn side by side::

    column       c             c + 1         c + 2
                 .             x             .
    row r        .             x  RRRRRRRRRRRRRR
                 .             x             .
    row r + 1    SSSSSSSSSSSSSSxS            .
                 S             xDDDDDDDDDDDDDD
                 S CCCCCCCCCCCCxC            D
                 S              C            D
    row r + 2    S              C            D

A cell uses one qubit on each of four tracks in both directions, 8 in all. So a board of size n = 2m
fills a chip of size m with t = 4.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from qubo_queens.board.lines import Cell, Kind
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.labels import BoardLabels
from qubo_queens.embedding.topology import Topology, cloud_package

Place: TypeAlias = tuple[int, int, int, int]
"""A qubit: 0 if vertical or 1 if horizontal; its column or row; its track; its first crossing."""

Shift: TypeAlias = tuple[int, int]
"""By how many rows and columns of the chip a board is moved down and to the right."""

TRACKS = 4
"""The number of parallel tracks that the layout uses."""

_TRACK = {Kind.SUM: 1, Kind.DIFFERENCE: 2, Kind.COLUMN: 3}
"""The track of the bits of each kind of line, in both directions; cells and rows have track 0."""

_NEXT = {Kind.SUM: -1, Kind.DIFFERENCE: 1, Kind.COLUMN: 0}
"""The column of the next cell of a line minus that of a cell."""


def zephyr_shifts(labels: BoardLabels, topology: Topology) -> list[Shift]:
    """Return the shifts for which the board fits on the chip; empty if there are none."""
    if topology.type != "zephyr" or topology.tile < TRACKS:
        return []
    top, left, bottom, right = labels.box
    down, across = (2 * topology.size - side for side in (bottom - top + 1, right - left + 1))
    return list(product(range(down + 1), range(across + 1)))


def zephyr_chains(labels: BoardLabels, topology: Topology, shift: Shift) -> Chains:
    """Return the chains of the layout at a shift; some have more qubits than necessary.

    Where a line passes over cells that are not free, the chain bit has the qubits of all of them.
    """
    top, left, _, right = labels.box
    # The cell (row, column) of the board is at (row + down, column + across) on the chip: the first
    # column of the board is column 1 of the chip at shift 0. `edge` is the last column in use.
    down, across = shift[0] - top, shift[1] - left + 1
    edge = right + across
    number = _numbering(topology)

    def chain(places: list[Place]) -> tuple[int, ...]:
        # Qubits that would begin before or after the chip are left out.
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
    # In the last column track 1 is free, since no sum diagonal comes from the right: consecutive
    # cells alternate between tracks 0 and 1, which leaves room for the exception in `_gap`.
    return 0, column, row % 2 if column == edge else 0, row


def _gap(kind: Kind, cell: Cell, edge: int) -> list[Place]:
    """Return the qubits of the chain bit directly behind a cell, given by its place on the chip."""
    row, column = cell
    if kind is Kind.ROW:
        return [(1, row, 0, column)]
    if kind is Kind.DIFFERENCE and column == edge:
        # There is no column to the right: the qubit before the cell on its own track is free.
        return [(0, column, row % 2, row - 1)]
    track, right = _TRACK[kind], _NEXT[kind]
    # The horizontal qubit covers the columns of both cells; for a column, any that covers it.
    begin = column + min(right, 0) if kind is not Kind.COLUMN else column - 1
    return [(1, row + 1, track, begin), (0, column + right, track, row + 1)]


def _numbering(topology: Topology) -> Callable[[Place], int]:
    """Return the function from a place to the number of the qubit."""
    convert = cloud_package("dwave.graphs").zephyr_coordinates(topology.size, topology.tile)

    def number(place: Place) -> int:
        # Zephyr coordinates are (orientation u, line w, track k, half j, z): begin = 2 z + j.
        across, line, track, begin = place
        return int(convert.zephyr_to_linear((across, line, track, begin % 2, begin // 2)))

    return number
