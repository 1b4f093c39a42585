"""Files: read within bounds, written in full or not at all, system errors as clear messages."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias

from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputError, InputTypeError, QueensError


def as_path(path: object) -> Path:
    """Return `path` as a path."""
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"a path is needed, not {shown(path)} ({type(path).__name__})")
    return Path(os.fsdecode(path))


def exists(name: str) -> bool:
    """Return whether there is a file or folder of that name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # such as a name that is too long, or has a NUL
        return False


@contextmanager
def file_faults(action: str, name: object, if_missing: str = "") -> Iterator[None]:
    """Turn errors of the operating system within this context into :class:`InputError`."""
    try:
        yield
    except QueensError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a closed file, or a name with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        remedy = f"; {if_missing}" if if_missing and isinstance(error, FileNotFoundError) else ""
        raise InputError(f"cannot {action} {shown(str(name), 100)}: {reason}{remedy}") from None


LARGEST_TEXT = 2**28
"""The largest text in bytes. Reading an endless file ends in an error."""

_CHUNK = 2**20


def read_text(path: str | os.PathLike[str], if_missing: str = "") -> str:
    """Return the text of a file, as :func:`read_stream` does."""
    with file_faults("read", path, if_missing), Path(path).open("rb") as stream:
        return read_stream(stream, os.fsdecode(path))


def read_stream(stream: IO[str] | IO[bytes], name: str) -> str:
    """Return the rest of an open text or binary file, without a byte order mark."""
    data = bytearray()
    with file_faults("read", name):
        while chunk := stream.read(_CHUNK):
            # A lone surrogate, from a lenient decoder, is refused below like any stray byte.
            piece = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
            data += piece
            if len(data) > LARGEST_TEXT:
                raise InputError(f"cannot read {name!r}: it exceeds {LARGEST_TEXT:,} bytes")
            if b"\0" in piece:
                break  # not a text
    offset = data.find(0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start
    if offset < 0:
        return text.removeprefix("\ufeff")
    raise FormatError(
        f"byte 0x{data[offset]:02x} at offset {offset} is not UTF-8 text; "
        "the file is binary or in another encoding such as UTF-16: save it as UTF-8"
    )


_DESCRIPTOR = re.compile(r"/dev/(?:(stdout|stderr)|fd/([0-9]{1,9}))")
_STANDARD = {"stdout": 1, "stderr": 2}

Content: TypeAlias = bytes | Callable[[BinaryIO], object]
"""The content of a file: its bytes, or a function that writes them to an open file."""


def write_atomic(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file under a temporary name in its folder, then give it its final name.

    If this fails, an older file of that name is unchanged and no other file is left. A symbolic
    link stays a link, an existing file keeps its permissions, and a new one gets the usual ones
    (``umask``). Pipes and devices are written to directly, and so are ``/dev/stdout``,
    ``/dev/stderr`` and ``/dev/fd/N``, whatever they are connected to.
    """
    named = as_path(path)
    with file_faults("write", named, "make its folder first"):
        target = Path(os.path.realpath(named))
        if descriptor := _DESCRIPTOR.fullmatch(str(named)):
            number = _STANDARD.get(descriptor[1]) or int(descriptor[2])
            with os.fdopen(os.dup(number), "wb") as stream:  # from its current position on
                _fill(stream, content)
        elif named.exists() and not named.is_file():
            with named.open("wb") as stream:  # a folder is refused here
                _fill(stream, content)
        else:
            with _temporary(target, content) as temporary:
                temporary.replace(target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check before long work that :func:`write_atomic` will be able to write a file."""
    named = as_path(path)
    with file_faults("write", named, "make its folder first"):
        if named.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _DESCRIPTOR.fullmatch(str(named)) and (named.is_file() or not named.exists()):
            with _temporary(Path(os.path.realpath(named)), b""):
                pass


def write_together(contents: Mapping[str | os.PathLike[str], Content]) -> None:
    """Write several regular files: the first gets its final name once all are written.

    The contents are given by final name, each as for :func:`write_atomic`.
    """
    with ExitStack() as stack:
        ready = []
        for path, content in contents.items():
            named = as_path(path)
            stack.enter_context(file_faults("write", named, "make its folder first"))
            target = Path(os.path.realpath(named))
            ready.append((stack.enter_context(_temporary(target, content)), target))
        for temporary, target in ready:
            temporary.replace(target)


@contextmanager
def _temporary(target: Path, content: Content) -> Iterator[Path]:
    """Write a content to a temporary file, which is removed at the end if it is still there."""
    mode = None
    if target.exists():
        target.open("ab").close()  # changes nothing, but is refused where writing is
        mode = target.stat().st_mode
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            if mode is not None:
                temporary.chmod(mode)
            _fill(stream, content)
            stream.flush()
            os.fsync(stream.fileno())  # or a power cut could leave the new name with no content
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _fill(stream: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        stream.write(content)
    else:
        content(stream)
