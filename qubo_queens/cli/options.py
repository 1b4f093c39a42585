"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qubo_queens.board.reduce import MODES
from qubo_queens.cli.types import NumberType
from qubo_queens.encodings.build import encodings

encoding_option = click.option(
    "--encoding",
    type=click.Choice(encodings()),
    default="cell",
    show_default=True,
    help="How the board becomes binary variables.",
)
reduce_option = click.option(
    "--reduce",
    type=click.Choice(MODES),
    default="propagate",
    show_default=True,
    help="What to decide beforehand: cells that prescribed queens attack (lines), forced queens "
    "too (propagate), cells that lead to an empty line too (probe), or nothing (none).",
)


def model_options(command: Any) -> Any:
    """Give a command the options of ``build``."""
    options = (
        encoding_option,
        reduce_option,
        click.option("--row-column-strength", type=NumberType(), help="A, by default 1."),
        click.option("--diagonal-strength", type=NumberType(), help="B, by default 2."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def refuse_dash(path: Path, option: str = "-o") -> None:
    """Refuse ``-`` as the name of such a file: elsewhere it means a standard stream."""
    if str(path) == "-":
        raise click.UsageError(f"{option} takes the name of a file; /dev/stdout is one")
