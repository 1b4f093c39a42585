"""What the encodings with a variable for each row declare: no two rows may attack each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from qubo_queens.board.lines import IntArray, Kind, position
from qubo_queens.encodings.couplings import pair_number, pairs_in_groups
from qubo_queens.encodings.penalties import Penalties
from qubo_queens.encodings.rules import Constraint
from qubo_queens.encodings.strengths import family_of


def row_constraints(n: int) -> tuple[Constraint, ...]:
    """Return ``C_r has one value`` for each row, then what is demanded of every two rows."""
    values = (f"C_{row} has one value" for row in range(n))
    return tuple(Constraint(None, statement=text) for text in (*values, *_of_pairs(n)))


def _of_pairs(n: int) -> Iterable[str]:
    for r in range(n):
        for s in range(r + 1, n):
            yield f"C_{r} != C_{s}"
            yield f"|C_{r} - C_{s}| != {s - r}"


def add_row_pairs(penalties: Penalties, cells: IntArray, n: int) -> None:
    """Add a product for every two queens of different rows that attack each other.

    Args:
        penalties: Takes those in a column as ``row_column``, those on a diagonal as ``diagonal``.
        cells: The row and column of each literal that is a queen, shape (literals, 2); the first
            literals are meant.
        n: The board size.
    """
    rows, columns = cells.T
    for kind in (Kind.COLUMN, Kind.SUM, Kind.DIFFERENCE):
        first, second = pairs_in_groups(position(kind, rows, columns, n))
        r, s = np.minimum(rows[first], rows[second]), np.maximum(rows[first], rows[second])
        numbers = n + 2 * pair_number(r, s, n) + (kind is not Kind.COLUMN)
        penalties.product(family_of(kind), numbers, first, second)
