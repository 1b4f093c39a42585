"""Any binary quadratic model as plain arrays, and the temperatures that suit it."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.checks import shown
from qubo_queens.errors import InputError
from qubo_queens.samplers.annealers.schedule import FloatArray

IndexArray: TypeAlias = npt.NDArray[np.int32]

BETAS_WITHOUT_ENERGY = (0.1, 1.0)
"""For models in which all energies are equal: any temperatures do."""

_ROUNDING = 2.0**-40
"""Coefficients below this part of the largest energy change are taken for rounding errors."""


class Vectors(NamedTuple):
    """The coefficients of a model with variables 0 and 1, numbered as in ``bqm.variables``.

    Attributes:
        field: The linear biases, of shape (N,).
        first, second: The two variables of each of the M interactions, of shape (M,).
        coupling: The weight of each interaction, of shape (M,).
    """

    field: FloatArray
    first: IndexArray
    second: IndexArray
    coupling: FloatArray


class Adjacency(NamedTuple):
    """The same with the neighbours of each variable, as ``anneal_adjacency`` takes them.

    Attributes:
        start: Where the neighbours of each variable begin, of shape (N + 1,).
        neighbour: The other variable of each coupling, of shape (2M,).
        coupling: The weight of each coupling, of shape (2M,).
        field: The linear biases, of shape (N,).
    """

    start: npt.NDArray[np.int64]
    neighbour: IndexArray
    coupling: FloatArray
    field: FloatArray


def binary_vectors(bqm: dimod.BinaryQuadraticModel) -> Vectors:
    """Return the coefficients of `bqm` over 0 and 1; the model is not changed.

    With ``s = 2x - 1``, ``h s`` is ``2h x`` and ``J s t`` is ``4J x y - 2J x - 2J y``, up to
    constants. This is done in 64-bit floats, whatever the model holds.

    Raises:
        InputError: If a bias is not a finite real number, or too large for variables 0 and 1.
    """
    try:
        found = bqm.to_numpy_vectors(bqm.variables)
        field = found.linear_biases.astype(np.float64)
        coupling = found.quadratic.biases.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:  # a model may hold any objects
        raise InputError(f"every bias must be a finite real number: {error}") from error
    first, second = found.quadratic.row_indices, found.quadratic.col_indices
    if bqm.vartype is dimod.SPIN:
        with np.errstate(over="ignore", invalid="ignore"):  # told below, with the variable
            for end in (first, second):
                field -= np.bincount(end, coupling, len(field))
            field, coupling = 2 * field, 4 * coupling
    vectors = Vectors(
        field, first.astype(np.int32, copy=False), second.astype(np.int32, copy=False), coupling
    )
    _check_finite(vectors, bqm)
    return vectors


def adjacency(vectors: Vectors) -> Adjacency:
    """Return the adjacency lists of a model."""
    size = len(vectors.field)
    source = np.concatenate([vectors.first, vectors.second])
    order = np.argsort(source, kind="stable")
    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=size), out=start[1:])
    return Adjacency(
        start,
        np.concatenate([vectors.second, vectors.first])[order],
        np.concatenate([vectors.coupling, vectors.coupling])[order],
        vectors.field,
    )


def default_beta_range(vectors: Vectors) -> tuple[float, float]:
    """Return the first and the last inverse temperature of an annealing schedule.

    The first is ``log(2) / D``: even the largest change D of the energy by one flip is accepted
    with probability 1/2. With biases f and couplings J over 0 and 1, D is the largest of
    ``|f_i + sum of the positive J_ij|`` and ``|f_i + sum of the negative J_ij|``. The last is
    ``log(100) / d``: the smallest change d above 0 is accepted with probability 1/100. To find
    the smallest change is a subset sum problem; the smallest nonzero ``|f_i|`` or ``|J_ij|``
    stands for it. This is the custom of ``dwave.samplers.SimulatedAnnealingSampler``, without
    its factor for the number of variables.

    Returns:
        Two finite numbers in inverse units of energy, the first at most as large as the second;
        `BETAS_WITHOUT_ENERGY` if no coefficient differs from 0.
    """
    field, first, second, coupling = vectors
    largest = 0.0
    with np.errstate(over="ignore"):
        for part in (np.maximum(coupling, 0.0), np.minimum(coupling, 0.0)):
            reach = field.copy()
            for end in (first, second):
                reach += np.bincount(end, part, len(field))
            largest = max(largest, float(np.abs(reach).max(initial=0.0)))
    largest = min(largest, np.finfo(np.float64).max)
    sizes = np.abs(np.concatenate([field, coupling]))
    smallest = float(sizes[sizes > _ROUNDING * largest].min(initial=math.inf))
    if largest == 0 or smallest == math.inf:
        return BETAS_WITHOUT_ENERGY
    # Numbers so small that the quotient is not finite have no use for a finer temperature.
    floor = 1e-300
    return math.log(2) / max(largest, floor), math.log(100) / max(smallest, floor)


def _check_finite(vectors: Vectors, bqm: dimod.BinaryQuadraticModel) -> None:
    """Refuse coefficients that are NaN or infinite.

    Raises:
        InputError: Names the first variable or pair of variables with one.
    """
    field, first, second, coupling = vectors
    # A coupling of spins spoils the linear biases as well: it is the one to name.
    for at in np.flatnonzero(~np.isfinite(coupling))[:1]:
        labels = list(bqm.variables)
        one, other = labels[first[at]], labels[second[at]]
        raise InputError(
            f"the coupling of {shown(one)} and {shown(other)} is {bqm.get_quadratic(one, other)}; "
            "it must be finite, and far below 1e308"
        )
    for at in np.flatnonzero(~np.isfinite(field))[:1]:
        variable = list(bqm.variables)[at]
        raise InputError(
            f"the linear bias of {shown(variable)} is {bqm.get_linear(variable)}; "
            "it must be finite, and so must the sum with its couplings, far below 1e308"
        )
