"""Laying a board on a chip by its rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.geometry import BoardLabels
from qubo_queens.embedding.pegasus import pegasus_chains, pegasus_shifts
from qubo_queens.embedding.topology import Topology
from qubo_queens.embedding.zephyr import zephyr_chains, zephyr_shifts

_QUBITS_PER_CELL = 10
"""How much of a chip a board is spread over where no layout is known: measured on Pegasus."""

_MOST_MISSING = 0.1
"""The share of variables without a qubit above which a layout is no help."""


def layouts(labels: BoardLabels, topology: Topology) -> Iterator[Chains]:
    """Yield the known layouts of the ladder on a chip, wherever it can lie.

    Qubits that the chip has not are left out, so chains may be empty or have lost couplers.
    """
    graph = topology.graph
    makers = [
        *(partial(zephyr_chains, shift=s) for s in zephyr_shifts(labels, topology)),
        *(partial(pegasus_chains, shift=s) for s in pegasus_shifts(labels, topology)),
    ]
    for make in makers:
        made = make(labels, topology)
        yield {
            label: tuple(dict.fromkeys(qubit for qubit in chain if qubit in graph))
            for label, chain in made.items()
        }


def starts(labels: BoardLabels, topology: Topology, layout: Chains | None) -> list[Chains]:
    """Return chains to start searches from, in turns; some may share qubits or be missing.

    A board that reaches a little over the edge of the chip is best started from its layout, which
    on a chip with faults leaves too little room: there the board is spread over the middle of the
    chip first, each variable on the qubit next to where it lies.

    Args:
        labels: Cells and chain bits.
        topology: The chip.
        layout: The layout that is closest to an embedding, if there is one.
    """
    spread = _spread(labels, topology)
    found = [] if spread is None else [spread]
    there = {label: chain for label, chain in (layout or {}).items() if chain}
    if layout is not None and len(there) >= (1 - _MOST_MISSING) * len(layout):
        found.insert(1 if topology.couplers is not None else 0, there)
    return found


def _spread(labels: BoardLabels, topology: Topology) -> Chains | None:
    from scipy.spatial import cKDTree

    places = topology.places
    if places is None:
        return None
    top, left, bottom, right = labels.box
    side = max(bottom - top, right - left) + 1
    share = min(1.0, side * (_QUBITS_PER_CELL / len(places)) ** 0.5)
    middles = labels.middles()
    board = np.array(list(middles.values()))[:, ::-1]  # x is the column
    center = np.array([(left + right) / 2, (top + bottom) / 2])
    points = 0.5 + share * (board - center) / side
    found = cKDTree(np.array(list(places.values()))).query(points)[1]
    qubits = np.array(list(places))[found].tolist()
    return {label: (qubit,) for label, qubit in zip(middles, qubits, strict=True)}
