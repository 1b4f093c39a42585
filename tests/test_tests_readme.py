"""tests/README.md and slow.txt keep up with the tests."""

import ast
import re
from pathlib import Path

from conftest import slow_tests

TESTS = Path(__file__).parent
README = (TESTS / "README.md").read_text(encoding="utf-8")
FIRST_CELLS = re.findall(r"(?m)^\| ([^|]+) \|", README)


def sources():
    return {path: path.read_text(encoding="utf-8") for path in sorted(TESTS.glob("*.py"))}


def cases_in(text):
    """The cases that a text names: U25 in words and ids, and ``_u25_`` in names of tests."""
    pattern = r"(?<![A-Za-z0-9])(?:[UH]\d{1,3}|(?<=_)[uh]\d{1,3}(?=_))(?![A-Za-z0-9])"
    return {found.upper() for found in re.findall(pattern, text)}


def test_cases_are_found_in_names_and_in_words():
    found = cases_in("def test_u25_hopeless(): U68_CELLS, 'H4-forged', u7, Ux12, U60b, utf_8")
    assert found == {"U25", "U68", "H4"}


def test_every_case_is_listed_and_every_listed_case_occurs():
    listed = [cell for cell in FIRST_CELLS if cases_in(cell) == {cell}]
    assert listed == sorted(set(listed), key=lambda case: (case[0], int(case[1:])))
    here = Path(__file__)
    used = set().union(*(cases_in(text) for path, text in sources().items() if path != here))
    assert set(listed) == used


def test_every_file_is_listed_and_every_listed_file_exists():
    listed = {name for cell in FIRST_CELLS for name in re.findall(r"`([^`]+\.\w+)`", cell)}
    files = {path.name for path in TESTS.iterdir() if path.is_file()}
    assert listed == files - {"conftest.py", "README.md", "slow.txt"}


def test_every_slow_test_exists():
    names = {
        node.name
        for text in sources().values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    slow = slow_tests()
    assert slow == sorted(set(slow))
    assert not set(slow) - names, "remove or rename these in tests/slow.txt"


def test_every_file_has_a_test_in_the_quick_lane():
    slow = set(slow_tests())
    for path, text in sources().items():
        if path.name.startswith("test_"):
            names = {
                node.name
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            }
            assert names - slow, f"the quick lane leaves out all of {path.name}"
