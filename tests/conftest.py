"""Settings and fixtures for all tests: hypothesis draws the same examples in every run."""

import io
import sys

import pytest
from hypothesis import settings

from qubo_queens.cli import main

settings.register_profile(
    "qubo_queens", deadline=None, derandomize=True, database=None, max_examples=80
)
settings.load_profile("qubo_queens")


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process; returns its exit code, output and error output."""

    def run_command(*argv, stdin=None):
        if stdin is not None:
            raw = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        code = main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command
