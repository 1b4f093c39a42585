"""Batches: an instance on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qubo_queens.board.instance import Instance, as_size
from qubo_queens.errors import FormatError, InputError
from qubo_queens.formats.text_options import TextOptions, make_options
from qubo_queens.formats.text_source import Source, load_text
from qubo_queens.formats.tokens import (
    Token,
    cell_of,
    integer_of,
    tokens_of,
    without_commas,
    without_comments,
)

_COMMENT = "#"


def read_instances(source: Source, *, base: int = 0) -> list[Instance]:
    r"""Read a batch: on each line a board size, then a row and a column for each prescribed queen.

    Numbers are separated by blanks or commas. Empty lines, and comments after ``#``, are skipped.

    >>> [instance.queens for instance in read_instances("4  1 2\n8  3 4  5 1", base=1)]
    [((0, 1),), ((2, 3), (4, 0))]

    Args:
        source: A path, text, or an open text or binary file, as in :func:`read_instance`.
        base: What rows and columns count from, 0 or 1.

    Returns:
        The instances in the order of their lines.

    Raises:
        FormatError: If a line is not such a board, or there is no board; the message says where.
        InputError: If the file cannot be read, or the base is not 0 or 1.
        InputTypeError: If an argument is of the wrong type.
    """
    options = make_options(None, base, None)
    text = without_comments(load_text(source).text, _COMMENT)
    found = [_instance(words, options) for words in _lines(text)]
    if not found:
        raise FormatError("there is no board in the text, only comments")
    return found


def _lines(text: str) -> Iterator[list[Token]]:
    for line in re.finditer(r"[^\n]+", text):
        if words := without_commas(tokens_of(text, *line.span())):
            yield words


def _instance(words: list[Token], options: TextOptions) -> Instance:
    first, *numbers = words
    try:
        n = as_size(integer_of(first))
    except FormatError:
        raise
    except InputError as error:
        raise first.fault(*error.args) from None
    if len(numbers) % 2:
        row = numbers[-1]
        raise row.fault(f"the row {row.word} has no column; after the board size come pairs")
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    cells = [cell_of(pair, pair[0], n, options) for pair in pairs]
    try:
        return Instance(n, options.queens(cells))
    except FormatError as error:
        raise first.fault(*error.args) from None
