"""How large a board fits on the chips of quantum annealers, and how long its chains get.

    python benchmarks/embedding.py [--seconds 60] [--topologies zephyr:15 ...] [--encodings ...]
                                   [--no-reach] [--smoke] [--json FILE]

Needs the extra "cloud". First the chains of the ladder by board size, then those of ladders with a
quarter of the queens prescribed, whose model keeps the grid of the board or not, then for each
encoding and chip the largest board that is embedded within a time; every embedding is checked.
Times are those of the wall.
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import asdict, dataclass

from common import machine_line, markdown, parser, write_json

from qubo_queens import Instance, Topology, build, find_embedding, list_encodings
from qubo_queens.generate import planted

CHIPS = ("zephyr:15", "pegasus:16", "chimera:16")
LADDER = "ladder"
SIZES = range(8, 31)
COMPLETIONS = (8, 12, 16, 20)
LARGEST = 40
SEED = 1


@dataclass
class Found:
    """One embedding, or that none was found (no method)."""

    encoding: str
    topology: str
    n: int
    queens: int
    reduce: str
    variables: int
    interactions: int
    seconds: float
    method: str | None = None
    qubits: int = 0
    longest: int = 0
    mean: float = 0.0

    def __str__(self) -> str:
        if self.method is None:
            return f"none in {self.seconds:.0f} s"
        return f"{self.longest} ({self.mean:.2f}), {self.qubits:,}, {self.seconds:.2f} s"


def main() -> None:
    """Measure both tables and print them."""
    options = _options()
    print(machine_line())
    chips = [Topology.of(name) for name in options.topologies]
    for chip in chips:
        assert len(chip.graph)  # made beforehand
    chains = [row for chip in chips for row in ladder_chains(chip, options)]
    print("\nLadder: longest chain (mean), qubits, seconds\n")
    print(chain_table(chains))
    completed = [row for chip in chips for row in completions(chip, options)]
    print("\nLadder with a quarter of the queens prescribed\n")
    print(completion_table(completed))
    reached = []
    if options.reach:
        reached = [reach(name, chip, options) for name in options.encodings for chip in chips]
        print(f"\nLargest n in {options.seconds:g} s: longest chain (mean), qubits, seconds\n")
        print(reach_table(reached))
    write_json(options.json, list(map(asdict, chains + completed + reached)))


def _options() -> Namespace:
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=60, help="time a board (default: 60)")
    options.add_argument("--topologies", nargs="+", default=CHIPS, help="the chips")
    options.add_argument("--encodings", nargs="+", default=list_encodings(), help="what to embed")
    options.add_argument("--no-reach", dest="reach", action="store_false", help="the ladder only")
    options.set_defaults(sizes=SIZES, largest=LARGEST, completions=COMPLETIONS)
    given = options.parse_args()
    if given.smoke:
        given.seconds, given.sizes, given.largest, given.completions = 2, range(4, 9, 2), 4, (8,)
        given.topologies = ("zephyr:4", "pegasus:4", "chimera:4")
    return given


def embedded(
    encoding: str, instance: Instance, chip: Topology, seconds: float, mode: str = "propagate"
) -> Found:
    """Embed one board, and check the result."""
    bqm = build(instance, encoding, reduce=mode).bqm
    start = time.perf_counter()
    found = find_embedding(bqm, chip, seed=SEED, time_limit=seconds)
    taken = time.perf_counter() - start
    about = instance.n, len(instance.queens), mode
    row = Found(encoding, chip.name, *about, bqm.num_variables, bqm.num_interactions, taken)
    if found is not None:
        assert found.faults(bqm.quadratic, chip) == ()
        row.method, row.qubits = found.method, found.num_qubits
        row.longest, row.mean = found.longest_chain, found.mean_chain
    return row


def ladder_chains(chip: Topology, options: Namespace) -> list[Found]:
    """Embed the ladder of each size, up to the first that fails."""
    rows: list[Found] = []
    for n in options.sizes:
        rows.append(embedded(LADDER, Instance(n), chip, options.seconds))
        if rows[-1].method is None:
            break
    return rows


def completions(chip: Topology, options: Namespace) -> list[Found]:
    """Embed ladders of boards with a quarter of the queens prescribed, with and without grid."""
    boards = [planted(n, n // 4, seed=SEED) for n in options.completions]
    if chip.type == "chimera":  # no layout is known there
        return []
    return [
        embedded(LADDER, board, chip, options.seconds, mode)
        for board in boards
        for mode in ("none", "propagate")
    ]


def completion_table(rows: list[Found]) -> str:
    """Return a line for each board, chip and mode."""
    header = ("chip", "n", "queens", "reduce", "variables", "longest (mean), qubits, seconds")
    return markdown(
        header,
        [(r.topology, r.n, r.queens, r.reduce, f"{r.variables:,}", str(r)) for r in rows],
    )


def reach(encoding: str, chip: Topology, options: Namespace) -> Found:
    """Return the largest board that is embedded, by steps of 4 that are halved at failures."""
    best, low, high = embedded(encoding, Instance(4), chip, options.seconds), 4, options.largest + 1
    step = 4
    while low + 1 < high and best.method is not None:
        n = min(low + step, high - 1)
        row = embedded(encoding, Instance(n), chip, options.seconds)
        if row.method is None:
            high, step = n, max(1, step // 2)
        else:
            best, low = row, n
        step = min(step, max(1, (high - low) // 2))
    return best


def chain_table(rows: list[Found]) -> str:
    """Return a line for each size, a column for each chip."""
    chips = list(dict.fromkeys(row.topology for row in rows))
    by_size = {(row.n, row.topology): row for row in rows}
    sizes = sorted({row.n for row in rows})
    lines = [(n, *(by_size.get((n, chip), "") for chip in chips)) for n in sizes]
    return markdown(("n", *chips), lines)


def reach_table(rows: list[Found]) -> str:
    """Return a line for each encoding, a column for each chip."""
    chips = list(dict.fromkeys(row.topology for row in rows))
    names = list(dict.fromkeys(row.encoding for row in rows))
    by_name = {(row.encoding, row.topology): f"n = {row.n}: {row}" for row in rows}
    return markdown(
        ("encoding", *chips), [(name, *(by_name[name, chip] for chip in chips)) for name in names]
    )


if __name__ == "__main__":
    main()
