"""The weights of the constraint families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qubo_queens.checks import positive_number, shown
from qubo_queens.errors import InputError

Relaxation = Literal["rooks"]

DEFAULT_ROW_COLUMN = 1
DEFAULT_DIAGONAL = 2

_LARGEST_CUBE = 1e300
"""Bound on n^3 times a strength, far above any energy of a board, so that none overflows."""

_SMALLEST = 1e-100
"""Bound below which 1 / strength, the unit of beta, would come near to overflowing."""


@dataclass(frozen=True)
class Strengths:
    """Checked weights.

    Attributes:
        row_column: A, the weight of ``(count - 1)^2`` on each row and column.
        diagonal: B, the weight of each pair of queens on one diagonal.
        relaxation: ``rooks`` if the diagonals are left out on purpose (B = 0), else None.
    """

    row_column: float
    diagonal: float
    relaxation: Relaxation | None = None

    @classmethod
    def checked(
        cls, n: int, row_column: object, diagonal: object, relaxation: object = None
    ) -> Strengths:
        """Check the strengths for a board of size `n`.

        Raises:
            InputTypeError: If a strength is not a number.
            InputError: If one is NaN, infinite, not above 0, or so large that energies overflow;
                or if the diagonal strength is 0 without ``relaxation="rooks"`` or the reverse.
        """
        if relaxation is not None and not (isinstance(relaxation, str) and relaxation == "rooks"):
            raise InputError(f"relaxation={shown(relaxation)} is unknown; the only one is 'rooks'")
        rooks = relaxation == "rooks"
        a = positive_number(row_column, "row_column_strength")
        b = positive_number(diagonal, "diagonal_strength", zero=True)
        if rooks != (b == 0):
            raise InputError(
                "diagonal_strength=0 leaves the diagonals out and is allowed only together with "
                f"relaxation='rooks', not diagonal_strength={b} with relaxation={relaxation!r}"
            )
        for name, strength in (("row_column_strength", a), ("diagonal_strength", b)):
            if strength > _LARGEST_CUBE / n**3:
                raise InputError(
                    f"{name} {float(strength):g} is too large for n={n}: energies would overflow; "
                    f"it must be at most {_LARGEST_CUBE / n**3:g}"
                )
            if 0 < strength < _SMALLEST:
                raise InputError(f"{name} {strength} is too small; it must be at least {_SMALLEST}")
        return cls(a, b, "rooks" if rooks else None)
