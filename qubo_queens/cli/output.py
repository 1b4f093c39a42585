"""What commands print: answers, remarks on standard error, and exit codes."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:  # remarks and errors are printed before anything of this is loaded
    from qubo_queens.board.placement import Placement
    from qubo_queens.result import Result


def say(message: str) -> None:
    """Print a remark to standard error, if that is open."""
    if sys.stderr is None:
        return
    try:
        click.echo(message, err=True)
    except OSError:
        abandon(sys.stderr)


def abandon(stream: TextIO) -> None:
    """Discard what is still buffered, so that the interpreter does not fail to write it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_LARGEST_PICTURE = 2000
"""Larger boards are printed as the columns of their queens: the text of a board has n^2 glyphs."""

EXIT_CODES = {"feasible": 0, "unknown": 1, "infeasible": 3}
"""The exit code for each status."""


def report(result: Result, *, as_json: bool, quiet: bool) -> None:
    """Print the board and its violations or, if there is none, the proof; and a summary."""
    if as_json:
        click.echo(json.dumps(result.to_dict()))
    elif result.status == "infeasible":
        click.echo(f"infeasible: {result.reason}")
    elif result.placement is None:
        click.echo(f"unknown: {result.reason or 'no board was seen'}")
    else:
        click.echo(board_of(result.placement))
        click.echo(f"violated constraints = {result.num_violated}")
    if not quiet:
        has_reason = as_json or result.status == "infeasible" or result.placement is None
        say(result.summary if has_reason else str(result))


def board_of(placement: Placement) -> str:
    """Return the board as a picture in text; a large board as a list of columns or cells."""
    if placement.n <= _LARGEST_PICTURE:
        return str(placement)
    from qubo_queens.board.instance import Instance
    from qubo_queens.formats.boards import write_instance

    name = "columns" if placement.one_in_each_row else "cells"
    return write_instance(Instance(placement.n, placement.cells), format=name).rstrip()
