"""``qubo-queens enumerate``."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

import qubo_queens
from qubo_queens.board.instance import Instance
from qubo_queens.board.placement import Placement
from qubo_queens.cli.output import board_of, say
from qubo_queens.cli.parameters import json_option, search_options
from qubo_queens.cli.problem import takes_instance
from qubo_queens.exact.solutions import Solutions, solutions


@click.command()
@takes_instance
@click.option(
    "--k", "--limit", type=int, metavar="N", help="End after N boards; by default print all."
)
@search_options
@json_option
def enumerate(
    instance: Instance,
    *,
    k: int | None,
    up_to_symmetry: bool,
    time_limit: float | None,
    as_json: bool,
) -> int:
    """Print the solutions, as an exhaustive search finds them.

    INPUT is a board size n, a file with a board, or - for standard input. Queens in it are
    prescribed. A remark on standard error states whether these are all.

    \b
    Exit codes: 0 a board was printed; 3 it is proven that there is none;
    1 none was found before the search was stopped.
    """  # noqa: D301 - click wants the backspace itself
    found = solutions(instance, k, up_to_symmetry=up_to_symmetry, time_limit=time_limit)
    boards = _until_interrupted(found)
    if as_json:
        _print_object(instance, found, boards)
    else:
        for placement in boards:
            click.echo(board_of(placement) if found.found == 1 else f"\n{board_of(placement)}")
    say(_remark(found))
    if found.found:
        return 0
    return 3 if found.complete else 1


def _until_interrupted(boards: Solutions) -> Iterator[Placement]:
    try:
        yield from boards
    except KeyboardInterrupt:
        say("interrupted")


def _print_object(instance: Instance, found: Solutions, boards: Iterator[Placement]) -> None:
    content = {"n": instance.n, "columns": [list(placement.columns) for placement in boards]}
    content |= {"complete": found.complete, "nodes": found.nodes}  # known only now
    click.echo(json.dumps({**content, "version": qubo_queens.__version__}))


def _remark(found: Solutions) -> str:
    if found.complete and found.found:
        return f"{found.found:,} found, no more"
    if found.complete:
        return "it is proven that there is none"
    if found.found:
        return f"{found.found:,} found; there may be more"
    return "none found so far; `qubo-queens prove` may decide whether there is one"
