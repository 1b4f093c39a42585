"""``qubo-queens forecast``."""

from __future__ import annotations

import json

import click

from qubo_queens.board.instance import Instance
from qubo_queens.board.reduction import Mode
from qubo_queens.cli.options import encoding_option, reduce_option
from qubo_queens.cli.parameters import json_option
from qubo_queens.cli.problem import takes_instance
from qubo_queens.encodings.build import forecast as forecast_model


@click.command()
@takes_instance
@encoding_option
@reduce_option
@json_option
def forecast(instance: Instance, *, encoding: str, reduce: Mode, as_json: bool) -> None:
    """Print the size of a model, without building it.

    INPUT is a board size of up to a million and more, a file, or - for standard input.
    """
    size = forecast_model(instance, encoding, reduce=reduce)
    click.echo(json.dumps(size.to_dict()) if as_json else str(size))
