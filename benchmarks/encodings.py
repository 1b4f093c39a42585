"""How the encodings compare: their sizes, and how often annealing solves them.

    python benchmarks/encodings.py [--n 8 16 32] [--reads 100] [--rounds 2] [--seeds 3]
                                   [--smoke] [--json FILE] [--data FOLDER]

First the size of every model and the time to build it, then the share of reads of dwave-samplers'
annealer that end at a solution, each encoding with the schedule that ``solve`` gives it. All
encodings see the same boards in turns. Exits with 1 if a bar fails; with --smoke none is judged.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import dimod
from boards import planted_diagonals
from common import (
    Figure,
    alternate,
    cpu_timed,
    machine_line,
    markdown,
    parser,
    verdict_table,
    write_json,
)
from scipy.stats import binomtest

from qubo_queens import Instance, Model, build, forecast, get_sampler, list_encodings, verify
from qubo_queens.samplers.registry import get_entry

MOST_INTERACTIONS = 5_000_000
"""Larger models are neither built nor sampled here."""

BUILD_BAR_S = 1.0
BUILD_BAR_N = 32
DIAGONAL_SIZES = (14, 21)
CONFIDENCE = 0.95

SIZE_HEADER = (
    "encoding",
    "n",
    "variables",
    "interactions",
    "largest degree",
    "largest coefficient",
    "gap",
    "CPU ms to build",
)
READS_HEADER = (
    "encoding",
    "betas",
    "sweeps",
    "solved",
    "share",
    "95 % interval",
    "energy 0",
    "CPU ms a read",
    "CPU ms a solution",
)


@dataclass(frozen=True)
class Size:
    """What one encoding makes of one plain board.

    Attributes:
        encoding: The encoding.
        n: The board size.
        variables: The number of variables.
        interactions: The number of interactions.
        largest_degree: With how many others a variable is coupled at most.
        largest_coefficient: The largest absolute value of a bias or coupling.
        gap: A lower bound on the energy of all that is no solution.
        build_s: The median CPU seconds of a build; None if the model is too large for one.
    """

    encoding: str
    n: int
    variables: int
    interactions: int
    largest_degree: int
    largest_coefficient: float
    gap: float
    build_s: float | None

    def row(self) -> tuple[str, ...]:
        """Return a row of the table."""
        taken = "forecast only" if self.build_s is None else f"{1000 * self.build_s:.3g}"
        numbers = (self.n, self.variables, self.interactions, self.largest_degree)
        weights = (self.largest_coefficient, self.gap)
        return (self.encoding, *(f"{x:,}" for x in numbers), *(f"{x:g}" for x in weights), taken)


@dataclass
class Tally:
    """What annealing achieved with one encoding on one set of boards.

    Attributes:
        boards: The set of boards.
        encoding: The encoding.
        beta_range: The first and the last beta.
        sweeps: The sweeps of a read.
        reads: How many reads there were.
        solved: How many ended at a board that the verifier accepts.
        ground: How many ended at energy 0: the auxiliary bits are right, too.
        cpu_s: What the calls took.
    """

    boards: str
    encoding: str
    beta_range: tuple[float, float]
    sweeps: int
    reads: int = 0
    solved: int = 0
    ground: int = 0
    cpu_s: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Clopper and Pearson for the share of reads that succeed."""
        found = binomtest(self.solved, self.reads).proportion_ci(CONFIDENCE, method="exact")
        return float(found.low), float(found.high)

    def row(self) -> tuple[str, ...]:
        """Return a row of the table."""
        low, high = self.interval
        spent_ms, more = 1000 * self.cpu_s, "" if self.solved else "> "
        return (
            self.encoding,
            f"{self.beta_range[0]:g} to {self.beta_range[1]:g}",
            f"{self.sweeps:,}",
            f"{self.solved:,} of {self.reads:,}",
            f"{self.solved / self.reads:.3f}",
            f"{low:.3f} to {high:.3f}",
            f"{self.ground:,}",
            f"{spent_ms / self.reads:.3g}",
            f"{more}{spent_ms / max(1, self.solved):.3g}",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {**asdict(self), "interval": self.interval}


def main() -> int:
    """Print both tables and the bars; return the exit code."""
    options = _options()
    print(machine_line())
    sizes = [size for n in options.n for size in _sizes(n, options.repeats)]
    print("\n" + markdown(SIZE_HEADER, [size.row() for size in sizes]), flush=True)
    results: list[dict[str, Any]] = []
    for name, instances in _sets(options):
        tallies, left_out = _sampled(name, instances, options)
        print(f"\n{name}\n\n" + markdown(READS_HEADER, [tally.row() for tally in tallies]))
        print("".join(f"\n{reason}\n" for reason in left_out), end="", flush=True)
        results += [tally.to_dict() for tally in tallies]
        results += [{"boards": name, "left_out": reason} for reason in left_out]
    figures = [
        Figure(f"{size.encoding}, n = {size.n}: CPU seconds to build", size.build_s, BUILD_BAR_S)
        for size in sizes
        if size.n == BUILD_BAR_N and size.build_s is not None
    ]
    print("\n" + verdict_table(figures, judged=not options.smoke))
    write_json(options.json, {"sizes": list(map(asdict, sizes)), "reads": results})
    return 0 if options.smoke else int(not all(figure.holds for figure in figures))


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--n", type=int, nargs="+", default=[8, 16, 32], help="plain boards")
    options.add_argument("--reads", type=int, default=100, help="reads of a call (default: 100)")
    options.add_argument("--rounds", type=int, default=2, help="calls for a board (default: 2)")
    options.add_argument("--seeds", type=int, default=3, help="excluded diagonals (default: 3)")
    given = options.parse_args()
    given.repeats, given.diagonal_sizes = 5, DIAGONAL_SIZES
    if given.smoke:
        given.n, given.reads, given.rounds, given.seeds, given.repeats = [5, 6], 10, 1, 1, 1
        given.diagonal_sizes = (8,)
    return given


def _sizes(n: int, repeats: int) -> Iterator[Size]:
    """Yield the sizes of all encodings of a plain board; builds take turns."""
    found = {name: forecast(n, name) for name in list_encodings()}
    built = [name for name in found if found[name].interactions <= MOST_INTERACTIONS]

    def check(name: str, bqm: dimod.BinaryQuadraticModel) -> None:
        told = found[name].variables, found[name].interactions
        if told != (bqm.num_variables, bqm.num_interactions):
            raise AssertionError(f"the forecast of {name} for n={n} is wrong: {told}")

    routes = {name: partial(_built, n, name) for name in built}
    seconds = alternate(routes, dict.fromkeys(built, repeats), check)
    for name, size in found.items():
        assert size.largest_degree is not None
        assert size.largest_coefficient is not None
        yield Size(
            name,
            n,
            size.variables,
            size.interactions,
            size.largest_degree,
            float(size.largest_coefficient),
            build(n, name).gap,
            median(seconds[name]) if name in seconds else None,
        )


def _built(n: int, name: str) -> dimod.BinaryQuadraticModel:
    return build(n, name).bqm


def _sets(options: Namespace) -> Iterator[tuple[str, Sequence[Instance]]]:
    """Yield the names of the sets of boards, and the boards."""
    for n in options.n:
        yield f"Plain board, n = {n}", [Instance(n)]
    for n in options.diagonal_sizes:
        boards = planted_diagonals(n, range(options.seeds))
        yield f"{2 * n - 2} excluded diagonals, planted, n = {n}, boards: {len(boards)}", boards


def _sampled(
    name: str, instances: Sequence[Instance], options: Namespace
) -> tuple[list[Tally], list[str]]:
    """Return what each encoding achieved, and why some were left out."""
    models: dict[str, list[Model]] = {}
    left_out = []
    for encoding in list_encodings():
        made = [build(instance, encoding) for instance in instances]
        most = max(model.num_interactions for model in made)
        if most > MOST_INTERACTIONS:
            left_out.append(f"{encoding}: left out, it has {most:,} interactions")
        else:
            models[encoding] = made
    tallies = {encoding: _tally(name, made[0]) for encoding, made in models.items()}
    sampler = get_sampler("neal")
    for seed, at in product(range(options.rounds), range(len(instances))):
        for encoding, tally in tallies.items():
            _sample(sampler, models[encoding][at], tally, options.reads, seed)
    return list(tallies.values()), left_out


def _tally(boards: str, model: Model) -> Tally:
    schedule = get_entry("neal").defaults(model, None)
    return Tally(boards, model.encoding, schedule["beta_range"], schedule["num_sweeps"])


def _sample(sampler: dimod.Sampler, model: Model, tally: Tally, reads: int, seed: int) -> None:
    """Read a model with its own schedule, and judge every sample by its board."""
    bqm = model.bqm
    schedule = {"beta_range": tally.beta_range, "num_sweeps": tally.sweeps}
    call = partial(sampler.sample, bqm, num_reads=reads, seed=seed, **schedule)
    seconds, found = cpu_timed(call)
    tally.cpu_s += seconds
    tally.reads += reads
    for sample, energy in found.data(["sample", "energy"]):
        solved = bool(verify(model.instance, model.decode(sample)))
        ground = bool(energy == model.solution_energy)
        if ground and not solved:
            raise AssertionError(f"{model.encoding}: the model and the verifier disagree")
        tally.solved += solved
        tally.ground += ground


if __name__ == "__main__":
    sys.exit(main())
