"""Text from a path, an open file or a string."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputTypeError
from qubo_queens.files import exists, read_stream, read_text

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, board text, or an open text or binary file."""

_ONE_LINE_BOARD = re.compile(
    r"[Qq]"
    r"|[QqKkRrBbNnPp0-9]+(?:/[QqKkRrBbNnPp0-9]+)+(?:\s.*)?"
    r"|(?:-?[0-9]+|[-._])(?:[\s,;]+(?:-?[0-9]+|[-._]))+"
    r"|letting\s+\w+\s*(?:=|be\b).*"
)
"""A 1 x 1 board, a FEN, a list of columns, or an Essence parameter."""


class SourceText(NamedTuple):
    """A text with lines separated by LF, and the suffix of its file (empty if it has none)."""

    text: str
    suffix: str


def load_text(source: Source) -> SourceText:
    """Return the text of a source, as ``read_instance`` takes it."""
    name = ""
    if isinstance(source, str) and _is_text(source):
        text = source.removeprefix("\ufeff")
    elif isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        text = read_text(name, "a board that is given as text needs a line break")
    elif hasattr(source, "read"):
        name = str(getattr(source, "name", "<input>"))
        text = read_stream(source, name)
    else:
        raise InputTypeError(
            "a board is read from a path, a text or an open file, "
            f"not {shown(source)} ({type(source).__name__})"
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise FormatError("the text is empty: there is no board in it")
    return SourceText(text, Path(name).suffix.lower())


def _is_text(source: str) -> bool:
    stripped = source.strip()
    if stripped[:1] in ("", "{", "[", "(") or "\n" in source or "\r" in source:
        return True
    return _ONE_LINE_BOARD.fullmatch(stripped) is not None and not exists(source)
