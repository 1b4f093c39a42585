"""How fast our annealers find a verified board, beside other annealers and on large boards.

    python benchmarks/annealers.py [--rounds 9] [--n 64 100 200] [--limit 120] [--largest]
                                   [--smoke] [--json FILE] [--data FOLDER]

Times are CPU times of this process where not said otherwise. Exits with 1 if a bar fails.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import count
from statistics import median
from typing import Any

from boards import listed_diagonals, planted_diagonals
from common import (
    Figure,
    alternate,
    machine_line,
    markdown,
    pairwise_ratio,
    parser,
    two_thread_gain,
    verdict_table,
    wall_timed,
    write_json,
)
from fresh_process import first_use, peak_memory
from peers import OPENJIJ, TUNED, Found, first_board, peers

from qubo_queens import FlipSampler, Instance, Model, SwapSampler, build, verify
from qubo_queens.samplers.annealers.board_sampler import BoardSampler

OURS = "flip"
IN_A_ROW = 100
WARM = f"flip, mean of {IN_A_ROW} calls in a row"
"""What is judged: warm calls. A single call between two peers finds cold caches, which cost it
more than its work does; it stands in the table too."""

MOST_READS = 10_000
BARS = {(64, TUNED): 200, (100, TUNED): 300, (200, TUNED): 500, (100, OPENJIJ): 1000}
"""How many times the CPU time of flip a peer should take, by board size."""


def main() -> int:
    """Measure everything, print the tables, return the exit code."""
    options = _options()
    print(machine_line())
    for n in (8, 20):  # one for each kernel
        native(FlipSampler, n, seed=0)
    native(SwapSampler, 20, seed=0)
    figures = [
        *(figure for n in options.n for figure in versus_peers(n, options)),
        *alone(options),
        *memory(options),
        *threads(options),
        *fresh(options),
    ]
    print("\n" + verdict_table(figures, judged=not options.smoke))
    write_json(options.json, [{**asdict(f), "holds": f.holds} for f in figures])
    return int(not options.smoke and not all(f.holds for f in figures))


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=9, help="rounds, at least 9 (default: 9)")
    options.add_argument(
        "--n", type=int, nargs="*", default=[64, 100, 200], help="sizes beside other annealers"
    )
    options.add_argument(
        "--limit",
        type=float,
        default=120,
        help="CPU seconds after which a peer is not called again (default: 120)",
    )
    options.add_argument("--largest", action="store_true", help="flip on n = 100,000 too")
    given = options.parse_args()
    if given.smoke:
        given.n, given.rounds = [20], 2
    return given


def native(sampler: type[BoardSampler], n: int, seed: int) -> bool:
    """Find a board with one of our annealers, from the instance on, and verify it."""
    instance = Instance(n)
    reads = sampler().anneal(
        instance, seed=seed, target_energy=0, num_threads=1, num_reads=MOST_READS
    )
    return bool(verify(instance, reads.best_placement))


def versus_peers(n: int, options: Namespace) -> Iterator[Figure]:
    """Time the way to the first verified board, ours and theirs in turns.

    Ours is timed from the instance on to the verdict. Theirs are ``sample`` calls on a BQM that
    was built before, until a sample has the ground energy; decoding and verifying come after.
    """
    model = build(n)
    present, missing = peers()
    taking_part = [peer for peer in present if n <= peer.largest]
    missing += [f"{p.name}: not asked for n > {p.largest}" for p in present if n > p.largest]
    one = _seeded(lambda seed: native(FlipSampler, n, seed))
    routes: dict[str, Callable[[], Any]] = {OURS: one}
    routes[WARM] = lambda: all(one() for _ in range(IN_A_ROW))
    small = build(8)
    for peer in taking_part:
        first_board(peer, small, 0, 10)  # the warm-up
        routes[peer.name] = _seeded(
            lambda seed, peer=peer: first_board(peer, model, seed, options.limit)
        )
    repeats = {p.name: min(p.rounds, options.rounds) for p in taking_part}
    calls: dict[str, list[int]] = {name: [] for name in routes}
    gave_up: dict[str, int] = dict.fromkeys(routes, 0)
    repeats |= {OURS: options.rounds, WARM: options.rounds}
    seconds = alternate(routes, repeats, _checked(model, calls, gave_up), check_all=True)
    seconds[WARM] = [taken / IN_A_ROW for taken in seconds[WARM]]
    size = f"n = {n}; {model.bqm.num_interactions:,} interactions"
    print(f"\nTime to the first verified board, plain, {size}\n")
    _print_routes(seconds, calls, gave_up)
    print("\n".join(["", *missing]) if missing else "", flush=True)
    for peer in taking_part:
        yield from _ratios(n, peer.name, seconds, 2 * gave_up[peer.name] >= repeats[peer.name])


def _ratios(
    n: int, peer: str, seconds: dict[str, list[float]], cut_short: bool
) -> Iterator[Figure]:
    """Yield how many times our median a peer's is; the bar is held against warm calls."""
    for ours, bar in ((WARM, BARS.get((n, peer))), (OURS, None)):
        ratio = median(seconds[peer]) / median(seconds[ours])
        yield Figure(f"n = {n}: CPU time of {peer} / {ours}", ratio, bar, True, cut_short)


def _seeded(route: Callable[[int], Any]) -> Callable[[], Any]:
    """Return a route that gets the next seed each time."""
    seeds = count()
    return lambda: route(next(seeds))


def _checked(
    model: Model, calls: dict[str, list[int]], gave_up: dict[str, int]
) -> Callable[[str, bool | Found], None]:
    """Return the check of a route's result: every board that counts is verified."""

    def check(name: str, result: bool | Found) -> None:
        if isinstance(result, Found):
            calls[name].append(result.calls)
            if result.sampleset is None:
                gave_up[name] += 1
                return
            result = bool(verify(model.instance, model.decode(result.sampleset.first.sample)))
        if not result:
            raise AssertionError(f"the board of {name} is no solution")

    return check


def _print_routes(
    seconds: dict[str, list[float]], calls: dict[str, list[int]], gave_up: dict[str, int]
) -> None:
    ours = [median(seconds[name]) for name in (OURS, WARM)]
    rows = [
        (
            name,
            f"{median(taken):.3g}",
            f"{min(taken):.3g}",
            f"{max(taken):.3g}",
            len(taken),
            f"{median(calls[name]):g}" if calls[name] else "",
            gave_up[name] or "",
            *(f"{median(taken) / own:,.0f}" for own in ours),
        )
        for name, taken in seconds.items()
    ]
    header = [
        "route",
        "median CPU s",
        "least",
        "most",
        "rounds",
        "calls",
        "gave up",
        "/ flip",
        "/ in a row",
    ]
    print(markdown(header, rows))


def alone(options: Namespace) -> Iterator[Figure]:
    """Time our annealers on boards that no BQM would fit in memory for."""
    rounds = options.rounds
    sizes: list[tuple[type[BoardSampler], int, int, float | None]] = [
        (FlipSampler, 1000, rounds, 0.2),
        (FlipSampler, 10_000, rounds, 20),
        (SwapSampler, 10**6, rounds, 1),
        (SwapSampler, 10**7, min(5, rounds), 10),
    ]
    if options.largest:
        sizes.append((FlipSampler, 100_000, min(3, rounds), None))
    if options.smoke:
        sizes = [(FlipSampler, 300, rounds, None), (SwapSampler, 10_000, rounds, None)]
    rows = []
    for sampler, n, repeats, bar in sizes:
        name = "flip" if sampler is FlipSampler else "swap"
        route = _seeded(lambda seed, sampler=sampler, n=n: native(sampler, n, seed))
        taken = alternate({name: route}, {name: repeats}, _must_be_solved, check_all=True)[name]
        rows.append(
            (name, f"{n:,}", f"{median(taken):.3g}", f"{min(taken):.3g}", f"{max(taken):.3g}",
             repeats)
        )  # fmt: skip
        yield Figure(f"{name}, n = {n:,}: CPU seconds to a verified board", median(taken), bar)
    header = ["sampler", "n", "median CPU s", "least", "most", "rounds"]
    print("\nTime to the first verified board, plain\n\n" + markdown(header, rows), flush=True)


def _must_be_solved(name: str, solved: bool) -> None:
    if not solved:
        raise AssertionError(f"the board of {name} is no solution")


def memory(options: Namespace) -> Iterator[Figure]:
    """Measure the peak memory of whole searches in fresh processes."""
    searches = (("flip", 10_000, 1.0), ("swap", 10**7, None))
    if options.smoke:
        searches = (("flip", 300, None), ("swap", 10_000, None))
    for name, n, bar in searches:
        peaks = [peak_memory(name, n) for _ in range(1 if options.smoke else 3)]
        whole = median(peak["whole_process"] for peak in peaks) / 1e9
        more = median(peak["peak"] for peak in peaks) / 1e9
        print(f"\n{name}, n = {n:,}: {whole:.3f} GB at most, {more:.3f} GB of it for the search")
        yield Figure(f"{name}, n = {n:,}: peak resident set of the process, GB", whole, bar)


def threads(options: Namespace) -> Iterator[Figure]:
    """Measure reads per second (by the clock on the wall) on one and on two threads."""
    n, boards = (50, 2) if options.smoke else (200, 10)
    hard = [board for board in listed_diagonals(options.data) if board.n == 21][:boards]
    kind = "from the data folder" if hard else "planted"
    hard = hard or planted_diagonals(21, range(boards))
    sweeps, reads = (100, 4) if options.smoke else (3000, 40)
    sets = {
        f"plain, n = {n}": [Instance(n)] * boards,
        f"excluded diagonals, {kind}, n = 21": hard,
    }
    rows = []
    for name, instances in sets.items():
        models = [build(instance) for instance in instances]
        routes = {
            f"{number}": lambda models=models, number=number: _fixed_reads(
                models, reads, sweeps, number
            )
            for number in (1, 2)
        }
        taken = alternate(
            routes, dict.fromkeys(routes, options.rounds), lambda *_: None, timed=wall_timed
        )
        rates = {key: len(models) * reads / median(seconds) for key, seconds in taken.items()}
        gain = pairwise_ratio(taken["1"], taken["2"])
        rows.append((name, f"{sweeps:,}", *(f"{r:,.0f}" for r in rates.values()), f"{gain:.2f}"))
        yield Figure(f"{name}: reads a second, two threads / one", gain, 1.5, at_least=True)
    print(f"\nControl, two threads / one for hashing: {two_thread_gain(options.rounds):.2f}")
    header = ["boards", "sweeps a read", "reads/s, 1 thread", "reads/s, 2 threads", "ratio"]
    print("\n" + markdown(header, rows), flush=True)


def _fixed_reads(models: Sequence[Model], reads: int, sweeps: int, num_threads: int) -> None:
    for seed, model in enumerate(models):
        FlipSampler().anneal(
            model, num_reads=reads, num_sweeps=sweeps, num_threads=num_threads, seed=seed
        )


def fresh(options: Namespace) -> Iterator[Figure]:
    """Measure the first use in a fresh process, with Numba's cache cold and warm."""
    sizes, cold_rounds, warm_rounds = ((8,), 1, 1) if options.smoke else ((8, 100), 3, 5)
    rows = []
    for name, cold, warm in first_use(sizes, cold_rounds, warm_rounds):
        rows.append((name, f"{cold:.2f}", f"{warm:.2f}"))
        yield Figure(f"{name}: seconds in a fresh process, caches cold", cold)
        yield Figure(f"{name}: seconds in a fresh process, caches warm", warm)
    header = ["first use", "s, caches cold", "s, caches warm"]
    print("\n" + markdown(header, rows), flush=True)


if __name__ == "__main__":
    sys.exit(main())
