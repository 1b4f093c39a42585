"""Docstrings: their examples run, and every public name has one."""

import doctest
import inspect
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import qubo_queens
from qubo_queens import generate

FINDER = doctest.DocTestFinder(exclude_empty=True)


def public_functions(module):
    """The functions and classes that a module defines under names of their own."""
    return [
        name
        for name, value in inspect.getmembers(module)
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def modules_with_examples():
    """The modules whose source has an example; collecting the tests imports none of them."""
    package = Path(qubo_queens.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            yield ".".join(parts).removesuffix(".__init__")


RUN = """
import doctest, importlib, sys
sys.exit(doctest.testmod(importlib.import_module(sys.argv[1])).failed)
"""


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_of_a_module_run(name):
    module = import_module(name)
    if "    >>> register_" in inspect.getsource(module):  # other tests must not meet these names
        command = [sys.executable, "-c", RUN, name]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    else:
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", qubo_queens.__all__)
def test_every_public_name_has_an_example(name):
    tests = FINDER.find(getattr(qubo_queens, name), name)
    assert any(test.examples for test in tests)


@pytest.mark.parametrize("name", public_functions(generate))
def test_every_generator_has_an_example(name):
    (test,) = FINDER.find(getattr(generate, name), name)
    assert test.examples


def test_the_typing_examples_run():
    runpy.run_path(str(Path(__file__).parent / "typing_examples.py"))
