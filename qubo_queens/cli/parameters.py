"""Types of parameters, and the options that several commands have."""

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

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


def parse_integer(text: str) -> int | None:
    """Return a number of ASCII digits as an integer, None if `text` is none."""
    stripped = text.strip()
    return int(stripped) if _INTEGER.fullmatch(stripped) else None


class CellType(click.ParamType):
    """``R,C`` -> a pair of integers."""

    name = "R,C"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Cell:
        """Return the pair of integers."""
        numbers = [parse_integer(part) for part in str(value).split(",")]
        if len(numbers) != 2 or None in numbers:
            self.fail(f"{value!r} is not of the form R,C such as 3,0", param, ctx)
        row, column = numbers
        return row, column  # type: ignore[return-value]


class NumberType(click.ParamType):
    """A number; whole ones stay integers, so that energies do too."""

    name = "NUMBER"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return an integer where the text is one, else a float."""
        whole = parse_integer(str(value))
        if whole is not None:
            return whole
        try:
            return float(value)
        except ValueError:
            return self.fail(f"{value!r} is not a number", param, ctx)


class BetaRangeType(click.ParamType):
    """``A,B`` -> two finite positive numbers."""

    name = "A,B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Return the first and the last inverse temperature."""
        try:
            first, last = map(float, str(value).split(","))
        except ValueError:
            return self.fail(f"{value!r} is not of the form A,B such as 2,8", param, ctx)
        if not all(math.isfinite(beta) and beta > 0 for beta in (first, last)):
            self.fail(f"both betas must be finite and above 0, not {value!r}", param, ctx)
        return first, last


class LegendType(click.ParamType):
    """``GLYPH=MEANING`` -> a pair of strings."""

    name = "GLYPH=MEANING"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the glyph and its meaning; the reader checks both."""
        glyph, separator, meaning = str(value)[:1], str(value)[1:2], str(value)[2:]
        if separator != "=":
            self.fail(f"{value!r} is not of the form GLYPH=MEANING such as '*=blocked'", param, ctx)
        return glyph, meaning


class ParameterType(click.ParamType):
    """``NAME=VALUE`` -> a name and a value, which is read as JSON where it is JSON."""

    name = "NAME=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Any]:
        """Return the name and the value."""
        name, separator, text = str(value).partition("=")
        if not separator or not name.isidentifier():
            self.fail(f"{value!r} is not of the form NAME=VALUE such as timeout=50", param, ctx)
        try:
            return name, json.loads(text)
        except (ValueError, RecursionError):
            return name, text


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Say nothing on standard error but errors."
)


def base_option(name: str, help_: str) -> Callable[[Command], Command]:
    """Return an option that is 0, 1 or, by default, None."""
    return click.option(
        name,
        type=click.Choice(["0", "1"]),
        callback=lambda ctx, param, value: None if value is None else int(value),
        help=help_,
    )


def time_limit_option(help_: str, default: float | None = None) -> Callable[[Command], Command]:
    """Return the option of a time limit in seconds."""
    return click.option(
        "--time-limit",
        type=NumberType(),
        metavar="S",
        default=default,
        show_default=default is not None,
        help=help_,
    )


def search_options(command: Command) -> Command:
    """Give a command the options of an exhaustive search."""
    symmetry = click.option(
        "--up-to-symmetry",
        is_flag=True,
        help="Count boards once that a symmetry of the square maps to each other; only symmetries "
        "that leave INPUT unchanged are used.",
    )
    return symmetry(time_limit_option("Seconds after which to stop.")(command))


def refuse_dash(path: Path, option: str = "-o") -> None:
    """Refuse ``-`` as the name of an output file: elsewhere it means a standard stream."""
    if str(path) == "-":
        raise click.UsageError(f"{option} takes the name of a file; /dev/stdout is one")
