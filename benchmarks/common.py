"""What the benchmarks share: timing, tables, options, a line about the machine."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

DATA_VARIABLE = "QUBO_QUEENS_DATA"


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark takes."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--smoke", action="store_true", help="run everything small, in seconds")
    options.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        default=os.environ.get(DATA_VARIABLE),
        help=f"folder with boards to measure on (default: the environment's {DATA_VARIABLE})",
    )
    return options


def records(folder: Path | str | None, name: str) -> list[dict[str, Any]] | None:
    """Return the records of a JSON-lines file in the data folder, None if it is not there."""
    if folder is None or not (file := Path(folder) / name).is_file():
        return None
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def cpu_timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds that a call takes in this process, and what it returns.

    Garbage is collected before and not during the call, as ``timeit`` does it: otherwise a call
    pays for what earlier ones left behind.
    """
    return _timed(time.process_time, function)


def wall_timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that pass during a call, and what it returns; see :func:`cpu_timed`."""
    return _timed(time.perf_counter, function)


def _timed(clock: Callable[[], float], function: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    gc.disable()
    try:
        start = clock()
        result = function()
        return clock() - start, result
    finally:
        gc.enable()


def alternate(
    routes: Mapping[str, Callable[[], Any]],
    repeats: Mapping[str, int],
    check: Callable[[str, Any], None],
    *,
    check_all: bool = False,
    timed: Callable[[Callable[[], Any]], tuple[float, Any]] = cpu_timed,
) -> dict[str, list[float]]:
    """Time several routes in turns, so that a slow spell of the machine meets all of them.

    Args:
        routes: What to time.
        repeats: How often, for each; a route with fewer repeats takes part in the first rounds.
        check: Gets the name and the result of the first call of each, outside the timed part.
        check_all: Whether it gets the results of all calls.
        timed: Makes a call and tells its seconds.

    Returns:
        The seconds of each route by round.
    """
    seconds: dict[str, list[float]] = {name: [] for name in routes}
    for number in range(max(repeats.values())):
        for name, route in routes.items():
            if number < repeats[name]:
                taken, result = timed(route)
                if number == 0 or check_all:
                    check(name, result)
                del result  # or the next route would run beside it in memory
                seconds[name].append(taken)
    return seconds


def pairwise_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios of the rounds in which both took part."""
    return median(a / b for a, b in zip(ours, theirs, strict=False))


def two_thread_gain(rounds: int) -> float:
    """Return how much faster two threads hash than one: what the machine has to give now."""
    block = bytes(4 << 20)

    def hashed(number: int) -> None:
        with ThreadPoolExecutor(number) as pool:
            list(pool.map(lambda _: sha256(block).digest(), range(20)))

    routes = {str(number): partial(hashed, number) for number in (1, 2)}
    repeats = dict.fromkeys(routes, rounds)
    taken = alternate(routes, repeats, lambda *_: None, timed=wall_timed)
    return pairwise_ratio(taken["1"], taken["2"])


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


@dataclass(frozen=True)
class Figure:
    """One measured number and the bar it is held against, if any.

    Attributes:
        what: What was measured.
        value: The number.
        bar: What it should be.
        at_least: Whether the bar is the least value; by default it is the largest.
        lower_bound: Whether the true value may be larger, since a measurement was cut short.
    """

    what: str
    value: float
    bar: float | None = None
    at_least: bool = False
    lower_bound: bool = False

    @property
    def holds(self) -> bool:
        """Whether the bar is met; true where there is none."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def __str__(self) -> str:
        shown = f"{self.value:,.0f}" if self.value >= 40 else f"{self.value:#.3g}"
        if self.lower_bound:
            shown = f"> {shown}"
        if self.bar is None:
            return shown
        return f"{shown} ({'>=' if self.at_least else '<='} {self.bar:g})"


def verdict_table(figures: Iterable[Figure], *, judged: bool) -> str:
    """Return a Markdown table of figures beside their bars.

    Args:
        figures: The figures.
        judged: Whether to say which bars hold.
    """
    verdicts = {True: "yes", False: "NO"} if judged else dict.fromkeys((True, False), "not judged")
    rows = [(f.what, f, "" if f.bar is None else verdicts[f.holds]) for f in figures]
    return markdown(["figure", "measured (bar)", "bar holds"], rows)


def machine() -> dict[str, Any]:
    """Return what the figures depend on besides the code."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("dimod", "dwave-samplers", "numpy")},
    }


def machine_line() -> str:
    """Return :func:`machine` as one line of text."""
    return ", ".join(f"{name} {value}" for name, value in machine().items())


def write_json(file: Path | None, figures: Any) -> None:
    """Write the figures and the machine to `file`, if one is given."""
    if file is not None:
        file.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1) + "\n")


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
