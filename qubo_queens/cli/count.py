"""``qubo-queens count``."""

from __future__ import annotations

import json

import click

import qubo_queens
from qubo_queens.board.instance import Instance
from qubo_queens.cli.problem import Command, json_option, takes_instance
from qubo_queens.cli.types import NumberType
from qubo_queens.exact.count import count as count_solutions


def search_options(command: Command) -> Command:
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


@click.command()
@takes_instance
@click.option(
    "--limit",
    type=int,
    metavar="N",
    help="Stop when N are known; --limit 2 tells whether a solution is unique.",
)
@search_options
@json_option
def count(
    instance: Instance,
    *,
    limit: int | None,
    up_to_symmetry: bool,
    time_limit: float | None,
    as_json: bool,
) -> int:
    """Count the solutions, by exhaustive search.

    INPUT is a board size n, a file with a board, or - for standard input. Queens in it are
    prescribed. Ctrl-C ends the search: what was counted by then is printed.

    \b
    Exit codes: 0 there are solutions; 3 it is proven that there are none;
    1 none was found before the search was stopped.
    """  # noqa: D301 - click wants the backspace itself
    found = count_solutions(
        instance, limit=limit, up_to_symmetry=up_to_symmetry, time_limit=time_limit
    )
    if as_json:
        told = {"n": instance.n, **found.to_dict(), "version": qubo_queens.__version__}
        click.echo(json.dumps(told))
    else:
        click.echo(str(found))
    if found.value:
        return 0
    return 3 if found.exact else 1
