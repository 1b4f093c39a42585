"""Diagonal accounting: the open rows and columns fix what the diagonals of the queens add up to.

m queens on the open rows and columns stand on m different sum diagonals ``k = r + c`` and m
different difference diagonals ``d = r - c``. Whoever stands where, ``sum(k)``, ``sum(d)`` and
``sum(k^2 + d^2) = 2 sum(r^2) + 2 sum(c^2)`` are the same. Dynamic programming over the diagonals
that have free cells tells which sums of squares m of them can have; if no two go together, there is
no solution. All is whole numbers, so there is no rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isqrt

import numpy as np

from qubo_queens.board.certificate import DiagonalAccounting
from qubo_queens.board.lines import IntArray, Kind
from qubo_queens.board.reduction import Reduction

MOST_ROWS = 32
"""Boards with more open rows are left out: the work grows with about the fifth power."""

MOST_BITS = 6_000_000
"""How large a set of pairs may become: enough for 32 adjacent rows, which take half a second."""


@dataclass(frozen=True)
class _Demand:
    """What the diagonals of m queens have to add up to, moved so that the sums are small.

    Attributes:
        sums: The usable sum diagonals, moved.
        differences: The usable difference diagonals, moved.
        total: What the moved sum diagonals add up to.
        difference: What the moved difference diagonals add up to.
        squares: What the squares of all of them add up to.
    """

    sums: list[int]
    differences: list[int]
    total: int
    difference: int
    squares: int


def diagonal_accounting(
    reduction: Reduction,
    should_stop: Callable[[], bool] = lambda: False,
    most_bits: int = MOST_BITS,
) -> DiagonalAccounting | None:
    """Return the proof that the diagonals do not add up, or None if they can, or it is too large.

    Args:
        reduction: What is left of an instance without contradictions.
        should_stop: Asked after each diagonal; if it returns true, nothing is proven.
        most_bits: How large a set of pairs may become, in bits. Few open rows that lie far apart
            make sets as large as those of many.
    """
    rows, columns = (reduction.open_lines(kind) for kind in (Kind.ROW, Kind.COLUMN))
    missing = len(rows)
    free_rows, free_columns = reduction.free_arrays
    if not 0 < missing <= MOST_ROWS or not len(free_rows):
        return None
    demand = _demand(rows, columns, free_rows + free_columns, free_rows - free_columns)
    if _can_be_met(demand, missing, should_stop, most_bits):
        return None
    return DiagonalAccounting(
        reduction.steps,
        missing,
        sums=int(rows.sum() + columns.sum()),
        differences=int(rows.sum() - columns.sum()),
        squares=int(2 * (rows @ rows) + 2 * (columns @ columns)),
    )


def _demand(rows: IntArray, columns: IntArray, sums: IntArray, differences: IntArray) -> _Demand:
    """Move rows and columns, and with them the diagonals, to around 0."""
    row = round(float(rows.mean()))
    column = round(float(columns.mean()))
    rows, columns = rows - row, columns - column
    return _Demand(
        (np.unique(sums) - (row + column)).tolist(),
        (np.unique(differences) - (row - column)).tolist(),
        int(rows.sum() + columns.sum()),
        int(rows.sum() - columns.sum()),
        int(2 * (rows @ rows) + 2 * (columns @ columns)),
    )


def _can_be_met(
    demand: _Demand, missing: int, should_stop: Callable[[], bool], most_bits: int
) -> bool:
    """Tell whether `missing` diagonals of each family can meet the demand.

    True also if it was stopped, or if it would take sets of more than `most_bits`.
    """
    families = (demand.sums, demand.differences)
    if min(map(len, families)) < missing:
        return False
    together = (demand.squares - demand.total - demand.difference) // 2
    least = [sum(sorted(map(_half, family))[:missing]) for family in families]
    rooms = [together - other for other in reversed(least)]
    if any(
        _width(family, missing, room) * (max(room, 0) + max(map(_half, family))) > most_bits
        for family, room in zip(families, rooms, strict=True)
    ):
        return True
    halves = [
        _reachable(family, missing, total, room, should_stop)
        for family, total, room in zip(
            families, (demand.total, demand.difference), rooms, strict=True
        )
    ]
    return should_stop() or any(together - half in halves[1] for half in halves[0])


def _half(value: int) -> int:
    """Return (v^2 - v) / 2: where the v add up to something fixed, it says the same as v^2."""
    return (value * value - value) // 2


def _width(values: Sequence[int], number: int, most: int) -> int:
    """Return a number of different sums that sums of values stay within; it is odd.

    By Cauchy and Schwarz, ``sum(v)^2 <= number * sum(v^2)``.
    """
    halves = max(most, 0) + max(map(_half, values))
    return 2 * (number + isqrt(2 * number * halves) + 1) + 1


def _reachable(
    values: Sequence[int], number: int, total: int, most: int, should_stop: Callable[[], bool]
) -> set[int]:
    """Return which sums of ``(v^2 - v) / 2`` up to `most` a choice of different values can have.

    The reachable pairs (sum of v, sum of halves) of c values are the bits of one Python integer,
    the halves in the higher digits, so that a value is added by one shift. Values come by growing
    half: what the remaining ones add at least is known, and pairs beyond `most` are cut off.

    Args:
        values: The values.
        number: How many to choose.
        total: What they add up to.
        most: The largest sum of halves of interest.
        should_stop: Asked after each value; the answer is then of no use.
    """
    by_half = sorted(values, key=_half)
    halves = list(map(_half, by_half))
    added = [0, *accumulate(halves)]
    width = _width(values, number, most)  # sums never mix with those of the next half
    bound = width // 2
    reached = [1 << bound, *[0] * number]
    for at, (value, half) in enumerate(zip(by_half, halves, strict=True), 1):
        for count in range(min(at, number), 0, -1):
            after = at + number - count
            room = most - (added[after] - added[at]) if after < len(added) else -1
            if room < 0:
                reached[count] = 0
                continue
            grown = reached[count] | reached[count - 1] << half * width + value
            reached[count] = grown & ((1 << (room + 1) * width) - 1)
        if should_stop():
            return set()
    if abs(total) > bound:
        return set()
    digits = f"{reached[number] >> total + bound:b}"[::-width]
    return {half for half, digit in enumerate(digits) if digit == "1"}
