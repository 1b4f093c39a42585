"""INPUT and the options around it: the instance that most commands work on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell
from qubo_queens.cli.types import CellType, LegendType, parse_integer
from qubo_queens.errors import InputError
from qubo_queens.formats.boards import FORMATS, read_instance

Command = Callable[..., Any]
Legend = tuple[tuple[str, str], ...]

base_option = click.option(
    "--base",
    type=click.Choice(["0", "1"]),
    default="0",
    show_default=True,
    callback=lambda ctx, param, value: int(value),
    help="What rows and columns count from in INPUT and in options; output always counts from 0.",
)
format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Format of INPUT; by default it is recognised.",
)
legend_option = click.option(
    "--legend",
    type=LegendType(),
    multiple=True,
    help="What a glyph of a text board means: queen, blocked or empty ('*=blocked'). Repeatable.",
)
size_option = click.option(
    "--n",
    type=int,
    metavar="N",
    help="Board size, where INPUT does not state it (formats cells and pairs).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

_options = (
    click.argument("source", metavar="INPUT"),
    click.option(
        "--queen", type=CellType(), multiple=True, help="Prescribe one more queen. Repeatable."
    ),
    click.option(
        "--block", type=CellType(), multiple=True, help="Block one more cell. Repeatable."
    ),
    click.option(
        "--exclude-sum",
        type=int,
        multiple=True,
        metavar="K",
        help="Exclude the diagonal r + c = K. Repeatable.",
    ),
    click.option(
        "--exclude-difference",
        type=int,
        multiple=True,
        metavar="D",
        help="Exclude the diagonal r - c = D. Repeatable.",
    ),
    size_option,
    base_option,
    format_option,
    legend_option,
)


def takes_instance(command: Command) -> Command:
    """Give a command INPUT and its options; it gets the instance as its first argument."""

    @wraps(command)
    def with_instance(
        source: str,
        queen: tuple[Cell, ...],
        block: tuple[Cell, ...],
        exclude_sum: tuple[int, ...],
        exclude_difference: tuple[int, ...],
        n: int | None,
        base: int,
        format_: str | None,
        legend: Legend,
        **options: Any,
    ) -> Any:
        given = read_source(source, n=n, base=base, format_=format_, legend=legend)
        instance = Instance(
            given.n,
            [*given.queens, *_shifted(queen, base)],
            blocked=[*given.blocked, *_shifted(block, base)],
            excluded_sums=[*given.excluded_sums, *(k - 2 * base for k in exclude_sum)],
            excluded_differences=[*given.excluded_differences, *exclude_difference],
        )
        return command(instance, **options)

    for option in reversed(_options):
        with_instance = option(with_instance)
    return with_instance


def read_source(
    source: str,
    *,
    n: int | None,
    base: int,
    format_: str | None,
    legend: Legend,
) -> Instance:
    """Return the instance that INPUT names: a board size, a file, or ``-`` for standard input."""
    size = parse_integer(source)
    if size is not None and format_ is None:
        return Instance(size)
    return read_board(source, n=n, base=base, format_=format_, legend=legend)


def read_board(
    source: str,
    *,
    n: int | None,
    base: int,
    format_: str | None,
    legend: Legend,
) -> Instance:
    """Return what a file, or ``-`` for standard input, contains."""
    if source == "-" and sys.stdin is None:
        raise InputError("standard input is closed")
    file = sys.stdin.buffer if source == "-" else Path(source)
    return read_instance(file, format_, n=n, base=base, legend=dict(legend) or None)


def _shifted(cells: tuple[Cell, ...], base: int) -> list[Cell]:
    return [(row - base, column - base) for row, column in cells]
