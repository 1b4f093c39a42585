"""minorminer (Cai, Macready and Roy, 2014) in a process that can be stopped."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from qubo_queens.checks import shorten
from qubo_queens.embedding import minorminer_child
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.topology import cloud_package
from qubo_queens.errors import SolverError

_GRACE_S = 5.0
"""How long after the time limit a search may still hand over what it has found."""


def search(
    edges: Iterable[tuple[Any, Any]], graph: Any, begin: Chains, seed: int, seconds: float
) -> Chains:
    """Return what one search finds; no chains if it finds none.

    Args:
        edges: The interactions.
        graph: The chip, a ``networkx.Graph``.
        begin: Chains to start from, which may share qubits; or none.
        seed: The seed, 0..2**31 - 1.
        seconds: When to give up.

    Raises:
        SolverUnavailableError: If minorminer is not installed.
        SolverError: If it ends without an answer.
        KeyboardInterrupt: If Ctrl-C came; the search is over then.
    """
    numbers: dict[Any, int] = {}
    pairs = [[numbers.setdefault(label, len(numbers)) for label in edge] for edge in edges]
    task = {
        "edges": pairs,
        "couplers": [list(coupler) for coupler in graph.edges],
        "begin": [[numbers[label], chain] for label, chain in begin.items() if label in numbers],
        "options": {"random_seed": seed, "timeout": seconds, "tries": 1},
    }
    labels = list(numbers)
    return {labels[number]: tuple(chain) for number, chain in _ask(task, seconds + _GRACE_S)}


def _ask(task: Mapping[str, Any], seconds: float) -> list[tuple[int, list[int]]]:
    """Return the answer of a new process, which is killed when its time is over."""
    packages = Path(cloud_package("minorminer").__file__).parent.parent
    command = [sys.executable, "-P", minorminer_child.__file__, str(packages)]
    with tempfile.TemporaryFile("w+") as source:
        json.dump(task, source)
        source.seek(0)
        try:
            done = subprocess.run(
                command,
                stdin=source,
                capture_output=True,
                timeout=seconds,
                start_new_session=True,  # Ctrl-C is for us; subprocess.run kills the process then
                check=False,
            )
        except subprocess.TimeoutExpired:
            return []
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        said = shorten(lines[-1], 200)
        raise SolverError(f"minorminer ended without an answer (exit {done.returncode}): {said}")
    found: list[tuple[int, list[int]]] = json.loads(done.stdout)
    return found
