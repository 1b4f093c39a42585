"""The options of a model: its encoding, its reduction and its strengths."""

from __future__ import annotations

import click

from qubo_queens.board.reduce import MODES
from qubo_queens.cli.parameters import Command, number, with_options
from qubo_queens.encodings.registry import list_encodings, strengths_by_name
from qubo_queens.encodings.strengths import Strength

encoding_option = click.option(
    "--encoding",
    type=click.Choice(list_encodings()),
    default="cell",
    show_default=True,
    help="How the board is written as binary variables.",
)
reduce_option = click.option(
    "--reduce",
    type=click.Choice(MODES),
    default="propagate",
    show_default=True,
    help="What to decide beforehand: cells that prescribed queens attack (lines), forced queens "
    "too (propagate), cells whose queen would leave a line without one too (probe), or nothing "
    "(none).",
)


def _strength_help(declared: list[tuple[str, Strength]]) -> str:
    """Return what a strength weighs, and its default in each encoding that takes it."""
    weighed = dict.fromkeys(strength.help for _, strength in declared)
    defaults: dict[str, list[str]] = {}
    for encoding, strength in declared:
        defaults.setdefault(strength.default_wording, []).append(encoding)
    each = (f"{value} ({', '.join(names)})" for value, names in defaults.items())
    return f"The weight of {', or of '.join(weighed)}; by default {'; '.join(each)}."


def model_options(command: Command) -> Command:
    """Give a command the options of ``build``; the encodings declare the strengths."""
    strengths = (
        click.option(
            f"--{name.replace('_', '-')}",
            type=number,
            metavar="NUMBER",
            help=_strength_help(declared),
        )
        for name, declared in strengths_by_name().items()
    )
    return with_options(encoding_option, reduce_option, *strengths)(command)
