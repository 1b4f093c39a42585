"""Measure the peak memory of a build or a search, in a process of its own (others start it).

Prints JSON: the peak above what the process held before, the same with what it held (so the
peak of the whole process), for a build also ``bqm.nbytes()``, all in bytes; and the method.

On Linux the peak is the high-water mark of the resident set, reset just before the build. Where
that cannot be reset it is the largest resident set so far (``ru_maxrss``) before and after, which
can only understate a build smaller than the imports.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from qubo_queens import FlipSampler, Instance, SwapSampler, build, verify
from qubo_queens.samplers.annealers.board_sampler import BoardSampler

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_HIGH_WATER = "5"


def main() -> None:
    """Do the work on a small board to load everything, then on the one asked for."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("n", type=int, help="the board size")
    options.add_argument("what", nargs="?", default="build", choices=list(_WORK))
    given = options.parse_args()
    work = _WORK[given.what]
    work(20)
    gc.collect()
    before, largest, method = _start()
    about = work(given.n)
    whole = largest()
    peak = {"peak": whole - before, "whole_process": whole, "method": method}
    print(json.dumps(peak | about))


def _build(n: int) -> dict[str, int]:
    return {"nbytes": build(n).bqm.nbytes()}


def _anneal(sampler: type[BoardSampler], n: int) -> dict[str, int]:
    """Search for a board from the instance on, on one thread, and verify it."""
    instance = Instance(n)
    reads = sampler().anneal(instance, seed=1, target_energy=0, num_reads=1000, num_threads=1)
    if not verify(instance, reads.best_placement):
        raise AssertionError(f"{sampler.__name__} found no board of n = {n}")
    return {"reads": len(reads)}


_WORK: dict[str, Callable[[int], dict[str, int]]] = {
    "build": _build,
    "flip": partial(_anneal, FlipSampler),
    "swap": partial(_anneal, SwapSampler),
}


def _start() -> tuple[int, Callable[[], int], str]:
    """Return what is held now, a function that gives the most held since, and the method."""
    try:
        _CLEAR.write_text(_RESET_HIGH_WATER)
        method = "VmHWM after a reset, less VmRSS before"
        return _status("VmRSS"), lambda: _status("VmHWM"), method
    except OSError:
        method = "ru_maxrss after, less ru_maxrss before"
        return _largest_resident_set(), _largest_resident_set, method


def _status(field: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_STATUS} has no {field}")


def _largest_resident_set() -> int:
    import resource  # not on Windows

    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


if __name__ == "__main__":
    main()
