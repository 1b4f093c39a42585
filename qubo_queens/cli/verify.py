"""``qubo-queens verify``."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from qubo_queens.board.instance import Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import verify as verify_placement
from qubo_queens.cli.parameters import base_option, json_option
from qubo_queens.cli.problem import Reading, reads_boards


@click.command()
@click.argument("board")
@click.option(
    "--instance", "instance_file", metavar="FILE", help="The instance that BOARD should solve."
)
@base_option(
    "--instance-base",
    "What rows and columns count from in the FILE of --instance; by default as for --base.",
)
@reads_boards
@json_option
def verify(
    board: str,
    *,
    instance_file: str | None,
    instance_base: int | None,
    reading: Reading,
    as_json: bool,
) -> int:
    """Check a board, from the coordinates of its queens alone.

    BOARD is a file, or - for standard input, in any format that `solve` reads. Blocked cells and
    excluded diagonals of BOARD itself count too.
    """
    instance = None
    if instance_file is not None:
        instance = replace(reading, format=None, base=instance_base).board(instance_file)
        reading = replace(reading, n=instance.n)
    given = reading.board(board)
    answer = verify_placement(_merged(given, instance), Placement(given.n, given.queens))
    if as_json:
        click.echo(json.dumps(answer.to_dict()))
    else:
        for violation in answer.violations:
            click.echo(str(violation))
        click.echo("valid" if answer.valid else "invalid")
        click.echo(f"violated constraints = {answer.num_violated}")
    return 0 if answer.valid else 1


def _merged(board: Instance, instance: Instance | None) -> Instance:
    """Return the rules to check: those of the instance and those in the file of the board."""
    rules = [board] if instance is None else [board, instance]
    return Instance(
        board.n,
        () if instance is None else instance.queens,
        blocked=[cell for rule in rules for cell in rule.blocked],
        excluded_sums=[k for rule in rules for k in rule.excluded_sums],
        excluded_differences=[d for rule in rules for d in rule.excluded_differences],
    )
