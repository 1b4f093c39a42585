"""The command group, and how its errors and exit codes come about."""

from __future__ import annotations

import errno
import sys

import click

import qubo_queens
from qubo_queens.cli.batch import batch
from qubo_queens.cli.build import build
from qubo_queens.cli.check_proof import check_proof
from qubo_queens.cli.count import count
from qubo_queens.cli.embed import embed
from qubo_queens.cli.enumerate import enumerate_
from qubo_queens.cli.forecast import forecast
from qubo_queens.cli.generate import generate
from qubo_queens.cli.output import abandon, say
from qubo_queens.cli.prove import prove
from qubo_queens.cli.samplers import samplers
from qubo_queens.cli.solve import solve
from qubo_queens.cli.verify import verify
from qubo_queens.errors import QueensError

INTERRUPTED = 1
BAD_INPUT = 2


@click.group(
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(qubo_queens.__version__)
def app() -> None:
    """Solve, build and verify n-queens completion problems as QUBO models.

    \b
    Exit codes: 0 feasible or valid; 1 unknown, invalid or interrupted;
    2 bad input or usage; 3 proven infeasible.
    """  # noqa: D301 - click wants the backspace itself


_COMMANDS = (
    *(solve, batch, prove, check_proof, count, enumerate_),
    *(build, verify, forecast, embed, samplers, generate),
)
for _command in _COMMANDS:
    app.add_command(_command)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    if sys.stdout is None:
        return _fail("standard output is closed")
    try:
        # not app.main(), which answers a broken pipe by itself, in silence and with exit code 1
        with app.make_context("qubo-queens", arguments) as context:
            code = app.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as finished:  # --help and --version
        return finished.exit_code
    except click.UsageError as error:
        command = "qubo-queens" if error.ctx is None else error.ctx.command_path
        return _fail(f"{error.format_message().rstrip('.')}; see '{command} --help'")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except QueensError as error:
        return _fail(str(error))
    except MemoryError as error:
        return _fail(f"not enough memory: {error}")
    except UnicodeEncodeError as error:
        return _fail(f"cannot print {error.object!a} in the encoding {error.encoding}")
    except OSError as error:
        abandon(sys.stdout)
        name = "broken pipe" if error.errno == errno.EPIPE else str(error.strerror)
        return _fail(f"cannot write to standard output: {name.lower()}")
    return int(code or 0)


def _fail(message: str, code: int = BAD_INPUT) -> int:
    """Print one line to standard error and return the exit code."""
    say(f"qubo-queens: {' '.join(message.split())}")
    return code
