"""Where a text is at fault, and why a file could not be used: one sentence each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
