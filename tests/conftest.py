"""Settings and fixtures for all tests, and the two lanes: everything, or ``--quick``.

Folders are tested by several processes; files and test ids that are named run in this process, so
that ``print`` and ``--pdb`` work as usual. ``-n`` overrides this.
"""

import io
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from qubo_queens.cli import main

TESTS = Path(__file__).parent
SLOW = TESTS / "slow.txt"

# hypothesis draws the same examples in every run
everything = settings(deadline=None, derandomize=True, database=None, max_examples=80)
settings.register_profile("everything", everything)
settings.register_profile("quick", everything, max_examples=10)


def slow_tests():
    """The names of the test functions that the quick lane leaves out."""
    lines = SLOW.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def pytest_addoption(parser):
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out the tests of tests/slow.txt; fewer examples for property tests",
    )


def pytest_configure(config):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background ignores Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("quick" if config.getoption("quick") else "everything")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Let xdist start a process for each core if whole folders are tested."""
    option = config.option
    if (
        config.pluginmanager.hasplugin("xdist")
        and not hasattr(config, "workerinput")  # this is not one of these processes
        and option.numprocesses is None
        and option.capture != "no"
        and all(Path(argument).is_dir() for argument in config.args)
    ):
        option.numprocesses = "logical"  # xdist makes this 0 with --pdb
        option.maxprocesses = option.maxprocesses or 8


def pytest_collection_modifyitems(config, items):
    if not config.getoption("quick"):
        return
    slow = set(slow_tests())
    lanes = {False: [], True: []}
    for item in items:
        lanes[getattr(item, "originalname", None) in slow].append(item)
    items[:] = lanes[False]
    config.hook.pytest_deselected(items=lanes[True])


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
