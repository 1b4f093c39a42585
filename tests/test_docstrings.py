"""Docstrings: their examples run, and every public name has one."""

import doctest
import inspect
import runpy
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


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_of_a_module_run(name):
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in FINDER.find(import_module(name), name):
        runner.run(test, out=report.append)
    assert runner.tries
    assert not runner.failures, "".join(report)


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
