"""Reading samples: mappings, bit strings, arrays and sample sets, in either vartype, as bits.

Bits are arrays of 0 and 1 of type int8, one column for each variable of the model, in the order of
``model.variables``.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, cast

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import Kind
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import InputError, InputTypeError, MissingVariableError, SampleError

if TYPE_CHECKING:
    from qubo_queens.encodings.model import Model

Sample: TypeAlias = Mapping[Any, Any] | str | npt.NDArray[Any] | dimod.SampleSet
"""One sample: variable label -> value, a bit string, an array of shape (variables,), or a sample
set with one row. Strings and arrays are in the order of the model's variables."""

Samples: TypeAlias = npt.NDArray[Any] | dimod.SampleSet | Iterable[Sample]
"""Many samples: an array of shape (reads, variables), a sample set, or a sequence of samples."""

BitArray: TypeAlias = npt.NDArray[np.int8]
"""Samples as bits, of shape (reads, variables), columns in the order of ``Model.variables``."""

Label: TypeAlias = tuple[int, ...]
"""The label of a variable: plain integers."""

KIND_NUMBERS = {kind: number for number, kind in enumerate(Kind)}
"""How labels of auxiliary bits name kinds of lines: 0 row, 1 column, 2 sum, 3 difference."""

VartypeLike: TypeAlias = str | dimod.Vartype


def bits_of_sample(sample: Sample, model: Model) -> BitArray:
    """Return the bits of one sample, of shape (variables,)."""
    if isinstance(sample, str):
        return _bits_of_text(sample, model)
    if isinstance(sample, Mapping):
        return _bits_of_mapping(sample, model)
    if isinstance(sample, dimod.SampleSet):
        if len(sample) != 1:
            raise SampleError(
                f"this takes one sample, not a SampleSet of {len(sample)}; take "
                "sampleset.first.sample, loop over sampleset.samples(), or call "
                "model.sample_energies(sampleset)"
            )
        only: BitArray = _bits_of_sampleset(sample, model)[0]
        return only
    if not isinstance(sample, np.ndarray):
        remedy = "sampleset.first.sample" if hasattr(sample, "sample") else "numpy.array(values)"
        raise InputTypeError(
            "a sample is a mapping from labels to values, a bit string, an array of shape "
            f"(variables,), or a SampleSet with one row, not {type(sample).__name__}; take {remedy}"
        )
    size, sample = model.num_variables, _unmasked(sample)
    if sample.shape != (size,):
        many = "; for many samples loop over the rows, or call model.sample_energies(array)"
        raise SampleError(
            f"expected an array of shape ({size},), one value for each variable in the order of "
            f"model.variables, not {sample.shape}{many if sample.ndim == 2 else ''}"
        )
    return _bits_of_array(sample, model)


def bits_of_samples(samples: Samples, model: Model) -> BitArray:
    """Return the bits of many samples, of shape (reads, variables).

    Bits of type int8 are returned as they are, without a copy.
    """
    if isinstance(samples, dimod.SampleSet):
        return _bits_of_sampleset(samples, model)
    size, one = model.num_variables, "; for one sample call model.energy(sample)"
    if isinstance(samples, np.ndarray):
        samples = _unmasked(samples)
        if samples.ndim != 2 or samples.shape[1] != size:
            raise SampleError(
                f"expected an array of shape (reads, {size}), columns in the order of "
                f"model.variables, not {samples.shape}{one if samples.ndim == 1 else ''}"
            )
        return _bits_of_array(samples, model)
    if isinstance(samples, str | bytes | Mapping) or not isinstance(samples, Iterable):
        is_one = isinstance(samples, str | Mapping)
        raise InputTypeError(
            "expected many samples: an array of shape (reads, variables), a SampleSet or a list of "
            f"samples, not {type(samples).__name__}{one if is_one else ''}"
        )
    bits = [bits_of_sample(sample, model) for sample in samples]
    return np.array(bits, np.int8).reshape(len(bits), size)


def _unmasked(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of any subclass as a plain one; masked values are no values."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputTypeError("a masked array has no values where it is masked; fill it first")
    return np.asarray(values)


def integers(label: object, length: int) -> Label | None:
    """Return a label as plain integers, None if it is not `length` of them."""
    try:
        numbers = tuple(map(operator.index, cast(Iterable[SupportsIndex], label)))
    except (TypeError, ValueError):
        return None
    return numbers if len(numbers) == length else None


def value_of_zero(vartype: VartypeLike) -> int:
    """Return the value that stands for "no": 0 for BINARY, -1 for SPIN."""
    try:
        return 0 if dimod.as_vartype(cast(Any, vartype)) is dimod.BINARY else -1
    except TypeError:
        message = f"vartype {shown(vartype)} is unknown; choose BINARY or SPIN"
        raise InputError(message) from None


def _bits_of_text(text: str, model: Model) -> BitArray:
    size = len(model.variables)
    if len(text) != size or not set(text) <= {"0", "1"}:
        raise SampleError(
            f"expected {size} characters 0 or 1, one for each variable in the order of "
            f"model.variables, got {len(text)}: {shorten(text)!r}"
        )
    return np.array([character == "1" for character in text], np.int8)


def _bits_of_mapping(sample: Mapping[Any, Any], model: Model) -> BitArray:
    labels = model.variables
    try:
        values = [sample[label] for label in labels]
    except KeyError as error:
        raise _missing(error.args[0], model) from None
    if len(sample) > len(labels):
        own = set(labels)
        for label in (label for label in sample if label not in own):
            _check_fixed(label, [sample[label]], model)
    try:
        numbers = np.array(values)
    except ValueError:  # some are arrays
        numbers = np.empty((), object)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biuf":
        for label, value in zip(labels, values, strict=True):
            if not _is_one_of(value, 0, 1, -1):
                raise _wrong_value(label, value)
        numbers = np.array([-1 if value == -1 else int(bool(value == 1)) for value in values])
    return _bits_of_array(numbers, model)


def _bits_of_sampleset(sampleset: dimod.SampleSet, model: Model) -> BitArray:
    """Return the bits of every row; labels may come in any order."""
    labels, values = model.variables, sampleset.record.sample
    column = {label: at for at, label in enumerate(sampleset.variables)}
    missing = next((label for label in labels if label not in column), None)
    if missing is not None:
        raise _missing(missing, model)
    if len(column) > len(labels):
        own = set(labels)
        for label, at in column.items():
            if label not in own:
                _check_fixed(label, np.unique(values[:, at]).tolist(), model)
    return _bits_of_array(values[:, [column[label] for label in labels]], model)


def _bits_of_array(values: npt.NDArray[Any], model: Model) -> BitArray:
    """Return bits or spins, of shape (variables,) or (reads, variables), as bits."""
    if values.dtype.kind not in "biuf":
        raise InputTypeError(
            "expected an array of 0 and 1 (BINARY) or -1 and +1 (SPIN) of a type such as int8, "
            f"not of {values.dtype}"
        )
    if not values.size:
        return values.astype(np.int8)
    if values.dtype.kind == "f":
        wrong = (values != 0) & (values != 1) & (values != -1)  # NaN is wrong too
    else:
        # least and largest are found without an array of the same shape
        wrong = None if values.max() <= 1 and values.min() >= -1 else (values > 1) | (values < -1)
    if wrong is not None and wrong.any():
        *read, column = np.argwhere(wrong)[0].tolist()
        where = f" in row {read[0]}" if read and len(values) > 1 else ""
        raise _wrong_value(model.variables[column], values[(*read, column)].item(), where)
    if values.min() >= 0:
        return values.astype(np.int8, copy=False)
    if not values.all():
        what = "array" if values.ndim > 1 and len(values) > 1 else "sample"
        raise SampleError(f"the {what} mixes 0 (BINARY) and -1 (SPIN)")
    return (values > 0).astype(np.int8)


def _check_fixed(label: object, values: Sequence[Any], model: Model) -> None:
    """Refuse a label that is no variable, unless it has the value that the model has fixed."""
    known = model.fixed_value(label)
    if known is None:
        raise SampleError(f"the sample has an unknown variable {shown(label)}")
    for value in values:
        if not _is_one_of(value, known, 2 * known - 1):
            raise SampleError(
                f"the sample has {shown(value)} for {label}, which the model has fixed to {known}"
            )


def _is_one_of(value: Any, *allowed: int) -> bool:
    try:
        return any(value == number for number in allowed)
    except ValueError:  # an array has no truth value
        return False


def _missing(label: object, model: Model) -> MissingVariableError:
    return MissingVariableError(
        f"the sample has no value for variable {label}; it needs all "
        f"{len(model.variables)} variables of the model"
    )


def _wrong_value(label: Label, value: object, where: str = "") -> SampleError:
    return SampleError(
        f"variable {label} has the value {shown(value)}{where}; "
        "expected 0 or 1 (BINARY), or -1 or +1 (SPIN)"
    )
