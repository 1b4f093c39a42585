"""INPUT and the options around it: the instance that most commands work on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO

import click

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell, Kind
from qubo_queens.checks import shown
from qubo_queens.cli.parameters import (
    Command,
    Decorator,
    base_option,
    cell,
    glyph_meaning,
    integer_of,
    with_options,
)
from qubo_queens.errors import InputError
from qubo_queens.files import exists
from qubo_queens.formats.boards import FORMATS, read_instance
from qubo_queens.formats.text_options import make_options


def _repeated(name: str, kind: Any, metavar: str, help_: str) -> Decorator:
    return click.option(
        name, type=kind, metavar=metavar, multiple=True, help=f"{help_} Repeatable."
    )


_reading_options = with_options(
    click.option(
        "--n",
        type=int,
        metavar="N",
        help="Board size, where the board does not state it (formats cells and pairs).",
    ),
    base_option(
        "--base",
        "What rows and columns count from in boards and options that are read (so the first sum "
        "diagonal is 0 or 2); by default 0, and in a board of format essence as its indices prove. "
        "Output counts from 0.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        help="Format of the board; by default it is recognised.",
    ),
    click.option(
        "--legend",
        type=glyph_meaning,
        metavar="GLYPH=MEANING",
        multiple=True,
        callback=lambda ctx, param, value: dict(value),
        help="The meaning of a glyph of a text board: queen, blocked or empty ('*=blocked'). "
        "Repeatable.",
    ),
)

_instance_options = with_options(
    click.argument("source", metavar="INPUT"),
    _repeated("--queen", cell, "R,C", "Prescribe one more queen."),
    _repeated("--block", cell, "R,C", "Block one more cell."),
    _repeated("--exclude-sum", int, "K", "Exclude the diagonal r + c = K."),
    _repeated("--exclude-difference", int, "D", "Exclude the diagonal r - c = D."),
)


@dataclass(frozen=True)
class Reading:
    """The options of reading boards."""

    n: int | None
    base: int | None
    format: str | None
    legend: Mapping[str, str]

    def problem(self, source: str) -> Instance:
        """Return what INPUT names: a board size, or what :meth:`board` reads."""
        size = integer_of(source) if self.format is None else None
        if size is None:
            return self.board(source, "a board size in digits, a file, or -")
        make_options(self.n, self.base, self.legend)
        if self.n not in (None, size):
            raise InputError(f"INPUT {size} and --n {self.n} are two board sizes; give one")
        return Instance(size)

    def board(self, source: str, allowed: str = "a file, or -") -> Instance:
        """Return the board in a file, or in standard input for ``-``."""
        file = source_of(source, allowed)
        return read_instance(
            file, self.format, n=self.n, base=self.base, legend=self.legend or None
        )

    def index(self, option: str, number: int, kind: Kind, n: int) -> int:
        """Return the 0-based index of a line that an option of the command line names."""
        try:
            return make_options(n, self.base, None).to_index(number, kind, n)
        except InputError as error:
            raise InputError(f"{option}: ", *error.args) from None

    def cells(self, option: str, cells: tuple[Cell, ...], n: int) -> list[Cell]:
        """Return cells of the command line, counted from 0."""
        return [
            (self.index(option, row, Kind.ROW, n), self.index(option, column, Kind.COLUMN, n))
            for row, column in cells
        ]


def source_of(name: str, allowed: str = "a file, or -") -> Path | BinaryIO:
    """Return the path of a file, which must exist, or standard input for ``-``."""
    if name == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        return sys.stdin.buffer
    if not exists(name):
        raise InputError(f"there is no file {shown(name)}; give {allowed} for standard input")
    return Path(name)


def reads_boards(command: Command) -> Command:
    """Give a command the options of reading, which it takes as `reading`."""

    @wraps(command)
    def with_reading(
        n: int | None, base: int | None, format_: str | None, legend: dict[str, str], **others: Any
    ) -> Any:
        return command(reading=Reading(n, base, format_, legend), **others)

    return _reading_options(with_reading)


def takes_instance(command: Command) -> Command:
    """Give a command INPUT and its options; the command takes the instance as first argument."""

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
        given = reading.problem(source)
        n = given.n
        sums = [reading.index("--exclude-sum", k, Kind.SUM, n) for k in exclude_sum]
        differences = [
            reading.index("--exclude-difference", d, Kind.DIFFERENCE, n) for d in exclude_difference
        ]
        instance = Instance(
            n,
            [*given.queens, *reading.cells("--queen", queen, n)],
            blocked=[*given.blocked, *reading.cells("--block", block, n)],
            excluded_sums=[*given.excluded_sums, *sums],
            excluded_differences=[*given.excluded_differences, *differences],
        )
        return command(instance, **others)

    return _instance_options(reads_boards(with_instance))
