"""``qubo-queens batch``."""

from __future__ import annotations

import json
from typing import Any

import click

from qubo_queens.cli.parameters import base_option, time_limit_option
from qubo_queens.cli.problem import source_of
from qubo_queens.formats.batch import read_instances
from qubo_queens.result import Result, Status
from qubo_queens.solving.solve_many import solve_many


@click.command()
@click.argument("source", metavar="FILE")
@base_option("--base", "What rows and columns count from, in FILE and in the output; by default 0.")
@click.option(
    "--sampler",
    default="auto",
    show_default=True,
    help="One of `qubo-queens samplers`; auto picks by size and shape.",
)
@click.option("--seed", type=int, help="Makes the run repeatable; by default random.")
@time_limit_option("Seconds for each board, as in `solve`.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the JSON object of `solve` for each board."
)
def batch(source: str, *, base: int | None, as_json: bool, **options: Any) -> int:
    """Solve many boards, and print one line for each.

    FILE, or - for standard input, has a board on each line: its size, then a row and a column for
    each prescribed queen. Empty lines, and comments after #, are skipped. Each board is answered
    by one line, in the same order: feasible and the queens row by row, infeasible, or unknown.
    JSON objects count from 0.

    \b
    Exit codes: 0 each board is feasible or proven infeasible; 1 some are unknown;
    2 bad input, of which nothing has been solved.
    """  # noqa: D301 - click wants the backspace itself
    base = base or 0
    instances = read_instances(source_of(source), base=base)
    given = {name: value for name, value in options.items() if value is not None}
    unknown = False
    for result in solve_many(instances, **given):
        click.echo(json.dumps(result.to_dict()) if as_json else _line(result, base))
        unknown = unknown or result.status is Status.UNKNOWN
    return 1 if unknown else 0


def _line(result: Result, base: int) -> str:
    words = [str(result.status)]
    if result.status is Status.FEASIBLE and result.placement is not None:
        words += [str(number + base) for cell in result.placement.cells for number in cell]
    return " ".join(words)
