"""Weights as small integers: kernels count energies in a common divisor of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import IntArray
from qubo_queens.errors import InputError

LARGEST_MULTIPLE = 2**20
"""The largest coefficient in units; energies of boards stay far from the ends of 64 bits."""

_ROUNDING = 2.0**-48
"""How far a bias may be from a multiple of the unit, as a part of the largest coefficient."""


def in_units(values: npt.NDArray[np.float64]) -> tuple[float, IntArray]:
    """Write values as multiples of the largest unit.

    Args:
        values: Finite, the first above 0. The unit is the first divided by an integer, which grows
            until all values are multiples: at least doubled each time, so some 20 times at most.

    Returns:
        The unit, and the integers that it is to be multiplied with, of absolute values up to 2^20.

    Raises:
        InputError: If there is no such unit.
    """
    base = float(values[0])
    with np.errstate(over="ignore"):
        ratios = values / base
    largest = float(np.abs(ratios).max())
    per_base = 1
    while largest * per_base <= LARGEST_MULTIPLE:
        scaled = ratios * per_base
        multiples = np.rint(scaled)
        off = np.flatnonzero(np.abs(scaled - multiples) > _ROUNDING * largest * per_base)
        if not len(off):
            return base / per_base, multiples.astype(np.int64)
        ratio = Fraction(float(ratios[off[0]])).limit_denominator(LARGEST_MULTIPLE)
        larger = math.lcm(per_base, ratio.denominator)
        if larger == per_base:
            break
        per_base = larger
    raise InputError(
        f"the coefficients are no multiples, up to {LARGEST_MULTIPLE} times, of a common unit"
    )
