"""Programs of ours in a process of their own, which can be killed and ends with this one.

What runs in compiled code and asks for neither Ctrl-C nor the time is run like this. A program is a
file that imports nothing of this package, and this file is how it starts: so it imports nothing of
the package either, and little else.
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
    program: str, argument: str, files: ExitStack, *, stdin: IO[bytes], stdout: int, stderr: int
) -> Popen[bytes]:
    """Start a program in a new process, which ends no later than this one.

    Args:
        program: Its file; it runs as a script, ``sys.argv[1]`` being the argument.
        argument: Its argument.
        files: Keeps the process alive: it is ended where these are closed, or this process ends,
            be it killed (on systems with POSIX signals).
        stdin: What it reads.
        stdout: Where it writes, as for ``subprocess.Popen``.
        stderr: Where its errors go, likewise.

    Raises:
        OSError: If no process can be started.
    """
    import subprocess

    lifeline: int | None = None
    if os.name == "posix":
        lifeline, ours = os.pipe()
        files.callback(os.close, ours)
    told = _NONE if lifeline is None else str(lifeline)
    # -P: the paths of the running program are not those of the new one.
    command = [sys.executable, "-P", __file__, told, program, argument]
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=() if lifeline is None else (lifeline,),
            start_new_session=True,  # Ctrl-C is for us, who then kill it
        )
    finally:
        if lifeline is not None:
            os.close(lifeline)


def end_with(lifeline: int) -> None:
    """Let the system end this process when the other end of a pipe is closed.

    So it ends with the one that started it, however that one ends. Compiled code answers no signal
    of Python, but the signal of this pipe has no handler and ends the process.
    """
    import fcntl
    import select

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # it is closed already
        sys.exit("the process that asked has ended")


def main() -> None:
    """Become the program that the arguments name."""
    import runpy

    lifeline, program, argument = sys.argv[1:]
    if lifeline != _NONE:
        end_with(int(lifeline))
    sys.argv[:] = [program, argument]
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
