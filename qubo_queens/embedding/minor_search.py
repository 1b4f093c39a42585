"""minorminer (Cai, Macready and Roy, 2014) in a process that can be stopped."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from qubo_queens.checks import shorten
from qubo_queens.child import start
from qubo_queens.embedding import minorminer_child
from qubo_queens.embedding.embedding import Chains
from qubo_queens.embedding.topology import cloud_package
from qubo_queens.errors import SolverError

GRACE_S = 5.0
"""How long after the time limit a search may still hand over what it has found."""


def search(
    edges: Iterable[tuple[Any, Any]],
    graph: Any,
    begin: Chains,
    seed: int,
    seconds: float,
    grace: float = GRACE_S,
) -> Chains:
    """Return what one search finds; no chains if it finds none.

    Args:
        edges: The interactions.
        graph: The chip, a ``networkx.Graph``.
        begin: Chains to start from, which may share qubits; or none.
        seed: The seed, 0..2**31 - 1.
        seconds: When to give up.
        grace: How many seconds later it is killed, since it looks at the time rarely.

    Raises:
        MissingPackageError: If minorminer is not installed, or no process can be started.
        SolverError: If it ends without an answer.
        KeyboardInterrupt: If Ctrl-C came; the search is over then.
    """
    numbers: dict[Any, int] = {}
    pairs = [[numbers.setdefault(label, len(numbers)) for label in edge] for edge in edges]
    ends = {qubit for coupler in graph.edges for qubit in coupler}  # minorminer knows no others
    begun = {label: [q for q in chain if q in ends] for label, chain in begin.items()}
    task = {
        "edges": pairs,
        "couplers": [list(coupler) for coupler in graph.edges],
        "begin": [[numbers[v], chain] for v, chain in begun.items() if v in numbers and chain],
        "options": {"random_seed": seed, "timeout": seconds, "tries": 1},
    }
    labels = list(numbers)
    return {labels[number]: tuple(chain) for number, chain in _ask(task, seconds + grace)}


def _ask(task: Mapping[str, Any], seconds: float) -> list[tuple[int, list[int]]]:
    """Return the answer of a new process, which is killed when its time is over."""
    packages = str(Path(cloud_package("minorminer").__file__).parent.parent)
    with tempfile.TemporaryFile() as source, ExitStack() as files:
        source.write(json.dumps(task).encode())
        source.seek(0)
        with _process(packages, files, source) as process:
            try:
                told, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                return []
            finally:
                process.kill()  # nothing happens if it has ended
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        said = shorten(lines[-1], 200)
        code = process.returncode
        raise SolverError(f"minorminer ended without an answer (exit code {code}): {said}")
    found: list[tuple[int, list[int]]] = json.loads(told)
    return found


def _process(packages: str, files: ExitStack, source: Any) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return start(
            minorminer_child.__file__, packages, files, stdin=source, stdout=pipe, stderr=pipe
        )
    except OSError as error:
        raise SolverError(
            f"no process for minorminer could be started with {sys.executable!r}: {error}"
        ) from error
