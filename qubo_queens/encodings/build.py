"""build() and forecast(): from an instance to a model, or to its size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode
from qubo_queens.encodings.forecast import Forecast
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.registry import get_encoding, strengths_by_name
from qubo_queens.encodings.strengths import Relaxation, Rule, Strengths
from qubo_queens.errors import Argument, InputError, ModelTooLargeError, ParameterError

_COUNTED = 2_000_000
"""Up to so many interactions a forecast finds the largest degree and coefficient in the BQM."""


def build(
    instance: InstanceLike,
    encoding: str | type[Model] = "cell",
    *,
    row_column_strength: float | None = None,
    diagonal_strength: float | None = None,
    reduce: Mode = "propagate",
    relaxation: Relaxation | None = None,
    **strengths: float | None,
) -> Model:
    """Write an instance as a model of binary variables.

    In every mode the energy of a sample is the energy of the whole board, offset included: 0
    exactly on solutions. A contradictory instance gives a model whose least energy is above 0.

    >>> from qubo_queens import Instance
    >>> build(8)
    <Model cell: n=8, 64 variables, 728 interactions>
    >>> build(Instance(8, [(0, 3)]), "row", one_hot_strength=2).strengths.of("one_hot")
    2

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``list_encodings()``, or a subclass of ``Model``.
        row_column_strength: A, the weight of the constraints of rows and columns; None for the
            default of the encoding, 1 for all that are built in. It weighs ``(count - 1)^2`` in
            ``cell``, ``cell-slack`` and ``ladder``, and pairs of queens elsewhere.
        diagonal_strength: B, the weight of the constraints of diagonals; by default 2 for ``cell``
            and 1 for the others. It weighs pairs of queens (unordered), and squares in
            ``cell-slack`` and ``ladder``.
        reduce: What to decide beforehand: ``none`` fixes only prescribed, blocked and excluded
            cells; ``lines`` leaves out the cells that prescribed queens attack too; ``propagate``
            (the default) also fixes queens that are forced because a row or column has one free
            cell; ``probe`` also leaves out cells whose queen would leave a row or column without
            a free cell.
        relaxation: ``rooks`` leaves the diagonals out; needs ``diagonal_strength=0`` and ``cell``.
        **strengths: The other strengths of the encoding (``Model.takes_strengths``), such as
            ``count_strength`` (``cell-attack``), ``one_hot_strength`` (``row``, ``labelled``) and
            ``wall_strength`` (``row-domain-wall``); None for the default.

    Returns:
        The model; its BQM is made on first access.

    Raises:
        InputError: If the encoding, the mode or a strength is not an allowed one.
        ParameterError: If a keyword is unknown.
    """
    model_class = get_encoding(encoding)
    if relaxation is not None and not model_class.takes_relaxation:
        raise InputError(f"encoding {model_class.encoding} takes no relaxation, only cell does")
    given = {
        "row_column_strength": row_column_strength,
        "diagonal_strength": diagonal_strength,
        **strengths,
    }
    instance = as_instance(instance)
    chosen = _strengths(model_class, instance.n, given, relaxation)
    return model_class(reduce_instance(instance, reduce), chosen)


def forecast(
    instance: InstanceLike, encoding: str | type[Model] = "cell", *, reduce: Mode = "propagate"
) -> Forecast:
    """Return the size of a model at its default strengths, for n up to a million and more.

    The built-in encodings have formulas for plain boards. Where there is no formula for the
    largest degree and coefficient, they are found in the model if it is small (up to two million
    interactions, and fit for the memory), and are None otherwise.

    >>> size = forecast(8, "row")
    >>> size.variables, size.interactions, size.largest_degree, size.largest_coefficient
    (64, 728, 27, 2)

    Args:
        instance: The instance, or n for the plain board.
        encoding: One of ``list_encodings()``, or a subclass of ``Model``.
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


def _strengths(
    model_class: type[Model], n: int, given: Mapping[str, object], relaxation: object
) -> Strengths:
    """Return the strengths of a model, given by keyword; None stands for the default."""
    declared = model_class.takes_strengths
    known = [strength.keyword for strength in declared]
    unknown = sorted(set(given).difference(known))
    of_others = strengths_by_name().keys() & unknown if unknown else set()
    if refused := [name for name in unknown if name in of_others and given[name] is not None]:
        fault = f"encoding {model_class.encoding} has no ", *_listed(refused)
        raise ParameterError(*fault, "; its strengths are ", *_listed(known))
    if unknown := [name for name in unknown if name not in of_others]:
        raise ParameterError(
            f"build() got unknown keywords {', '.join(unknown)} for encoding "
            f"{model_class.encoding!r}; known are {', '.join(known)}, reduce, relaxation"
        )
    weights, rules = {}, {}
    for strength in declared:
        weight = given.get(strength.keyword)
        if weight is None and isinstance(strength.default, Rule):
            rules[strength.family] = strength.default
        else:
            weights[strength.family] = strength.default if weight is None else weight
    chosen = Strengths.checked(n, weights, relaxation)
    by_rule = ((family, rule.weight(chosen)) for family, rule in rules.items())
    return replace(chosen, weights=(*chosen.weights, *by_rule))


def _listed(names: list[str]) -> list[str | Argument]:
    """Return the parts of a message that list arguments."""
    return [part for name in names for part in (", ", Argument(name))][1:]
