"""How large the domain-wall model of a plain board is, in closed form.

Bits i and j of two rows at distance d are coupled by f(j - i) with f(t) = 2 w(t) - w(t-1) - w(t+1),
where w(0) = A, w(d) = w(-d) = B and w = 0 elsewhere: a second difference, since each x is a
difference of two bits.
"""

from __future__ import annotations

import numpy as np

from qubo_queens.board.lines import IntArray
from qubo_queens.encodings.strengths import Strengths

_SMALL = 12


def plain_interactions(n: int, strengths: Strengths) -> int:
    """Return the number of interactions; n - d pairs of rows are at distance d.

    Two rows have n - 1 - |t| pairs of bits that are t apart, and a row n - 2 pairs of neighbours.
    """
    total = n * max(0, n - 2)
    for distance in range(1, min(n, 3)):
        pairs = (_at(n, t) for t in _offsets(distance, strengths))
        total += (n - distance) * sum(pairs)
    if n > 3:
        # For d = 3 .. n - 1 and e = n - d: t = 0 and t = 1 in any case; t = d - 1, d, d + 1 leave
        # 2 (e + (e - 1) + (e - 2)) = 6 e - 6 pairs of bits, but 2 more for e = 1.
        m = n - 3
        sum_e, sum_e2 = m * (m + 1) // 2, m * (m + 1) * (2 * m + 1) // 6
        total += (_at(n, 0) + _at(n, 1)) * sum_e + 6 * (sum_e2 - sum_e) + 2
    return total


def plain_degree(n: int, strengths: Strengths) -> int:
    """Return the largest degree, that of a bit in the middle of a row in the middle.

    On boards that are so small that the couplings of near rows matter, every bit is asked.
    """
    if n > _SMALL:
        return _degree(n, (n - 1) // 2, n // 2, strengths)
    return max(
        (_degree(n, row, bit, strengths) for row in range(n) for bit in range(1, n)), default=0
    )


def _degree(n: int, row: int, bit: int, strengths: Strengths) -> int:
    """Return with how many others a bit is coupled; bits of a row count from 1 to n - 1."""
    distances = np.arange(1, n)
    rows = (distances <= row).astype(np.int64) + (distances < n - row)

    def inside(offsets: IntArray) -> IntArray:
        """Return how many of the bits that are so far to the left and to the right exist."""
        return (offsets < bit).astype(np.int64) + (offsets < n - bit)

    degree = int(bit > 1) + int(bit < n - 1)
    for distance in range(1, min(n, 3)):
        offsets = np.array(_offsets(distance, strengths))
        coupled = inside(offsets[offsets > 0]).sum() + (offsets == 0).sum()
        degree += int(rows[distance - 1] * coupled)
    far = distances[2:]
    coupled = 1 + inside(np.ones_like(far))
    for step in (-1, 0, 1):
        coupled = coupled + inside(far + step)
    return degree + int((rows[2:] * coupled).sum())


def plain_coefficient(n: int, strengths: Strengths) -> float:
    """Return the largest absolute value of a bias or coupling.

    The first bit of a row meets the virtual first bits, always 1, of all other rows: its bias is
    B for each neighbouring row minus A (n - 1). All others have W, minus B for some rows.
    """
    a, b = strengths.row_column, strengths.diagonal
    if n == 1:
        return 0
    if n == 2:
        return abs(2 * a - 2 * b)
    first_bits = abs((n - 1) * a - b), abs((n - 1) * a - 2 * b)
    return max(*first_bits, 2 * a, strengths.of("wall"))  # a wall outweighs all other couplings


def _offsets(distance: int, strengths: Strengths) -> list[int]:
    """Return the t >= 0 with f(t) not 0 at distances 1 and 2, where terms meet and may cancel."""
    a, b = strengths.row_column, strengths.diagonal
    if distance == 2:
        return [0, 1, 2, 3]
    return [t for t, coupling in ((0, 2 * a - 2 * b), (1, 2 * b - a), (2, b)) if coupling]


def _at(n: int, t: int) -> int:
    """Return how many pairs of bits of two rows are t or -t apart."""
    return (1 if t == 0 else 2) * max(0, n - 1 - t)
