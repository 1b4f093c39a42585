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
        click.echo(json.dumps([entry.to_dict() for entry in known]))
        return
    for entry in known:
        click.echo(f"{entry.name} ({entry.where}): {entry.description}")
        if entry.package is not None:
            state = entry.version or "is not installed"
            click.echo(f"    {entry.package} {state}")
        click.echo(f"    parameters: {', '.join(entry.parameters)}")
