"""Hypothesis strategies for boards, instances, strengths and models of any kind."""

from itertools import combinations

import dimod
import numpy as np
from hypothesis import strategies as st

from qubo_queens import Instance, Placement

INTEGER_STRENGTHS = [(1, 2), (1, 1), (2, 1), (3, 5), (6, 12)]
OTHER_STRENGTHS = [(0.1, 0.7), (1.5, 2.25), (1, 1 / 3), (1e-3, 1e3)]

integer_strengths = st.sampled_from(INTEGER_STRENGTHS)
strengths = st.sampled_from(INTEGER_STRENGTHS + OTHER_STRENGTHS)
modes = st.sampled_from(["none", "lines", "propagate", "probe"])


def cells(n):
    """Draw a cell of an n x n board."""
    return st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))


def diagonals(low, high):
    """Draw a few indices of diagonals."""
    return st.sets(st.integers(low, high), max_size=3)


@st.composite
def instances(draw, min_n=1, max_n=6, max_queens=4):
    """Draw an instance of any kind, contradictory ones included."""
    n = draw(st.integers(min_n, max_n))
    return Instance(
        n,
        draw(st.sets(cells(n), max_size=max_queens)),
        blocked=draw(st.sets(cells(n), max_size=2 * n)),
        excluded_sums=draw(diagonals(0, 2 * n - 2)),
        excluded_differences=draw(diagonals(1 - n, n - 1)),
    )


@st.composite
def boards(draw, min_n=1, max_n=9):
    """Draw an instance and any placement on its board."""
    instance = draw(instances(min_n, max_n))
    return instance, draw(placements(instance.n))


def placements(n):
    """Draw any placement, from no queen to many; or one queen in each row and column."""
    anyhow = st.sets(cells(n), max_size=2 * n).map(lambda queens: Placement(n, queens))
    permutations = st.permutations(range(n)).map(Placement.from_columns)
    return anyhow | permutations


@st.composite
def states(draw, model):
    """Draw a state of a model's variables, by label."""
    bits = draw(st.integers(0, 2 ** len(model.variables) - 1))
    return {variable: bits >> i & 1 for i, variable in enumerate(model.variables)}


@st.composite
def bqms(draw, max_size=6, units=(0.25,)):
    """Draw a model of either vartype, with any labels, in any precision, isolated variables too."""
    size = draw(st.integers(0, max_size))
    labels = draw(st.permutations([0, "a", (1, 2), "b", 7, ("c",)]))[:size]
    unit = draw(st.sampled_from(units))
    biases = st.integers(-8, 8).map(lambda number: number * unit)
    pairs = list(combinations(labels, 2))
    bqm = dimod.BinaryQuadraticModel(
        draw(st.sampled_from(["BINARY", "SPIN"])),
        dtype=draw(st.sampled_from([np.float32, np.float64, object])),
    )
    for label in labels:
        bqm.add_linear(label, draw(biases))
    for one, other in draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []:
        bqm.add_quadratic(one, other, draw(biases))
    bqm.offset = draw(biases)
    return bqm
