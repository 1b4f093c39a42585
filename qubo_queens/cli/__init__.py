"""The command line: ``qubo-queens COMMAND``; one thin handler a command."""

from qubo_queens.cli.app import main

__all__ = ["main"]
