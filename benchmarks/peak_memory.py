"""Measure the peak memory of one build, in a process of its own (build.py starts several).

Prints JSON: the peak (the model included) and ``bqm.nbytes()``, both in bytes, and the method.

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
from pathlib import Path

from qubo_queens import build

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_HIGH_WATER = "5"


def main() -> None:
    """Build a small board to load everything, then the one asked for."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("n", type=int, help="the board size")
    n = options.parse_args().n
    _ = build(10).bqm
    gc.collect()
    peak_now, method = _start()
    bqm = build(n).bqm
    print(json.dumps({"peak": peak_now(), "nbytes": bqm.nbytes(), "method": method}))


def _start() -> tuple[Callable[[], int], str]:
    """Return a function that gives the peak since now, in bytes, and how it is measured."""
    try:
        _CLEAR.write_text(_RESET_HIGH_WATER)
        before = _status("VmRSS")
        return lambda: _status("VmHWM") - before, "VmHWM after a reset, less VmRSS before"
    except OSError:
        before = _largest_resident_set()
        return lambda: _largest_resident_set() - before, "ru_maxrss after, less ru_maxrss before"


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
