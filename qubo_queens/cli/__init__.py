"""The command line: ``qubo-queens COMMAND``; one thin handler a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `argv` defaults to ``sys.argv[1:]``."""
    try:
        from qubo_queens.cli.app import run  # here, since Ctrl-C may come while it loads

        return run(sys.argv[1:] if argv is None else list(argv))
    except KeyboardInterrupt:
        print("qubo-queens: interrupted", file=sys.stderr)  # noqa: T201
        return 1
