"""Essence parameter files, the format of published instances with blocked cells.

CSPLib's models for problem 080, blocked queens, take ``n`` and ``blocks``, which counts from 1.
Those for problem 079, n-queens completion, take ``n`` and ``init``, queens that count from 0.
Nothing in such a file says which. Files written here state it in a comment, which is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from qubo_queens.board.instance import Instance, as_size
from qubo_queens.checks import shown
from qubo_queens.errors import Argument, FormatError, InputError, Remedy
from qubo_queens.formats.text_options import TextOptions
from qubo_queens.formats.tokens import (
    Clues,
    Fit,
    Match,
    Token,
    cell_of,
    fault_at,
    integer_of,
    place,
    tokens_of,
    without_comments,
)

SIZE, BLOCKS, INIT = NAMES = ("n", "blocks", "init")
"""What a file can define: the board size, blocked cells, prescribed queens."""

_COMMENT = "$"
_LANGUAGE = re.compile(r"\s*language[ \t]+[A-Za-z']+(?:[ \t]+[0-9][0-9.]*)?")
_START = re.compile(r"(?:\s|\$[^\n]*\n)*+(?:language|letting)\b")
_IS = ("=", "be")
_STATED_BASE = re.compile(r"^\$ rows and columns count from ([01])$", re.MULTILINE)


_Pairs: TypeAlias = list[tuple[Token, Token]]
"""The row and the column of each cell of a list."""


def recognise_essence(clues: Clues) -> Match | None:
    """Recognise the start of a file that defines something."""
    return Match(Fit.CERTAIN) if _START.match(clues.start) else None


def read_essence(text: str, options: TextOptions) -> Instance:
    """Read ``letting n = 4``, ``letting blocks = [[1, 1], ...]`` and ``letting init = ...``.

    ``be`` may stand for ``=``, blanks and line breaks anywhere, and a comma after the last cell. A
    line ``language Essence ...`` at the start and comments after ``$`` are skipped. If the caller
    does not state the base, a comment of :func:`write_essence` does, or the indices must prove it:
    an index 0 means base 0, an index n base 1.
    """
    size, found = _definitions(text)
    n = _size(size, options)
    options = replace(options, base=_base(text, found, n, options))

    queens, blocked = (
        [cell_of(pair, pair[0], n, options) for pair in found.get(name, [])]
        for name in (INIT, BLOCKS)
    )
    return Instance(n, options.queens(queens), blocked=blocked)


def write_essence(instance: Instance, options: TextOptions) -> str:
    """Write a cell on each line, counted from 1 unless the caller states 0; no empty list."""
    options = options if options.base is not None else replace(options, base=1)
    parts = [f"$ rows and columns count from {options.base}\n", f"letting {SIZE} = {instance.n}\n"]
    for name, cells in ((BLOCKS, instance.blocked), (INIT, instance.queens)):
        if cells:
            listed = ",\n".join(f"[{row},{column}]" for row, column in options.from_cells(cells))
            parts.append(f"letting {name} = [{listed}\n]\n")
    return "".join(parts)


def _definitions(text: str) -> tuple[Token | None, dict[str, _Pairs]]:
    """Return the board size, if it is defined, and the lists of cells that are, by name."""
    size: Token | None = None
    cells: dict[str, _Pairs] = {}
    tokens = _Tokens(text)
    while not tokens.ended:
        tokens.take("letting")
        name = tokens.take(*NAMES)
        if name.word in cells or (name.word == SIZE and size):
            raise name.fault(f"{name.word} is defined twice")
        tokens.take(*_IS)
        if name.word == SIZE:
            size = tokens.number()
        else:
            cells[name.word] = list(tokens.pairs())
    return size, cells


class _Tokens:
    """The tokens of a text without its comments, taken one after the other."""

    def __init__(self, text: str) -> None:
        bare = without_comments(text, _COMMENT)
        language = _LANGUAGE.match(bare)
        self._text = text
        self._tokens = tokens_of(bare, language.end() if language else 0)
        self._next = 0

    @property
    def ended(self) -> bool:
        """Whether all are taken."""
        return self._next == len(self._tokens)

    def take(self, *words: str) -> Token:
        """Return the next token, which must be one of `words`."""
        token = self._any(" or ".join(words))
        if token.word not in words:
            raise token.fault(f"{shown(token.word)} stands where {' or '.join(words)} should")
        return token

    def number(self) -> Token:
        """Return the next token, which must be an integer."""
        token = self._any("an integer")
        integer_of(token)
        return token

    def pairs(self) -> Iterator[tuple[Token, Token]]:
        """Yield the cells of a list of ``[row, column]`` lists."""
        self.take("[")
        while self.take("[", "]").word == "[":
            row, _, column = self.number(), self.take(","), self.number()
            self.take("]")
            yield row, column
            if self.take(",", "]").word == "]":
                return

    def _any(self, wanted: str) -> Token:
        if self.ended:
            fault = f"the text ends where {wanted} should stand"
            raise fault_at(self._text, len(self._text.rstrip()), fault)
        self._next += 1
        return self._tokens[self._next - 1]


def _size(size: Token | None, options: TextOptions) -> int:
    if size is None:
        if options.n is None:
            raise FormatError(
                "n, the board size, is missing; add 'letting n = ...'",
                Remedy(", or pass ", Argument("n")),
            )
        return options.n
    try:
        return as_size(integer_of(size))
    except InputError as error:
        raise size.fault(*error.args) from None


def _base(text: str, cells: Mapping[str, _Pairs], n: int, options: TextOptions) -> int:
    """Return what the indices count from: as the caller states, or as they prove."""
    if options.base is not None:
        return options.base
    if stated := _STATED_BASE.search(text):
        return int(stated[1])
    seen: dict[int, Token] = {}
    for pairs in cells.values():
        for token in (token for pair in pairs for token in pair):
            seen.setdefault(integer_of(token), token)
    if 0 in seen and n in seen:
        raise seen[n].fault(
            f"index {n} is outside 0..{n - 1} (n={n}), and the index 0 in "
            f"{place(text, seen[0].offset)} is outside 1..{n}"
        )
    if 0 in seen or not seen:
        return 0
    if n in seen or not all(1 <= number <= n for number in seen):
        return 1
    raise FormatError(
        f"format essence does not say whether {min(seen)}..{max(seen)} (n={n}) count from 0 or "
        "from 1",
        Remedy("; pass ", Argument("base", 0), " or ", Argument("base", 1)),
    )
