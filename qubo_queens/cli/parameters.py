"""The types of arguments, and the options that several commands have."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from qubo_queens.board.lines import Cell

Command: TypeAlias = Callable[..., Any]
"""A command, or the function that becomes one."""

Decorator: TypeAlias = Callable[[Command], Command]
"""What gives a command an option."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


def integer_of(text: str) -> int | None:
    """Return a number of ASCII digits as an integer; None for other texts."""
    stripped = text.strip()
    return int(stripped) if _INTEGER.fullmatch(stripped) else None


def cell(value: str) -> Cell:
    """Return the pair of integers that ``R,C`` stands for."""
    numbers = [number for part in value.split(",") if (number := integer_of(part)) is not None]
    if len(numbers) != 2 or value.count(",") != 1:
        raise click.BadParameter(f"{value!r} is not of the form R,C such as 3,0")
    return numbers[0], numbers[1]


def number(value: str | float) -> float:
    """Return a number; whole ones stay integers, so that energies do too."""
    whole = integer_of(str(value))
    try:
        return float(value) if whole is None else whole
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number") from None


def beta_range(value: str) -> tuple[float, float]:
    """Return the two inverse temperatures, finite and above 0, that ``A,B`` stands for."""
    try:
        first, last = map(float, value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not of the form A,B such as 2,8") from None
    if not all(math.isfinite(beta) and beta > 0 for beta in (first, last)):
        raise click.BadParameter(f"both betas must be finite and above 0, not {value!r}")
    return first, last


def glyph_meaning(value: str) -> tuple[str, str]:
    """Return the glyph and the meaning of ``GLYPH=MEANING``; the reader checks both."""
    if value[1:2] != "=":
        raise click.BadParameter(f"{value!r} is not of the form GLYPH=MEANING such as '*=blocked'")
    return value[:1], value[2:]


def named_value(value: str) -> tuple[str, Any]:
    """Return the name and the value of ``NAME=VALUE``; a value in JSON is converted."""
    name, separator, text = value.partition("=")
    if not separator or not name.isidentifier():
        raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE such as timeout=50")
    try:
        return name, json.loads(text)
    except (ValueError, RecursionError):
        return name, text


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Say nothing on standard error but errors."
)


def base_option(name: str, help_: str) -> Decorator:
    """Return an option that is 0, 1 or, by default, None."""
    return click.option(
        name,
        type=click.Choice(["0", "1"]),
        callback=lambda ctx, param, value: None if value is None else int(value),
        help=help_,
    )


def time_limit_option(help_: str, default: float | None = None) -> Decorator:
    """Return the option of a time limit in seconds."""
    return click.option(
        "--time-limit",
        type=number,
        metavar="S",
        default=default,
        show_default=default is not None,
        help=help_,
    )


def with_options(*options: Decorator) -> Decorator:
    """Return the decorator that gives a command several options, shown in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


search_options = with_options(
    click.option(
        "--up-to-symmetry",
        is_flag=True,
        help="Count boards once that a symmetry of the square maps to each other; only symmetries "
        "that leave INPUT unchanged are used.",
    ),
    time_limit_option("Seconds after which to stop."),
)


def refuse_dash(path: Path, option: str = "-o") -> None:
    """Refuse ``-`` as the name of an output file: elsewhere it means a standard stream."""
    if str(path) == "-":
        raise click.UsageError(f"{option} takes the name of a file; /dev/stdout is one")
