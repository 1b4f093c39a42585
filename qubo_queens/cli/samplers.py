"""``qubo-queens samplers``."""

from __future__ import annotations

import json

import click

from qubo_queens.cli.problem import json_option
from qubo_queens.samplers.registry import AUTO
from qubo_queens.samplers.registry import samplers as known_samplers


@click.command()
@json_option
def samplers(*, as_json: bool) -> None:
    """List samplers and their parameters."""
    known = known_samplers()
    if as_json:
        click.echo(json.dumps([info.to_dict() for info in known]))
        return
    for info in known:
        state = f"{info.package} {info.version}" if info.installed else str(info.reason)
        default = ", which auto stands for" if info.name == AUTO else ""
        click.echo(f"{info.name} ({info.where}{default}): {info.description}")
        click.echo(f"    {state}")
        click.echo(f"    parameters: {', '.join(info.parameters)}")
