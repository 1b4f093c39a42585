"""The options of a model: its encoding, its reduction and its strengths."""

from __future__ import annotations

from typing import Any

import click

from qubo_queens.board.reduce import MODES
from qubo_queens.cli.parameters import number
from qubo_queens.encodings.build import list_encodings, strengths_of
from qubo_queens.encodings.row_domain_wall import WALL

encoding_option = click.option(
    "--encoding",
    type=click.Choice(list_encodings()),
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

_STRENGTHS = {
    "row_column_strength": "rows and columns",
    "diagonal_strength": "diagonals",
    "count_strength": "the number of queens",
    "one_hot_strength": "one value for each variable",
    "wall_strength": "domain walls",
}


def _strength_help(name: str) -> str:
    """Return which encodings have a strength, and their defaults."""
    defaults: dict[str, list[str]] = {}
    for encoding in list_encodings():
        strengths = strengths_of(encoding)
        if name in strengths:
            value = strengths[name]
            shown = f"{WALL} times the larger of the other two" if value is None else f"{value:g}"
            defaults.setdefault(shown, []).append(encoding)
    each = (f"{value} ({', '.join(names)})" for value, names in defaults.items())
    return f"The weight of {_STRENGTHS[name]}; by default {'; '.join(each)}."


def model_options(command: Any) -> Any:
    """Give a command the options of ``build``."""
    options = (
        encoding_option,
        reduce_option,
        *(
            click.option(
                f"--{name.replace('_', '-')}",
                type=number,
                metavar="NUMBER",
                help=_strength_help(name),
            )
            for name in _STRENGTHS
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
