"""The formats of boards: what each is called, how it is read and written, what it can carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qubo_queens.board.instance import Instance
from qubo_queens.checks import shown
from qubo_queens.errors import InputError
from qubo_queens.formats.essence import read_essence, write_essence
from qubo_queens.formats.fen import read_fen, write_fen
from qubo_queens.formats.grids import read_csv, read_text, write_csv, write_text
from qubo_queens.formats.json_object import read_json, write_json
from qubo_queens.formats.lists import (
    read_cells,
    read_columns,
    read_pairs,
    write_cells,
    write_columns,
    write_pairs,
)
from qubo_queens.formats.options import Options
from qubo_queens.formats.text_source import LARGEST_TEXT

BLOCKED_CELLS, EXCLUDED_DIAGONALS = "blocked cells", "excluded diagonals"


@dataclass(frozen=True)
class Format:
    """A format of boards.

    Attributes:
        read: Makes an instance of a text.
        write: Makes a text of an instance that the format can carry.
        carries: What it can carry besides queens.
        dimension: With which power of the board size the length of a text grows, at least.
    """

    read: Callable[[str, Options], Instance]
    write: Callable[[Instance, Options], str]
    carries: frozenset[str] = frozenset()
    dimension: int = 0


TABLE = {
    "text": Format(read_text, write_text, frozenset({BLOCKED_CELLS}), dimension=2),
    "fen": Format(read_fen, write_fen, dimension=2),
    "columns": Format(read_columns, write_columns, dimension=1),
    "cells": Format(read_cells, write_cells),
    "pairs": Format(read_pairs, write_pairs),
    "json": Format(read_json, write_json, frozenset({BLOCKED_CELLS, EXCLUDED_DIAGONALS})),
    "essence": Format(read_essence, write_essence, frozenset({BLOCKED_CELLS})),
    "csv": Format(read_csv, write_csv, dimension=2),
}

FORMATS = tuple(TABLE)
"""The names of the formats."""


def check_format(name: str) -> str:
    """Return `name`, which must be that of a format.

    Raises:
        InputError: If it is not.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(f"format {shown(name)} is unknown; choose one of {', '.join(FORMATS)}")
    return name


def check_carries(name: str, instance: Instance) -> None:
    """Check that format `name` can carry `instance`.

    Raises:
        InputError: If it cannot; the message names what it lacks, and the formats that have it.
    """
    present = {BLOCKED_CELLS: instance.blocked, EXCLUDED_DIAGONALS: instance.excluded_lines()}
    needed = {thing for thing, values in present.items() if values}
    if lacking := sorted(needed - TABLE[name].carries):
        others = " or ".join(other for other in TABLE if TABLE[other].carries >= needed)
        raise InputError(f"format {name} cannot carry {' and '.join(lacking)}; use {others}")
    if instance.n ** TABLE[name].dimension > LARGEST_TEXT:
        raise InputError(
            f"format {name} takes over {LARGEST_TEXT:,} characters for n={instance.n}; use json"
        )
