"""Words, numbers and brackets of a text, each with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from qubo_queens.board.lines import Cell, Kind
from qubo_queens.checks import shown
from qubo_queens.errors import FormatError
from qubo_queens.files import fault_at
from qubo_queens.formats.text_options import Options

_TOKEN = re.compile(r"[\[\](),;=]|[^ \t\n\[\](),;=]+")
_NUMBER = re.compile(r"-?[0-9]+")
_MOST_DIGITS = 30

COMMAS = (",", ";")
"""What may stand between two numbers."""


class Token(NamedTuple):
    """A bracket, comma, number or other word, and where in the text it starts."""

    word: str
    offset: int


def tokens_of(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """Return the tokens of a text, or of the part of it from `start` to `stop`."""
    found = _TOKEN.finditer(text, start, len(text) if stop is None else stop)
    return [Token(match[0], match.start()) for match in found]


def without_comments(text: str, mark: str) -> str:
    """Return the text with blanks for what follows `mark` on a line: all places stay."""
    return re.sub(f"{re.escape(mark)}[^\n]*", lambda match: " " * len(match[0]), text)


def without_commas(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Return the words; each comma must stand between two of them, and brackets nowhere."""
    words: list[Token] = []
    needs_word = True
    for token in tokens:
        if token.word in COMMAS and needs_word:
            raise fault_at(text, token.offset, f"there is no value before this {token.word!r}")
        needs_word = token.word in COMMAS
        if not needs_word:
            words.append(token)
    if tokens and needs_word:
        raise fault_at(text, tokens[-1].offset, "there is no value after the last comma")
    return words


def integer_of(text: str, token: Token) -> int:
    """Return the number that a token is.

    Raises:
        FormatError: If it is none, or one of so many digits that it fits no board.
    """
    if not _NUMBER.fullmatch(token.word):
        fault = f"{shown(token.word)} is not an integer in the digits 0 to 9"
        raise fault_at(text, token.offset, fault)
    if len(token.word) > _MOST_DIGITS:
        raise fault_at(text, token.offset, f"a number of {len(token.word)} digits fits no board")
    return int(token.word)


def index_of(text: str, token: Token, kind: Kind, n: int, options: Options) -> int:
    """Return the 0-based index of the line of family `kind` that a token names.

    Raises:
        FormatError: If an n x n board has no such line.
    """
    number = integer_of(text, token)
    try:
        return options.to_index(number, kind, n)
    except FormatError as error:
        raise fault_at(text, token.offset, str(error)) from None


def cell_of(text: str, words: Sequence[Token], offset: int, n: int, options: Options) -> Cell:
    """Return the 0-based cell that words from `offset` on name: a row, then a column.

    Raises:
        FormatError: If they do not.
    """
    if len(words) != 2:
        raise fault_at(text, offset, f"a cell is a row and a column, not {len(words)} numbers")
    row, column = words
    return (
        index_of(text, row, Kind.ROW, n, options),
        index_of(text, column, Kind.COLUMN, n, options),
    )
