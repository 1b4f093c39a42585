"""Any model as arrays, and the default temperatures, against dimod and enumeration."""

import math
from itertools import product

import dimod
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import bqms

from qubo_queens.errors import InputError
from qubo_queens.samplers.annealers.bqm_tasks import (
    BETAS_WITHOUT_ENERGY,
    default_beta_range,
    neighbours,
)
from qubo_queens.samplers.annealers.recognise import binary_coefficients


def flip_changes(bqm):
    """The size of the energy change of every flip in every state."""
    model = bqm.change_vartype("BINARY", inplace=False)
    for bits in product((0, 1), repeat=model.num_variables):
        sample = dict(zip(model.variables, bits, strict=True))
        for variable in model.variables:
            flipped = sample | {variable: 1 - sample[variable]}
            yield abs(float(model.energy(flipped) - model.energy(sample)))


@given(bqms())
def test_arrays_hold_the_model(bqm):
    untouched = bqm.copy()
    found = binary_coefficients(bqm)
    start, neighbour, coupling, field = neighbours(found)
    assert bqm == untouched
    assert bqm.vartype is untouched.vartype
    assert (start.dtype, neighbour.dtype) == (np.int64, np.int32)
    assert coupling.dtype == field.dtype == np.float64
    model = bqm.change_vartype("BINARY", inplace=False)
    labels = list(bqm.variables)
    assert len(start) == len(labels) + 1
    for at, label in enumerate(labels):
        own = slice(start[at], start[at + 1])
        told = [labels[other] for other in neighbour[own]]
        weights = dict(zip(told, coupling[own].tolist(), strict=True))
        assert weights == dict(model.iter_neighborhood(label))
        assert field[at] == model.get_linear(label)


@given(bqms(max_size=5))
def test_betas_give_the_stated_chances(bqm):
    hot, cold = default_beta_range(binary_coefficients(bqm))
    changes = list(flip_changes(bqm))
    if max(changes, default=0) == 0:
        assert (hot, cold) == BETAS_WITHOUT_ENERGY
        return
    assert math.exp(-hot * max(changes)) == pytest.approx(1 / 2)
    model = bqm.change_vartype("BINARY", inplace=False)
    coefficients = [*model.linear.values(), *model.quadratic.values()]
    smallest = min(abs(float(value)) for value in coefficients if value)
    assert math.exp(-cold * smallest) == pytest.approx(1 / 100)
    assert hot < cold


@given(bqms(), st.sampled_from([1e-250, 1e-3, 1e250]))
def test_betas_scale_with_the_energy(bqm, factor):
    model = dimod.BinaryQuadraticModel(bqm, dtype=np.float64)
    betas = default_beta_range(binary_coefficients(model))
    model.scale(factor)
    scaled = default_beta_range(binary_coefficients(model))
    if betas == BETAS_WITHOUT_ENERGY:
        assert scaled == betas
    else:
        assert scaled == pytest.approx((betas[0] / factor, betas[1] / factor), rel=1e-9)


@pytest.mark.parametrize("biases", [(1e308, 1e308), (5e-324, 5e-324), (1.0, 1e-17), (0.0, 1e-320)])
def test_betas_are_finite_at_the_ends_of_floats(biases):
    a, b = biases
    bqm = dimod.BinaryQuadraticModel({0: a, 1: b}, {(0, 1): a}, "BINARY")
    hot, cold = default_beta_range(binary_coefficients(bqm))
    assert 0 < hot <= cold < math.inf


def test_rounding_of_a_conversion_is_no_energy():
    bqm = dimod.BinaryQuadraticModel({}, {(0, 1): 0.1, (0, 2): 0.2, (0, 3): -0.3}, "SPIN")
    found = binary_coefficients(bqm)
    assert 0 < abs(found.field[0]) < 1e-15
    assert default_beta_range(found)[1] == pytest.approx(math.log(100) / 0.2)


@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, object])
def test_what_is_not_finite_is_named(vartype, value, dtype):
    bqm = dimod.BinaryQuadraticModel({"a": 1, "b": value}, {"ac": 1}, vartype, dtype=dtype)
    with pytest.raises(InputError, match=f"bias of 'b' is {value}; it must be finite"):
        binary_coefficients(bqm)
    bqm = dimod.BinaryQuadraticModel({"a": 1}, {"ab": 1, "bc": value}, vartype, dtype=dtype)
    with pytest.raises(InputError, match=f"coupling of '[bc]' and '[bc]' is {value}; it must be"):
        binary_coefficients(bqm)


def test_what_is_too_large_or_no_number_is_refused():
    with pytest.raises(InputError, match=r"coupling of .* is 1e\+308"):
        binary_coefficients(dimod.BinaryQuadraticModel({}, {"ab": 1e308}, "SPIN"))
    huge = dimod.BinaryQuadraticModel({"a": 10**400}, {}, "BINARY", dtype=object)
    with pytest.raises(InputError, match="finite real number"):
        binary_coefficients(huge)
