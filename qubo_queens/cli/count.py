"""``qubo-queens count``."""

from __future__ import annotations

import json

import click

import qubo_queens
from qubo_queens.board.instance import Instance
from qubo_queens.cli.output import say
from qubo_queens.cli.parameters import json_option, search_options
from qubo_queens.cli.problem import takes_instance
from qubo_queens.exact.count import count as count_solutions


@click.command()
@takes_instance
@click.option(
    "--limit",
    type=int,
    metavar="N",
    help="Stop once N are found; --limit 2 shows whether a solution is unique.",
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
    prescribed. Ctrl-C ends the search, and the number counted by then is printed.

    \b
    Exit codes: 0 there are solutions; 3 it is proven that there are none;
    1 none was found before the search was stopped.
    """  # noqa: D301 - click wants the backspace itself
    found = count_solutions(
        instance, limit=limit, up_to_symmetry=up_to_symmetry, time_limit=time_limit
    )
    if as_json:
        content = {"n": instance.n, **found.to_dict(), "version": qubo_queens.__version__}
        click.echo(json.dumps(content))
    else:
        click.echo(str(found))
    if found.value:
        return 0
    if not found.exact:
        say("none found so far; `qubo-queens prove` may decide whether there is one")
    return 3 if found.exact else 1
