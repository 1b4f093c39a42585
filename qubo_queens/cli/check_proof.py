"""``qubo-queens check-proof``."""

from __future__ import annotations

from pathlib import Path

import click

from qubo_queens.cli.problem import Reading, reads_boards
from qubo_queens.errors import ProofError
from qubo_queens.exact import proof_file


@click.command("check-proof")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--instance",
    "instance_file",
    metavar="FILE",
    help="The board that the proof should be about, in any format that `solve` reads.",
)
@reads_boards
def check_proof(file: Path, *, instance_file: str | None, reading: Reading) -> int:
    """Check a proof that `prove --proof FILE` has written.

    A certificate is checked by whole-number arithmetic. For a DRAT proof, the clauses beside it
    are compared with those of the instance, and each step is checked by unit propagation. The
    options that say how a board is read apply to the FILE of --instance.

    \b
    Exit codes: 0 the proof is right; 1 it is wrong, or about another instance;
    2 it cannot be read.
    """  # noqa: D301 - click wants the backspace itself
    asked = None if instance_file is None else reading.board(instance_file)
    try:
        found = proof_file.check_proof(file)
    except ProofError as error:
        click.echo(f"invalid: {error}")
        return 1
    if asked not in (None, found):
        click.echo(f"the proof is right, but about another instance: {proof_file.described(found)}")
        return 1
    click.echo(f"valid: there is no solution ({proof_file.described(found)})")
    return 0
