"""Strengths: the weights of the penalties of a model, by family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from qubo_queens.board.lines import ROW_COLUMN, Kind
from qubo_queens.checks import positive_number, shown
from qubo_queens.errors import Argument, InputError, Remedy

Relaxation = Literal["rooks"]

_LARGEST_CUBE = 1e300
"""Bound on n^3 times a strength, far above any energy of a board, so that none overflows."""

_SMALLEST = 1e-100
"""Smaller strengths are refused, since 1 / strength, the unit of beta, could overflow."""


def family_of(kind: Kind) -> str:
    """Return the family of the penalties of lines: ``row_column`` or ``diagonal``."""
    return "row_column" if kind in ROW_COLUMN else "diagonal"


@dataclass(frozen=True)
class Strengths:
    """Checked weights: pairs of a family and its weight, ``row_column`` and ``diagonal`` included.

    With the relaxation ``rooks`` the diagonals are left out on purpose: their weight is 0.
    """

    weights: tuple[tuple[str, float], ...]
    relaxation: Relaxation | None = None

    def of(self, family: str) -> float:
        """Return the weight of a family; that of ``forbidden`` is the one of ``row_column``."""
        return dict(self.weights)["row_column" if family == "forbidden" else family]

    @property
    def row_column(self) -> float:
        """The weight of the constraints of rows and columns."""
        return self.of("row_column")

    @property
    def diagonal(self) -> float:
        """The weight of the constraints of diagonals."""
        return self.of("diagonal")

    @property
    def least(self) -> float:
        """The smallest weight."""
        return min(weight for _, weight in self.weights)

    def gap_of_sums(self, num_forbidden: int) -> float:
        """Return min(2A, B), the gap where rows and columns are sums that must be 1.

        If one row or column has a wrong number of queens, then so has a second one. The gap is 2A
        without diagonals, and A if prescribed queens stand on `num_forbidden` > 0 forbidden cells.
        """
        a, b = self.row_column, self.diagonal
        return a if num_forbidden else min(2 * a, b or 2 * a)

    @classmethod
    def checked(cls, n: int, weights: Mapping[str, object], relaxation: object = None) -> Strengths:
        """Check the strengths for a board of size `n`."""
        if relaxation is not None and not (isinstance(relaxation, str) and relaxation == "rooks"):
            raise InputError(f"relaxation={shown(relaxation)} is unknown; the only one is 'rooks'")
        numbers = {
            family: positive_number(weight, f"{family}_strength", zero=family == "diagonal")
            for family, weight in weights.items()
        }
        if (relaxation == "rooks") != (numbers["diagonal"] == 0):
            raise InputError(
                Argument("diagonal_strength", 0),
                " leaves the diagonals out, which states another problem",
                Remedy(
                    "; it is allowed only together with ",
                    Argument("relaxation", "rooks"),
                    f", not diagonal_strength={numbers['diagonal']} with relaxation={relaxation!r}",
                ),
            )
        for family, number in numbers.items():
            _check_size(Argument(f"{family}_strength"), number, n)
        return cls(tuple(numbers.items()), "rooks" if relaxation == "rooks" else None)


def _check_size(name: Argument, strength: float, n: int) -> None:
    """Refuse a strength with which energies, or betas in its unit, would overflow."""
    if strength > _LARGEST_CUBE / n**3:
        raise InputError(
            name,
            f" {float(strength):g} is too large for n={n}: energies would overflow; "
            f"it must be at most {_LARGEST_CUBE / n**3:g}",
        )
    if 0 < strength < _SMALLEST:
        raise InputError(name, f" {strength} is too small; it must be at least {_SMALLEST}")


class Rule(NamedTuple):
    """A default that depends on the strengths whose defaults are numbers; and in words."""

    weight: Callable[[Strengths], float]
    wording: str


class Strength(NamedTuple):
    """A strength that an encoding takes: what it declares about one family.

    >>> Strength("count", 1, "the number of queens").keyword
    'count_strength'

    Attributes:
        family: The name of the family, such as ``count``.
        default: The default weight, or a rule for it.
        help: What has this weight, in a few words, such as ``the number of queens``.
    """

    family: str
    default: float | Rule
    help: str

    @property
    def keyword(self) -> str:
        """The keyword of ``build``: ``count_strength`` for the family ``count``."""
        return f"{self.family}_strength"

    @property
    def default_wording(self) -> str:
        """The default in words."""
        return self.default.wording if isinstance(self.default, Rule) else f"{self.default:g}"


def rows_columns_diagonals(row_column: float = 1, diagonal: float = 1) -> tuple[Strength, Strength]:
    """Return the two strengths that every encoding declares, with these defaults."""
    return (
        Strength("row_column", row_column, "rows and columns"),
        Strength("diagonal", diagonal, "diagonals"),
    )
