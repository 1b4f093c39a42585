"""Checks of plain values, with messages that name the value, the range and the remedy."""

from __future__ import annotations

import math
import operator
from numbers import Integral, Real
from typing import SupportsIndex, cast

from qubo_queens.errors import InputError, InputTypeError


def as_int(value: object, what: str) -> int:
    """Return `value` as a plain ``int``.

    Integers of NumPy are accepted; ``bool``, ``float`` and ``str`` are not.

    Raises:
        InputTypeError: If `value` is not an integer.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        shown = shorten(repr(value))
        name = what.rstrip(" :=")
        raise InputTypeError(f"{name} must be an integer, not {shown} ({type(value).__name__})")
    return operator.index(cast(SupportsIndex, value))


def int_in_range(value: object, what: str, low: int, high: int, remedy: str = "") -> int:
    """Return `value` as a plain ``int`` in ``low..high`` (both included).

    Raises:
        InputTypeError: If `value` is not an integer.
        InputError: If it is outside the range.
    """
    number = as_int(value, what)
    if not low <= number <= high:
        shown = shorten(str(number)) if abs(number) < 10**40 else "a number of over 40 digits"
        raise InputError(f"{what} {shown} is outside {low}..{high}{remedy}")
    return number


def positive_number(value: object, what: str, *, zero: bool = False) -> float:
    """Return `value` as a finite ``int`` or ``float`` above 0 (at least 0 if `zero`).

    Raises:
        InputTypeError: If `value` is not a real number.
        InputError: If it is NaN, infinite, negative, or 0 without `zero`.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        shown = shorten(repr(value))
        raise InputTypeError(f"{what} must be a number, not {shown} ({type(value).__name__})")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        least = "at least 0" if zero else "above 0"
        raise InputError(f"{what} must be finite and {least}, not {shorten(str(number))}")
    return int(value) if isinstance(value, Integral) else number


def counted(number: int, word: str) -> str:
    """Return a number with its noun, such as ``1 read`` or ``12,540 interactions``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def shorten(text: str, width: int = 40) -> str:
    """Return `text` on one line, cut to `width` characters for use in a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 3] + "..."
