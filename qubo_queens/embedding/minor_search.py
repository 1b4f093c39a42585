"""Search for embeddings by minorminer, in a process that can be killed.

The method is that of J. Cai, W. G. Macready and A. Roy, "A practical heuristic for finding graph
minors" (2014).
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from qubo_queens.checks import shorten
from qubo_queens.child import start
from qubo_queens.embedding import minorminer_child
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.labels import BoardLabels
from qubo_queens.embedding.topology import Topology, cloud_package
from qubo_queens.errors import SolverError

GRACE_S = 5.0
"""How long after the time limit a search may still return what it has found."""

_QUBITS_PER_CELL = 10
"""The share of a chip that a board is spread over, as qubits per cell; measured on Pegasus."""

_MOST_MISSING = 0.1
"""A layout is not a useful start if more than this share of the variables has no qubit."""


def search(
    edges: Iterable[tuple[Any, Any]],
    graph: Any,
    begin: Chains,
    seed: int,
    seconds: float,
    grace: float = GRACE_S,
) -> Chains:
    """Return the chains that one search finds; empty if it finds none.

    Chains to start from (`begin`) may share qubits. minorminer gets a time limit in seconds, but
    checks the time rarely: the process is killed `grace` seconds later.
    """
    numbers: dict[Any, int] = {}
    pairs = [[numbers.setdefault(label, len(numbers)) for label in edge] for edge in edges]
    ends = {qubit for coupler in graph.edges for qubit in coupler}  # minorminer accepts no others
    begun = {label: [q for q in chain if q in ends] for label, chain in begin.items()}
    task = {
        "edges": pairs,
        "couplers": [list(coupler) for coupler in graph.edges],
        "begin": [[numbers[v], chain] for v, chain in begun.items() if v in numbers and chain],
        "options": {"random_seed": seed, "timeout": seconds, "tries": 1},
    }
    labels = list(numbers)
    return {labels[number]: tuple(chain) for number, chain in _answer(task, seconds + grace)}


def _answer(task: Mapping[str, Any], seconds: float) -> list[tuple[int, list[int]]]:
    """Return the answer of a new process, which is killed after `seconds`."""
    packages = str(Path(cloud_package("minorminer").__file__).parent.parent)
    with tempfile.TemporaryFile() as source, ExitStack() as files:
        source.write(json.dumps(task).encode())
        source.seek(0)
        with start(
            minorminer_child.__file__,
            packages,
            files,
            name="minorminer",
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                answer, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                return []
            finally:
                process.kill()  # no effect if it has ended
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines() or ["no message"]
        message = shorten(lines[-1], 200)
        code = process.returncode
        raise SolverError(f"minorminer ended without an answer (exit code {code}): {message}")
    found: list[tuple[int, list[int]]] = json.loads(answer)
    return found


def starts(labels: BoardLabels, topology: Topology, layout: Chains | None) -> list[Chains]:
    """Return initial chains for searches, to be used in turn; some may share qubits or be missing.

    There are up to two: the layout, and the board spread over the middle of the chip, with each
    variable on the nearest qubit. The layout comes first for a board that extends a little beyond
    an ideal chip. On a chip with faults the layout leaves too little room, so it comes second.
    """
    spread = _spread(labels, topology)
    found = [] if spread is None else [spread]
    placed = {label: chain for label, chain in (layout or {}).items() if chain}
    if layout is not None and len(placed) >= (1 - _MOST_MISSING) * len(layout):
        found.insert(1 if topology.couplers is not None else 0, placed)
    return found


def _spread(labels: BoardLabels, topology: Topology) -> Chains | None:
    """Return a qubit for each variable, nearest to its place; None if places are not known."""
    from scipy.spatial import cKDTree

    places = topology.places
    if places is None:
        return None
    top, left, bottom, right = labels.box
    side = max(bottom - top, right - left) + 1
    share = min(1.0, side * (_QUBITS_PER_CELL / len(places)) ** 0.5)
    middles = labels.middles()
    board = np.array(list(middles.values()))[:, ::-1]  # (row, column) to (x, y), of shape (N, 2)
    center = np.array([(left + right) / 2, (top + bottom) / 2])
    points = 0.5 + share * (board - center) / side  # the chip is the unit square
    found = cKDTree(np.array(list(places.values()))).query(points)[1]
    qubits = np.array(list(places))[found].tolist()
    return {label: (qubit,) for label, qubit in zip(middles, qubits, strict=True)}
