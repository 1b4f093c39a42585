"""``qubo-queens check-proof``."""

from __future__ import annotations

from pathlib import Path

import click

from qubo_queens.errors import FormatError, ProofError
from qubo_queens.exact.proof_file import check_proof as check_file


@click.command("check-proof")
@click.argument("file", type=click.Path(path_type=Path))
def check_proof(file: Path) -> int:
    """Check a proof that `prove --proof FILE` has written.

    A certificate is checked by whole-number arithmetic. For a DRAT proof, the clauses beside it
    are compared with those of the instance, and each step is checked by unit propagation.

    \b
    Exit codes: 0 the proof is right; 1 it is wrong; 2 it cannot be read.
    """  # noqa: D301 - click wants the backspace itself
    try:
        check_file(file)
    except FormatError:
        raise
    except ProofError as error:
        click.echo(f"invalid: {error}")
        return 1
    click.echo("valid: the instance has no solution")
    return 0
