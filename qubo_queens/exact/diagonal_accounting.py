"""Diagonal accounting: the open rows and columns determine sums over the diagonals of the queens.

m queens on the open rows and columns stand on m different sum diagonals ``k = r + c`` and m
different difference diagonals ``d = r - c``. Wherever the queens stand, ``sum(k)``, ``sum(d)`` and
``sum(k^2 + d^2) = 2 sum(r^2) + 2 sum(c^2)`` are the same. Dynamic programming over the diagonals
with free cells finds the sums of squares that m of them can have; if no two fit together, there is
no solution. All numbers are integers, so there is no rounding.

The check is a second program for the same sums; it shares no code with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isqrt

import numpy as np

from qubo_queens.board.certificate import Reduced
from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Kind
from qubo_queens.board.reduction import Reduction
from qubo_queens.exact.check import CertificateData, demand, replay

MOST_ROWS = 32
"""The largest number of open rows: the work grows with about its fifth power."""

MOST_BITS = 6_000_000
"""The largest set of pairs, in bits: enough for 32 adjacent rows, which take half a second."""

_MOST_CHECKED_ROWS = 64
"""The largest number of open rows that the check takes."""

_MOST_CHECKED_BITS = 3 * 10**7
"""The largest set of sums that the check makes, in bits; certificates found need far less."""


@dataclass(frozen=True)
class DiagonalAccounting(Reduced):
    """No choice of diagonals gives the sums that the open rows and columns demand.

    The m queens still to place stand on m different sum diagonals k and m different difference
    diagonals d. Over all of them, the open rows and columns determine the sums of k, of d, and of
    ``k^2 + d^2 = 2 r^2 + 2 c^2``.

    >>> DiagonalAccounting((), missing=2, sums=4, differences=0, squares=12).to_dict()
    {'kind': 'diagonal accounting', 'steps': []}

    Attributes:
        missing: The number m of queens still to place.
        sums: The sum of all k.
        differences: The sum of all d.
        squares: The sum of all k^2 + d^2.
    """

    kind = "diagonal accounting"
    missing: int
    sums: int
    differences: int
    squares: int

    @property
    def _conclusion(self) -> str:
        return (
            f"no {self.missing} of the free diagonals r + c = k and {self.missing} of the free "
            f"diagonals r - c = d give what the open rows and columns demand: the k add up to "
            f"{self.sums}, the d to {self.differences}, and all k^2 and d^2 to {self.squares}"
        )


def check_diagonal_accounting(instance: Instance, certificate: CertificateData) -> None:
    """Find every sum of squares that diagonals can have, and compare with what is demanded."""
    position = replay(instance, certificate["steps"])
    missing = position.missing
    demand(missing > 0, "no queen is missing")
    demand(missing <= _MOST_CHECKED_ROWS, f"{missing:,} queens are too many for sums of diagonals")
    cells = list(position.free_cells())
    open_lines = position.rows, position.columns
    rows, columns = map(sum, open_lines)
    squares = 2 * sum(i * i for lines in open_lines for i in lines)
    sums, differences = {r + c for r, c in cells}, {r - c for r, c in cells}
    if min(len(sums), len(differences)) < missing:
        return  # there are fewer diagonals than queens
    room = squares - _least(differences, missing)
    of_sums = _sums_of_squares(sums, missing, rows + columns, room)
    room = squares - min(of_sums, default=squares)
    of_differences = _sums_of_squares(differences, missing, rows - columns, room)
    meet = sorted(part for part in of_sums if squares - part in of_differences)
    demand(not meet, f"squares of {meet[:1]} and {squares} less that are possible")


def _least(values: set[int], number: int) -> int:
    return sum(sorted(value * value for value in values)[:number])


def _sums_of_squares(values: set[int], number: int, total: int, most: int) -> set[int]:
    """Return the sums of squares of `number` different values that add up to `total`.

    Values are shifted by their mean m first, which keeps numbers small:
    v^2 = (v - m)^2 + 2 m v - m^2. A set of pairs (sum, sum of squares) is one integer: bit
    ``square * width + sum`` is set if the pair can be reached. Sums of squares above `most` are cut
    off, counting the least that the values still to choose must add.
    """
    middle = round(total / number)
    constant = 2 * middle * total - number * middle * middle
    moved = sorted((value - middle for value in values), key=abs)
    squares = [value * value for value in moved]
    room = most - constant
    # No sum of values is larger, by Cauchy and Schwarz, so that sums never run into the squares.
    bound = isqrt(number * (max(room, 0) + squares[-1])) + 1
    width = 2 * bound + 1
    size = (max(room, 0) + squares[-1]) * width
    demand(size <= _MOST_CHECKED_BITS, f"the sums of {number} diagonals are too many to be checked")
    reached = [1 << bound] + [0] * number  # reached[c]: the pairs of c chosen values
    for at, (value, square) in enumerate(zip(moved, squares, strict=True)):
        for count in range(min(number, at + 1), 0, -1):
            coming = squares[at + 1 : at + 1 + number - count]
            digits = max(0, room - sum(coming) + 1) if len(coming) == number - count else 0
            grown = reached[count] | reached[count - 1] << square * width + value
            reached[count] = grown & (1 << digits * width) - 1
    shift = total - number * middle + bound
    if not 0 <= shift < width:
        return set()
    bits = f"{reached[number] >> shift:b}"[::-width]
    return {square + constant for square, bit in enumerate(bits) if bit == "1"}


def find_diagonal_accounting(
    reduction: Reduction,
    should_stop: Callable[[], bool] = lambda: False,
    most_bits: int = MOST_BITS,
) -> DiagonalAccounting | None:
    """Return a proof that the diagonals do not add up; None if they can, or the sets are too large.

    Args:
        reduction: What is left of an instance without contradictions.
        should_stop: Called after each diagonal; if it returns true, nothing is proven.
        most_bits: The largest set of pairs, in bits. A few open rows that lie far apart need sets
            as large as many adjacent ones.
    """
    rows, columns = (reduction.open_lines(kind) for kind in (Kind.ROW, Kind.COLUMN))
    missing = len(rows)
    free_rows, free_columns = reduction.free_arrays
    if not 0 < missing <= MOST_ROWS or not len(free_rows):
        return None
    # Rows and columns, and with them the diagonals, are shifted to around 0 to keep numbers small.
    row, column = round(float(rows.mean())), round(float(columns.mean()))
    moved_rows, moved_columns = rows - row, columns - column
    directions = (
        (free_rows + free_columns - (row + column), int(moved_rows.sum() + moved_columns.sum())),
        (free_rows - free_columns - (row - column), int(moved_rows.sum() - moved_columns.sum())),
    )
    squares = int(2 * (moved_rows @ moved_rows) + 2 * (moved_columns @ moved_columns))
    sought = [(np.unique(diagonals).tolist(), total) for diagonals, total in directions]
    if _can_be_met(sought, squares, missing, should_stop, most_bits):
        return None
    return DiagonalAccounting(
        reduction.steps,
        missing,
        sums=int(rows.sum() + columns.sum()),
        differences=int(rows.sum() - columns.sum()),
        squares=int(2 * (rows @ rows) + 2 * (columns @ columns)),
    )


def _can_be_met(
    directions: Sequence[tuple[list[int], int]],
    squares: int,
    missing: int,
    should_stop: Callable[[], bool],
    most_bits: int,
) -> bool:
    """Return whether `missing` diagonals of each direction can have the sums that are demanded.

    Also true if the search was stopped, or would need sets of more than `most_bits`.

    Args:
        directions: For sums and for differences: the diagonals with free cells, and their total.
        squares: The sum over the squares of both.
        missing: The number of queens still to place.
        should_stop: As for ``find_diagonal_accounting``.
        most_bits: Likewise.
    """
    if min(len(values) for values, _ in directions) < missing:
        return False
    together = (squares - sum(total for _, total in directions)) // 2
    least = [sum(sorted(map(_half, values))[:missing]) for values, _ in directions]
    rooms = [together - other for other in reversed(least)]
    if any(
        _width(values, missing, room) * (max(room, 0) + max(map(_half, values))) > most_bits
        for (values, _), room in zip(directions, rooms, strict=True)
    ):
        return True
    halves = [
        _reachable(values, missing, total, room, should_stop)
        for (values, total), room in zip(directions, rooms, strict=True)
    ]
    return should_stop() or any(together - half in halves[1] for half in halves[0])


def _half(value: int) -> int:
    """Return (v^2 - v) / 2, which is half as large as v^2 and replaces it where sum(v) is fixed."""
    return (value * value - value) // 2


def _width(values: Sequence[int], number: int, most: int) -> int:
    """Return an odd bound on the number of different sums of values.

    By Cauchy and Schwarz, ``sum(v)^2 <= number * sum(v^2)``.
    """
    halves = max(most, 0) + max(map(_half, values))
    return 2 * (number + isqrt(2 * number * halves) + 1) + 1


def _reachable(
    values: Sequence[int], number: int, total: int, most: int, should_stop: Callable[[], bool]
) -> set[int]:
    """Return the sums of ``(v^2 - v) / 2``, up to `most`, of `number` values whose sum is `total`.

    The reachable pairs (sum of v, sum of halves) of c values are the bits of one integer: bit
    ``halves * width + sum`` plus an offset, so that adding a value is one shift. Values come in the
    order of their halves: the least that the remaining values add is then known, and pairs that
    would exceed `most` are cut off. Once `should_stop` returns true, the result is meaningless.
    """
    by_half = sorted(values, key=_half)
    halves = list(map(_half, by_half))
    added = [0, *accumulate(halves)]
    width = _width(values, number, most)  # sums never mix with those of the next half
    bound = width // 2
    reached = [1 << bound, *[0] * number]  # reached[c]: the pairs of c chosen values
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
