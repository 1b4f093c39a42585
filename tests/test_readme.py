"""The README tells the truth: its Python runs, its commands exist, its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from qubo_queens.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINKED = re.findall(r"\]\(([^)#:]+)\)", README)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_python_of_the_readme_runs(capsys):
    namespace = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), namespace)
    output = capsys.readouterr().out
    assert output.startswith("feasible\n")
    assert "{'row_column': 0, 'diagonal': 0, 'forbidden': 0}\n0\n" in output


def test_the_commands_of_the_readme_parse():
    """Every command and option that the README shows exists."""
    shown = [
        shlex.split(call, comments=True)
        for block in blocks("sh")
        for call in re.findall(r"qubo-queens (.*)", block)
    ]
    assert len(shown) > 8
    for command, *arguments in shown:
        app.app.commands[command].make_context(command, arguments).close()


@pytest.mark.parametrize("path", LINKED)
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()
