"""What a sweep costs, against the size of the board.

    python benchmarks/sweep_cost.py [--rounds 5] [--largest N] [--plot FILE] [--smoke]
                                    [--json FILE]

CPU times of this process. The plot (PNG, SVG or what else matplotlib writes) has both axes
logarithmic; it needs the extra "plot".
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np
from common import alternate, cpu_timed, machine_line, markdown, parser, write_json
from peers import BETAS, TUNED, tuned

from qubo_queens import FlipSampler, build

OWN = "flip, its own schedule"
FIXED_BETA = 3.0
FIXED = f"flip, beta = {FIXED_BETA:g}"
PEER = f"{TUNED.removesuffix(', tuned')}, betas {BETAS[0]:g} to {BETAS[1]:g}"

SIZES = (10, 20, 32, 50, 100, 200, 320, 1000, 3200, 10_000, 32_000, 100_000)
PEER_LARGEST = 100
FIXED_LARGEST = 10_000
FIXED_SWEEPS = 2000, 200
"""For sizes up to 1,000, and above."""

PEER_SWEEPS = (100, 300)


@dataclass
class Cost:
    """The median microseconds of a sweep at one size."""

    route: str
    n: int
    sweep_us: float


def main() -> None:
    """Measure every size, print a table, and plot it if asked."""
    options = _options()
    print(machine_line())
    costs = [cost for n in SIZES if n <= options.largest for cost in measured(n, options.rounds)]
    print(f"\nMicroseconds of CPU time a sweep, plain boards, medians of {options.rounds}\n")
    print(table(costs))
    write_json(options.json, list(map(asdict, costs)))
    if options.plot is not None:
        plot(costs, options.plot)


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    options.add_argument("--largest", type=int, default=10_000, help="the largest n, up to 100,000")
    options.add_argument("--plot", type=Path, metavar="FILE", help="draw the costs there")
    given = options.parse_args()
    if given.smoke:
        given.rounds, given.largest = 1, 50
    return given


def measured(n: int, rounds: int) -> list[Cost]:
    """Measure all that can sweep a board of size `n`, in turns.

    Flip is charged for whole calls, the start included, divided by the number of sweeps. The peer
    is charged for the difference of two calls with different numbers of sweeps, so that converting
    the model costs it nothing.
    """
    model = build(n)
    sweeps = {OWN: 3000 + n}

    def own() -> None:
        reads = FlipSampler().anneal(model, seed=1, num_threads=1)
        sweeps[OWN] = int(reads.num_sweeps[0])

    routes: dict[str, Callable[[], object]] = {OWN: own}
    if n <= FIXED_LARGEST:
        sweeps[FIXED] = FIXED_SWEEPS[n > 1000]
        routes[FIXED] = lambda: FlipSampler().anneal(
            model,
            seed=1,
            num_threads=1,
            num_sweeps=sweeps[FIXED],
            beta_range=(FIXED_BETA, FIXED_BETA),
        )
    few, many = PEER_SWEEPS
    if n <= PEER_LARGEST:
        assert model.bqm is not None  # built beforehand
        for number in PEER_SWEEPS:
            routes[f"{PEER}: {number}"] = lambda number=number: tuned(model, 1, 1, number)
    for route in routes.values():
        cpu_timed(route)  # the warm-up
    seconds = alternate(routes, dict.fromkeys(routes, rounds), lambda *_: None)
    costs = [Cost(name, n, 1e6 * median(seconds[name]) / number) for name, number in sweeps.items()]
    if n <= PEER_LARGEST:
        pairs = zip(*(seconds[f"{PEER}: {number}"] for number in PEER_SWEEPS), strict=True)
        extra = median(b - a for a, b in pairs)
        costs.append(Cost(PEER, n, 1e6 * extra / (many - few)))
    return costs


def table(costs: list[Cost]) -> str:
    """Return the costs with a line for each size, and the slopes between the largest sizes."""
    names = (OWN, FIXED, PEER)
    by_size = {(cost.route, cost.n): cost.sweep_us for cost in costs}
    sizes = sorted({cost.n for cost in costs})
    rows = [(f"{n:,}", *(_number(by_size.get((name, n))) for name in names)) for n in sizes]
    rows.append(("exponent of n", *(_exponent(_line(costs, name)) for name in names)))
    return markdown(("n", *names), rows)


def _line(costs: list[Cost], name: str) -> tuple[list[int], list[float]]:
    chosen = [cost for cost in costs if cost.route == name]
    return [cost.n for cost in chosen], [cost.sweep_us for cost in chosen]


def _exponent(line: tuple[list[int], list[float]]) -> str:
    """Return the slope of the upper half of a line, both axes logarithmic."""
    sizes, values = (part[-max(2, len(part) // 2) :] for part in line)
    if len(sizes) < 2 or min(values) <= 0:
        return ""
    return f"{np.polyfit(np.log(sizes), np.log(values), 1)[0]:.2f} (from n = {sizes[0]:,})"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def plot(costs: list[Cost], file: Path) -> None:
    """Draw the costs, both axes logarithmic."""
    from matplotlib.figure import Figure  # an extra

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, marker in ((OWN, "o"), (FIXED, "s"), (PEER, "^")):
        axes.loglog(*_line(costs, name), marker=marker, label=name)
    axes.set_xlabel("board size n")
    axes.set_ylabel("CPU time of a sweep [µs]")
    axes.grid(which="major", alpha=0.3)
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    main()
