"""Weights as small integers: kernels count energies in a common divisor of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

LARGEST_MULTIPLE = 1 << 20
"""Bound on a weight in units: energies of a board must fit in 64 bits."""


def common_unit(weights: Iterable[float]) -> float | None:
    """Return the largest number that all weights are integer multiples of.

    The weights are taken as exactly what they are, so 0.1 and 0.2 have the unit 0.1, while 0.1 and
    0.3 have none of use.

    Returns:
        The unit, or None if there is none of which every weight is at most 2^20 times as large, or
        if all weights are 0.
    """
    exact = [abs(Fraction(weight)) for weight in weights if weight]
    if not exact:
        return None
    scale = math.lcm(*(weight.denominator for weight in exact))
    unit = Fraction(math.gcd(*(int(weight * scale) for weight in exact)), scale)
    return float(unit) if max(exact) <= LARGEST_MULTIPLE * unit else None
