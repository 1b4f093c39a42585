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


quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Say nothing on standard error but errors."
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


def search_options(command: Any) -> Any:
    """Give a command the options of an exhaustive search."""
    symmetry = click.option(
        "--up-to-symmetry",
        is_flag=True,
        help="Take boards as one that a symmetry of the square maps to each other; only those "
        "symmetries count that leave INPUT as it is.",
    )
    time_limit = click.option(
        "--time-limit", type=NumberType(), metavar="S", help="Seconds after which to stop."
    )
    return symmetry(time_limit(command))


def refuse_dash(path: Path, option: str = "-o") -> None:
    """Refuse ``-`` as the name of such a file: elsewhere it means a standard stream."""
    if str(path) == "-":
        raise click.UsageError(f"{option} takes the name of a file; /dev/stdout is one")
