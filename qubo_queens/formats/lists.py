"""Formats that list numbers: columns, cells and pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell, Kind
from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputError
from qubo_queens.formats.faults import fault_at
from qubo_queens.formats.options import Options

EMPTY_ROWS = frozenset({"-", ".", "_", "null"})
"""What may stand for the column of a row without a queen."""

_TOKEN = re.compile(r"[\[\](),;]|[^ \t\n\[\](),;]+")
_NUMBER = re.compile(r"-?[0-9]+")
_MOST_DIGITS = 30
_COMMAS = (",", ";")
_CLOSING = {"[": "]", "(": ")"}


class Token(NamedTuple):
    """A bracket, comma, number or other word, and where in the text it starts."""

    word: str
    offset: int


def read_columns(text: str, options: Options) -> Instance:
    """Read the column of the queen of each row; the board has as many rows as are listed."""
    tokens = _tokens(text)
    opening, closing = tokens[0], tokens[-1]
    if _CLOSING.get(opening.word) == closing.word:
        tokens = tokens[1:-1]
    columns = _without_commas(text, tokens)
    if not columns:
        raise FormatError("the list of columns is empty; a board has at least one row")
    n = len(columns)
    if options.n not in (None, n):
        raise FormatError(f"{n} columns are listed where n={options.n} rows are expected (n, --n)")
    return Instance(
        n,
        [
            (row, _index(text, token, Kind.COLUMN, n, options))
            for row, token in enumerate(columns)
            if token.word not in EMPTY_ROWS
        ],
    )


def read_cells(text: str, options: Options) -> Instance:
    """Read ``(row, column)`` pairs: in brackets of either kind, or one on each line."""
    n = options.size("cells")
    tokens = _tokens(text)
    bracketed = tokens[0].word in _CLOSING
    groups = _bracket_groups(text, tokens) if bracketed else _line_groups(text)
    cells = (_cell(text, group, offset, n, options) for offset, group in groups)
    return Instance(n, options.queens(cells))


def read_pairs(text: str, options: Options) -> Instance:
    """Read the number of queens k, then k times a row and a column."""
    n = options.size("pairs")
    first, *numbers = _without_commas(text, _tokens(text))
    k = _integer(text, first)
    if len(numbers) != 2 * k:
        raise fault_at(
            text,
            first.offset,
            f"{k} pairs are announced but {len(numbers)} numbers follow; "
            "each pair is a row and a column",
        )
    cells = zip(numbers[::2], numbers[1::2], strict=True)
    queens = (_cell(text, cell, cell[0].offset, n, options) for cell in cells)
    return Instance(n, options.queens(queens))


def _tokens(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    found = _TOKEN.finditer(text, start, len(text) if stop is None else stop)
    return [Token(match[0], match.start()) for match in found]


def _without_commas(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Return the words; each comma must stand between two of them, and brackets nowhere."""
    words: list[Token] = []
    needs_word = True
    for token in tokens:
        if token.word in _COMMAS and needs_word:
            raise fault_at(text, token.offset, f"there is no value before this {token.word!r}")
        needs_word = token.word in _COMMAS
        if not needs_word:
            words.append(token)
    if tokens and needs_word:
        raise fault_at(text, tokens[-1].offset, "there is no value after the last comma")
    return words


def _bracket_groups(text: str, tokens: list[Token]) -> Iterator[tuple[int, list[Token]]]:
    """Yield where each pair of brackets opens and what is in it; a pair around all is left out."""
    holds_brackets = len(tokens) == 2 or (tokens[1:] and tokens[1].word in _CLOSING)
    if holds_brackets and tokens[-1].word == _CLOSING[tokens[0].word]:
        tokens = tokens[1:-1]
    opening: Token | None = None
    group: list[Token] = []
    for token in tokens:
        if opening is None:
            if token.word in _CLOSING:
                opening, group = token, []
            elif token.word not in _COMMAS:
                fault = f"{shown(token.word)} stands outside the brackets of a cell"
                raise fault_at(text, token.offset, fault)
        elif token.word == _CLOSING[opening.word]:
            yield opening.offset, _without_commas(text, group)
            opening = None
        else:
            group.append(token)
    if opening is not None:
        raise fault_at(text, opening.offset, f"this {opening.word!r} is not closed")


def _line_groups(text: str) -> Iterator[tuple[int, list[Token]]]:
    """Yield where each line starts and what is on it, for the lines that are not blank."""
    for line in re.finditer(r"[^\n]+", text):
        if tokens := _tokens(text, *line.span()):
            yield tokens[0].offset, _without_commas(text, tokens)


def _cell(text: str, words: Sequence[Token], offset: int, n: int, options: Options) -> Cell:
    if len(words) != 2:
        raise fault_at(text, offset, f"a cell is a row and a column, not {len(words)} numbers")
    row, column = words
    return (
        _index(text, row, Kind.ROW, n, options),
        _index(text, column, Kind.COLUMN, n, options),
    )


def _index(text: str, token: Token, kind: Kind, n: int, options: Options) -> int:
    number = _integer(text, token)
    try:
        return options.to_index(number, kind, n)
    except FormatError as error:
        raise fault_at(text, token.offset, str(error)) from None


def _integer(text: str, token: Token) -> int:
    if not _NUMBER.fullmatch(token.word):
        fault = f"{shown(token.word)} is not an integer in the digits 0 to 9"
        raise fault_at(text, token.offset, fault)
    if len(token.word) > _MOST_DIGITS:
        raise fault_at(text, token.offset, f"a number of {len(token.word)} digits fits no board")
    return int(token.word)


def write_columns(instance: Instance, options: Options) -> str:
    """Write the column of the queen of each row, ``-`` for a row without one.

    Raises:
        InputError: If a row has several queens.
    """
    columns = ["-"] * instance.n
    for row, column in instance.queens:
        if columns[row] != "-":
            raise InputError(
                f"format columns cannot carry the several queens of row {row}; use cells or json"
            )
        columns[row] = str(options.from_index(column, Kind.COLUMN))
    return " ".join(columns) + "\n"


def write_cells(instance: Instance, options: Options) -> str:
    """Write a list of ``[row, column]`` lists."""
    return json.dumps(options.from_cells(instance.queens)) + "\n"


def write_pairs(instance: Instance, options: Options) -> str:
    """Write the number of queens, then a line with row and column for each."""
    cells = options.from_cells(instance.queens)
    return "".join(f"{line}\n" for line in (len(cells), *(f"{r} {c}" for r, c in cells)))
