"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

from qubo_queens.formats.faults import as_path, file_faults

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


def _replace(target: Path, content: Content) -> None:
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
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _fill(stream: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        stream.write(content)
    else:
        content(stream)
