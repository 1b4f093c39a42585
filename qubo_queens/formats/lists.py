"""Formats that list numbers: columns, cells and pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Kind
from qubo_queens.checks import shown
from qubo_queens.errors import Argument, FormatError, InputError, Remedy
from qubo_queens.formats.text_options import TextOptions
from qubo_queens.formats.tokens import (
    COMMAS,
    EMPTY_ROWS,
    Clues,
    Fit,
    Match,
    Token,
    cell_of,
    index_of,
    integer_of,
    tokens_of,
    without_commas,
)

_CLOSING = {"[": "]", "(": ")"}
_OPENING = re.compile(r"[\[(]")


def _bracketed(clues: Clues) -> str | None:
    """Return whether a text in brackets lists cells or columns; None if it has no brackets.

    ``[]``, ``(0, 1)`` and brackets within or after brackets are cells. A single pair of round
    brackets with more than two numbers is how Python shows the columns of a placement.
    """
    if not clues.start.startswith(tuple(_CLOSING)):
        return None
    inside = clues.start.strip("[]() \t\n")
    if not inside or _OPENING.search(clues.start, 1):
        return "cells"
    pair = clues.start[0] == "(" and len(re.findall(r"[^\s,;]+", inside)) == 2
    return "cells" if pair else "columns"


def recognise_columns(clues: Clues) -> Match | None:
    """Recognise numbers in brackets, on one line, or one on each line."""
    if _bracketed(clues) == "columns":
        return Match(Fit.CERTAIN)
    sizes = [len(row) for row in clues.rows]
    return Match(Fit.POSSIBLE, sum(sizes)) if len(sizes) == 1 or set(sizes) == {1} else None


def read_columns(text: str, options: TextOptions) -> Instance:
    """Read the column of the queen of each row; the board has as many rows as are listed."""
    tokens = tokens_of(text)
    opening, closing = tokens[0], tokens[-1]
    if _CLOSING.get(opening.word) == closing.word:
        tokens = tokens[1:-1]
    columns = without_commas(tokens)
    if not columns:
        raise FormatError("the list of columns is empty; a board has at least one row")
    n = len(columns)
    if options.n not in (None, n):
        raise FormatError(
            f"{n} columns are listed where n={options.n} rows are expected",
            Remedy(" (", Argument("n"), ")"),
        )
    filled = (row for row in enumerate(columns) if row[1].word not in EMPTY_ROWS)
    return Instance(n, [(row, index_of(word, Kind.COLUMN, n, options)) for row, word in filled])


def recognise_cells(clues: Clues) -> Match | None:
    """Recognise brackets within brackets, or two numbers on each line."""
    if _bracketed(clues) == "cells":
        return Match(Fit.CERTAIN)
    in_twos = {len(row) for row in clues.rows} == {2} and clues.words.isdisjoint(EMPTY_ROWS)
    return Match(Fit.POSSIBLE) if in_twos else None


def read_cells(text: str, options: TextOptions) -> Instance:
    """Read ``(row, column)`` pairs: in brackets of either kind, or one on each line."""
    n = options.size("cells")
    tokens = tokens_of(text)
    bracketed = tokens[0].word in _CLOSING
    groups = _bracket_groups(tokens) if bracketed else _line_groups(text)
    cells = (cell_of(group, start, n, options) for start, group in groups)
    return Instance(n, options.queens(cells))


def recognise_pairs(clues: Clues) -> Match | None:
    """Recognise a line with one number, then two numbers on each line."""
    if not clues.rows or not clues.words.isdisjoint(EMPTY_ROWS):
        return None
    first, *others = clues.rows
    fits = len(first) == 1 and ({len(row) for row in others} == {2} or clues.rows == [["0"]])
    return Match(Fit.POSSIBLE) if fits else None


def read_pairs(text: str, options: TextOptions) -> Instance:
    """Read the number of queens k, then k times a row and a column."""
    n = options.size("pairs")
    first, *numbers = without_commas(tokens_of(text))
    k = integer_of(first)
    if len(numbers) != 2 * k:
        raise first.fault(
            f"{k} pairs are announced but {len(numbers)} numbers follow; "
            "each pair is a row and a column"
        )
    cells = zip(numbers[::2], numbers[1::2], strict=True)
    queens = (cell_of(cell, cell[0], n, options) for cell in cells)
    return Instance(n, options.queens(queens))


def _bracket_groups(tokens: list[Token]) -> Iterator[tuple[Token, list[Token]]]:
    """Yield each opening bracket and the content of the pair; a pair around all is left out."""
    holds_brackets = len(tokens) == 2 or (tokens[1:] and tokens[1].word in _CLOSING)
    if holds_brackets and tokens[-1].word == _CLOSING[tokens[0].word]:
        tokens = tokens[1:-1]
    opening: Token | None = None
    group: list[Token] = []
    for token in tokens:
        if opening is None:
            if token.word in _CLOSING:
                opening, group = token, []
            elif token.word not in COMMAS:
                raise token.fault(f"{shown(token.word)} stands outside the brackets of a cell")
        elif token.word == _CLOSING[opening.word]:
            yield opening, without_commas(group)
            opening = None
        else:
            group.append(token)
    if opening is not None:
        raise opening.fault(f"this {opening.word!r} is not closed")


def _line_groups(text: str) -> Iterator[tuple[Token, list[Token]]]:
    """Yield the first token and the words of each line that is not blank."""
    for line in re.finditer(r"[^\n]+", text):
        if tokens := tokens_of(text, *line.span()):
            yield tokens[0], without_commas(tokens)


def write_columns(instance: Instance, options: TextOptions) -> str:
    """Write the column of the queen of each row, ``-`` for a row without one."""
    columns = ["-"] * instance.n
    for row, column in instance.queens:
        if columns[row] != "-":
            raise InputError(
                f"format columns cannot carry the several queens of row {row}; use cells or json"
            )
        columns[row] = str(options.from_index(column, Kind.COLUMN))
    return " ".join(columns) + "\n"


def write_cells(instance: Instance, options: TextOptions) -> str:
    """Write a list of ``[row, column]`` lists."""
    return json.dumps(options.from_cells(instance.queens)) + "\n"


def write_pairs(instance: Instance, options: TextOptions) -> str:
    """Write the number of queens, then a line with row and column for each."""
    cells = options.from_cells(instance.queens)
    return "".join(f"{line}\n" for line in (len(cells), *(f"{r} {c}" for r, c in cells)))
