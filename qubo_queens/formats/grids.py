"""Formats by rows of cells: text (``Q`` and ``.``), csv (1 and 0) and fen (runs of empty cells)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from qubo_queens.board.instance import Instance
from qubo_queens.board.render import board_text
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import Argument, FormatError, InputError, Remedy
from qubo_queens.formats.text_options import BLOCKED, EMPTY, QUEEN, TextOptions
from qubo_queens.formats.tokens import Clues, Fit, Match, fault_at

_CSV_GLYPHS = {"1": QUEEN, "0": EMPTY}
_BITS = re.compile("[01]+")
_CSV_SEPARATOR = re.compile(r"[ \t]*[,;][ \t]*|[ \t]+")


class Row(NamedTuple):
    """A line of the text, and where in the text it starts."""

    line: str
    offset: int


def board_rows(text: str) -> list[Row]:
    """Return the lines of a board, without blank ones around it."""
    rows, offset = [], 0
    for line in text.split("\n"):
        rows.append(Row(line, offset))
        offset += len(line) + 1
    filled = [at for at, row in enumerate(rows) if row.line.strip(" \t")]
    if not filled:
        raise FormatError("the text has no rows of a board")
    return rows[filled[0] : filled[-1] + 1]


def recognise_text(clues: Clues) -> Match | None:
    """Recognise lines that have only glyphs, as many on each line as there are lines."""
    glyphs = clues.options.glyphs
    only_glyphs = re.compile(f"[{re.escape(''.join(glyphs))} \t]*")
    lines = [row.line for row in board_rows(clues.text)]
    if all(
        only_glyphs.fullmatch(line) and len(_without_blanks(line)) == len(lines) for line in lines
    ):
        return Match(Fit.CERTAIN)
    return Match(Fit.FAULTY) if any(glyph in clues.text for glyph in glyphs) else None


def read_text(text: str, options: TextOptions) -> Instance:
    """Read rows of queens and empty cells, and of other glyphs that the legend explains."""
    rows = board_rows(text)
    stranger = re.compile(f"[^{re.escape(''.join(options.glyphs))} \t]")
    for row in rows:
        if found := stranger.search(row.line):
            glyph = found[0]
            fault = f"{glyph!r} is none of {' '.join(options.glyphs)}"
            meaning = Argument("legend", {glyph: BLOCKED})
            hint = Remedy("; give it a meaning with ", meaning) if glyph.isprintable() else ""
            raise fault_at(text, row.offset + found.start(), fault, hint)
    return _square(text, rows, [_without_blanks(row.line) for row in rows], options.glyphs)


def _without_blanks(line: str) -> str:
    return line.replace(" ", "").replace("\t", "")


def recognise_csv(clues: Clues) -> Match | None:
    """Recognise rows of 1 and 0; those without separators are nothing else."""
    rows, n = clues.rows, len(clues.rows)
    rows_of_bits = all(len(word) == n and _BITS.fullmatch(word) for word in clues.words)
    if n > 1 and rows_of_bits and {len(row) for row in rows} == {1}:
        return Match(Fit.CERTAIN, n)
    if not clues.words or not clues.words <= _CSV_GLYPHS.keys():
        return None
    return Match(Fit.POSSIBLE, n) if all(len(row) == n for row in rows) else Match(Fit.FAULTY)


def read_csv(text: str, options: TextOptions) -> Instance:
    """Read rows of 1 (queen) and 0, separated by commas, semicolons, tabs, blanks or nothing."""
    rows = board_rows(text)
    return _square(text, rows, [_csv_cells(text, row) for row in rows], _CSV_GLYPHS)


def _csv_cells(text: str, row: Row) -> str:
    line = row.line.rstrip(" \t")
    if _BITS.fullmatch(line):
        return line
    start = len(line) - len(line.lstrip(" \t"))
    cells = _CSV_SEPARATOR.split(line[start:])
    if not _CSV_GLYPHS.keys() >= set(cells):
        at = next(i for i, cell in enumerate(cells) if cell not in _CSV_GLYPHS)
        starts = [start, *(found.end() for found in _CSV_SEPARATOR.finditer(line, start))]
        word = shown(cells[at]) if cells[at] else "nothing"
        raise fault_at(text, row.offset + starts[at], f"{word} stands where 1 (queen) or 0 should")
    return "".join(cells)


def _square(text: str, rows: list[Row], cells: list[str], meanings: Mapping[str, str]) -> Instance:
    """Return the instance with a character of `cells` for each cell, if they are square."""
    if fault := _square_fault([len(line) for line in cells]):
        row, why = fault
        raise fault_at(text, rows[row].offset, why)
    return Instance(
        len(rows),
        _cells_with(QUEEN, cells, meanings),
        blocked=_cells_with(BLOCKED, cells, meanings),
    )


def _square_fault(widths: Sequence[int]) -> tuple[int, str] | None:
    """Return a row that keeps a board of such rows from being square, and why; None if it is.

    Of several rows, the first whose width also differs from the most common one.
    """
    n = len(widths)
    wrong = [row for row, width in enumerate(widths) if width != n]
    if not wrong:
        return None
    [(usual, _)] = Counter(widths).most_common(1)
    row = next((row for row in wrong if widths[row] != usual), wrong[0])
    return row, f"the number of cells is {widths[row]}, but that of rows is {n}; a board is square"


def _cells_with(
    meaning: str, cells: list[str], meanings: Mapping[str, str]
) -> Iterator[tuple[int, int]]:
    glyphs = "".join(glyph for glyph in meanings if meanings[glyph] == meaning)
    if glyphs:
        pattern = re.compile(f"[{re.escape(glyphs)}]")
        for r, line in enumerate(cells):
            for found in pattern.finditer(line):
                yield r, found.start()


def write_text(instance: Instance, options: TextOptions) -> str:
    """Write rows of ``Q``, ``.`` and ``*`` (blocked), or of the glyphs that the legend has."""
    if both := set(instance.queens).intersection(instance.blocked):
        fault = f"format text cannot carry a queen on the blocked cell {min(both)}; use json"
        raise InputError(fault)
    board = board_text(instance.n, instance.queens, instance.blocked)
    glyphs = "".join(map(options.glyph, (QUEEN, EMPTY, BLOCKED)))
    return board.translate(str.maketrans("Q.*", glyphs)) + "\n"


def write_csv(instance: Instance, options: TextOptions) -> str:
    """Write rows of 0 and 1 with commas between them."""
    rows = [bytearray(b"0," * instance.n) for _ in range(instance.n)]
    for row, column in instance.queens:
        rows[row][2 * column] = ord("1")
    return "".join(row[:-1].decode("ascii") + "\n" for row in rows)


_SYMBOL = re.compile(r"[0-9]+|.")
_EMPTY_RUN = re.compile(r"\.+")
_PIECES = {"k": "king", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
_MOST_DIGITS = 10


def recognise_fen(clues: Clues) -> Match | None:
    """Recognise a first word with a slash; and ``1``, a board of one cell."""
    if "/" in clues.start.split(maxsplit=1)[0]:
        return Match(Fit.POSSIBLE)
    return Match(Fit.POSSIBLE, 1) if clues.rows == [["1"]] else None


def read_fen(text: str, options: TextOptions) -> Instance:
    """Read the first field, the placement; a run of digits is one number, unlike in chess.

    The other fields of a chess FEN (the side to move, and so on) are ignored.
    """
    start = len(text) - len(text.lstrip())
    if more := re.compile(r"\n\s*(\S)").search(text, start):
        raise fault_at(text, more.start(1), "a FEN is a single line, but there is more")
    rows = text.split(maxsplit=1)[0].split("/")
    starts = list(accumulate(rows[:-1], lambda at, row: at + len(row) + 1, initial=start))
    read = [_read_row(text, at, row) for at, row in zip(starts, rows, strict=True)]
    if fault := _square_fault([width for _, width in read]):
        r, why = fault
        raise fault_at(text, starts[r], f"row {r}, {shown(rows[r])}: {why}")
    queens = [(r, column) for r, (columns, _) in enumerate(read) for column in columns]
    return Instance(len(rows), queens)


def _read_row(text: str, start: int, row: str) -> tuple[list[int], int]:
    """Return the columns of the queens of a row, and its number of cells."""
    columns, width = [], 0
    for found in _SYMBOL.finditer(row):
        symbol = found[0]
        if symbol in "Qq":
            columns.append(width)
            width += 1
        elif fault := _symbol_fault(symbol):
            raise fault_at(text, start + found.start(), fault)
        else:
            width += int(symbol)
    return columns, width


def _symbol_fault(symbol: str) -> str:
    """Return why `symbol` is not a number of empty cells; an empty string if it is one."""
    if not symbol.isascii() or not symbol.isdigit():
        piece = _PIECES.get(symbol.lower())
        what = f"{symbol!r} is a {piece}" if piece else f"{symbol!r} is not known"
        return f"{what}; allowed are Q, q, numbers of empty cells and /"
    if symbol.startswith("0"):
        return f"{shorten(symbol)} is not a number of empty cells, which is at least 1"
    if len(symbol) > _MOST_DIGITS:
        return f"a number of {len(symbol)} digits is larger than any board"
    return ""


def write_fen(instance: Instance, options: TextOptions) -> str:
    """Write the placement, without further fields."""
    board = board_text(instance.n, instance.queens)
    return _EMPTY_RUN.sub(lambda run: str(len(run[0])), board).replace("\n", "/") + "\n"
