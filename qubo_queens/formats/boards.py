"""Read and write an instance in a board format; ``TABLE`` has the formats by name.

To add a format, write three functions beside those of a similar one (``grids.py`` has boards drawn
row by row, ``lists.py`` lists of numbers) or in a file of their own:

- ``read(text, options)`` returns an :class:`Instance`, or raises :func:`fault_at` a place;
- ``write(instance, options)`` returns a text that ends with a line break;
- ``recognise(clues)`` returns how well a text fits the format, or None;

and enter them in ``TABLE``, with the suffixes of its files and what it can carry. Everything else
follows from the table: ``FORMATS``, detection, messages, ``--format``, and the tests of
``tests/test_formats_properties.py``, which read back what each format writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.checks import shown
from qubo_queens.errors import Argument, FormatError, InputError, Remedy, UnsupportedVariantError
from qubo_queens.files import LARGEST_TEXT, as_path, write_atomic
from qubo_queens.formats import essence, grids, json_object, lists
from qubo_queens.formats.text_options import TextOptions, make_options
from qubo_queens.formats.text_source import Source, load_text
from qubo_queens.formats.tokens import Clues, Fit, Match

BLOCKED_CELLS, EXCLUDED_DIAGONALS = "blocked cells", "excluded diagonals"
_BLOCKED = frozenset({BLOCKED_CELLS})


@dataclass(frozen=True)
class Format:
    """A format of boards.

    Attributes:
        read: Makes an instance of a text.
        write: Makes a text of an instance that the format can carry.
        recognise: Returns how well a text fits the format; None if it does not.
        suffixes: The suffixes of its files, in lower case.
        carries: What it can carry besides queens.
        dimension: The text grows at least with this power of the board size.
    """

    read: Callable[[str, TextOptions], Instance]
    write: Callable[[Instance, TextOptions], str]
    recognise: Callable[[Clues], Match | None]
    suffixes: tuple[str, ...] = ()
    carries: frozenset[str] = frozenset()
    dimension: int = 0


TABLE = {
    "text": Format(
        grids.read_text, grids.write_text, grids.recognise_text, (".txt",), _BLOCKED, dimension=2
    ),
    "fen": Format(grids.read_fen, grids.write_fen, grids.recognise_fen, (".fen",), dimension=2),
    "columns": Format(
        lists.read_columns, lists.write_columns, lists.recognise_columns, dimension=1
    ),
    "cells": Format(lists.read_cells, lists.write_cells, lists.recognise_cells),
    "pairs": Format(lists.read_pairs, lists.write_pairs, lists.recognise_pairs),
    "json": Format(
        json_object.read_json,
        json_object.write_json,
        json_object.recognise_json,
        suffixes=(".json",),
        carries=_BLOCKED | {EXCLUDED_DIAGONALS},
    ),
    "essence": Format(
        essence.read_essence,
        essence.write_essence,
        essence.recognise_essence,
        suffixes=(".param",),
        carries=_BLOCKED,
    ),
    "csv": Format(grids.read_csv, grids.write_csv, grids.recognise_csv, (".csv",), dimension=2),
}
"""The formats by name; of those that a text fits with certainty, the first is taken."""

FORMATS = tuple(TABLE)
"""The names of the formats."""

_COUNT_LINE = re.compile(r"(?m)^[ \t]*violated constraints = [0-9]+\s*\Z")
"""The line that the command line prints below a board."""
_REGION_KEY = re.compile(r"\b(?:colou?r_?)?regions\b[\"']?\s*:", re.IGNORECASE)


def read_instance(
    source: Source,
    format: str | None = None,
    *,
    n: int | None = None,
    base: int | None = None,
    legend: Mapping[str, str] | None = None,
) -> Instance:
    r"""Read an instance from a file or a text; its queens are the prescribed ones.

    >>> read_instance("..Q.\n....\n....\n.Q..").queens
    ((0, 2), (3, 1))
    >>> read_instance("[2, 4, 1, 3]", base=1) == read_instance("1Q2/3Q/Q3/2Q1")
    True

    Args:
        source: A path, board text, or an open text or binary file. A string is text if it has a
            line break, is blank, or starts with ``{``, ``[`` or ``(``, or if it reads as a board
            on one line and no file has that name; otherwise it is a path.
        format: One of ``FORMATS``; by default the one that the content fits.
        n: The board size. ``cells`` and ``pairs`` need it. In the other formats the text states
            it, and it must be the same.
        base: What rows and columns count from in ``columns``, ``cells``, ``pairs`` and ``json``,
            0 or 1; by default 0. Files in ``essence`` count from either: by default an index 0 or
            an index n decides, and it is an error if neither occurs.
        legend: The meanings of further glyphs of ``text``, ``queen``, ``blocked`` or ``empty``,
            such as ``{"*": "blocked"}``.

    Raises:
        FormatError: If the text is not a board, or could be several; the message says where.
        UnsupportedVariantError: If it is a puzzle with other rules.
        InputError: If the file cannot be read, or an argument is not an allowed one.
        InputTypeError: If an argument is of the wrong type.
    """
    options = make_options(n, base, legend)
    name = format if format is None else _checked(format)
    text, suffix = load_text(source)
    text = _COUNT_LINE.sub("", text)
    _refuse_variants(text)
    instance = TABLE[name or detect(text, options, suffix)].read(text, options)
    if options.n not in (None, instance.n):
        raise FormatError(
            f"the board has size {instance.n} where one of size {options.n} is expected",
            Remedy(" (", Argument("n"), ")"),
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
    r"""Return an instance as text, and write it to a file if a path is given.

    >>> write_instance(Instance(4, [(0, 2), (3, 1)]), format="fen")
    '2Q1/4/4/1Q2\n'

    Args:
        instance: The instance, or n for the plain board.
        path: The name of the file, which is written in full or not at all.
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
    name = (_of_suffix(suffix) or "json") if format is None else _checked(format)
    _check_carries(name, instance)
    text = TABLE[name].write(instance, options)
    if path is not None:
        write_atomic(path, text.encode())
    return text


def _of_suffix(suffix: str) -> str | None:
    """Return the name of the format of files with a suffix, if there is one."""
    return next((name for name, format_ in TABLE.items() if suffix in format_.suffixes), None)


def _checked(name: str) -> str:
    """Return `name`, which must be the name of a format."""
    if not isinstance(name, str) or name not in TABLE:
        raise InputError(f"format {shown(name)} is unknown; choose one of {', '.join(TABLE)}")
    return name


def _check_carries(name: str, instance: Instance) -> None:
    """Check that format `name` can carry `instance`; the message names formats that can."""
    present = {BLOCKED_CELLS: instance.blocked, EXCLUDED_DIAGONALS: instance.excluded_lines()}
    needed = {thing for thing, values in present.items() if values}
    if lacking := sorted(needed - TABLE[name].carries):
        others = " or ".join(other for other in TABLE if TABLE[other].carries >= needed)
        raise InputError(f"format {name} cannot carry {' and '.join(lacking)}; use {others}")
    if instance.n ** TABLE[name].dimension > LARGEST_TEXT:
        raise InputError(
            f"format {name} takes over {LARGEST_TEXT:,} characters for n={instance.n}; use json"
        )


def _refuse_variants(text: str) -> None:
    """Refuse puzzles with coloured regions, known by the key of their list."""
    if "egions" in text and _REGION_KEY.search(text):  # the first test is the fast one
        raise UnsupportedVariantError(
            "this is a puzzle with coloured regions, a different rule set: one queen in each "
            "region, and none touching, instead of none on a diagonal; it is not supported"
        )


def detect(text: str, options: TextOptions, suffix: str = "") -> str:
    """Return the name of the format of `text`.

    The content decides. Where it fits several formats, the known board size rules out those in
    which the text states another one, and then the suffix of the file decides.
    """
    matches = _best_matches(Clues(text, options))
    fitting = [name for name, match in matches.items() if options.n in (None, match.n or options.n)]
    candidates = fitting or list(matches)
    if len(candidates) == 1:
        return candidates[0]
    by_suffix = _of_suffix(suffix)
    if by_suffix and (by_suffix in candidates or not candidates):
        return by_suffix
    advice = "; pass ", Argument("format"), " with the one that is meant"
    if candidates:
        raise FormatError(f"the text can be read as {' or '.join(candidates)}", Remedy(*advice))
    raise FormatError(
        f"the text is in none of the formats {', '.join(TABLE)}",
        Remedy(*advice, " to learn where it differs"),
    )


def _best_matches(clues: Clues) -> dict[str, Match]:
    """Return the formats that a text fits best."""
    matches: dict[str, Match] = {}
    for name, format_ in TABLE.items():
        match = format_.recognise(clues)
        if match is not None and match.fit is Fit.CERTAIN:
            return {name: match}
        if match is not None:
            matches[name] = match
    best = max((match.fit for match in matches.values()), default=None)
    return {name: match for name, match in matches.items() if match.fit is best}
