"""CONTRIBUTING keeps its word: its Python runs, and the files and names that it mentions exist."""

import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```\n", flags=re.MULTILINE | re.DOTALL)
BLOCKS = [code for language, code in FENCED.findall(TEXT) if language == "python"]
QUOTED = re.findall(r"`([^`\n]+)`", FENCED.sub("", TEXT))
PATHS = {name for name in QUOTED if re.fullmatch(r"[\w./*-]*(/[\w.*-]*|\.(md|py|toml|txt))", name)}
LINKED = set(re.findall(r"\]\(([^)#:]+)\)", TEXT))
DOTTED = {name for name in QUOTED if re.fullmatch(r"(qubo_queens|dimod)(\.\w+)+", name)}


def test_there_is_something_to_check():
    assert len(BLOCKS) >= 2
    assert len(PATHS) >= 20
    assert DOTTED


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: re.search(r"class (\w+)|$", code)[1])
def test_the_python_of_a_recipe_runs(code):
    """In a process of its own, since it registers names that other tests do not expect."""
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("path", sorted(PATHS | LINKED))
def test_every_path_exists(path):
    assert list(ROOT.glob(path.rstrip("/")))


@pytest.mark.parametrize("name", sorted(DOTTED))
def test_every_dotted_name_exists(name):
    pkgutil.resolve_name(name)
