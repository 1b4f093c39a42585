"""The ladder encoding on a Pegasus chip: a periodic layout with chains of at most 2 qubits.

A Pegasus chip of size m has 12m vertical and 12m horizontal tracks. A qubit covers 12 crossings of
its track. It has a coupler to every qubit that crosses it there, to the qubits before and after it
on its track, and to one qubit on the track beside it (Boothby, Bunyk, Raymond and Roy,
*Next-generation topology of D-Wave quantum processors*, 2019). The crossings where the qubits of a
track begin depend on the track modulo 12, by ``_OFFSETS``.

Each cell of the board takes a square of 8 x 8 tracks. The chip is invariant under a move by 8
tracks to the right and 8 up, and under a move by 24 tracks to the right. So there are three types
of cells, by (r + c) mod 3, and ``_PATTERN`` has the qubits of each type: 28 of the 32 qubits in the
squares of three cells. The pattern is a solution of a Boolean formula with these conditions: each
variable has a connected chain of at most 2 qubits near its cell, no qubit is in two chains of the
infinite pattern, and each interaction has a coupler. The formula has many solutions.
``benchmarks/pegasus_pattern.py`` states it and solves it by CaDiCaL, usually with another result.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from qubo_queens.board.lines import Kind
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.labels import BoardLabels
from qubo_queens.embedding.topology import Topology, cloud_package

Place: TypeAlias = tuple[int, int, int]
"""A qubit: 0 if vertical or 1 if horizontal; its track; the crossing where it begins."""

Shift: TypeAlias = tuple[int, int, int]
"""By how many tracks a board is moved right and down, and the type of its upper left cell."""

_PITCH = 8
"""The number of tracks from a cell of the board to the next, in both directions."""

_TYPES = 3
"""The number of types of cells."""

_LENGTH = 12
"""The number of crossings that a qubit covers."""

_OFFSETS = (
    (2, 2, 2, 2, 10, 10, 10, 10, 6, 6, 6, 6),
    (6, 6, 6, 6, 2, 2, 2, 2, 10, 10, 10, 10),
)
"""Where the first qubit of a track begins: for vertical and horizontal ones, by track modulo 12."""

_STEP = 4
"""The number of neighbouring tracks with the same offset."""

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
"""(kind, type of the cell) -> the qubits of the cell (kind None) or of the chain bit behind it.

Tracks and crossings are relative to the upper left corner of the square of the cell.
"""


def pegasus_shifts(labels: BoardLabels, topology: Topology) -> list[Shift]:
    """Return the shifts for which the board (nearly) fits on the chip, the middle ones first.

    A cell of type t fits if the numbers of tracks to its left and above it add up to 8t modulo 12.
    The result is empty for chips of another type.
    """
    if topology.type != "pegasus":
        return []
    top, left, bottom, right = labels.box
    # The number of unused tracks, across and down. The pattern may extend beyond the edge by one
    # cell: the qubits that are missing there are not always needed.
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
    """Return the chains of the layout at a shift; some have more qubits than necessary.

    Where a line passes over cells that are not free, the chain bit has the qubits of all of them.
    Qubits beyond the edge of the chip are left out.
    """
    top, left, _, _ = labels.box
    across, down, first = shift
    number = _numbering(topology)

    def chain(kind: Kind | None, row: int, column: int) -> tuple[int, ...]:
        # (x, y) is the upper left corner of the square. A vertical qubit (u = 0) has its track
        # counted to the right and its crossing counted down; for a horizontal one it is reversed.
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
    """Return the function from a place to the number of the qubit; None beyond the edge."""
    convert = cloud_package("dwave.graphs").pegasus_coordinates(topology.size)
    tracks = range(_LENGTH * topology.size)
    segments = range(topology.size - 1)

    def number(place: Place) -> int | None:
        # Pegasus coordinates are (orientation u, w, k, z): track = 12 w + k, and z is the number of
        # the qubit on its track.
        across, track, begin = place
        segment = (begin - _OFFSETS[across][track % _LENGTH]) // _LENGTH
        if track not in tracks or segment not in segments:
            return None
        return int(convert.pegasus_to_linear((across, *divmod(track, _LENGTH), segment)))

    return number
