"""``qubo-queens prove``."""

from __future__ import annotations

from pathlib import Path

import click

from qubo_queens.board.instance import Instance
from qubo_queens.cli.output import EXIT_CODES, report, say
from qubo_queens.cli.parameters import json_option, quiet_option, refuse_dash, time_limit_option
from qubo_queens.cli.problem import takes_instance
from qubo_queens.exact.clauses.formulations import FORMULATIONS
from qubo_queens.exact.proof_file import CLAUSES_SUFFIX
from qubo_queens.exact.prove import prove as prove_instance
from qubo_queens.result import Status


@click.command()
@takes_instance
@click.option(
    "--encoding",
    type=click.Choice(list(FORMULATIONS)),
    help="Decide the clauses of this encoding with the SAT solver CaDiCaL. Default: the proof "
    "search, by reductions, certificates and exhaustive search.",
)
@click.option(
    "--proof",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="If infeasible, write the proof: a certificate as JSON, or a DRAT proof with its clauses "
    f"in FILE{CLAUSES_SUFFIX}. `check-proof FILE` checks it.",
)
@time_limit_option("Seconds after which the answer is `unknown`.")
@json_option
@quiet_option
def prove(
    instance: Instance,
    *,
    encoding: str | None,
    proof: Path | None,
    time_limit: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Decide whether there is a solution, with a proof.

    Print a solution, or the reason why there is none.

    INPUT is a board size n, a file with a board, or - for standard input. Queens in it are
    prescribed.

    \b
    Exit codes: 0 a solution was printed; 3 it is proven that there is none; 1 unknown.
    """  # noqa: D301 - click wants the backspace itself
    if proof is not None:
        refuse_dash(proof, "--proof")
    result = prove_instance(instance, encoding=encoding, time_limit=time_limit, proof=proof)
    report(result, as_json=as_json, quiet=quiet)
    if result.proof is not None and not quiet:
        say(f"proof written to {click.format_filename(result.proof)}")
    elif proof is not None and result.status is not Status.INFEASIBLE and not quiet:
        say(f"no proof was written: the answer is {result.status}")
    return EXIT_CODES[result.status]
