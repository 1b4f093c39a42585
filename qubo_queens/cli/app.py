"""The table of commands, and how their errors become messages and exit codes."""

from __future__ import annotations

import errno
import shlex
import sys
from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

import qubo_queens
from qubo_queens.cli.output import abandon, say
from qubo_queens.errors import Argument, Part, QueensError, Remedy

INTERRUPTED = 1
BAD_INPUT = 2


COMMANDS = {
    "batch": "Solve many boards, and print one line for each.",
    "build": "Write a model to a file, and print its size.",
    "check-proof": "Check a proof that `prove --proof FILE` has written.",
    "count": "Count the solutions, by exhaustive search.",
    "embed": "Embed a model on the chip of a quantum annealer.",
    "enumerate": "Print the solutions, as an exhaustive search finds them.",
    "forecast": "Print the size of a model, without building it.",
    "generate": "Make a random instance.",
    "prove": "Decide whether there is a solution, with a proof.",
    "samplers": "List samplers and their parameters.",
    "solve": "Search for a valid board, and print it.",
    "verify": "Check a board, from the coordinates of its queens alone.",
}
"""The commands, and the line about each in ``qubo-queens --help``.

A command is the function of that name in the module of that name. It is loaded when it is called,
so that ``--help`` is shown at once.
"""


class _Loaded(UserDict[str, Any]):
    """The commands by name, each loaded when it is taken."""

    def __getitem__(self, name: str) -> click.Command:
        function = name.replace("-", "_")
        if name not in self.data:
            raise KeyError(name)
        command: click.Command = getattr(import_module(f"qubo_queens.cli.{function}"), function)
        return command


class _Group(click.Group):
    """A group whose list of commands loads none of them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Group,
    commands=_Loaded(COMMANDS),
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


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    if sys.stdout is None:
        return _fail("standard output is closed")
    context: click.Context | None = None
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
        options = _options(context)
        return _fail("".join(_spelled(part, options) for part in error.args))
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


Options = Mapping[str, click.Option]
"""The options of a command by the argument that each stands for."""


def _options(context: click.Context | None) -> Options:
    """Return the options of the command that was called."""
    if context is None or context.invoked_subcommand is None:
        return {}
    command = app.get_command(context, context.invoked_subcommand)
    given = () if command is None else command.params
    return {str(it.name).rstrip("_"): it for it in given if isinstance(it, click.Option)}


def _spelled(part: Part, options: Options) -> str:
    """Return a part of a message in the words of the command line."""
    if isinstance(part, Remedy):
        named = [it.name for it in part.parts if isinstance(it, Argument)]
        if not named or not options.keys() >= set(named):
            return ""
        return "".join(_spelled(it, options) for it in part.parts)
    if isinstance(part, Argument) and part.name in options:
        option = options[part.name]
        name = max(option.opts, key=len)
        return name if part.value is None or option.is_flag else f"{name} {_value(part.value)}"
    return str(part)


def _value(value: object) -> str:
    """Return the value of an option as it is typed; of a mapping, each key with its value."""
    words = [f"{key}={word}" for key, word in value.items()] if isinstance(value, Mapping) else []
    return shlex.join(words or [str(value)])
