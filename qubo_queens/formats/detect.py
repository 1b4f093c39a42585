"""Which format a text is in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qubo_queens.errors import FormatError, UnsupportedVariantError
from qubo_queens.formats.essence import is_essence
from qubo_queens.formats.grids import board_rows
from qubo_queens.formats.lists import EMPTY_ROWS
from qubo_queens.formats.options import Options
from qubo_queens.formats.table import FORMATS

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
