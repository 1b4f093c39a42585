"""Files: written in full or not at all, with the faults of the system as clear errors."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from qubo_queens.checks import shown
from qubo_queens.errors import FormatError, InputError, InputTypeError, QueensError


def place(text: str, offset: int) -> str:
    """Return the line and column, counted from 1, of the character at `offset` of `text`."""
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}"


def fault_at(text: str, offset: int, message: str) -> FormatError:
    """Return the error for the character at `offset` of `text`."""
    return FormatError(f"{place(text, offset)}: {message}")


def square_fault(widths: Sequence[int]) -> tuple[int, str] | None:
    """Return which row keeps a board of such rows from being square, and why; None if it is.

    Of several rows, the first that is also unlike most others.
    """
    n = len(widths)
    wrong = [row for row, width in enumerate(widths) if width != n]
    if not wrong:
        return None
    [(usual, _)] = Counter(widths).most_common(1)
    row = next((row for row in wrong if widths[row] != usual), wrong[0])
    return row, (
        f"the number of cells is {widths[row]}, but that of rows is {n}; a board is square"
    )


def as_path(path: object) -> Path:
    """Return `path` as a path.

    Raises:
        InputTypeError: If it is none.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"a path is needed, not {shown(path)} ({type(path).__name__})")
    return Path(os.fsdecode(path))


@contextmanager
def file_faults(action: str, name: object, if_missing: str = "") -> Iterator[None]:
    """Within this context, what the operating system refuses is an :class:`InputError`.

    Args:
        action: What is being done to the file, ``read`` or ``write``.
        name: The name of the file.
        if_missing: What to say if there is no such file or folder.
    """
    try:
        yield
    except QueensError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a closed file, or a name with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        remedy = f"; {if_missing}" if if_missing and isinstance(error, FileNotFoundError) else ""
        raise InputError(f"cannot {action} {shown(str(name), 100)}: {reason}{remedy}") from None


_DESCRIPTOR = re.compile(r"/dev/(?:(stdout|stderr)|fd/([0-9]{1,9}))")
_STANDARD = {"stdout": 1, "stderr": 2}

Content: TypeAlias = bytes | Callable[[BinaryIO], object]
"""What a file is to contain: its bytes, or a function that writes them to an open file."""


def write_atomic(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file under a temporary name in its folder, then give it its final name.

    Whatever goes wrong, an older file of that name stays as it was and no other file is left. A
    symbolic link stays a link, an existing file keeps its permissions, and a new one gets the
    usual ones (``umask``). What is no regular file, such as a pipe, is written to directly, and so
    are ``/dev/stdout``, ``/dev/stderr`` and ``/dev/fd/N``, whatever they are connected to.

    Args:
        path: The final name.
        content: The bytes, or a function that writes them to an open binary file.

    Raises:
        InputError: If the operating system refuses; the message says why.
    """
    named = as_path(path)
    with file_faults("write", named, "make its folder first"):
        target = Path(os.path.realpath(named))
        if descriptor := _DESCRIPTOR.fullmatch(str(named)):
            number = _STANDARD.get(descriptor[1]) or int(descriptor[2])
            with os.fdopen(os.dup(number), "wb") as stream:  # where its owner has got to
                _fill(stream, content)
        elif named.exists() and not named.is_file():
            with named.open("wb") as stream:  # a folder is refused here
                _fill(stream, content)
        else:
            _replace(target, content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse now what :func:`write_atomic` would refuse after long work.

    Raises:
        InputError: If the operating system refuses a file in that folder, or that file.
    """
    named = as_path(path)
    with file_faults("write", named, "make its folder first"):
        if named.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _DESCRIPTOR.fullmatch(str(named)) and (named.is_file() or not named.exists()):
            with _temporary(Path(os.path.realpath(named)), b""):
                pass


def write_together(contents: Mapping[str | os.PathLike[str], Content]) -> None:
    """Write several regular files, all under temporary names before the first gets its final one.

    Args:
        contents: What to write by final name, each as for :func:`write_atomic`.

    Raises:
        InputError: If the operating system refuses; the message says why.
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


def _replace(target: Path, content: Content) -> None:
    with _temporary(target, content) as temporary:
        temporary.replace(target)


@contextmanager
def _temporary(target: Path, content: Content) -> Iterator[Path]:
    """Write what a file is to contain under another name, which is gone at the end."""
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
