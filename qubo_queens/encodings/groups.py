"""Groups of variables: the cells of each line, and couplings within groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import IntArray, Kind, Line, coordinates, indices, position
from qubo_queens.board.reduction import Reduction


class LineGroup(NamedTuple):
    """One line.

    Attributes:
        line: The line.
        free: Its free cells along its course, by their places in ``reduction.free_cells``.
        fixed: Its fixed queens, by their places in ``reduction.queens``.
    """

    line: Line
    free: IntArray
    fixed: IntArray


def line_groups(reduction: Reduction, kind: Kind) -> Iterator[LineGroup]:
    """Yield the lines of a family, by index."""
    n = reduction.instance.n
    every = indices(kind, n)
    free = _by_line(position(kind, *reduction.free_arrays, n), len(every))
    fixed = _by_line(position(kind, *coordinates(reduction.queens), n), len(every))
    for index, on_line, queens in zip(every, free, fixed, strict=True):
        yield LineGroup(Line(kind, index), on_line, queens)


def _by_line(places: IntArray, number: int) -> list[IntArray]:
    """Return for each line the cells on it; along any line, row-major order is its course."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(number), side="right")
    return np.split(order, ends[:-1])


IndexArray: TypeAlias = npt.NDArray[np.int32]
WeightArray: TypeAlias = npt.NDArray[np.floating]

_FAMILY_BITS = 2
_FAMILY_MASK = (1 << _FAMILY_BITS) - 1


def couplings(
    families: Sequence[tuple[IntArray, float]],
) -> tuple[IndexArray, IndexArray, WeightArray]:
    """Couple every two variables that share a group of some family.

    The pairs come sorted, so that dimod only ever appends to its neighbourhoods.

    Args:
        families: Up to four pairs of an array with the group of each variable, shape (N,), and
            the weight of a coupling. No two variables may share groups of two families.

    Returns:
        Arrays of the smaller variable, the larger variable and the weight of each coupling.
    """
    size = len(families[0][0])
    keys = np.concatenate(
        [_packed_pairs(group, family) for family, (group, _) in enumerate(families)]
    )
    keys.sort()
    weights = np.array([weight for _, weight in families], dtype=np.float64)
    weights = weights.astype(exact_dtype(weights))[keys & _FAMILY_MASK]
    keys >>= _FAMILY_BITS
    first = (keys // max(1, size)).astype(np.int32)
    keys -= first * np.int64(size)
    return first, keys.astype(np.int32), weights


def exact_dtype(values: npt.NDArray[np.floating]) -> type[np.floating]:
    """Return float32 if it holds `values` exactly, else float64; small weights take half."""
    with np.errstate(over="ignore"):
        return np.float32 if (values.astype(np.float32) == values).all() else np.float64


def pairs_in_groups(group: IntArray) -> tuple[IntArray, IntArray]:
    """Return every two of the N variables that are in one group.

    Args:
        group: The group of each variable, shape (N,).

    Returns:
        The smaller and the larger variable of each pair.
    """
    order = np.argsort(group, kind="stable")
    by_group = group[order]
    starts = np.flatnonzero(np.diff(by_group, prepend=by_group[:1] - 1))
    lengths = np.diff(starts, append=len(group))
    later = np.repeat(starts + lengths, lengths) - np.arange(len(group)) - 1
    first = np.repeat(np.arange(len(group)), later)
    step = np.arange(1, len(first) + 1) - np.repeat(np.cumsum(later) - later, later)
    return order[first], order[first + step]


def pair_number(first: IntArray, second: IntArray, size: int) -> IntArray:
    """Return the place of the pairs first < second in the sorted list of all pairs of 0..size-1."""
    return first * (2 * size - first - 1) // 2 + second - first - 1


def _packed_pairs(group: IntArray, family: int) -> IntArray:
    """Return ``(i N + j) 4 + family`` for every two of the N variables i < j of one group."""
    first, second = pairs_in_groups(group)
    pairs: IntArray = first * len(group) + second
    return (pairs << _FAMILY_BITS) | family
