"""``qubo-queens samplers``."""

from __future__ import annotations

import json

import click

from qubo_queens.cli.parameters import json_option
from qubo_queens.samplers.registry import list_samplers as known_samplers


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
        click.echo(f"{info.name} ({info.where}): {info.description}")
        click.echo(f"    {state}")
        click.echo(f"    parameters: {', '.join(info.parameters)}")
