"""The annealing of any QUBO: the chain against Boltzmann weights, its bookkeeping against dimod."""

from itertools import combinations, product

import dimod
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import bqms

from qubo_queens.kernels.flip_couplings import anneal_couplings, effective_fields
from qubo_queens.kernels.rng import random_state
from qubo_queens.samplers.annealers.bqm_tasks import neighbours
from qubo_queens.samplers.annealers.recognise import binary_coefficients

NEVER = -np.inf
NO_TRACE = np.empty(0)


def generator(seed):
    return random_state(np.uint64(seed))


def sweep(arrays, bits, betas, target, rng, trace, function=anneal_couplings):
    """Make sweeps from `bits`; the energy is relative to them."""
    effective = effective_fields(*arrays, bits)
    return function(*arrays[:3], effective, bits, 0.0, betas, target, rng, trace)


def sample_of(bqm, bits):
    """A sample in the vartype of a model."""
    off = 0 if bqm.vartype is dimod.BINARY else -1
    return {label: 1 if bit else off for label, bit in zip(bqm.variables, bits, strict=True)}


def model_without_free_flips(seed):
    """Odd biases and even couplings: a change of 0 is always accepted, which hardly mixes."""
    random = np.random.default_rng(seed)
    linear = dict(enumerate(random.choice([-3, -1, 1, 3], 4).tolist()))
    pairs = list(combinations(range(4), 2))
    quadratic = dict(zip(pairs, random.choice([-2, 0, 2], 6).tolist(), strict=True))
    return dimod.BinaryQuadraticModel(linear, quadratic, "BINARY")


@pytest.mark.parametrize(("seed", "beta"), [(1, 0.4), (2, 0.5), (3, 0.3), (4, 0.5)])
def test_a_long_chain_has_the_boltzmann_distribution(seed, beta):
    bqm = model_without_free_flips(seed)
    states = list(product((0, 1), repeat=4))
    weights = np.exp([-beta * bqm.energy(sample_of(bqm, state)) for state in states])
    arrays, rng, bits = neighbours(binary_coefficients(bqm)), generator(seed), np.zeros(4, np.int8)
    visits = dict.fromkeys(states, 0)
    betas = np.full(20, beta)  # sweeps between samples, which makes them nearly independent
    for _ in range(8000):
        sweep(arrays, bits, betas, NEVER, rng, NO_TRACE)
        visits[tuple(bits.tolist())] += 1
    expected = 8000 * weights / weights.sum()
    assert expected.min() > 5  # what the chi-square test needs
    assert chisquare([visits[state] for state in states], expected).pvalue > 1e-3


@pytest.mark.parametrize("cost", [0.01, 0.2, 0.7, 2.0, 5.0])
def test_proposals_are_accepted_with_their_probability(cost):
    size, chance = 200_000, np.exp(-cost)
    bits, start = np.zeros(size, np.int8), np.zeros(size + 1, np.int64)
    alone = start, np.empty(0, np.int32), np.empty(0), np.full(size, 2 * cost)
    sweep(alone, bits, np.array([0.5]), NEVER, generator(5), NO_TRACE)
    assert abs(bits.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / size)


@given(bqms(), st.integers(0, 2**63), st.data())
def test_the_energy_is_that_of_dimod(bqm, seed, data):
    bits = data.draw(bits_of(bqm))
    before = bqm.energy(sample_of(bqm, bits))
    betas = np.array(data.draw(st.lists(st.floats(0, 10), max_size=8)))
    trace = np.full(10, np.nan)
    arrays = neighbours(binary_coefficients(bqm))
    energy, sweeps = sweep(arrays, bits, betas, NEVER, generator(seed), trace)
    assert sweeps == len(betas)
    assert energy == pytest.approx(bqm.energy(sample_of(bqm, bits)) - before, abs=1e-9)
    assert np.isnan(trace[sweeps:]).all()
    assert not sweeps or trace[sweeps - 1] == energy
    assert set(bits.tolist()) <= {0, 1}


@given(bqms(units=(0.25, 0.1, 1 / 3)), st.integers(0, 100), st.data())
def test_slices_of_a_schedule_make_one_chain(bqm, seed, data):
    start = data.draw(bits_of(bqm))
    betas, cut = np.linspace(0.1, 3, 12), data.draw(st.integers(0, 12))
    arrays = neighbours(binary_coefficients(bqm))
    ends = []
    for slices in ((betas,), (betas[:cut], betas[cut:]), np.split(betas, 12)):
        bits, rng, energy = start.copy(), generator(seed), 0.0
        effective = effective_fields(*arrays, bits)
        for part in slices:
            energy, _ = anneal_couplings(
                *arrays[:3], effective, bits, energy, part, NEVER, rng, NO_TRACE
            )
        ends.append((bits.tolist(), rng.tolist(), effective.tolist(), energy))
    assert ends[0] == ends[1] == ends[2]  # to the last bit, whatever was rounded


@given(bqms(), st.integers(0, 100), st.data())
def test_it_stops_at_once_at_the_target(bqm, seed, data):
    bits = data.draw(bits_of(bqm))
    before = bqm.energy(sample_of(bqm, bits))
    target = data.draw(st.integers(-10, 0)) - 0.25
    trace = np.full(20, np.nan)
    arrays = neighbours(binary_coefficients(bqm))
    betas = np.linspace(0.1, 3, 20)
    energy, sweeps = sweep(arrays, bits, betas, target, generator(seed), trace)
    assert energy == pytest.approx(bqm.energy(sample_of(bqm, bits)) - before, abs=1e-9)
    reached = energy <= target
    assert (trace[: sweeps - reached] > target).all()
    assert np.isnan(trace[sweeps - reached :]).all()
    assert reached or sweeps == 20


def test_no_variables_and_no_couplings():
    empty = neighbours(binary_coefficients(dimod.BinaryQuadraticModel("BINARY")))
    bits = np.empty(0, np.int8)
    assert sweep(empty, bits, np.ones(3), NEVER, generator(1), NO_TRACE) == (0.0, 3)
    alone = neighbours(
        binary_coefficients(dimod.BinaryQuadraticModel({"a": -1, "b": 1}, {}, "BINARY"))
    )
    bits = np.array([0, 1], np.int8)
    cold = np.full(3, 1e300)
    assert sweep(alone, bits, cold, NEVER, generator(1), NO_TRACE) == (-2.0, 3)
    assert bits.tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(3))
def test_compiled_and_plain_python_make_the_same_chain(seed):
    bqm = dimod.generators.gnp_random_bqm(12, 0.5, "SPIN", random_state=seed)
    arrays, betas = neighbours(binary_coefficients(bqm)), np.geomspace(0.1, 5, 30)
    ends = []
    for function in (anneal_couplings, anneal_couplings.py_func):
        bits, rng, trace = np.zeros(12, np.int8), generator(seed), np.empty(30)
        energy, sweeps = sweep(arrays, bits, betas, NEVER, rng, trace, function)
        ends.append((float(energy), sweeps, bits.tolist(), rng.tolist(), trace.tolist()))
    assert ends[0] == ends[1]


def bits_of(bqm):
    """Draw a state of a model as an array."""
    size = bqm.num_variables
    return st.lists(st.integers(0, 1), min_size=size, max_size=size).map(
        lambda bits: np.array(bits, np.int8)
    )
