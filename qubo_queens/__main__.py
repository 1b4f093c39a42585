"""Runs the command line as ``python -m qubo_queens``."""

import sys

from qubo_queens.cli import main

if __name__ == "__main__":
    sys.exit(main())
