"""Run a script in a child process, which can be killed and ends when this process ends.

Compiled code that checks neither for Ctrl-C nor the time is run like this. The script imports
nothing of this package. This file starts it in the child process, so it imports the package only
where the process is started.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

_NONE = "-"


def start(
    program: str,
    argument: str,
    files: ExitStack,
    *,
    name: str,
    stdin: IO[bytes],
    stdout: int,
    stderr: int,
) -> Popen[bytes]:
    """Start a script in a new process, which ends no later than this one.

    Args:
        program: The file of the script.
        argument: Its argument, ``sys.argv[1]``.
        files: On systems with POSIX signals the process is ended when these are closed, or when
            this process ends, even if it is killed.
        name: What runs there, for the error if no process can be started.
        stdin: The file that it reads.
        stdout: As for ``subprocess.Popen``.
        stderr: As for ``subprocess.Popen``.
    """
    import subprocess

    from qubo_queens.errors import SolverError

    lifeline: int | None = None
    if os.name == "posix":
        lifeline, ours = os.pipe()
        files.callback(os.close, ours)
    end = _NONE if lifeline is None else str(lifeline)
    # -P: the paths of the running program are not those of the new one.
    command = [sys.executable, "-P", __file__, end, program, argument]
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=() if lifeline is None else (lifeline,),
            start_new_session=True,  # Ctrl-C goes to this process, which then kills it
        )
    except OSError as error:
        raise SolverError(
            f"no process for {name} could be started with {sys.executable!r}: {error}"
        ) from error
    finally:
        if lifeline is not None:
            os.close(lifeline)


def end_with(lifeline: int) -> None:
    """Let the system end this process when the other end of a pipe is closed.

    That happens when the process that started it ends, for whatever reason. Compiled code does not
    run Python's signal handlers, but SIGIO, which this pipe sends, has no handler and ends it.
    """
    import fcntl
    import select

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # it is closed already
        sys.exit("the process that started this one has ended")


def main() -> None:
    """Run the script that the arguments name."""
    import runpy

    lifeline, program, argument = sys.argv[1:]
    if lifeline != _NONE:
        end_with(int(lifeline))
    sys.argv[:] = [program, argument]
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
