"""build(): from an instance to a model; the table of encodings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import shown
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.forecast import Forecast
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.strengths import (
    DEFAULT_DIAGONAL,
    DEFAULT_ROW_COLUMN,
    Relaxation,
    Strengths,
)
from qubo_queens.errors import InputError, ParameterError

_BUILDERS: dict[str, Callable[[Reduction, Strengths], Model]] = {"cell": CellModel}


def encodings() -> list[str]:
    """Return the names that ``build`` takes as `encoding`."""
    return list(_BUILDERS)


def build(
    instance: InstanceLike,
    encoding: str = "cell",
    *,
    row_column_strength: float = DEFAULT_ROW_COLUMN,
    diagonal_strength: float = DEFAULT_DIAGONAL,
    reduce: Mode = "propagate",
    relaxation: Relaxation | None = None,
    **encoding_strengths: Any,
) -> Model:
    """Write an instance as a model of binary variables.

    In every mode the energy of a sample is the full energy of the merged board, offset included:
    0 exactly on solutions. A contradictory instance gives a model whose ground energy is above 0.

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``encodings()``.
        row_column_strength: A, the weight of ``(count - 1)^2`` on rows and columns.
        diagonal_strength: B, the weight of each pair of queens on one diagonal (unordered).
        reduce: What to decide beforehand: ``none`` fixes only prescribed, blocked and excluded
            cells; ``lines`` leaves out those that prescribed queens attack too; ``propagate``
            (the default) also fixes queens that are forced, by rows and columns with one free
            cell; ``probe`` also cells that lead to a row or column without one.
        relaxation: ``rooks`` leaves the diagonals out; needs ``diagonal_strength=0``.
        **encoding_strengths: Further strengths of the encoding; ``cell`` has none.

    Returns:
        The model; its BQM is made on first access.

    Raises:
        InputError: If the encoding, the mode or a strength is not an allowed one.
        ParameterError: If a keyword is unknown.
    """
    if not isinstance(encoding, str) or encoding not in _BUILDERS:
        raise InputError(
            f"encoding {shown(encoding)} is unknown; choose one of {', '.join(_BUILDERS)}"
        )
    if encoding_strengths:
        raise ParameterError(
            f"build() got unknown keywords {', '.join(sorted(encoding_strengths))} for encoding "
            f"{encoding!r}; known are row_column_strength, diagonal_strength, reduce, relaxation"
        )
    instance = as_instance(instance)
    strengths = Strengths.checked(instance.n, row_column_strength, diagonal_strength, relaxation)
    return _BUILDERS[encoding](reduce_instance(instance, reduce), strengths)


def forecast(
    instance: InstanceLike, encoding: str = "cell", *, reduce: Mode = "propagate"
) -> Forecast:
    """Return the size of a model before anything is built, for n up to a million and more.

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``encodings()``.
        reduce: As in :func:`build`.
    """
    return build(instance, encoding, reduce=reduce).forecast
