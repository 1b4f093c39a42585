"""Checks of plain values, with messages that name the value, the range and the remedy.

What is checked is named by `what`: an argument, such as ``num_reads``, or a phrase, such as
``board size n =``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, SupportsIndex, cast

from qubo_queens.errors import Argument, InputError, InputTypeError, Part


def as_int(value: object, what: str) -> int:
    """Return an integer, also one of NumPy, as a plain ``int``; ``bool`` is not one."""
    try:
        if not isinstance(value, bool):
            return operator.index(cast(SupportsIndex, value))
    except TypeError:  # also an array, or a class with that method
        pass
    fault = f" must be an integer, not {shown(value)} ({type(value).__name__})"
    raise InputTypeError(_subject(what.rstrip(" :=")), fault)


def int_in_range(value: object, what: str, low: int, high: int, *remedy: Part) -> int:
    """Return `value` as a plain ``int`` in ``low..high`` (both included)."""
    number = as_int(value, what)
    if not low <= number <= high:
        digits = str(number) if abs(number) < 10**40 else "(a number of over 40 digits)"
        raise InputError(_subject(what), f" {digits} is outside {low}..{high}", *remedy)
    return number


def positive_number(value: object, what: str, *, zero: bool = False) -> float:
    """Return `value` as a finite ``int`` or ``float`` above 0 (at least 0 if `zero`)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        fault = f" must be a number, not {shown(value)} ({type(value).__name__})"
        raise InputTypeError(_subject(what), fault)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        least = "at least 0" if zero else "above 0"
        fault = f" must be finite and {least}, not {shorten(str(number))}"
        raise InputError(_subject(what), fault)
    return int(value) if isinstance(value, Integral) else number


def _subject(what: str) -> str | Argument:
    return Argument(what) if what.isidentifier() else what


def counted(number: int, word: str) -> str:
    """Return a number with its noun, such as ``1 read`` or ``12,540 interactions``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def shown(value: object, width: int = 40) -> str:
    """Return ``repr(value)`` on one line, cut to `width` characters for use in a message."""
    try:
        return shorten(repr(value), width)
    except ValueError:  # an integer of thousands of digits
        return f"a huge {type(value).__name__}"


def said(error: BaseException) -> str:
    """Return the type and the message of an error on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def as_list(value: object, what: str) -> list[Any]:
    """Return the elements of an iterable."""
    remedy = ""
    if isinstance(value, Mapping):
        remedy = (
            "; pass those of its keys that are meant, such as [k for k, v in cells.items() if v]"
        )
    elif not isinstance(value, str | bytes):
        try:
            return list(cast(Iterable[Any], value))
        except TypeError:  # also a NumPy array without dimensions
            pass
    raise InputTypeError(f"expected a list of {what}, not {shown(value)}{remedy}")


def shorten(text: str, width: int = 40) -> str:
    """Return `text` on one line, cut to `width` characters for use in a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 3] + "..."
