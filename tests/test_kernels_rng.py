"""Random numbers and compilation: the published algorithms in plain integers, and the fallback."""

import math
from itertools import islice

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from qubo_queens.kernels import jit
from qubo_queens.kernels.rng import (
    below,
    pass_scale,
    passes,
    random_state,
    state_of_read,
    uniform,
)

MASK = 2**64 - 1
seeds = st.integers(0, MASK)


def splitmix(seed):
    """SplitMix64, as published."""
    while True:
        seed = seed + 0x9E3779B97F4A7C15 & MASK
        mixed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
        yield mixed ^ mixed >> 31


def xoshiro(state):
    """xoshiro256++, as published."""

    def rotated(value, by):
        return (value << by | value >> 64 - by) & MASK

    s = list(state)
    while True:
        yield rotated(s[0] + s[3] & MASK, 23) + s[0] & MASK
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)


@given(seeds)
def test_the_generator_is_the_published_one(seed):
    state = random_state(np.uint64(seed))
    assert state.tolist() == list(islice(splitmix(seed), 4))
    for number in islice(xoshiro(state.tolist()), 20):
        assert uniform(state) == (number >> 11) / 2**53


def test_splitmix_begins_as_its_authors_say():
    assert next(splitmix(0)) == 0xE220A8397B1DCDAF


def test_reads_of_a_seed_and_of_other_seeds_have_generators_of_their_own():
    states = {
        tuple(state_of_read(np.uint64(seed), np.uint64(number)).tolist())
        for seed in (0, 1, 2, MASK)
        for number in range(500)
    }
    assert len(states) == 2000


def test_integers_below_a_bound_are_uniform():
    state = random_state(np.uint64(1))
    counts = np.bincount([below(state, 7) for _ in range(7000)])
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("probability", [0.03, 0.5, 0.9])
def test_passes_are_geometric(probability):
    state, scale = random_state(np.uint64(1)), pass_scale(probability)
    drawn = np.minimum([passes(state, scale) for _ in range(6000)], 8)
    chances = probability * (1 - probability) ** np.arange(8)
    expected = 6000 * np.append(chances, 1 - chances.sum())
    counts = np.bincount(drawn, minlength=9)
    likely = expected >= 5
    counts, expected = counts[likely], expected[likely]
    assert chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-4


@pytest.mark.parametrize("probability", [1.0, 1e-17, 1e-200, 0.0, 5e-324])
def test_passes_at_the_ends_are_none_or_very_many(probability):
    state = random_state(np.uint64(1))
    scale = pass_scale(probability)
    assert math.isfinite(scale)
    for _ in range(100):
        gap = passes(state, scale)
        assert gap == 0 if probability == 1 else 10**12 < gap <= 2**62


def test_without_a_place_for_machine_code_kernels_are_compiled_anew(monkeypatch):
    compiler, asked = numba.njit, []

    def without_cache(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return compiler(**options)

    monkeypatch.setattr(jit.numba, "njit", without_cache)

    @jit.kernel
    def doubled(number):
        return 2 * number

    @jit.inlined
    def added(number):
        return doubled(number) + 1

    assert (doubled(4), added(4)) == (8, 9)
    assert [bool(options.get("cache")) for options in asked] == [True, False, True, False]
    assert asked[-1] == {"nogil": True, "inline": "always"}
