"""Which schedules suit swap: the case for that in qubo_queens/samplers/annealers/swap.py.

    python benchmarks/tune_swap.py [--rounds 10] [--smoke] [--json FILE]

For each family of boards, the CPU time that a solution costs by the beta at which reads start, on
one thread; betas rise by 2 from there, in units of an attacking pair. All settings take turns.
"""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from statistics import mean
from typing import Any

from common import cpu_timed, machine_line, markdown, parser, write_json

from qubo_queens import Instance, Model, SwapSampler, build, verify
from qubo_queens.generate import blocked, excluded_diagonals, planted

STARTS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
SWEEPS = 10_000
MOST_READS = 200
CAP_S = 2.0
"""Seconds after which a search is given up; it then counts with the time that it took."""


def main() -> None:
    """Print a table with a row for each family of boards."""
    options = _options()
    print(machine_line())
    sampler = SwapSampler()
    _solved(sampler, build(8), seed=0, start=None)  # compiles
    rows, figures = [], []
    for name, models in _families(options):
        seconds: dict[float | None, list[float]] = {start: [] for start in (None, *STARTS)}
        missed = dict.fromkeys(seconds, 0)
        for seed in range(options.rounds):
            for start, model in ((s, m) for m in models for s in seconds):
                taken, solved = cpu_timed(lambda m=model, s=start: _solved(sampler, m, seed, s))  # noqa: B023
                seconds[start].append(taken)
                missed[start] += not solved
        rows.append(_row(name, seconds, missed))
        figures.append({"boards": name, **{str(k): mean(v) for k, v in seconds.items()}})
        print(f"{name}: done", flush=True)
    header = ["boards", "default", *(f"from {start:g}" for start in STARTS), "default / best"]
    print("\nCPU milliseconds a solution; `>` where searches were given up\n")
    print(markdown(header, rows))
    write_json(options.json, figures)


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=10, help="seeds (default: 10)")
    given = options.parse_args()
    if given.smoke:
        given.rounds = 1
    return given


def _families(options: Namespace) -> list[tuple[str, list[Model]]]:
    sizes = (8, 20) if options.smoke else (8, 20, 100, 1000, 10_000, 100_000)
    boards: list[tuple[str, Sequence[Instance]]] = [
        (f"plain, n = {n:,}", [Instance(n)]) for n in sizes
    ]
    if not options.smoke:
        boards += [
            ("planted, n = 200, 20 %", [planted(200, 40, seed=s) for s in range(3)]),
            ("20 diagonals excluded, n = 50", [excluded_diagonals(50, 20, seed=s) for s in (1, 2)]),
            ("2,000 cells blocked, n = 100", [blocked(100, 2000, seed=s) for s in (1, 2)]),
        ]
    return [(name, [build(instance) for instance in instances]) for name, instances in boards]


def _solved(sampler: SwapSampler, model: Model, seed: int, start: float | None) -> bool:
    """Search by restarts; `start` is a beta for each attacking pair, None for the default."""
    pair = model.strengths.diagonal
    schedule: dict[str, Any] = {}
    if start is not None:
        schedule = {"beta_range": (start / pair, (start + 2) / pair), "num_sweeps": SWEEPS}
    reads = sampler.anneal(
        model,
        seed=seed,
        num_reads=MOST_READS,
        target_energy=0,
        num_threads=1,
        time_limit=CAP_S,
        **schedule,
    )
    return verify(model.instance, reads.best_placement).valid


def _row(
    name: str, seconds: dict[float | None, list[float]], missed: dict[float | None, int]
) -> tuple[str, ...]:
    means = {start: 1000 * mean(taken) for start, taken in seconds.items()}
    best = min(mean_ms for start, mean_ms in means.items() if start is not None)
    shown = (("> " if missed[start] else "") + f"{mean_ms:.3g}" for start, mean_ms in means.items())
    ratio = means[None] / best if best else math.nan
    return (name, *shown, f"{ratio:.2f}")


if __name__ == "__main__":
    main()
