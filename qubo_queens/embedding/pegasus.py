"""The ladder on a Pegasus chip: a periodic layout with chains of at most 2 qubits.

A Pegasus chip of size m has 12m columns and 12m rows, one track each. A qubit covers 12 crossings
of its track, and shares a coupler with every qubit across it there, with the ones before and after
it on its track, and with one on the track beside it (Boothby, Bunyk, Raymond and Roy,
*Next-generation topology of D-Wave quantum processors*, 2019). Where it begins depends on its
track modulo 12, by the offsets below.

Each cell of the board takes a square of 8 x 8 tracks. The chip looks the same 8 columns to the
right and 8 rows up, or 24 columns to the right, so there are three types of cells, by
(r + c) mod 3, and ``_PATTERN`` has the qubits of each type: 28 of the 32 qubits that three cells
have. It is a solution of a Boolean formula that says: each variable has a connected chain of at
most 2 qubits near its cell, no qubit is in two chains of the endless pattern, and each interaction
has a coupler. That formula has many solutions; ``benchmarks/pegasus_pattern.py`` states it and asks
CaDiCaL, and a run of it is likely to print another one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from qubo_queens.board.lines import Kind
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.geometry import BoardLabels
from qubo_queens.embedding.topology import Topology, cloud_package

Place: TypeAlias = tuple[int, int, int]
"""A qubit: 0 vertical or 1 horizontal, its track, the crossing where it begins."""

Shift: TypeAlias = tuple[int, int, int]
"""How far to the right and down a board is moved, in tracks, and the type of its first cell."""

_PITCH = 8
_TYPES = 3
_LENGTH = 12
_OFFSETS = (
    (2, 2, 2, 2, 10, 10, 10, 10, 6, 6, 6, 6),
    (6, 6, 6, 6, 2, 2, 2, 2, 10, 10, 10, 10),
)
"""Where the first qubit of a track begins, for columns and for rows, by the track modulo 12."""

_STEP = 4
"""Columns of tracks with one offset."""

_PATTERN: dict[tuple[Kind | None, int], tuple[Place, ...]] = {
    (None, 0): ((0, 5, -2), (1, 8, -2)),
    (Kind.ROW, 0): ((0, 7, -2), (1, 5, 2)),
    (Kind.COLUMN, 0): ((0, -2, -6), (0, -2, 6)),
    (Kind.SUM, 0): ((0, -5, -2), (1, 8, -14)),
    (Kind.DIFFERENCE, 0): ((1, 9, -2), (1, 9, 10)),
    (None, 1): ((0, 5, 2), (1, 6, -6)),
    (Kind.ROW, 1): ((1, 3, -2), (1, 3, 10)),
    (Kind.COLUMN, 1): ((1, 7, -6),),
    (Kind.SUM, 1): ((0, -5, 2), (1, 12, -14)),
    (Kind.DIFFERENCE, 1): ((0, 9, 10), (1, 12, -2)),
    (None, 2): ((0, 2, -2), (1, 2, 2)),
    (Kind.ROW, 2): ((0, 10, 2),),
    (Kind.COLUMN, 2): ((0, 0, -2), (1, 6, -2)),
    (Kind.SUM, 2): ((0, -1, 2), (1, 5, -2)),
    (Kind.DIFFERENCE, 2): ((0, 12, -2), (0, 12, 10)),
}
"""The qubits of the cell (None) and of the chain bits behind it, by the type of the cell.

Tracks and beginnings count from the upper left corner of the cell's square.
"""


def pegasus_shifts(labels: BoardLabels, topology: Topology) -> list[Shift]:
    """Return where the board can lie, or nearly so, the middle first; empty if no Pegasus.

    A cell of type t fits where the tracks to its left and above are 8t together, modulo 12.
    """
    if topology.family != "pegasus":
        return []
    top, left, bottom, right = labels.box
    spare = [
        _LENGTH * topology.size - _PITCH * side for side in (right - left + 1, bottom - top + 1)
    ]
    across, down = (range(-_PITCH, room + _PITCH + 1, _STEP) for room in spare)
    found = [
        (x, y, first)
        for x, y, first in product(across, down, range(_TYPES))
        if (x + y - _PITCH * first) % _LENGTH == 0
    ]
    return sorted(found, key=lambda at: abs(at[0] - spare[0] / 2) + abs(at[1] - spare[1] / 2))


def pegasus_chains(labels: BoardLabels, topology: Topology, shift: Shift) -> Chains:
    """Return the chains of a layout, some with more qubits than they need.

    Where a line passes over cells that are not free, the chain bit has the qubits of all of them.

    Args:
        labels: Cells and chain bits.
        topology: The chip.
        shift: One of ``pegasus_shifts``.
    """
    top, left, _, _ = labels.box
    across, down, first = shift
    number = _numbering(topology)

    def chain(kind: Kind | None, row: int, column: int) -> tuple[int, ...]:
        x, y = _PITCH * (column - left) + across, _PITCH * (row - top) + down
        moved = [
            (u, track + (y if u else x), begin + (x if u else y))
            for u, track, begin in _PATTERN[kind, (row - top + column - left + first) % _TYPES]
        ]
        return tuple(qubit for at in moved if (qubit := number(at)) is not None)

    found: Chains = {cell: chain(None, *cell) for cell in labels.cells}
    for bit, span in labels.spans.items():
        found[bit] = tuple(qubit for gap in span.gaps() for qubit in chain(span.kind, *gap))
    return found


def _numbering(topology: Topology) -> Callable[[Place], int | None]:
    """Return a function that gives the number of a qubit, None for one beyond the edge."""
    convert = cloud_package("dwave.graphs").pegasus_coordinates(topology.size)
    tracks = range(_LENGTH * topology.size)
    segments = range(topology.size - 1)

    def number(place: Place) -> int | None:
        across, track, begin = place
        segment = (begin - _OFFSETS[across][track % _LENGTH]) // _LENGTH
        if track not in tracks or segment not in segments:
            return None
        return int(convert.pegasus_to_linear((across, *divmod(track, _LENGTH), segment)))

    return number
