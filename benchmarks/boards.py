"""The boards that the benchmarks of annealers share: listed in a data folder, or planted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from common import records

from qubo_queens import Instance
from qubo_queens.board.generate import blocked, excluded_diagonals

DIAGONALS = "excluded_diagonals_hard.jsonl"
CELLS = "blocked_asp.jsonl"


def listed_diagonals(folder: Path | None) -> list[Instance]:
    """Return the satisfiable boards with excluded diagonals in a data folder."""
    return [
        Instance(
            record["n"],
            excluded_sums=record["sum_diagonals"],
            excluded_differences=record["diff_diagonals_r_minus_c"],
        )
        for record in _satisfiable(folder, DIAGONALS)
    ]


def listed_cells(folder: Path | None) -> list[Instance]:
    """Return the satisfiable boards with blocked cells in a data folder."""
    return [
        Instance(
            record["n"],
            blocked=[
                (row, column)
                for row, allowed in enumerate(record["allowed_columns_by_row"])
                for column in sorted(set(range(record["n"])).difference(allowed))
            ],
        )
        for record in _satisfiable(folder, CELLS)
    ]


def planted_diagonals(n: int, seeds: Iterable[int]) -> list[Instance]:
    """Return boards with a hidden solution and 2n - 2 excluded diagonals: all but its own."""
    return [excluded_diagonals(n, 2 * n - 2, seed=seed) for seed in seeds]


def planted_cells(n: int, seeds: Iterable[int], *, free: int = 6) -> list[Instance]:
    """Return boards with a hidden solution and `free` free cells a row on average."""
    return [blocked(n, n * (n - free), seed=seed) for seed in seeds]


def _satisfiable(folder: Path | None, name: str) -> list[dict[str, Any]]:
    return [record for record in records(folder, name) or () if record["satisfiable"]]
