"""Are verdicts right, and how fast are they, beside a constraint solver and a SAT solver?

    python benchmarks/verdicts.py [--methods prove auto] [--proofs] [--time-limit S]
                                  [--peer-every K] [--limit S] [--smoke] [--json FILE]
                                  [--data FOLDER]

Times are seconds on the wall. Exits with 1 if a verdict is wrong, or if a bar fails; bars are
judged where the boards of a data folder are all decided.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import Any

from boards import PACKED_SOURCE, Board, generated_boards, listed_boards, packed_boards
from common import Figure, machine_line, markdown, parser, verdict_table, wall_timed, write_json
from judge import (
    METHODS,
    PROVEN_NODES,
    Answer,
    ask,
    ask_solver,
    by_method,
    group,
    grouped,
    proven_by_clauses,
)
from solvers import CADICAL, CP_SAT, SOLVERS, Solvers

from qubo_queens import Status, count, reduce
from qubo_queens.generate import corner_packed, random_partial

PACKED = ((48, 17), (64, 23))
"""Sizes and numbers of queens of the boards with packed corners."""

PACKED_SEEDS = 5
MEDIAN_BARS = {CP_SAT: 10.0, CADICAL: 3.0}
HARD_SOURCES = (("excluded diagonals", 21), ("blocked cells", 56))
HARD_BAR = 10.0


def main() -> int:
    """Decide everything, print the tables, return the exit code."""
    options = _options()
    print(machine_line(), flush=True)
    with Solvers() as solvers:
        boards, listed = _boards(options, solvers)
        _warm_up(options.methods)
        answers = list(_answers(options, solvers, boards))
    print("\n" + markdown(_HEADER, _verdict_rows(answers)))
    if options.peer_every:
        print("\n" + markdown(_peer_header(options), _peer_rows(answers, options)))
    figures = [
        *_verdict_figures(answers, options),
        *_proof_figures(answers, options),
        *_peer_figures(answers, options),
        *_prove_figures(answers),
        *_count_figures(options),
        *_reduction_figures(options),
    ]
    judged = listed and not options.smoke
    print("\n" + verdict_table(figures, judged=judged))
    faults = [answer for answer in answers if answer.fault is not None]
    for answer in faults:
        print(f"WRONG, {answer.method}: {answer.fault}: {answer.board}")
    write_json(
        options.json,
        {
            "answers": [_record(answer) for answer in answers],
            "figures": [{**asdict(f), "holds": f.holds} for f in figures],
        },
    )
    return int(bool(faults) or (judged and not all(f.holds for f in figures)))


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument(
        "--methods",
        nargs="+",
        choices=list(METHODS),
        default=list(METHODS),
        help="the methods of this package that decide the boards (default: all)",
    )
    options.add_argument(
        "--proofs",
        action="store_true",
        help=f"write and check the clauses of each search of at most {PROVEN_NODES:,} nodes",
    )
    options.add_argument(
        "--peer-every",
        type=int,
        default=1,
        metavar="K",
        help="the other solvers get every K-th board (default: 1), and none for 0",
    )
    options.add_argument(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds that these methods may take for a board (default: 60)",
    )
    options.add_argument(
        "--limit", type=float, default=20.0, help="seconds a solver may take (default: 20)"
    )
    given = options.parse_args()
    if given.smoke:
        given.proofs, given.peer_every = True, 1
        given.limit, given.time_limit = min(given.limit, 2.0), min(given.time_limit, 5.0)
    return given


def _boards(options: Namespace, solvers: Solvers) -> tuple[list[Board], bool]:
    """Return the boards, and whether they come from the data folder.

    CaDiCaL decides generated boards of which it is not known whether they have a solution.
    """
    boards = listed_boards(options.data)
    listed = bool(boards)
    if options.smoke:
        boards = boards[::40]
    if not listed:
        boards = [
            board
            if board.feasible is not None
            else replace(board, feasible=solvers.decide(CADICAL, board.instance, 60).satisfiable)
            for board in generated_boards()
        ]
    return boards + packed_boards(PACKED, range(1 if options.smoke else PACKED_SEEDS)), listed


def _warm_up(methods: Sequence[str]) -> None:
    """Compile the kernels, and load what is loaded when it is first needed."""
    packed = corner_packed(64, 24, seed=99)
    for board in (*generated_boards()[::3], Board(PACKED_SOURCE, packed, False)):
        for method in methods:
            ask(method, board, 60)


def _answers(options: Namespace, solvers: Solvers, boards: list[Board]) -> Iterator[Answer]:
    """Yield all answers; the methods take turns on each board."""
    for_peers = _for_peers(boards, options.peer_every)
    if options.peer_every and not options.smoke:
        for_peers |= {number for number, board in enumerate(boards) if _is_hard(board)}
    for number, board in enumerate(boards):
        for method in options.methods:
            yield ask(method, board, options.time_limit)
        if number in for_peers:
            for name in SOLVERS:
                yield ask_solver(solvers, name, board, options.limit)
        if number % 100 == 99:
            print(f"{number + 1} of {len(boards)} boards", flush=True)


def _is_hard(board: Board) -> bool:
    """Return whether a board is one of those that all go to the other solvers."""
    return bool(board.feasible) and (board.source, board.instance.n) in HARD_SOURCES


def _for_peers(boards: list[Board], every: int) -> set[int]:
    """Return which boards the other solvers get: of packed corners one of each size."""
    if not every:
        return set()
    chosen = {}
    for number, board in enumerate(boards):
        packed = board.source == PACKED_SOURCE
        chosen.setdefault(board.instance.n if packed else -1 - number // every, number)
    return set(chosen.values())


_HEADER = ("boards", "n", "verdict", "number", "method", "answered by", "median s", "max s")


def _verdict_rows(answers: Sequence[Answer]) -> Iterator[tuple[object, ...]]:
    for names, found in grouped(a for a in answers if a.method in METHODS):
        for method, ours in by_method(found).items():
            counts = Counter(answer.answered_by for answer in ours).most_common()
            seconds = [answer.seconds for answer in ours]
            by = ", ".join(f"{name} {number}" for name, number in counts)
            yield (*names, len(ours), method, by, *map(_shown, (median(seconds), max(seconds))))


def _shown(seconds: float) -> str:
    return f"{seconds:.3g}"


def _shared(answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers on those boards that the other solvers were given."""
    answers = list(answers)
    given = {id(answer.board) for answer in answers if answer.method in SOLVERS}
    return [answer for answer in answers if id(answer.board) in given]


def _peer_header(options: Namespace) -> list[str]:
    names = [*options.methods, *SOLVERS]
    return ["boards", "n", "verdict", "number", *(f"{name}, median s" for name in names)]


def _peer_rows(answers: Sequence[Answer], options: Namespace) -> Iterator[list[object]]:
    """Yield a line for each group; with the number of runs of a solver that reached the limit."""
    for names, found in grouped(_shared(answers)):
        methods = by_method(found)
        cells = []
        for name in (*options.methods, *SOLVERS):
            out = sum(answer.status is Status.UNKNOWN for answer in methods[name])
            more = f" ({out} ran out)" if out else ""
            cells.append(_shown(median(answer.seconds for answer in methods[name])) + more)
        yield [*names, len(methods[CADICAL]), *cells]


def _verdict_figures(answers: Sequence[Answer], options: Namespace) -> Iterator[Figure]:
    for method in options.methods:
        ours = [answer for answer in answers if answer.method == method]
        wrong = sum(answer.fault is not None for answer in ours)
        undecided = sum(answer.status is Status.UNKNOWN for answer in ours)
        what = f"{method}, {len(ours)} boards"
        yield Figure(f"{what}: wrong verdicts", wrong, 0)
        yield Figure(f"{what}: undecided", undecided, 0)
        yield Figure(f"{what}: seconds in total", sum(answer.seconds for answer in ours))


def _proof_figures(answers: Sequence[Answer], options: Namespace) -> Iterator[Figure]:
    """Check the searches of ``prove`` by their clauses."""
    if not options.proofs:
        return
    searches = [a for a in answers if a.method == "prove" and a.nodes is not None]
    small = [answer for answer in searches if (answer.nodes or 0) <= PROVEN_NODES]
    seconds, refused = wall_timed(lambda: sum(not proven_by_clauses(answer) for answer in small))
    print(
        f"\nSearches that are the proof: {len(searches)}; of at most {PROVEN_NODES:,} nodes, "
        f"written and checked: {len(small)}, in {seconds:.0f} s"
    )
    yield Figure(f"{len(small)} searches as clauses: refused by the checker", refused, 0)


def _peer_figures(answers: Sequence[Answer], options: Namespace) -> Iterator[Figure]:
    """Compare medians and totals on the boards that all were given, without packed corners.

    The hard boards, of which the other solvers get all, have lines of their own.
    """
    shared = [a for a in _shared(answers) if a.board.source != PACKED_SOURCE]
    if options.peer_every > 1:
        boards = list({id(answer.board): answer.board for answer in answers}.values())
        sampled = {id(boards[number]) for number in _for_peers(boards, options.peer_every)}
        every_kth = [answer for answer in shared if id(answer.board) in sampled]
    else:
        every_kth = shared
    for method in options.methods:
        for peer, bar in MEDIAN_BARS.items():
            bars = (bar, 1.0) if method == "prove" else (None, None)
            yield from _ratios(f"{peer} / {method}", every_kth, method, peer, bars)
    if "auto" in options.methods:
        for source, n in HARD_SOURCES:
            hard = [a for a in shared if group(a) == (source, n, True)]
            for peer in MEDIAN_BARS:
                what = f"{source}, n = {n}, feasible: {peer} / auto"
                yield from _ratios(what, hard, "auto", peer, (HARD_BAR, None))


def _ratios(
    what: str,
    answers: Sequence[Answer],
    method: str,
    peer: str,
    bars: tuple[float | None, float | None],
) -> Iterator[Figure]:
    methods = by_method(answers)
    if method not in methods or peer not in methods:
        return
    ours, theirs = ([a.seconds for a in methods[name]] for name in (method, peer))
    out = any(answer.status is Status.UNKNOWN for answer in methods[peer])
    what = f"{what}, {len(theirs)} boards"
    for name, of, bar in zip(("medians", "totals"), (median, sum), bars, strict=True):
        ratio: Any = of(theirs) / of(ours)
        yield Figure(f"{what}: ratio of {name}", ratio, bar, True, lower_bound=out and of is sum)


def _prove_figures(answers: Sequence[Answer]) -> Iterator[Figure]:
    ours = [answer for answer in answers if answer.method == "prove"]
    hard = [a.seconds for a in ours if group(a) == ("excluded diagonals", 21, False)]
    if hard:
        yield Figure("prove, excluded diagonals, n = 21, infeasible: median s", median(hard), 0.5)
    for n, k in PACKED:
        packed = [a.seconds for a in ours if group(a) == (PACKED_SOURCE, n, False)]
        if packed:
            what = f"prove, packed corners, n = {n} with {k}, {len(packed)} boards: most seconds"
            yield Figure(what, max(packed), 1)


def _count_figures(options: Namespace) -> Iterator[Figure]:
    n, expected = (12, 14_200) if options.smoke else (15, 2_279_184)
    count(8)
    seconds, found = wall_timed(lambda: count(n))
    if found.value != expected:
        raise AssertionError(f"n = {n} has {expected} solutions, not {found.value}")
    yield Figure(f"count({n}), one core, warm: seconds", seconds, 2)


def _reduction_figures(options: Namespace) -> Iterator[Figure]:
    for n, k, bar in ((177, 147, None), (1_000, 900, 0.05)):
        board = random_partial(n, k, seed=1)
        runs = [wall_timed(lambda board=board: reduce(board)) for _ in range(9)]
        seconds = median(seconds for seconds, _ in runs)
        what = f"n = {n:,} with {k} random queens"
        yield Figure(f"{what}: free cells", len(reduce(board, "lines").free_arrays[0]))
        yield Figure(f"{what}: seconds to reduce", seconds, bar)


def _record(answer: Answer) -> dict[str, object]:
    board = answer.board
    known = {"source": board.source, "n": board.instance.n, "feasible": board.feasible}
    return {**known, **{k: v for k, v in vars(answer).items() if k != "board"}}


if __name__ == "__main__":
    sys.exit(main())
