"""A sampler of another package: one entry makes it known everywhere, and listing makes nothing."""

import os
import pickle
import subprocess
import sys

import dimod
import pytest

from qubo_queens import build, get_sampler, list_encodings, list_samplers, register_sampler, solve
from qubo_queens.errors import (
    InputError,
    InputTypeError,
    MissingPackageError,
    SamplerUnavailableError,
)
from qubo_queens.samplers import registry
from qubo_queens.samplers.entry import SamplerEntry


class Greedy(dimod.Sampler):
    """Sets variables to 1 one by one, as long as that lowers the energy."""

    parameters = properties = None
    made = 0

    def __init__(self):
        type(self).made += 1
        self.parameters = {"num_reads": [], "seed": []}
        self.properties = {}

    def sample(self, bqm, num_reads=1, seed=0):
        samples = []
        for read in range(num_reads):
            sample = dict.fromkeys(bqm.variables, 0)
            for variable in sorted(sample, key=lambda label: hash((seed, read, label))):
                flipped = {**sample, variable: 1}
                sample = min(sample, flipped, key=bqm.energy)
            samples.append(sample)
        return dimod.SampleSet.from_samples_bqm(samples, bqm)


TOY = SamplerEntry(
    name="toy",
    target=Greedy,
    description="greedy",
    parameters=("num_reads", "seed"),
    defaults=lambda model, time_limit: {},
    default_reads=lambda model: 7,
)


@pytest.fixture
def register(monkeypatch):
    """Register a sampler for one test."""
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    return register_sampler


def test_a_registered_sampler_solves(register):
    assert register(TOY) is TOY
    Greedy.made = 0
    assert "toy" in [entry.name for entry in list_samplers()]
    assert Greedy.made == 0
    result = solve(5, sampler="toy", seed=1, num_reads=200)
    assert (result.status, result.sampler, result.answered_by) == ("feasible", "toy", "toy")
    assert isinstance(get_sampler("toy"), Greedy)
    assert solve(build(6), sampler="toy", seed=1).reads <= 7


@pytest.mark.parametrize("encoding", list_encodings())
def test_it_takes_every_encoding(register, encoding):
    register(TOY)
    assert solve(4, encoding, sampler="toy", seed=1, num_reads=3).reads <= 3


@pytest.mark.parametrize(
    "error", [ValueError("no token"), OSError("no network"), ImportError("x"), SystemExit(3)]
)
def test_a_constructor_that_raises_breaks_no_listing(register, error):
    def fail():
        raise error

    register(SamplerEntry(name="remote", target=fail, where="cloud"))
    entry = {entry.name: entry for entry in list_samplers()}["remote"]
    assert entry.to_dict()["where"] == "cloud"
    assert f"sampler 'remote' cannot be made: {type(error).__name__}" in entry.reason
    with pytest.raises(SamplerUnavailableError, match="'remote' cannot be made") as caught:
        solve(4, sampler="remote")
    assert caught.value.__cause__ is error


def test_a_package_that_is_missing_is_named(register):
    register(SamplerEntry(name="absent", target="no_such_module:X", package="no-such-package"))
    entry = {entry.name: entry for entry in list_samplers()}["absent"]
    assert (entry.installed, entry.version) == (False, None)
    with pytest.raises(MissingPackageError, match="needs the package no-such-package"):
        get_sampler("absent")


@pytest.mark.parametrize("name", ["neal", "auto", "", " ", "two words", "line\n", 3])
def test_a_name_that_is_taken_or_none_is_refused(register, name):
    with pytest.raises(InputError, match=r"is taken|needs a name of its own"):
        register(SamplerEntry(name=name, target=Greedy))


def test_what_is_no_sampler_is_refused_when_it_is_made(register):
    register(SamplerEntry(name="nothing", target=lambda: None))
    with pytest.raises(SamplerUnavailableError, match=r"None is not a dimod\.Sampler"):
        get_sampler("nothing")
    with pytest.raises(InputError, match="concurrent_calls 0 must be at least 1"):
        register(SamplerEntry(name="idle", target=Greedy, concurrent_calls=0))
    assert pickle.loads(pickle.dumps(list_samplers()[0])) == list_samplers()[0]


def test_what_is_no_entry_is_refused(register):
    with pytest.raises(InputTypeError, match="needs a SamplerEntry, not"):
        register(Greedy)
    register(TOY)
    register(TOY)  # twice the same is no conflict


PACKAGE = '''
import dimod
from qubo_queens.samplers.entry import SamplerEntry

TOY = SamplerEntry(name="toy", target="toy_package:Toy", package="toy-package")


class Toy(dimod.ExactSolver):
    """Every sample; printed when it is made, so that a test sees it."""

    def __init__(self):
        super().__init__()
        print("made")
'''


@pytest.fixture
def installed(tmp_path):
    """A folder with a tiny package that is installed by its metadata, and one that is broken."""
    (tmp_path / "toy_package.py").write_text(PACKAGE)
    folder = tmp_path / "toy_package-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-package\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[qubo_queens.samplers]\ntoy = toy_package:TOY\nbroken = toy_package:MISSING\n"
    )

    def run(*arguments):
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, "-m", "qubo_queens", *arguments],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_an_entry_point_is_enough_for_the_command_line(installed):
    listed = installed("samplers")
    assert listed.returncode == 0, listed.stderr
    assert "toy (local)" in listed.stdout
    assert "toy-package 1.0" in listed.stdout
    assert "broken (local): (could not be loaded)" in listed.stdout
    assert "made" not in listed.stdout
    solved = installed("solve", "4", "--sampler", "toy")
    assert solved.returncode == 0, solved.stderr
    assert solved.stdout.startswith("made\n")
    assert "violated constraints = 0" in solved.stdout


def test_a_broken_entry_point_says_why_when_it_is_used(installed):
    ended = installed("solve", "4", "--sampler", "broken")
    assert ended.returncode == 2
    assert "sampler 'broken' cannot be made" in ended.stderr
    assert "MISSING" in ended.stderr
