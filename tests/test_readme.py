"""The README tells the truth: its Python runs, its commands run, its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINKED = re.findall(r"\]\(([^)#:]+)\)", README)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_python_of_the_readme_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), namespace)
    output = capsys.readouterr().out
    assert output.endswith("feasible\n")
    embedded = "2,230 variables on 3,441 qubits of zephyr:15, longest chain 2, mean 1.54 (lattice)"
    assert f"{embedded}\n" in output
    assert f"# {embedded}\n" in README
    assert output.startswith("feasible\n")
    assert "{'row_column': 0, 'diagonal': 0, 'forbidden': 0}\n0\n" in output


def test_the_commands_of_the_readme_run(tmp_path):
    """The block of commands runs as it stands, from an empty folder."""
    (block,) = [block for block in blocks("sh") if "qubo-queens verify" in block]
    script = f'qubo-queens() {{ "{sys.executable}" -m qubo_queens "$@"; }}\n' + block
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("violated constraints = 0") == 5
    assert "valid\n" in ended.stdout
    assert "exit code 3\nvalid: there is no solution (n=8, 2 prescribed queens, " in ended.stdout


@pytest.mark.parametrize("path", LINKED)
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()
