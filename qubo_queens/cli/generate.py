"""``qubo-queens generate``."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import click

from qubo_queens import generate as generators
from qubo_queens.board.instance import Instance
from qubo_queens.cli.output import say
from qubo_queens.cli.parameters import refuse_dash
from qubo_queens.formats.boards import FORMATS, write_instance

_KINDS: dict[str, Callable[..., Instance]] = {
    "partial": generators.random_partial,
    "planted": generators.planted,
    "corner-packed": generators.corner_packed,
    "excluded-diagonals": generators.excluded_diagonals,
    "blocked": generators.blocked,
}
_PLANTED = ("excluded-diagonals", "blocked")
"""The kinds that keep a hidden solution unless --unplanted is given."""


@click.command()
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.option("--n", required=True, type=int, metavar="N", help="Board size.")
@click.option(
    "--count",
    required=True,
    type=int,
    metavar="K",
    help="Number of prescribed queens, excluded diagonals or blocked cells.",
)
@click.option("--seed", type=int, help="Seed of the instance; by default random.")
@click.option(
    "--unplanted",
    "planted",
    is_flag=True,
    callback=lambda ctx, param, value: not value,
    help="Exclude diagonals or block cells without a hidden solution; there may be none.",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="File to write instead of printing."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Format; by default by the ending of the file name, or json.",
)
def generate(
    kind: str,
    *,
    n: int,
    count: int,
    seed: int | None,
    planted: bool,
    output: Path | None,
    format_: str | None,
) -> None:
    """Make a random instance.

    \b
    partial             queens that do not attack each other; there may be no solution
    planted             queens of a hidden solution
    corner-packed       queens in the corners; from about n/3 of them on there is no solution
    excluded-diagonals  excluded diagonals, none of them of a hidden solution
    blocked             blocked cells, none of them of a hidden solution
    """  # noqa: D301 - click needs the backspace character
    if output is not None:
        refuse_dash(output)
    options = {} if planted else {"planted": False}
    if not planted and kind not in _PLANTED:
        raise click.UsageError(f"--unplanted goes with {' and '.join(_PLANTED)} only")
    seed = secrets.randbits(32) if seed is None else seed
    instance = _KINDS[kind](n, count, seed=seed, **options)
    text = write_instance(instance, output, format_)
    say(f"seed {seed}")
    if format_ == "text" and instance.blocked:
        say("read it with --legend '*=blocked'")
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
