"""The registry, the batches of reads, and the choice of the best sample."""

import dimod
import numpy as np
import pytest

from qubo_queens import Placement, build, get_sampler, samplers, solve
from qubo_queens.board.instance import Instance
from qubo_queens.errors import (
    InputError,
    MissingVariableError,
    SampleError,
    SamplerUnavailableError,
)
from qubo_queens.samplers import registry
from qubo_queens.samplers.batches import Budget, derived_seed, sample_batches
from qubo_queens.samplers.best import best_placement

BOARD = [1, 3, 0, 2]


class Scripted(dimod.Sampler):
    """Returns prepared sample sets and records how it was called."""

    parameters = None
    properties = None

    def __init__(self, answer):
        self.parameters = {"num_reads": [], "seed": [], "interrupt_function": []}
        self.properties = {}
        self.answer = answer
        self.calls = []

    def sample(self, bqm, **parameters):
        self.calls.append(parameters)
        return self.answer(bqm, **parameters)


def zeros(bqm, num_reads=1, **_):
    return dimod.SampleSet.from_samples_bqm([dict.fromkeys(bqm.variables, 0)] * num_reads, bqm)


def test_registry_describes_every_sampler():
    known = {info.name: info for info in samplers()}
    assert {"neal", "tabu", "steepest-descent"} <= set(known)
    for name, info in known.items():
        assert info.where in ("local", "cloud")
        assert info.installed
        assert info.version
        assert info.reason is None
        assert set(info.parameters) == set(get_sampler(name).parameters)
        assert isinstance(get_sampler(name), dimod.Sampler)


def test_registry_says_why_a_sampler_is_missing(monkeypatch):
    absent = registry._Entry("none", "local", "no-such-package", "no_such_module", "S", dict)
    monkeypatch.setitem(registry._ENTRIES, "absent", absent)
    info = {info.name: info for info in samplers()}["absent"]
    assert not info.installed
    assert info.version is None
    assert "no-such-package is not installed" in info.reason
    with pytest.raises(SamplerUnavailableError, match="needs the package no-such-package"):
        get_sampler("absent")


def test_unknown_sampler_lists_the_known_ones():
    with pytest.raises(InputError, match=r"'quantum' is unknown.*auto, neal, tabu"):
        get_sampler("quantum")


@pytest.mark.parametrize("name", [info.name for info in samplers()])
def test_each_named_sampler_solves_and_repeats_itself(name):
    first, second = (solve(8, sampler=name, seed=5) for _ in range(2))
    assert first.status == "feasible"
    assert first.sampler == name
    assert (first.placement, first.reads) == (second.placement, second.reads)


@pytest.mark.parametrize("scale", [1, 10, 0.25])
def test_default_schedule_scales_with_the_strengths(scale):
    model = build(6, row_column_strength=scale, diagonal_strength=2 * scale)
    low, high = registry.default_parameters("neal", model)["beta_range"]
    assert (low * scale, high * scale) == (2, 8)
    assert solve(model, seed=2).status == "feasible"


def test_a_schedule_of_the_callers_own_replaces_the_default():
    result = solve(8, sampler="neal", beta_schedule=np.geomspace(2, 8, 200), seed=1)
    assert result.status == "feasible"


def test_batches_double_and_their_seeds_differ():
    sampler = Scripted(zeros)
    budget = Budget(num_reads=20, deadline=None)
    sets = list(sample_batches(sampler, build(4).bqm, {}, seed=3, budget=budget))
    assert [call["num_reads"] for call in sampler.calls] == [1, 2, 4, 8, 5]
    assert [call["seed"] for call in sampler.calls] == [derived_seed(3, i) for i in range(5)]
    assert len({call["seed"] for call in sampler.calls}) == 5
    assert budget.reads == sum(len(s) for s in sets) == 20
    assert all(0 <= derived_seed(seed, 0) < 2**31 for seed in (0, 1, 2**64 - 1))


def test_reads_are_counted_by_occurrences():
    def aggregated(bqm, num_reads=1, **_):
        return zeros(bqm, num_reads).aggregate()

    budget = Budget(num_reads=7, deadline=None)
    list(sample_batches(Scripted(aggregated), build(4).bqm, {}, seed=0, budget=budget))
    assert budget.reads == 7


def test_a_sampler_that_returns_nothing_is_an_error_and_not_an_endless_loop():
    def nothing(bqm, **_):
        return dimod.SampleSet.from_samples_bqm([], bqm)

    with pytest.raises(InputError, match="returned no sample"):
        solve(4, sampler=Scripted(nothing))


def test_own_interrupt_function_is_asked_too():
    calls = []
    result = solve(
        Instance(4, [(0, 0)]),
        sampler="neal",
        num_reads=64,
        interrupt_function=lambda: bool(calls.append(1)) or len(calls) > 4,
    )
    assert result.status == "unknown"
    assert calls


@pytest.mark.parametrize("claimed", ["BINARY", "SPIN"])
@pytest.mark.parametrize("shift", [0, -8])
def test_u23_best_sample_is_found_whatever_vartype_and_offset_are_reported(claimed, shift):
    model = build(4)
    good = {(r, c): int(BOARD[r] == c) for r in range(4) for c in range(4)}
    bad = dict.fromkeys(good, 0)
    rows = np.array([[sample[v] for v in model.variables] for sample in (bad, good)], dtype=np.int8)
    if claimed == "SPIN":
        rows = 2 * rows - 1
    sampleset = dimod.SampleSet.from_samples(
        (rows, list(model.variables)), vartype=claimed, energy=np.array([8, 0]) + shift
    )
    assert best_placement(model, sampleset).columns == tuple(BOARD)


def test_u23_a_binary_sample_set_with_spin_values_is_read_as_spins():
    model = build(4)
    board = Placement.from_columns(BOARD)
    spins = model.encode(board, vartype="SPIN")
    sampleset = dimod.SampleSet.from_samples([spins], vartype="SPIN", energy=0)
    sampleset._vartype = dimod.BINARY
    assert best_placement(model, sampleset) == board


def test_u37_a_sampler_that_drops_a_variable_is_an_error_that_names_the_cell():
    def lossy(bqm, **_):
        samples = {v: 0 for v in bqm.variables if v != (2, 2)}
        return dimod.SampleSet.from_samples([samples], vartype="BINARY", energy=0)

    with pytest.raises(MissingVariableError, match=r"\(2, 2\)"):
        solve(4, sampler=Scripted(lossy))


def test_a_sampler_that_returns_other_values_is_an_error():
    def wrong(bqm, **_):
        sampleset = zeros(bqm)
        sampleset.record.sample[:] = 2
        return sampleset

    with pytest.raises(SampleError, match="other than 0/1"):
        solve(4, sampler=Scripted(wrong))
