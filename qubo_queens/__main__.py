"""Runs the command line as ``python -m qubo_queens``."""

import sys

from qubo_queens.cli import main

sys.exit(main())
