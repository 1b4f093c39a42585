"""``qubo-queens build``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from qubo_queens.board.instance import Instance
from qubo_queens.checks import counted
from qubo_queens.cli.options import model_options
from qubo_queens.cli.output import say
from qubo_queens.cli.parameters import json_option, refuse_dash
from qubo_queens.cli.problem import takes_instance
from qubo_queens.encodings.build import build as build_model
from qubo_queens.formats.models import write_model


@click.command()
@takes_instance
@model_options
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write, in dimod's binary BQM format.",
)
@json_option
def build(instance: Instance, *, output: Path, as_json: bool, **options: Any) -> None:
    """Write a model to a file, and print its size.

    INPUT is as for `solve`. Load the file with dimod.BinaryQuadraticModel.from_file.
    """
    refuse_dash(output)
    model = build_model(instance, **options)
    if model.reduction.infeasible:
        say(f"infeasible: {model.reduction.reason}")
    write_model(model, output)
    variables, interactions = model.bqm.shape
    offset = float(model.bqm.offset)
    write = say if str(output).startswith("/dev/") else click.echo  # keeps the model apart
    if as_json:
        facts = {"num_variables": variables, "num_interactions": interactions, "offset": offset}
        write(json.dumps({**facts, "encoding": model.encoding, "file": str(output)}))
    else:
        size = f"{counted(variables, 'variable')}, {counted(interactions, 'interaction')}"
        write(f"{click.format_filename(output)}: {size}, offset {offset:g}")
