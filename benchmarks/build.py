"""How fast, and in how much memory, a model is built, beside the other ways to build it.

    python benchmarks/build.py [--n 100] [--repeats 9] [--smoke] [--json FILE] [--data FOLDER]

All times are CPU time of this process. Exits with 1 if a bar fails. Bars are stated for n = 100
and judged for that size only.
"""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import dimod
from common import (
    Figure,
    alternate,
    cpu_timed,
    machine_line,
    markdown,
    pairwise_ratio,
    parser,
    records,
    verdict_table,
    write_json,
)

from qubo_queens import Instance, build
from qubo_queens.generate import planted

BAR_SIZE = 100
SMOKE_SIZE = 30
COMPLETION = "completion_from_ed21.jsonl"
SEED = 1

OURS = "build(n).bqm"
DIMOD = "dimod's own route"
NAIVE = "naive pair loop"
COPY = "bqm.copy()"


def main() -> int:
    """Measure everything, print the table, return the exit code."""
    options = _options()
    print(machine_line())
    figures = [
        *routes(options.n, options.repeats, slow_repeats=min(3, options.repeats)),
        peak_memory(options.n, processes=2 if options.smoke else 5),
        *prescribed(options.n, options.repeats),
        *completions(options.data, options.repeats),
    ]
    judged = options.n == BAR_SIZE and not options.smoke
    print("\n" + verdict_table(figures, judged=judged))
    write_json(options.json, [{**asdict(f), "holds": f.holds} for f in figures])
    return int(judged and not all(f.holds for f in figures))


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--n", type=int, default=BAR_SIZE, help="board size (default: 100)")
    options.add_argument("--repeats", type=int, default=9, help="rounds (default: 9)")
    given = options.parse_args()
    if given.smoke:
        given.n, given.repeats = SMOKE_SIZE, min(3, given.repeats)
    return given


def routes(n: int, repeats: int, *, slow_repeats: int) -> Iterable[Figure]:
    """Time the ways to the same model in turns."""
    model = build(n).bqm  # with the next line also the warm-up
    dimod_route(n)
    ways = {
        OURS: lambda: build(n).bqm,
        DIMOD: lambda: dimod_route(n),
        NAIVE: lambda: naive_route(n),
        COPY: model.copy,
    }
    counts = {**dict.fromkeys(ways, repeats), NAIVE: slow_repeats}
    seconds = alternate(ways, counts, _must_equal(model))
    print(f"\nPlain board, n = {n}: {model.num_interactions:,} interactions, all models equal\n")
    rows = [
        (name, f"{median(t):.4f}", f"{min(t):.4f}", f"{max(t):.4f}", len(t))
        for name, t in seconds.items()
    ]
    print(markdown(["route", "median CPU s", "least", "most", "rounds"], rows))
    for name, bar in ((DIMOD, 0.35), (NAIVE, 0.06), (COPY, None)):
        ratio = pairwise_ratio(seconds[OURS], seconds[name])
        yield Figure(f"CPU time: {OURS} / {name}", ratio, bar)


def dimod_route(n: int) -> dimod.BinaryQuadraticModel:
    """Build the model with what dimod offers: equalities, and a loop over diagonal pairs."""
    bqm = dimod.BinaryQuadraticModel(dimod.BINARY)
    for i in range(n):
        bqm.add_linear_equality_constraint([((i, j), 1) for j in range(n)], 1, -1)
        bqm.add_linear_equality_constraint([((j, i), 1) for j in range(n)], 1, -1)
    for k in range(2 * n - 1):
        sums = [(r, k - r) for r in range(n) if 0 <= k - r < n]
        differences = [(r, r - k + n - 1) for r in range(n) if 0 <= r - k + n - 1 < n]
        for diagonal in (sums, differences):
            for first, second in combinations(diagonal, 2):
                bqm.add_quadratic(first, second, 2)
    return bqm


def naive_route(n: int) -> dimod.BinaryQuadraticModel:
    """Build the model as one writes it down first: look at every two cells."""
    cells = [(r, c) for r in range(n) for c in range(n)]
    linear = dict.fromkeys(cells, -2)
    quadratic: dict[tuple[object, object], int] = {}
    for (r, c), (s, t) in combinations(cells, 2):
        if r == s or c == t or r + c == s + t or r - c == s - t:
            pair = ((r, c), (s, t))
            quadratic[pair] = quadratic.get(pair, 0) + 2
    return dimod.BinaryQuadraticModel(linear, quadratic, 2 * n, dimod.BINARY)


def peak_memory(n: int, *, processes: int) -> Figure:
    """Measure the peak memory of a build in fresh processes."""
    script = Path(__file__).with_name("peak_memory.py")
    command = [sys.executable, str(script), str(n)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(processes)
    ]
    ratios = [run["peak"] / run["nbytes"] for run in runs]
    print(
        f"\nPeak memory of {processes} builds in fresh processes: {min(ratios):.3f} to "
        f"{max(ratios):.3f} of {runs[0]['nbytes']:,} bytes ({runs[0]['method']})"
    )
    return Figure("peak memory: build(n).bqm / bqm.nbytes()", median(ratios), 2.2)


def prescribed(n: int, repeats: int) -> Iterable[Figure]:
    """Build with queens prescribed, and fix the same cells in the full model instead."""
    instance = planted(n, 3 * n // 10, seed=SEED)
    full = build(n).bqm
    values = dict.fromkeys(full.variables, 0)
    for label in build(instance).variables:
        del values[label]
    values |= dict.fromkeys(instance.queens, 1)
    once, fixed = cpu_timed(lambda: _fixed(full, values))
    ways = {OURS: lambda: build(instance).bqm}
    ours = median(alternate(ways, {OURS: repeats}, _must_equal(fixed))[OURS])
    print(
        f"\n{len(instance.queens)} queens prescribed, n = {n}: build {ours:.4f} s, fix_variables "
        f"{once:.2f} s, both {fixed.num_variables:,} variables, models equal"
    )
    yield Figure(
        f"{len(instance.queens)} queens prescribed: fix_variables / build", once / ours, 100, True
    )


def _fixed(full: dimod.BinaryQuadraticModel, values: dict[Any, int]) -> dimod.BinaryQuadraticModel:
    full.fix_variables(values)
    return full


def completions(folder: Path | None, repeats: int) -> Iterable[Figure]:
    """Build boards with n = 5,493 and all but 21 queens prescribed."""
    found = records(folder, COMPLETION)
    if found is None:
        print(f"\nNo {COMPLETION} in a data folder: a seeded planted board of that size instead")
        boards = [planted(5_493, 5_472, seed=SEED)]
    else:
        boards = [Instance(record["n"], record["queens"]) for record in found]
    seconds: list[float] = []
    sizes: list[int] = []
    for board in boards:
        sizes.append(build(board).bqm.num_variables)
        runs = [cpu_timed(lambda board=board: _completed(board))[0] for _ in range(repeats)]
        seconds.append(median(runs))
    what = f"n = {boards[0].n:,} with {len(boards[0].queens):,} prescribed"
    print(
        f"\n{what}, boards: {len(boards)}; seconds: median {median(seconds):.4f}, "
        f"most {max(seconds):.4f}; variables: median {median(sizes):g}, most {max(sizes)}"
    )
    yield Figure(f"{what}: most CPU seconds", max(seconds), 1)
    yield Figure(f"{what}: most variables", max(sizes), None if found is None else 265)


def _completed(board: Instance) -> dimod.BinaryQuadraticModel:
    """Check, reduce and build, from plain numbers on."""
    return build(Instance(board.n, board.queens)).bqm


def _must_equal(expected: dimod.BinaryQuadraticModel) -> Any:
    def check(name: str, bqm: dimod.BinaryQuadraticModel) -> None:
        if bqm != expected:
            raise AssertionError(f"the model of route {name!r} differs")

    return check


if __name__ == "__main__":
    sys.exit(main())
