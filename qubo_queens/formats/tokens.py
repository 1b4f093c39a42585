"""What the readers share: words with their places, faults at a place, and clues to a format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from qubo_queens.board.lines import Cell, Kind
from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, Part
from qubo_queens.formats.text_options import TextOptions

_TOKEN = re.compile(r"[\[\](),;=]|[^ \t\n\[\](),;=]+")
_NUMBER = re.compile(r"-?[0-9]+")
_MOST_DIGITS = 30

COMMAS = (",", ";")
"""What may stand between two numbers."""

EMPTY_ROWS = frozenset({"-", ".", "_", "null"})
"""What may stand for the column of a row without a queen."""


def place(text: str, offset: int) -> str:
    """Return the line and column, counted from 1, of the character at `offset` of `text`."""
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}"


def fault_at(text: str, offset: int, *message: Part) -> FormatError:
    """Return the error about the character at `offset` of `text`."""
    return FormatError(f"{place(text, offset)}: ", *message)


class Token(NamedTuple):
    """A bracket, comma, number or other word, and where in a text it starts."""

    word: str
    offset: int
    text: str

    def fault(self, *message: Part) -> FormatError:
        """Return the error about this token."""
        return fault_at(self.text, self.offset, *message)


def tokens_of(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """Return the tokens of a text, or of the part of it from `start` to `stop`."""
    found = _TOKEN.finditer(text, start, len(text) if stop is None else stop)
    return [Token(match[0], match.start(), text) for match in found]


def without_comments(text: str, mark: str) -> str:
    """Return the text with blanks in place of comments: `mark` and the rest of its line."""
    return re.sub(f"{re.escape(mark)}[^\n]*", lambda match: " " * len(match[0]), text)


def without_commas(tokens: Sequence[Token]) -> list[Token]:
    """Return the words; each comma must stand between two of them, and brackets nowhere."""
    words: list[Token] = []
    needs_word = True
    for token in tokens:
        if token.word in COMMAS and needs_word:
            raise token.fault(f"there is no value before this {token.word!r}")
        needs_word = token.word in COMMAS
        if not needs_word:
            words.append(token)
    if tokens and needs_word:
        raise tokens[-1].fault("there is no value after the last comma")
    return words


def integer_of(token: Token) -> int:
    """Return the value of a token that is an integer."""
    if not _NUMBER.fullmatch(token.word):
        raise token.fault(f"{shown(token.word)} is not an integer in the digits 0 to 9")
    if len(token.word) > _MOST_DIGITS:
        raise token.fault(f"a number of {len(token.word)} digits fits no board")
    return int(token.word)


def index_of(token: Token, kind: Kind, n: int, options: TextOptions) -> int:
    """Return the 0-based index of the line of this kind that a token names."""
    number = integer_of(token)
    try:
        return options.to_index(number, kind, n)
    except FormatError as error:
        raise token.fault(*error.args) from None


def cell_of(words: Sequence[Token], start: Token, n: int, options: TextOptions) -> Cell:
    """Return the 0-based cell that the words from `start` on name: a row, then a column."""
    if len(words) != 2:
        raise start.fault(f"a cell is a row and a column, not {len(words)} numbers")
    row, column = words
    return index_of(row, Kind.ROW, n, options), index_of(column, Kind.COLUMN, n, options)


class Fit(IntEnum):
    """How well a text fits a format; only the formats that it fits best are considered."""

    FAULTY = 1  # if it is in the format, the reader will name a fault
    POSSIBLE = 2
    CERTAIN = 3


class Match(NamedTuple):
    """How well a text fits a format, and the board size that it states in this format, if any."""

    fit: Fit
    n: int | None = None


_CLUE = re.compile(r"[^\s,;]+")
_DECIMAL = re.compile(r"[-+]?[0-9][0-9.]*")


@dataclass(frozen=True)
class Clues:
    """A text, in the forms in which the formats recognise it."""

    text: str
    options: TextOptions

    @cached_property
    def start(self) -> str:
        """The text without leading white space."""
        return self.text.lstrip()

    @cached_property
    def rows(self) -> list[list[str]]:
        """The words of each line that is not blank; empty if not all of them are numbers.

        What stands for an empty row counts as a number.
        """
        first = _CLUE.search(self.text)
        if first is None or not _is_number(first[0]):  # at once, for a long text of another kind
            return []
        rows = [words for line in self.text.split("\n") if (words := _CLUE.findall(line))]
        return rows if all(map(_is_number, {word for row in rows for word in row})) else []

    @cached_property
    def words(self) -> frozenset[str]:
        """The different words of ``rows``."""
        return frozenset(word for row in self.rows for word in row)


def _is_number(word: str) -> bool:
    return word in EMPTY_ROWS or _DECIMAL.fullmatch(word) is not None
