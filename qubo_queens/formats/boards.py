"""Read and write the instance in any of the board formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputError, UnsupportedVariantError
from qubo_queens.files import as_path, write_atomic
from qubo_queens.formats.essence import is_essence, read_essence, write_essence
from qubo_queens.formats.grids import (
    board_rows,
    read_csv,
    read_fen,
    read_text,
    write_csv,
    write_fen,
    write_text,
)
from qubo_queens.formats.json_object import read_json, write_json
from qubo_queens.formats.lists import (
    EMPTY_ROWS,
    read_cells,
    read_columns,
    read_pairs,
    write_cells,
    write_columns,
    write_pairs,
)
from qubo_queens.formats.text_options import Options, make_options
from qubo_queens.formats.text_source import LARGEST_TEXT, Source, load_text

_COUNT_LINE = re.compile(r"(?m)^[ \t]*violated constraints = [0-9]+\s*\Z")
"""The line that the command line prints below a board."""

__all__ = ["FORMATS", "detect", "read_instance", "write_instance"]


def read_instance(
    source: Source,
    format: str | None = None,
    *,
    n: int | None = None,
    base: int | None = None,
    legend: Mapping[str, str] | None = None,
) -> Instance:
    """Read an instance from a file or a text; its queens are the prescribed ones.

    Args:
        source: A path, board text, or an open text or binary file. A string is text if it has a
            line break, is blank, or starts with ``{``, ``[`` or ``(``, or if it reads as a board
            on one line and no file has that name; otherwise it is a path.
        format: One of ``FORMATS``; by default the one that the content fits.
        n: The board size. ``cells`` and ``pairs`` need it; the others state it themselves and
            must agree.
        base: What rows and columns count from in ``columns``, ``cells``, ``pairs`` and ``json``,
            0 or 1; by default 0. Files in ``essence`` exist of both kinds: there, by default, an
            index 0 or an index n decides, and it is an error if neither occurs.
        legend: What further glyphs of ``text`` mean, ``queen``, ``blocked`` or ``empty``, such
            as ``{"*": "blocked"}``.

    Raises:
        FormatError: If the text is not a board, or could be several; the message says where.
        UnsupportedVariantError: If it is a puzzle with other rules.
        InputError: If the file cannot be read, or an argument is not an allowed one.
        InputTypeError: If an argument is of the wrong type.
    """
    options = make_options(n, base, legend)
    name = format if format is None else check_format(format)
    text, suffix = load_text(source)
    text = _COUNT_LINE.sub("", text)
    refuse_variants(text)
    instance = TABLE[name or detect(text, options, suffix)].read(text, options)
    if options.n not in (None, instance.n):
        raise FormatError(
            f"the board has size {instance.n} where one of size {options.n} is expected (n, --n)"
        )
    return instance


def write_instance(
    instance: InstanceLike,
    path: str | os.PathLike[str] | None = None,
    format: str | None = None,
    *,
    base: int | None = None,
    legend: Mapping[str, str] | None = None,
) -> str:
    """Return an instance as text, and write it to a file if a path is given.

    Args:
        instance: The instance, or n for the plain board.
        path: The name of the file, which is then there in full or not at all.
        format: One of ``FORMATS``; by default that of the suffix of `path`, else ``json``.
        base: What rows and columns count from, 0 or 1; by default 0, and 1 in ``essence``.
        legend: The glyphs of ``text``, as in :func:`read_instance`.

    Returns:
        The content of the file; it ends with a line break.

    Raises:
        InputError: If the format cannot carry the instance, the file cannot be written, or an
            argument is not an allowed one.
        InputTypeError: If an argument is of the wrong type.
    """
    instance, options = as_instance(instance), make_options(None, base, legend)
    suffix = "" if path is None else as_path(path).suffix.lower()
    name = SUFFIXES.get(suffix, "json") if format is None else check_format(format)
    check_carries(name, instance)
    text = TABLE[name].write(instance, options)
    if path is not None:
        write_atomic(path, text.encode())
    return text


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


SUFFIXES: Mapping[str, str] = {
    ".json": "json",
    ".fen": "fen",
    ".csv": "csv",
    ".txt": "text",
    ".param": "essence",
}
"""The format that a file's suffix stands for."""

_WORD = re.compile(r"[^\s,;]+")
_NUMBER = re.compile(r"[-+]?[0-9][0-9.]*")
_OPENING = re.compile(r"[\[(]")
_BITS = {"0", "1"}
_REGION_KEY = re.compile(r"\b(?:colou?r_?)?regions\b[\"']?\s*:", re.IGNORECASE)

_Shapes = dict[str, int | None]
"""The formats that a text may be in, each with the board size that the text states in it."""


def refuse_variants(text: str) -> None:
    """Refuse puzzles that look alike but have other rules.

    Raises:
        UnsupportedVariantError: If the text has the key of a list of coloured regions.
    """
    if "egions" in text and _REGION_KEY.search(text):  # the first test is the fast one
        raise UnsupportedVariantError(
            "this is a puzzle with coloured regions, a different rule set: one queen in each "
            "region, and none touching, instead of none on a diagonal; it is not supported"
        )


def detect(text: str, options: Options, suffix: str = "") -> str:
    """Return the name of the format of `text`.

    The content decides. Where it fits several formats, the known board size rules out those in
    which the text states another one, and then the suffix of the file decides.

    Raises:
        FormatError: If several formats are left, or there was none.
    """
    shapes = _shapes(text, options)
    fitting = [name for name, n in shapes.items() if n is None or options.n in (None, n)]
    candidates = fitting or list(shapes)
    if len(candidates) == 1:
        return candidates[0]
    by_suffix = SUFFIXES.get(suffix)
    if by_suffix and (by_suffix in candidates or not candidates):
        return by_suffix
    if candidates:
        raise FormatError(
            f"the text can be read as {' or '.join(candidates)}; "
            "pass --format (format=) with the one that is meant"
        )
    raise FormatError(
        f"the text is in none of the formats {', '.join(FORMATS)}; "
        "pass --format (format=) with the one that is meant to learn where it differs"
    )


def _shapes(text: str, options: Options) -> _Shapes:
    start = text.lstrip()
    if _is_text_board(text, options):
        return {"text": None}
    if is_essence(start):
        return {"essence": None}
    if start.startswith("{"):
        return {"json": None}
    if start.startswith(("[", "(")):
        return {_bracketed(start): None}
    if shapes := _number_shapes(text):
        return shapes
    if "/" in start.split(maxsplit=1)[0]:
        return {"fen": None}
    # A text board with a fault: the reader will say where.
    return {} if options.glyphs.keys().isdisjoint(text) else {"text": None}


def _is_text_board(text: str, options: Options) -> bool:
    """Tell whether the text has only glyphs, as many on each line as it has lines."""
    glyphs = re.compile(f"[{re.escape(''.join(options.glyphs))} \t]*")
    lines = [row.line for row in board_rows(text)]
    return all(
        glyphs.fullmatch(line) and len(line) - line.count(" ") - line.count("\t") == len(lines)
        for line in lines
    )


def _bracketed(start: str) -> str:
    """Tell cells from columns: ``[]``, ``(0, 1)`` and brackets within or after brackets are cells.

    A single pair of round brackets with more than two numbers is how Python shows the columns of
    a placement.
    """
    inside = start.strip("[]() \t\n")
    if not inside or _OPENING.search(start, 1):
        return "cells"
    return "cells" if start[0] == "(" and len(_WORD.findall(inside)) == 2 else "columns"


def _number_shapes(text: str) -> _Shapes:
    rows = [words for line in text.split("\n") if (words := _WORD.findall(line))]
    distinct = {word for row in rows for word in row}
    if not distinct or not all(word in EMPTY_ROWS or _NUMBER.fullmatch(word) for word in distinct):
        return {}
    sizes = [len(row) for row in rows]
    if set(sizes) == {1} and len(rows) > 1 and all(_is_row_of_bits(w, len(rows)) for w in distinct):
        return {"csv": len(rows)}
    shapes: _Shapes = {}
    if len(rows) == 1 or set(sizes) == {1}:
        shapes["columns"] = sum(sizes)
    if distinct.isdisjoint(EMPTY_ROWS):
        if set(sizes) == {2}:
            shapes["cells"] = None
        if sizes[0] == 1 and (set(sizes[1:]) == {2} or rows == [["0"]]):
            shapes["pairs"] = None
        if distinct <= _BITS and set(sizes) == {len(rows)}:
            shapes["csv"] = len(rows)
        if rows == [["1"]]:
            shapes["fen"] = 1
    # Bits in another arrangement are a csv board with a fault: the reader will say where.
    return shapes or ({"csv": None} if distinct <= _BITS else {})


def _is_row_of_bits(word: str, n: int) -> bool:
    return len(word) == n and _BITS.issuperset(word)
