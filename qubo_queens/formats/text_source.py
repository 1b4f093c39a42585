"""Text from a file, an open file or a string, read in bounded memory and strictly as UTF-8."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputError, InputTypeError
from qubo_queens.files import file_faults

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, board text, or an open text or binary file."""

LARGEST_TEXT = 2**28
"""How many bytes a text has at most, so that an endless file ends in an error."""

_CHUNK = 2**20

_ONE_LINE_BOARD = re.compile(
    r"[Qq]"
    r"|[QqKkRrBbNnPp0-9]+(?:/[QqKkRrBbNnPp0-9]+)+(?:\s.*)?"
    r"|(?:-?[0-9]+|[-._])(?:[\s,;]+(?:-?[0-9]+|[-._]))+"
    r"|letting\s+\w+\s*(?:=|be\b).*"
)
"""A 1 x 1 board, a FEN, a list of columns, or an Essence parameter."""


class SourceText(NamedTuple):
    """A text, its lines separated by LF, and the suffix of its file (empty if it has none)."""

    text: str
    suffix: str


def load_text(source: Source) -> SourceText:
    """Return the text of `source`.

    A string is the text itself if it has a line break, is blank, or starts with ``{``, ``[`` or
    ``(``, or if it reads as a board on one line and no file has that name; any other string is
    the name of a file.

    Raises:
        InputTypeError: If `source` is none of the allowed things.
        InputError: If it cannot be read, or has more than ``LARGEST_TEXT`` bytes.
        FormatError: If it is not UTF-8 text (a byte order mark is allowed), or is blank.
    """
    name = ""
    if isinstance(source, str) and _is_text(source):
        text = source
    elif isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        text = _decoded(_read_file(name))
    elif hasattr(source, "read"):
        name = str(getattr(source, "name", "<input>"))
        text = _decoded(_read_stream(source, name))
    else:
        raise InputTypeError(
            "a board is read from a path, a text or an open file, "
            f"not {shown(source)} ({type(source).__name__})"
        )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise FormatError("the text is empty: there is no board in it")
    return SourceText(text, Path(name).suffix.lower())


def _is_text(source: str) -> bool:
    stripped = source.strip()
    if stripped[:1] in ("", "{", "[", "(") or "\n" in source or "\r" in source:
        return True
    return _ONE_LINE_BOARD.fullmatch(stripped) is not None and not _exists(source)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:  # such as a name that is too long for a file
        return False


def _read_file(name: str) -> bytearray:
    remedy = "a board that is given as text needs a line break"
    with file_faults("read", name, remedy), Path(name).open("rb") as stream:
        return _read_stream(stream, name)


def _read_stream(stream: IO[str] | IO[bytes], name: str) -> bytearray:
    """Return what is left in `stream`, or its beginning if that has a byte that no text has."""
    data = bytearray()
    with file_faults("read", name):
        while chunk := stream.read(_CHUNK):
            # A lone surrogate, from a lenient decoder, is refused below like any stray byte.
            piece = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
            data += piece
            if len(data) > LARGEST_TEXT:
                raise InputError(f"cannot read {name!r}: it exceeds {LARGEST_TEXT:,} bytes")
            if b"\0" in piece:
                break
    return data


def _decoded(data: bytearray) -> str:
    offset = data.find(0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start
    if offset < 0:
        return text
    raise FormatError(
        f"byte 0x{data[offset]:02x} at offset {offset} is not UTF-8 text; "
        "the file is binary or in another encoding such as UTF-16: save it as UTF-8"
    )
