"""The weights of the constraint families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from qubo_queens.board.lines import ROW_COLUMN, Kind
from qubo_queens.checks import positive_number, shown
from qubo_queens.errors import InputError

Relaxation = Literal["rooks"]

_LARGEST_CUBE = 1e300
"""Bound on n^3 times a strength, far above any energy of a board, so that none overflows."""

_LARGEST_RATIO = 10**9
"""Bound on the ratio of two strengths: n^2 times that fits in a double for any BQM in memory."""

_SMALLEST = 1e-100
"""Bound below which 1 / strength, the unit of beta, would come near to overflowing."""


def family_of(kind: Kind) -> str:
    """Return the family of constraints that lines of a family belong to."""
    return "row_column" if kind in ROW_COLUMN else "diagonal"


@dataclass(frozen=True)
class Strengths:
    """Checked weights, by constraint family.

    What each of them weighs depends on the encoding; an encoding without such a family has None.

    Attributes:
        row_column: The weight of the constraints of rows and columns.
        diagonal: The weight of the constraints of diagonals.
        one_hot: The weight of "this variable has one value".
        count: The weight of "there are n queens".
        wall: The weight of a broken domain wall.
        relaxation: ``rooks`` if the diagonals are left out on purpose (diagonal = 0), else None.
    """

    row_column: float
    diagonal: float
    one_hot: float | None = None
    count: float | None = None
    wall: float | None = None
    relaxation: Relaxation | None = None

    def of(self, family: str) -> float:
        """Return the weight of a family; what is forbidden weighs as much as rows and columns."""
        weight: float | None = getattr(self, "row_column" if family == "forbidden" else family)
        assert weight is not None
        return weight

    def check_ratio(self) -> None:
        """Refuse strengths so far apart that the smaller is lost in sums with the larger one.

        Raises:
            InputError: If there are such.
        """
        small, large = self.least, max(self._weights)
        if large > small * _LARGEST_RATIO:
            raise InputError(
                f"strengths {small} and {large} are more than {_LARGEST_RATIO:,} times apart: the "
                "smaller would be lost in rounding"
            )

    @property
    def least(self) -> float:
        """The smallest weight."""
        return min(self._weights)

    @property
    def _weights(self) -> list[float]:
        every = (self.row_column, self.diagonal, self.one_hot, self.count, self.wall)
        return [weight for weight in every if weight is not None]

    def gap_of_sums(self, num_forbidden: int) -> float:
        """Return min(2A, B), the gap where rows and columns are sums that must be 1.

        A board with a wrong number of queens in one row has another such row, or a wrong number
        of queens in some column. It is 2A without diagonals, and A if prescribed queens stand
        on `num_forbidden` forbidden cells.
        """
        a, b = self.row_column, self.diagonal
        return a if num_forbidden else min(2 * a, b or 2 * a)

    @classmethod
    def checked(cls, n: int, weights: Mapping[str, object], relaxation: object = None) -> Strengths:
        """Check the strengths for a board of size `n`.

        Args:
            n: The board size.
            weights: The strengths by family, ``row_column`` and ``diagonal`` among them; None for
                one that is yet to be settled.
            relaxation: ``rooks`` or None.

        Raises:
            InputTypeError: If a strength is not a number.
            InputError: If one is NaN, infinite, not above 0, or so large that energies overflow;
                or if the diagonal strength is 0 without ``relaxation="rooks"`` or the reverse.
        """
        if relaxation is not None and not (isinstance(relaxation, str) and relaxation == "rooks"):
            raise InputError(f"relaxation={shown(relaxation)} is unknown; the only one is 'rooks'")
        rooks = relaxation == "rooks"
        numbers = {
            family: positive_number(weight, f"{family}_strength", zero=family == "diagonal")
            for family, weight in weights.items()
            if weight is not None
        }
        if rooks != (numbers["diagonal"] == 0):
            raise InputError(
                "diagonal_strength=0 leaves the diagonals out and is allowed only together with "
                f"relaxation='rooks', not diagonal_strength={numbers['diagonal']} with "
                f"relaxation={relaxation!r}"
            )
        for family, number in numbers.items():
            _check_size(f"{family}_strength", number, n)
        return cls(**numbers, relaxation="rooks" if rooks else None)


def _check_size(name: str, strength: float, n: int) -> None:
    """Refuse a strength that energies would overflow with, or betas in its unit.

    Raises:
        InputError: If it is such a one.
    """
    if strength > _LARGEST_CUBE / n**3:
        raise InputError(
            f"{name} {float(strength):g} is too large for n={n}: energies would overflow; "
            f"it must be at most {_LARGEST_CUBE / n**3:g}"
        )
    if 0 < strength < _SMALLEST:
        raise InputError(f"{name} {strength} is too small; it must be at least {_SMALLEST}")
