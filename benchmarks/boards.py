"""The boards that the benchmarks share: listed in a data folder, or generated from seeds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from common import records

from qubo_queens import Instance
from qubo_queens.generate import (
    blocked,
    corner_packed,
    excluded_diagonals,
    planted,
    random_partial,
)

DIAGONALS = "excluded_diagonals_hard.jsonl"
CELLS = "blocked_asp.jsonl"
COMPLETIONS = "completion_from_ed21.jsonl"
MIXED = "mixed.json"
MIXED_SOURCE = "mixed"
PACKED_SOURCE = "packed corners"


@dataclass(frozen=True)
class Board:
    """An instance, where it comes from, and what is known of it.

    Attributes:
        source: What kind of board it is, in words.
        instance: The instance.
        feasible: Whether it has a solution; None if nobody has said.
    """

    source: str
    instance: Instance
    feasible: bool | None


def listed_boards(folder: Path | None) -> list[Board]:
    """Return all boards in a data folder."""
    return [*_diagonals(folder), *_cells(folder), *_completions(folder), *_mixed(folder)]


def listed_diagonals(folder: Path | None) -> list[Instance]:
    """Return the satisfiable boards with excluded diagonals in a data folder."""
    return [board.instance for board in _diagonals(folder) if board.feasible]


def listed_cells(folder: Path | None) -> list[Instance]:
    """Return the satisfiable boards with blocked cells in a data folder."""
    return [board.instance for board in _cells(folder) if board.feasible]


def generated_boards() -> list[Board]:
    """Return small boards of each kind, for where there is no data folder."""
    seeds = range(3)
    makers = (
        ("completions, planted", True, lambda seed: planted(40, 20, seed=seed)),
        ("completions", None, lambda seed: random_partial(24, 14, seed=seed)),
        ("excluded diagonals, planted", True, lambda seed: excluded_diagonals(14, 26, seed=seed)),
        (
            "excluded diagonals",
            None,
            lambda seed: excluded_diagonals(14, 22, seed=seed, planted=False),
        ),
        ("blocked cells, planted", True, lambda seed: blocked(28, 28 * 22, seed=seed)),
        ("blocked cells", None, lambda seed: blocked(24, 24 * 19, seed=seed, planted=False)),
        (PACKED_SOURCE, None, lambda seed: corner_packed(24, 8, seed=seed)),
    )
    return [
        Board(source, make(seed), feasible) for source, feasible, make in makers for seed in seeds
    ]


def packed_boards(sizes: Iterable[tuple[int, int]], seeds: Iterable[int]) -> list[Board]:
    """Return boards with queens packed into the corners, of sizes (n, k) that are infeasible."""
    return [
        Board(PACKED_SOURCE, corner_packed(n, k, seed=seed), False)
        for n, k in sizes
        for seed in seeds
    ]


def planted_diagonals(n: int, seeds: Iterable[int]) -> list[Instance]:
    """Return boards with a hidden solution and 2n - 2 excluded diagonals: all but its own."""
    return [excluded_diagonals(n, 2 * n - 2, seed=seed) for seed in seeds]


def planted_cells(n: int, seeds: Iterable[int], *, free: int = 6) -> list[Instance]:
    """Return boards with a hidden solution and `free` free cells a row on average."""
    return [blocked(n, n * (n - free), seed=seed) for seed in seeds]


def _diagonals(folder: Path | None) -> Iterator[Board]:
    for record in records(folder, DIAGONALS) or ():
        instance = Instance(
            record["n"],
            excluded_sums=record["sum_diagonals"],
            excluded_differences=record["diff_diagonals_r_minus_c"],
        )
        yield Board("excluded diagonals", instance, record["satisfiable"])


def _cells(folder: Path | None) -> Iterator[Board]:
    for record in records(folder, CELLS) or ():
        columns = set(range(record["n"]))
        closed = [
            (row, column)
            for row, allowed in enumerate(record["allowed_columns_by_row"])
            for column in sorted(columns.difference(allowed))
        ]
        yield Board("blocked cells", Instance(record["n"], blocked=closed), record["satisfiable"])


def _completions(folder: Path | None) -> Iterator[Board]:
    for record in records(folder, COMPLETIONS) or ():
        yield Board("completions", Instance(record["n"], record["queens"]), record["satisfiable"])


def _mixed(folder: Path | None) -> Iterator[Board]:
    if folder is None or not (file := Path(folder) / MIXED).is_file():
        return
    for record in json.loads(file.read_text()):
        instance = Instance(
            record["n"],
            record["queens"],
            blocked=record["blocked"],
            excluded_sums=record["excluded_sums"],
            excluded_differences=record["excluded_diffs"],
        )
        yield Board(MIXED_SOURCE, instance, record["feasible"])
