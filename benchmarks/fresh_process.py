"""What can only be measured in fresh processes: peak memory, and what first use costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

SOLVE = "qubo-queens solve 8"
FIRST_READ = "import FlipSampler, one read, n = {n}"

_READ = """\
from qubo_queens import FlipSampler
FlipSampler().anneal({n}, seed=1, target_energy=0, num_threads=1)
"""


def peak_memory(what: str, n: int) -> dict[str, Any]:
    """Return what peak_memory.py says about a search or a build."""
    script = Path(__file__).with_name("peak_memory.py")
    command = [sys.executable, str(script), str(n), what]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def first_use(
    sizes: Sequence[int], cold_rounds: int, warm_rounds: int
) -> Iterator[tuple[str, float, float]]:
    """Yield what was done in fresh processes, and the median seconds with caches cold and warm.

    The seconds are those of whole processes, start of the interpreter included. Cold means that
    Numba finds no machine code: its cache is a new folder. Warm processes use the folder that a
    cold one has filled.

    Args:
        sizes: The boards of the first read; up to 16 columns are swept by another kernel.
        cold_rounds: The number of cold processes.
        warm_rounds: The number of warm ones.
    """
    commands = {SOLVE: ["-m", "qubo_queens", "solve", "8"]}
    commands |= {FIRST_READ.format(n=n): ["-c", _READ.format(n=n)] for n in sizes}
    for name, command in commands.items():
        cold, warm = [], []
        for number in range(cold_rounds):
            with tempfile.TemporaryDirectory() as folder:
                cold.append(_seconds(command, folder))
                if number == 0:
                    warm = [_seconds(command, folder) for _ in range(warm_rounds)]
        yield name, median(cold), median(warm)


def _seconds(arguments: list[str], cache: str) -> float:
    """Return how long a Python process takes that keeps machine code in the folder `cache`."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
    return time.perf_counter() - start
