"""FEN, the chess players' notation: rows with ``/`` between them, numbers for empty cells."""

from __future__ import annotations

import re
from itertools import accumulate

from qubo_queens.board.instance import Instance
from qubo_queens.board.render import board_text
from qubo_queens.checks import shorten, shown
from qubo_queens.formats.faults import fault_at, square_fault
from qubo_queens.formats.options import Options

_SYMBOL = re.compile(r"[0-9]+|.")
_EMPTY_RUN = re.compile(r"\.+")
_PIECES = {"k": "king", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
_MOST_DIGITS = 10


def read_fen(text: str, options: Options) -> Instance:
    """Read the placement, the first field; a run of digits is one number, unlike in chess.

    The further fields of a chess FEN (who is to move, and so on) say nothing here.
    """
    start = len(text) - len(text.lstrip())
    if more := re.compile(r"\n\s*(\S)").search(text, start):
        raise fault_at(text, more.start(1), "a FEN is a single line, but there is more")
    rows = text.split(maxsplit=1)[0].split("/")
    starts = list(accumulate(rows[:-1], lambda at, row: at + len(row) + 1, initial=start))
    read = [_read_row(text, at, row) for at, row in zip(starts, rows, strict=True)]
    if fault := square_fault([width for _, width in read]):
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
    """Return why `symbol` is no number of empty cells; an empty string if it is one."""
    if not symbol.isascii() or not symbol.isdigit():
        piece = _PIECES.get(symbol.lower())
        what = f"{symbol!r} is a {piece}" if piece else f"{symbol!r} is not known"
        return f"{what}; allowed are Q, q, numbers of empty cells and /"
    if symbol.startswith("0"):
        return f"{shorten(symbol)} is not a number of empty cells, which is at least 1"
    if len(symbol) > _MOST_DIGITS:
        return f"a number of {len(symbol)} digits is larger than any board"
    return ""


def write_fen(instance: Instance, options: Options) -> str:
    """Write the placement, without further fields."""
    board = board_text(instance.n, instance.queens)
    return _EMPTY_RUN.sub(lambda run: str(len(run[0])), board).replace("\n", "/") + "\n"
