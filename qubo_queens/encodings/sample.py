"""Reading a sample by the labels of its variables."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias, TypeVar, cast

import dimod

from qubo_queens.board.lines import Kind
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import InputError, InputTypeError, MissingVariableError, SampleError

Sample: TypeAlias = Mapping[Any, Any] | str
"""Variable label -> value, or a bit string in the order of the model's variables."""

Label: TypeAlias = tuple[int, ...]
"""What a variable is called: plain integers."""

KIND_NUMBERS = {kind: number for number, kind in enumerate(Kind)}
"""How labels of auxiliary bits name families: 0 row, 1 column, 2 sum, 3 difference."""

_L = TypeVar("_L", bound=Label)

VartypeLike: TypeAlias = str | dimod.Vartype

FixedValue: TypeAlias = Callable[[object], int | None]
"""The value that a model has fixed a label to; None for a label that it does not know."""


def ones(sample: Sample, variables: Sequence[_L], fixed: FixedValue) -> list[_L]:
    """Return the variables that are 1 (BINARY) or +1 (SPIN) in `sample`.

    Args:
        sample: A value for every variable; labels that the model has fixed may be there too.
        variables: The labels of the model.
        fixed: Returns the value that the model has fixed a label to, None for a foreign label.

    Raises:
        InputTypeError: If `sample` is neither a mapping nor a string.
        MissingVariableError: If a variable has no value.
        SampleError: If a value is not a bit or a spin, if bits and spins are mixed, if a label is
            unknown, or if the sample contradicts a fixed value.
    """
    if isinstance(sample, str):
        return _ones_of_text(sample, variables)
    if not isinstance(sample, Mapping):
        raise InputTypeError(
            f"a sample is a mapping from labels to values or a bit string, not "
            f"{type(sample).__name__} (of a SampleSet, take sampleset.first.sample)"
        )
    try:
        values = [sample[variable] for variable in variables]
    except KeyError as error:
        raise MissingVariableError(
            f"the sample has no value for variable {error.args[0]}; it needs all "
            f"{len(variables)} variables of the model"
        ) from None
    _check_domain(variables, values)
    if len(sample) > len(variables):
        _check_extra(sample, set(variables), fixed)
    return [variable for variable, value in zip(variables, values, strict=True) if value == 1]


def integers(label: object, length: int) -> Label | None:
    """Return a label as plain integers, None if it is not `length` of them."""
    try:
        numbers = tuple(map(operator.index, cast(Iterable[SupportsIndex], label)))
    except (TypeError, ValueError):
        return None
    return numbers if len(numbers) == length else None


def value_of_zero(vartype: VartypeLike) -> int:
    """Return what stands for "no": 0 for BINARY, -1 for SPIN.

    Raises:
        InputError: If `vartype` is neither.
    """
    try:
        return 0 if dimod.as_vartype(cast(Any, vartype)) is dimod.BINARY else -1
    except TypeError:
        message = f"vartype {shown(vartype)} is unknown; choose BINARY or SPIN"
        raise InputError(message) from None


def _ones_of_text(bits: str, variables: Sequence[_L]) -> list[_L]:
    if len(bits) != len(variables) or not set(bits) <= {"0", "1"}:
        raise SampleError(
            f"expected {len(variables)} characters 0 or 1, one for each variable in the order of "
            f"model.variables, got {len(bits)}: {shorten(bits)!r}"
        )
    return [variable for variable, bit in zip(variables, bits, strict=True) if bit == "1"]


def _is_one_of(value: Any, *allowed: int) -> bool:
    try:
        return any(value == number for number in allowed)
    except ValueError:  # an array has no truth value
        return False


def _check_domain(labels: Iterable[Label], values: Sequence[Any]) -> None:
    for label, value in zip(labels, values, strict=True):
        if not _is_one_of(value, 0, 1, -1):
            raise SampleError(
                f"variable {label} has the value {shown(value)}; "
                "expected 0 or 1 (BINARY), or -1 or +1 (SPIN)"
            )
    if any(value == 0 for value in values) and any(value == -1 for value in values):
        raise SampleError("the sample mixes 0 (BINARY) and -1 (SPIN)")


def _check_extra(sample: Mapping[Any, Any], variables: set[_L], fixed: FixedValue) -> None:
    for label, value in sample.items():
        if label in variables:
            continue
        known = fixed(label)
        if known is None:
            raise SampleError(f"the sample has an unknown variable {shown(label)}")
        if not _is_one_of(value, known, 2 * known - 1):
            raise SampleError(
                f"the sample has {shown(value)} for {label}, which the model has fixed to {known}"
            )
