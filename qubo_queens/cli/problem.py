"""INPUT and the options around it: the instance that most commands work on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

_reading_options = (
    click.option(
        "--n",
        type=int,
        metavar="N",
        help="Board size, where INPUT does not state it (formats cells and pairs).",
    ),
    click.option(
        "--base",
        type=click.Choice(["0", "1"]),
        default="0",
        show_default=True,
        callback=lambda ctx, param, value: int(value),
        help="What rows and columns count from in INPUT and options; output counts from 0.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        help="Format of INPUT; by default it is recognised.",
    ),
    click.option(
        "--legend",
        type=LegendType(),
        multiple=True,
        callback=lambda ctx, param, value: dict(value),
        help="What a glyph of a text board means: queen, blocked or empty ('*=blocked'). "
        "Repeatable.",
    ),
)

_instance_options = (
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
)


@dataclass(frozen=True)
class Reading:
    """How boards are to be read."""

    n: int | None
    base: int
    format: str | None
    legend: Mapping[str, str]

    def board(self, source: str) -> Instance:
        """Return what a file, or ``-`` for standard input, contains."""
        if source == "-" and sys.stdin is None:
            raise InputError("standard input is closed")
        file = sys.stdin.buffer if source == "-" else Path(source)
        return read_instance(
            file, self.format, n=self.n, base=self.base, legend=self.legend or None
        )

    def cells(self, cells: tuple[Cell, ...]) -> list[Cell]:
        """Return cells of the command line, counted from 0."""
        return [(row - self.base, column - self.base) for row, column in cells]


def reads_boards(command: Command) -> Command:
    """Give a command the options of reading; it gets them as `reading`."""

    @wraps(command)
    def with_reading(
        n: int | None, base: int, format_: str | None, legend: dict[str, str], **others: Any
    ) -> Any:
        return command(reading=Reading(n, base, format_, legend), **others)

    return _with_options(with_reading, _reading_options)


def takes_instance(command: Command) -> Command:
    """Give a command INPUT and its options; it gets the instance as its first argument."""

    @wraps(command)
    def with_instance(
        reading: Reading,
        source: str,
        queen: tuple[Cell, ...],
        block: tuple[Cell, ...],
        exclude_sum: tuple[int, ...],
        exclude_difference: tuple[int, ...],
        **others: Any,
    ) -> Any:
        size = parse_integer(source) if reading.format is None else None
        given = reading.board(source) if size is None else Instance(size)
        instance = Instance(
            given.n,
            [*given.queens, *reading.cells(queen)],
            blocked=[*given.blocked, *reading.cells(block)],
            excluded_sums=[*given.excluded_sums, *(k - 2 * reading.base for k in exclude_sum)],
            excluded_differences=[*given.excluded_differences, *exclude_difference],
        )
        return command(instance, **others)

    return _with_options(reads_boards(with_instance), _instance_options)


def _with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
