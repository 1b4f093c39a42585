"""build(): from an instance to a model; the table of encodings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode
from qubo_queens.checks import shown
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.cell_attack import CellAttackModel
from qubo_queens.encodings.cell_slack import CellSlackModel
from qubo_queens.encodings.forecast import Forecast
from qubo_queens.encodings.labelled import LabelledModel
from qubo_queens.encodings.ladder import LadderModel
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.row import RowModel
from qubo_queens.encodings.row_domain_wall import RowDomainWallModel
from qubo_queens.encodings.strengths import Relaxation, Strengths
from qubo_queens.errors import InputError, ModelTooLargeError, ParameterError

_MODELS: dict[str, type[Model]] = {
    model.encoding: model
    for model in (
        CellModel,
        CellAttackModel,
        CellSlackModel,
        RowModel,
        RowDomainWallModel,
        LabelledModel,
        LadderModel,
    )
}

_COUNTED = 2_000_000
"""Up to so many interactions a forecast looks for the largest degree and coefficient."""


def list_encodings() -> list[str]:
    """Return the names that ``build`` takes as `encoding`."""
    return list(_MODELS)


def build(
    instance: InstanceLike,
    encoding: str = "cell",
    *,
    row_column_strength: float | None = None,
    diagonal_strength: float | None = None,
    reduce: Mode = "propagate",
    relaxation: Relaxation | None = None,
    **encoding_strengths: float | None,
) -> Model:
    """Write an instance as a model of binary variables.

    In every mode the energy of a sample is the full energy of the merged board, offset included:
    0 exactly on solutions. A contradictory instance gives a model whose ground energy is above 0.

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``list_encodings()``.
        row_column_strength: A, the weight of the constraints of rows and columns; by default that
            of the encoding (``Model.default_strengths``), 1 for all. It weighs ``(count - 1)^2`` in
            ``cell``, ``cell-slack`` and ``ladder``, and pairs of queens elsewhere.
        diagonal_strength: B, that of diagonals; by default 2 for ``cell`` and 1 for the others. It
            weighs pairs of queens (unordered), and squares in ``cell-slack`` and ``ladder``.
        reduce: What to decide beforehand: ``none`` fixes only prescribed, blocked and excluded
            cells; ``lines`` leaves out those that prescribed queens attack too; ``propagate``
            (the default) also fixes queens that are forced, by rows and columns with one free
            cell; ``probe`` also cells that lead to a row or column without one.
        relaxation: ``rooks`` leaves the diagonals out; needs ``diagonal_strength=0`` and ``cell``.
        **encoding_strengths: ``count_strength`` (``cell-attack``), ``one_hot_strength`` (``row``,
            ``labelled``), ``wall_strength`` (``row-domain-wall``); None for the default.

    Returns:
        The model; its BQM is made on first access.

    Raises:
        InputError: If the encoding, the mode or a strength is not an allowed one.
        ParameterError: If a keyword is unknown.
    """
    model = _model_of(encoding)
    if relaxation is not None and not model.takes_relaxation:
        raise InputError(f"encoding {encoding} takes no relaxation, only cell does")
    given = {
        "row_column_strength": row_column_strength,
        "diagonal_strength": diagonal_strength,
        **encoding_strengths,
    }
    instance = as_instance(instance)
    strengths = _strengths(model, instance.n, given, relaxation)
    return model(reduce_instance(instance, reduce), strengths)


def strengths_of(encoding: str) -> dict[str, float | None]:
    """Return the strengths that ``build`` takes for an encoding, with their defaults.

    None is a default that depends on the others (see ``row_domain_wall.WALL``).

    Raises:
        InputError: If the encoding is unknown.
    """
    defaults = _model_of(encoding).default_strengths
    return {f"{family}_strength": value for family, value in defaults.items()}


def forecast(
    instance: InstanceLike, encoding: str = "cell", *, reduce: Mode = "propagate"
) -> Forecast:
    """Return the size of a model before anything is built, for n up to a million and more.

    Plain boards are answered in closed form, at the default strengths. With cells fixed, the
    largest degree and coefficient are looked up in the model if it is small (up to two million
    interactions, and fit for the memory), and None otherwise.

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``list_encodings()``.
        reduce: As in :func:`build`.
    """
    model = build(instance, encoding, reduce=reduce)
    size = model.forecast
    if size.largest_degree is not None or not size.exact or size.interactions > _COUNTED:
        return size
    try:
        linear, (first, second, couplings), *_ = model.bqm.to_numpy_vectors()
    except ModelTooLargeError:
        return size
    degrees = np.bincount(np.concatenate((first, second)), minlength=1)
    largest = max(np.abs(part).max(initial=0) for part in (linear, couplings))
    return replace(size, largest_degree=int(degrees.max()), largest_coefficient=float(largest))


def _model_of(encoding: object) -> type[Model]:
    if not isinstance(encoding, str) or encoding not in _MODELS:
        raise InputError(
            f"encoding {shown(encoding)} is unknown; choose one of {', '.join(_MODELS)}"
        )
    return _MODELS[encoding]


def _every_strength() -> set[str]:
    """Return the names of the strengths that any encoding has."""
    return {
        f"{family}_strength" for model in _MODELS.values() for family in model.default_strengths
    }


def _strengths(
    model: type[Model], n: int, given: Mapping[str, object], relaxation: object
) -> Strengths:
    """Return the strengths of a model: those given, and the defaults of its encoding."""
    defaults = model.default_strengths
    known = [f"{family}_strength" for family in defaults]
    unknown = sorted(set(given).difference(known))
    foreign = _every_strength().intersection(unknown)
    asked = sorted(name for name in foreign if given[name] is not None)
    if asked:
        raise ParameterError(
            f"encoding {model.encoding} has no {', '.join(asked)}; "
            f"its strengths are {', '.join(known)}"
        )
    unknown = [name for name in unknown if name not in foreign]
    if unknown:
        raise ParameterError(
            f"build() got unknown keywords {', '.join(unknown)} for encoding "
            f"{model.encoding!r}; known are {', '.join(known)}, reduce, relaxation"
        )
    chosen = {name.removesuffix("_strength"): value for name, value in given.items()}
    weights = {**defaults, **{f: value for f, value in chosen.items() if value is not None}}
    return model.settled(Strengths.checked(n, weights, relaxation))
