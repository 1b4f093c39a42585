"""The command line as a whole: what a command loads, and the words of its messages."""

import json
import pickle
import subprocess
import sys

import click
import pytest

from qubo_queens.cli import main
from qubo_queens.cli.app import COMMANDS, app
from qubo_queens.errors import Argument, InputError, MissingVariableError, Remedy

LOADED = """
import json, sys
from qubo_queens.cli import main
code = main(sys.argv[1:])
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*arguments):
    """The top-level packages that are loaded once a command has ended."""
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        input=".Q..\n...Q\nQ...\n..Q.\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["--help"], {"numpy", "scipy", "dimod", "numba", "rich"}),
        (["--version"], {"numpy", "scipy", "dimod", "numba", "rich"}),
        (["verify", "-"], {"dimod", "numba", "rich", "dwave"}),
        (["generate", "planted", "--n", "9", "--count", "3"], {"dimod", "numba", "rich", "dwave"}),
        (["forecast", "9"], {"numba", "rich", "dwave"}),
        (["samplers", "--help"], {"numba", "rich", "dwave"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_loads_only_what_it_needs(arguments, spared):
    assert loaded_by(*arguments).isdisjoint(spared)


def test_the_table_of_commands_says_what_their_own_help_says():
    assert list(COMMANDS) == sorted(COMMANDS)
    for name, line in COMMANDS.items():
        command = app.commands[name]
        assert command.name == name
        assert line == command.help.split("\n")[0]


def test_an_unknown_command_gets_a_near_one(run):
    code, out, err = run("solv", "8")
    assert (code, out) == (2, "")
    assert "'solv'" in err
    assert "see 'qubo-queens --help'" in err
    if hasattr(click.exceptions, "NoSuchCommand"):
        assert "'solve'" in err


OPTIONS = {
    "a number out of range": (["solve", "8", "--num-reads", "0"], "--num-reads 0 is outside 1.."),
    "a number that is not finite": (
        ["build", "8", "-o", "m", "--diagonal-strength", "nan"],
        "--diagonal-strength must be finite",
    ),
    "no diagonals": (
        ["solve", "8", "--diagonal-strength", "0"],
        "--diagonal-strength 0 leaves the diagonals out, which states another problem\n",
    ),
    "a strength that is too small": (
        ["solve", "8", "--row-column-strength", "1e-320"],
        "--row-column-strength 1e-320 is too small; it must be at least",
    ),
    "a strength of another encoding": (
        ["build", "8", "-o", "m", "--count-strength", "2"],
        "encoding cell has no --count-strength; its strengths are --row-column-strength, --diag",
    ),
    "strengths that do not go together": (
        ["build", "8", "-o", "m", "--encoding", "row-domain-wall", "--wall-strength", "3"],
        "--wall-strength 3 is too small for --row-column-strength 1 and --diagonal-strength 1: a",
    ),
    "an option with two names": (["enumerate", "8", "--k", "0"], "--limit 0 is outside 1.."),
    "a base": (["solve", "8", "--queen", "8,0"], "; for 1-based input pass --base 1\n"),
    "a board size": (["solve", "-"], "format cells does not state the board size; pass --n\n"),
    "a legend": (["solve", "-"], "; give it a meaning with --legend '#=blocked'\n"),
    "a format": (["verify", "-"], "; pass --format with the one that is meant\n"),
    "a flag": (
        ["generate", "blocked", "--n", "4", "--count", "16"],
        "beside a hidden solution; --unplanted allows more)\n",
    ),
    "a value of a choice": (
        ["prove", "900", "--encoding", "labelled"],
        "; use --encoding cell, the proof search or a smaller board\n",
    ),
    "an object of Python": (
        ["solve", "8", "--sampler", "quantum"],
        "sampler 'quantum' is unknown; choose one of auto, flip,",
    ),
    "a call of Python": (["solve", "8", "--param", "queens=3"], "has no parameter queens;"),
    "a parameter of solve": (["solve", "8", "--param", "time_limit=3"], "; use --time-limit;"),
    "an argument without option": (
        ["solve", "8", "--param", "keep_samples=true"],
        "keep_samples is not one;",
    ),
}
TEXTS = {"a board size": "[[0, 1]]", "a legend": "Q.\n.#\n", "a format": "0 1"}
PYTHON = ("Instance(", "dimod", "get_sampler", "build(", "solve(", "base=", "--base)")


@pytest.mark.parametrize("case", OPTIONS)
def test_messages_speak_of_options(run, case):
    arguments, expected = OPTIONS[case]
    code, out, err = run(*arguments, stdin=TEXTS.get(case))
    assert (code, out) == (2, "")
    assert expected in err
    assert not any(words in err for words in PYTHON), err


def test_a_message_keeps_its_parts():
    parts = ("queen 8 is outside", Remedy("; pass ", Argument("base", 1)))
    for kind in (InputError, MissingVariableError):
        error = pickle.loads(pickle.dumps(kind(*parts)))
        assert (type(error), error.args, str(error)) == (
            kind,
            parts,
            "queen 8 is outside; pass base=1",
        )


def test_ctrl_c_while_commands_load_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr("qubo_queens.cli.app.import_module", _interrupted)
    assert main(["solve", "8"]) == 1
    assert capsys.readouterr().err == "qubo-queens: interrupted\n"


def _interrupted(name):
    raise KeyboardInterrupt
