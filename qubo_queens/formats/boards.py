"""Read and write the instance in any of the board formats."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.errors import FormatError
from qubo_queens.formats.atomic import write_atomic
from qubo_queens.formats.detect import SUFFIXES, detect, refuse_variants
from qubo_queens.formats.faults import as_path
from qubo_queens.formats.options import make_options
from qubo_queens.formats.table import FORMATS, TABLE, check_carries, check_format
from qubo_queens.formats.text_source import Source, load_text

_COUNT_LINE = re.compile(r"(?m)^[ \t]*violated constraints = [0-9]+\s*\Z")
"""The line that the command line prints below a board."""

__all__ = ["FORMATS", "detect", "read_instance", "write_instance"]


def read_instance(
    source: Source,
    format: str | None = None,
    *,
    n: int | None = None,
    base: int | None = None,
    legend: Mapping[str, str] | None = None,
) -> Instance:
    """Read an instance from a file or a text; its queens are the prescribed ones.

    Args:
        source: A path, board text, or an open text or binary file. A string is text if it has a
            line break, is blank, or starts with ``{``, ``[`` or ``(``, or if it reads as a board
            on one line and no file has that name; otherwise it is a path.
        format: One of ``FORMATS``; by default the one that the content fits.
        n: The board size. ``cells`` and ``pairs`` need it; the others state it themselves and
            must agree.
        base: What rows and columns count from in ``columns``, ``cells``, ``pairs`` and ``json``,
            0 or 1; by default 0. Files in ``essence`` exist of both kinds: there, by default, an
            index 0 or an index n decides, and it is an error if neither occurs.
        legend: What further glyphs of ``text`` mean, ``queen``, ``blocked`` or ``empty``, such
            as ``{"*": "blocked"}``.

    Raises:
        FormatError: If the text is not a board, or could be several; the message says where.
        UnsupportedVariantError: If it is a puzzle with other rules.
        InputError: If the file cannot be read, or an argument is not an allowed one.
        InputTypeError: If an argument is of the wrong type.
    """
    options = make_options(n, base, legend)
    name = format if format is None else check_format(format)
    text, suffix = load_text(source)
    text = _COUNT_LINE.sub("", text)
    refuse_variants(text)
    instance = TABLE[name or detect(text, options, suffix)].read(text, options)
    if options.n not in (None, instance.n):
        raise FormatError(
            f"the board has size {instance.n} where one of size {options.n} is expected (n, --n)"
        )
    return instance


def write_instance(
    instance: InstanceLike,
    path: str | os.PathLike[str] | None = None,
    format: str | None = None,
    *,
    base: int | None = None,
    legend: Mapping[str, str] | None = None,
) -> str:
    """Return an instance as text, and write it to a file if a path is given.

    Args:
        instance: The instance, or n for the plain board.
        path: The name of the file, which is then there in full or not at all.
        format: One of ``FORMATS``; by default that of the suffix of `path`, else ``json``.
        base: What rows and columns count from, 0 or 1; by default 0, and 1 in ``essence``.
        legend: The glyphs of ``text``, as in :func:`read_instance`.

    Returns:
        The content of the file; it ends with a line break.

    Raises:
        InputError: If the format cannot carry the instance, the file cannot be written, or an
            argument is not an allowed one.
        InputTypeError: If an argument is of the wrong type.
    """
    instance, options = as_instance(instance), make_options(None, base, legend)
    suffix = "" if path is None else as_path(path).suffix.lower()
    name = SUFFIXES.get(suffix, "json") if format is None else check_format(format)
    check_carries(name, instance)
    text = TABLE[name].write(instance, options)
    if path is not None:
        write_atomic(path, text.encode())
    return text
