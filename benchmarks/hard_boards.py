"""How many hard boards are solved within a time limit, and how fast.

    python benchmarks/hard_boards.py [--seeds 5] [--limit S] [--peer-seeds 1] [--peer-boards N]
                                     [--smoke] [--json FILE] [--data FOLDER]

Times are seconds on the wall: flip uses all cores, the peer one. Each board that counts as solved
is verified.
"""

from __future__ import annotations

import math
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from boards import listed_cells, listed_diagonals, planted_cells, planted_diagonals
from common import machine_line, markdown, parser, write_json
from peers import TUNED, Peer, first_board, tuned

from qubo_queens import FlipSampler, Instance, Model, build, verify

OURS = "flip, all cores"
PEER = f"{TUNED}, one core"
PEER_READS = 10
"""The reads of a call of the peer, so that few of its seconds go into conversions."""

MOST_READS = 10**6
HEADER = ("boards", "n", "number", "sampler", "runs", "limit s", "solved", "median s", "p90 s",
          "max s")  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Boards of one kind.

    Attributes:
        name: How the table calls them.
        n: Their sizes, as text.
        boards: The boards, all of which have a solution.
        limit: The seconds that a search may take.
        seeds: The number of searches for each board.
    """

    name: str
    n: str
    boards: list[Instance]
    limit: float
    seeds: int


@dataclass
class Outcome:
    """How one search on one board ended; `seconds` is infinite if it found no solution."""

    group: str
    n: int
    board: int
    seed: int
    sampler: str
    limit: float
    seconds: float


def main() -> None:
    """Search on every group of boards with both samplers, and print a table."""
    options = _options()
    print(machine_line())
    _warm_up()
    outcomes: list[Outcome] = []
    rows: list[tuple[str, ...]] = []
    for group in _groups(options):
        both = (
            (OURS, _flip, group.boards, group.seeds),
            (PEER, _peer, group.boards[: options.peer_boards], options.peer_seeds),
        )
        for sampler, search, boards, seeds in both:
            found = list(_searched(group, sampler, search, boards, seeds))
            if found:
                rows.append(_row(group, len(boards), found))
                print(f"{group.name}, n = {group.n}, {sampler}: done", flush=True)
            outcomes += found
    print("\n" + markdown(HEADER, rows))
    write_json(
        options.json,
        [{**asdict(o), "seconds": o.seconds if _solved(o) else None} for o in outcomes],
    )


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5, help="searches a board (default: 5)")
    options.add_argument(
        "--limit",
        type=float,
        help="seconds a search may take, instead of 0.5 and 3 (listed boards) or 60 (planted)",
    )
    options.add_argument("--peer-seeds", type=int, default=1, help="likewise of the peer")
    options.add_argument(
        "--peer-boards", type=int, help="boards of a group that the peer gets (default: all)"
    )
    options.add_argument("--planted", action="store_true", help="planted boards in any case")
    given = options.parse_args()
    if given.smoke:
        given.seeds, given.limit, given.peer_boards = 1, 0.1, 2
    return given


def _groups(options: Namespace) -> Iterator[Group]:
    """Yield the boards of the data folder, or planted ones if there are none."""
    listed = list(_listed(options))
    yield from listed
    if options.planted or not listed:
        yield from _planted(options)


def _listed(options: Namespace) -> Iterator[Group]:
    """Yield the satisfiable boards of the data folder: the hardest sizes, then all the others."""
    files = (
        ("excluded diagonals", listed_diagonals(options.data), {21: 0.5}),
        ("blocked cells", listed_cells(options.data), {48: 3.0, 56: 3.0}),
    )
    for name, boards, hardest in files:
        if options.smoke:
            boards = boards[::20]
        for n, limit in hardest.items():
            chosen = [board for board in boards if board.n == n]
            if chosen:
                yield Group(name, str(n), chosen, options.limit or limit, options.seeds)
        others = [board for board in boards if board.n not in hardest]
        if others:
            sizes = sorted({board.n for board in others})
            text = f"{sizes[0]} to {sizes[-1]}"
            yield Group(name, text, others, options.limit or 3.0, 1)


def _planted(options: Namespace) -> Iterator[Group]:
    seeds = range(2 if options.smoke else 8)
    limit = options.limit or 60
    for n in (21,) if options.smoke else (21, 24, 28, 32):
        boards = planted_diagonals(n, seeds)
        yield Group("excluded diagonals, planted", str(n), boards, limit, 1)
    for n in (28,) if options.smoke else (48, 56):
        yield Group("blocked cells, planted", str(n), planted_cells(n, seeds), limit, 1)


def _warm_up() -> None:
    """Compile both kernels, and load the peer."""
    for n in (8, 20):
        _flip(build(n), seed=0, limit=10)
    _peer(build(8), seed=0, limit=10)


def _searched(
    group: Group,
    sampler: str,
    search: Callable[[Model, int, float], float],
    boards: list[Instance],
    seeds: int,
) -> Iterator[Outcome]:
    for number, board in enumerate(boards):
        model = build(board)
        assert model.bqm is not None  # built before the clock runs
        for seed in range(seeds):
            seconds = search(model, seed, group.limit)
            yield Outcome(group.name, board.n, number, seed, sampler, group.limit, seconds)


def _flip(model: Model, seed: int, limit: float) -> float:
    """Return the seconds until a board was found and verified, infinite if there was none."""
    start = time.perf_counter()
    reads = FlipSampler().anneal(
        model, seed=seed, target_energy=0, num_reads=MOST_READS, time_limit=limit
    )
    solved = reads.energies[reads.best_index] == 0
    if solved and not verify(model.instance, reads.best_placement):
        raise AssertionError("flip and the verifier disagree")
    return time.perf_counter() - start if solved else math.inf


def _peer(model: Model, seed: int, limit: float) -> float:
    """Return the seconds until a call returned a solution, infinite if that took too long."""
    peer = Peer(TUNED, tuned, 1, 200)
    start = time.perf_counter()
    found = first_board(
        peer, model, seed, limit, num_reads=PEER_READS, clock=time.perf_counter
    ).sampleset
    seconds = time.perf_counter() - start
    if found is None or seconds > limit:
        return math.inf
    if not verify(model.instance, model.decode(found.first.sample)):
        raise AssertionError("the model and the verifier disagree")
    return seconds


def _solved(outcome: Outcome) -> bool:
    return math.isfinite(outcome.seconds)


def _row(group: Group, boards: int, found: list[Outcome]) -> tuple[str, ...]:
    seconds = [outcome.seconds for outcome in found]
    share = sum(map(_solved, found)) / len(found)
    quantiles = np.quantile(seconds, (0.5, 0.9, 1), method="higher").tolist()
    return (
        group.name,
        group.n,
        str(boards),
        found[0].sampler,
        str(len(found)),
        f"{group.limit:g}",
        f"{100 * share:.1f} %",
        *(_shown(value, group.limit) for value in quantiles),
    )


def _shown(seconds: Any, limit: float) -> str:
    return f"{seconds:.3g}" if math.isfinite(seconds) else f"> {limit:g}"


if __name__ == "__main__":
    main()
