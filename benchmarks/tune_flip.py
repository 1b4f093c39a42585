"""Which schedules suit flip: the case for those in qubo_queens/samplers/annealers/flip.py.

    python benchmarks/tune_flip.py [--rounds 8] [--cap S] [--families NAME ...] [--kernels-only]
                                   [--smoke] [--json FILE] [--data FOLDER]

For families of boards and a grid of schedules: the CPU time a solution costs, with reads made over
and over until one succeeds. All schedules take turns in every round; the worst drop out after each
of the first rounds, and the figures are those of the other rounds, with seeds of their own. Then
what a sweep costs by each of the two kernels, against the number of free cells.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from statistics import median
from typing import Any
from unittest.mock import patch

from boards import listed_cells, listed_diagonals, planted_cells, planted_diagonals
from common import alternate, machine_line, markdown, parser, write_json

from qubo_queens import FlipSampler, Instance, Model, build, verify
from qubo_queens.generate import planted
from qubo_queens.samplers.annealers import line_board

PLAIN_FIRST = (-1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
"""First betas of plain boards, above the logarithm of the number of open rows."""

HARD_FIRST = (2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 4.0)
WIDTHS = (0.25, 0.75, 1.5, 3.0, 6.0)
"""The last beta less the first one."""

SWEEPS = (300, 1000, 3000, 10_000)

KEPT = (3.0, 2.0, 1.5)
"""After each of the first rounds, schedules that cost more than so many times the best drop out."""

MOST_READS = 10**6
DEFAULT = "default"
SHOWN = 5


@dataclass(frozen=True)
class Family:
    """Boards of one kind, the first betas to try, and the CPU seconds that a search may take."""

    name: str
    boards: Sequence[Instance]
    firsts: Sequence[float]
    cap: float


@dataclass(frozen=True)
class Setting:
    """A schedule; the default has no values."""

    first: float | None = None
    last: float | None = None
    sweeps: int | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The keywords of ``anneal``."""
        if self.first is None:
            return {}
        return {"beta_range": (self.first, self.last), "num_sweeps": self.sweeps}

    def __str__(self) -> str:
        if self.first is None:
            return DEFAULT
        return f"{self.first:.2f} to {self.last:.2f}, {self.sweeps:,} sweeps"


@dataclass
class Tally:
    """What a schedule cost so far, and how many searches succeeded."""

    cpu_s: float = 0.0
    searches: int = 0
    solved: int = 0

    @property
    def solution_s(self) -> float:
        """CPU seconds a solution; with none, those spent."""
        return self.cpu_s / max(1, self.solved)


def main() -> None:
    """Tune every family, measure the kernels, print tables."""
    options = _options()
    print(machine_line())
    _search(build(8), Setting(), 0, 10, Tally())
    _search(build(20), Setting(), 0, 10, Tally())
    results: list[dict[str, Any]] = []
    summary = []
    for family in () if options.kernels_only else _families(options):
        tallies = tune(family, options.rounds)
        summary.append(_report(family, tallies))
        results += [
            {"family": family.name, "schedule": asdict(setting), **asdict(tally)}
            for setting, tally in tallies.items()
        ]
    if summary:
        header = ["boards", "best schedule", "CPU s a solution", "default", "default / best"]
        print("\n" + markdown(header, summary), flush=True)
    print("\nMicroseconds of CPU time a sweep, by kernel\n")
    header = ["n", "free cells a row", "beta", "lines", "cells", "lines / cells"]
    print(markdown(header, kernels(options)))
    write_json(options.json, results)


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument(
        "--rounds", type=int, default=8, help="rounds, of which 3 to drop the worst (default: 8)"
    )
    options.add_argument("--cap", type=float, help="seconds a search may take (default: 2 to 10)")
    options.add_argument(
        "--families", nargs="+", metavar="WORD", help="only families whose names hold a word"
    )
    options.add_argument("--kernels-only", action="store_true", help="measure kernels alone")
    given = options.parse_args()
    if given.smoke:
        given.rounds, given.cap = 2, 0.05
    return given


def _families(options: Namespace) -> Iterator[Family]:
    smoke = options.smoke
    few = range(1 if smoke else 5)
    hard_sizes = (20,) if smoke else (20, 24)
    families = [
        *((f"plain, n = {n}", [Instance(n)] * len(few), PLAIN_FIRST, 2.0)
          for n in ((8, 64) if smoke else (8, 16, 64, 200, 1000))),
        *((f"completion, n = 200, {share} % prescribed",
           [planted(200, 2 * share, seed=seed) for seed in few], PLAIN_FIRST, 2.0)
          for share in ((20,) if smoke else (20, 60))),
        *((f"excluded diagonals, planted, n = {n}", planted_diagonals(n, few), HARD_FIRST, 10.0)
          for n in hard_sizes),
        ("blocked cells, planted, n = 50", planted_cells(50, few), HARD_FIRST, 10.0),
        ("excluded diagonals, from the data folder, n = 21",
         [board for board in listed_diagonals(options.data) if board.n == 21], HARD_FIRST, 5.0),
        ("blocked cells, from the data folder, n = 48 to 56",
         [board for board in listed_cells(options.data) if board.n > 40][::5], HARD_FIRST, 10.0),
    ]  # fmt: skip
    for name, boards, firsts, cap in families:
        wanted = options.families is None or any(word in name for word in options.families)
        if boards and wanted:
            yield Family(name, boards[:3] if smoke else boards, firsts, options.cap or cap)


def settings(family: Family, models: Sequence[Model]) -> list[Setting]:
    """Return the grid of schedules for a family, the default first."""
    offset = 0.0
    if family.firsts is PLAIN_FIRST:
        offset = default_first(models[0]) - 2
    grid = product((round(first + offset, 2) for first in family.firsts), WIDTHS, SWEEPS)
    return [
        Setting(),
        *(Setting(first, round(first + width, 2), n) for first, width, n in grid if first >= 0),
    ]


def default_first(model: Model) -> float:
    """Return the first beta of the default schedule of a board."""
    reads = FlipSampler().anneal(model, seed=0, time_limit=1e-3, num_threads=1)
    return float(reads.info["beta_range"][0])


def tune(family: Family, rounds: int) -> dict[Setting, Tally]:
    """Search every board once a round with every schedule left, and drop the worst.

    Returns:
        For the schedules that stayed, what they cost in the rounds after the last drop.
    """
    models = [build(board) for board in family.boards]
    tallies = {setting: Tally() for setting in settings(family, models)}
    for number in range(rounds):
        for model, (setting, tally) in product(models, tallies.items()):
            _search(model, setting, number, family.cap, tally)
        if number < min(len(KEPT), rounds - 1):
            tallies = _kept(tallies, KEPT[number])
        if number == min(len(KEPT), rounds - 1) - 1:
            tallies = {setting: Tally() for setting in tallies}
    return tallies


def _kept(tallies: dict[Setting, Tally], factor: float) -> dict[Setting, Tally]:
    """Return the default and what costs up to `factor` times the best; all if none succeeded."""
    costs = [tally.solution_s for tally in tallies.values() if tally.solved]
    if not costs:
        return tallies
    return {
        setting: tally
        for setting, tally in tallies.items()
        if setting == Setting() or (tally.solved and tally.solution_s <= factor * min(costs))
    }


def _search(model: Model, setting: Setting, seed: int, cap: float, tally: Tally) -> None:
    """Make reads until one succeeds or the time is up, and count."""
    start = time.process_time()
    reads = FlipSampler().anneal(
        model,
        seed=seed,
        target_energy=0,
        num_reads=MOST_READS,
        time_limit=cap,
        num_threads=1,
        **setting.parameters,
    )
    tally.cpu_s += time.process_time() - start
    tally.searches += 1
    if reads.energies[reads.best_index] == 0:
        tally.solved += 1
        if not verify(model.instance, reads.best_placement):
            raise AssertionError("flip and the verifier disagree")


def _report(family: Family, tallies: dict[Setting, Tally]) -> tuple[str, ...]:
    """Print the leading schedules of a family and the default; return a line of the summary."""
    ranking = sorted(tallies, key=lambda setting: tallies[setting].solution_s)
    best, default = tallies[ranking[0]], tallies[Setting()]
    shown = dict.fromkeys([*ranking[:SHOWN], Setting()])
    rows = [
        (
            setting,
            f"{tallies[setting].solved} of {tallies[setting].searches}",
            f"{tallies[setting].solution_s:.3g}",
            f"{tallies[setting].solution_s / best.solution_s:.2f}",
        )
        for setting in shown
    ]
    print(f"\n{family.name}: {len(family.boards)} boards; {len(tallies)} schedules to the end\n")
    print(markdown(["betas, sweeps", "solved", "CPU s a solution", "/ best"], rows), flush=True)
    return (
        family.name,
        str(ranking[0]),
        f"{best.solution_s:.3g}",
        f"{default.solution_s:.3g}",
        f"{default.solution_s / best.solution_s:.2f}",
    )


def kernels(options: Namespace) -> Iterator[tuple[str, ...]]:
    """Yield what a sweep costs by each kernel, on the same boards with more and more free cells."""
    sizes, sweeps, rounds = ((20,), 100, 1) if options.smoke else ((50, 200), 2000, 5)
    frees = (4, 16) if options.smoke else (4, 6, 8, 10, 12, 16, 20, 24, 32, 40)
    for n, free, beta in product(sizes, frees, (2.75, 3.5, 7.0)):
        model = build(planted_cells(n, [1], free=free)[0])
        routes = {
            name: lambda model=model, beta=beta, limit=limit: _swept(model, beta, sweeps, limit)
            for name, limit in (("lines", 0), ("cells", n))
        }
        for route in routes.values():
            route()  # the warm-up
        seconds = alternate(routes, dict.fromkeys(routes, rounds), _must_be_kernel)
        lines, cells = (1e6 * median(seconds[name]) / sweeps for name in ("lines", "cells"))
        yield (f"{n}", f"{free}", f"{beta:g}", f"{lines:.2f}", f"{cells:.2f}",
               f"{lines / cells:.2f}")  # fmt: skip


def _swept(model: Model, beta: float, sweeps: int, limit: int) -> str:
    """Make a read; boards with up to `limit` free cells a row are swept cell by cell."""
    line_board._boards.clear()  # or the kernel of the last limit would stay
    with patch.multiple(line_board, FEW_CELLS=limit, FEW_CELLS_WARM=limit):
        reads = FlipSampler().anneal(
            model, seed=1, num_threads=1, num_sweeps=sweeps, beta_range=(beta, beta)
        )
    return str(reads.info["kernel"])


def _must_be_kernel(name: str, kernel: str) -> None:
    if name != kernel:
        raise AssertionError(f"kernel {kernel} was used instead of {name}")


if __name__ == "__main__":
    main()
