"""Which annealing schedule suits these models: the case for the defaults of sampler "neal".

    python benchmarks/schedule.py [--rounds 4] [--smoke] [--json FILE] [--data FOLDER]

For sets of boards and a grid of beta ranges and numbers of sweeps: how often a read succeeds,
what a read costs, and the CPU time a success costs. All settings take turns in every round.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import dimod
from boards import listed_diagonals
from common import machine_line, markdown, parser, write_json

from qubo_queens import Instance, Model, build, get_sampler, verify
from qubo_queens.generate import blocked, excluded_diagonals
from qubo_queens.samplers.registry import get_entry

SWEEPS = (100, 300, 1000, 3000)
BETA_RANGES = (None, (1, 6), (2, 5), (2, 8), (3, 8))
"""None is the range that the sampler works out for itself from the model."""

HEADER = ("betas", "sweeps", "successes", "rate", "CPU ms a read", "CPU ms a success", "vs default")


@dataclass(frozen=True)
class Boards:
    """Some boards of one kind, and how many reads each gets in a round."""

    name: str
    models: tuple[Model, ...]
    reads: int

    @classmethod
    def built(cls, name: str, instances: Sequence[Instance], reads: int) -> Boards:
        """Build the models of `instances`."""
        count = "1 board" if len(instances) == 1 else f"{len(instances)} boards"
        return cls(f"{name}, {count}", tuple(map(build, instances)), reads)


@dataclass
class Tally:
    """What one schedule achieved on one set of boards."""

    boards: str
    beta_range: tuple[float, float] | None
    sweeps: int
    reads: int = 0
    successes: int = 0
    cpu_s: float = 0.0

    @property
    def read_ms(self) -> float:
        """CPU milliseconds of a read, with its share of what each call costs besides."""
        return 1000 * self.cpu_s / self.reads

    @property
    def success_ms(self) -> float:
        """CPU milliseconds of a success; with no success, what all reads took."""
        return 1000 * self.cpu_s / max(1, self.successes)

    def row(self, reference: Tally) -> tuple[str, ...]:
        """Return a row of the table; the last column compares with `reference`."""
        more = "" if self.successes else "> "
        return (
            "own"
            if self.beta_range is None
            else f"{self.beta_range[0]:g} to {self.beta_range[1]:g}",
            f"{self.sweeps:,}",
            f"{self.successes:,} of {self.reads:,}",
            f"{self.successes / self.reads:.3f}",
            f"{self.read_ms:.2f}",
            f"{more}{self.success_ms:.1f}",
            f"{more}{self.success_ms / reference.success_ms:.2f}" if reference.successes else "",
        )


def main() -> None:
    """Measure every schedule on every set of boards, and print a table for each set."""
    options = _options()
    print(machine_line())
    sampler = get_sampler("neal")
    results: list[dict[str, Any]] = []
    for boards in _sets(options):
        default = _default(boards.models[0])
        schedules = dict.fromkeys([*product(BETA_RANGES, SWEEPS), default])
        tallies = {schedule: Tally(boards.name, *schedule) for schedule in schedules}
        for number, tally in product(range(options.rounds), tallies.values()):
            _sample(sampler, boards, tally, seed=number)
        own = _own_range(sampler, boards.models[0])
        print(f"\n{boards.name} (the sampler's own range there is {own})\n")
        rows = [tally.row(tallies[default]) for tally in tallies.values()]
        print(markdown(HEADER, rows), flush=True)
        results += map(asdict, tallies.values())
    write_json(options.json, results)


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=4, help="rounds of reads (default: 4)")
    given = options.parse_args()
    if given.smoke:
        given.rounds = 1
    return given


def _sets(options: Namespace) -> Iterator[Boards]:
    """Yield the boards to measure on; with --smoke few and small ones."""
    smoke = options.smoke
    for n, reads in ((20, 20),) if smoke else ((20, 50), (50, 10), (100, 5)):
        yield Boards.built(f"plain, n = {n}", [Instance(n)], reads)
    seeds = range(2 if smoke else 10)
    reads = 10 if smoke else 50
    hidden = [excluded_diagonals(21, 40, seed=seed) for seed in seeds]
    yield Boards.built("40 excluded diagonals, planted, n = 21", hidden, reads)
    hidden = [blocked(28, 470, seed=seed) for seed in seeds]
    yield Boards.built("470 blocked cells, planted, n = 28", hidden, reads)
    found = [board for board in listed_diagonals(options.data) if board.n == 21]
    if found:
        listed = found[: len(seeds)]
        yield Boards.built("excluded diagonals, from the data folder, n = 21", listed, reads)


def _sample(sampler: dimod.Sampler, boards: Boards, tally: Tally, *, seed: int) -> None:
    """Read each board with the schedule of `tally`, and count."""
    betas = {} if tally.beta_range is None else {"beta_range": tally.beta_range}
    for model in boards.models:
        bqm = model.bqm
        start = time.process_time()
        found = sampler.sample(
            bqm, num_reads=boards.reads, num_sweeps=tally.sweeps, seed=seed, **betas
        )
        tally.cpu_s += time.process_time() - start
        tally.reads += boards.reads
        solved = found.record.energy == model.solution_energy
        tally.successes += int(found.record.num_occurrences[solved].sum())
        if solved.any() and not verify(model.instance, model.decode(found.first.sample)):
            raise AssertionError("the model and the verifier disagree")


def _default(model: Model) -> tuple[tuple[float, float], int]:
    """Return the schedule that the package uses for `model`."""
    defaults = get_entry("neal").defaults(model, None)
    return defaults["beta_range"], defaults["num_sweeps"]


def _own_range(sampler: dimod.Sampler, model: Model) -> str:
    low, high = sampler.sample(model.bqm, num_reads=1, num_sweeps=1, seed=0).info["beta_range"]
    return f"{low:.3g} to {high:.3g}"


if __name__ == "__main__":
    main()
