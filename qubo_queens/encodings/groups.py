"""Groups of cells and variables: the cells of each line, the free columns of each row, pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import IntArray, Kind, Line, coordinates, indices, position
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import as_int, counted, shown
from qubo_queens.errors import InputTypeError, MissingVariableError, SampleError


class LineGroup(NamedTuple):
    """A line: its free cells and fixed queens, as sorted indices into those of the reduction."""

    line: Line
    free: IntArray
    fixed: IntArray


def line_groups(reduction: Reduction, kind: Kind) -> Iterator[LineGroup]:
    """Yield the lines of one kind, by index."""
    n = reduction.instance.n
    every = indices(kind, n)
    free = _by_line(position(kind, *reduction.free_arrays, n), len(every))
    fixed = _by_line(position(kind, *coordinates(reduction.queens), n), len(every))
    for index, on_line, queens in zip(every, free, fixed, strict=True):
        yield LineGroup(Line(kind, index), on_line, queens)


def _by_line(places: IntArray, number: int) -> list[IntArray]:
    """Return for each line the sorted indices of its cells, given the line of each cell."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(number), side="right")
    return np.split(order, ends[:-1])


@dataclass(frozen=True, eq=False)
class RowDomains:
    """The free columns of each row without a queen.

    A row with a prescribed or forced queen is decided, in every mode of ``reduce``. Case k of
    another row is its k-th free column, counted from 0 and from the left. The N cases of all rows
    are listed in row-major order of their cells.

    Attributes:
        rows: The m rows without a queen and with a free column, sorted; shape (m,).
        starts: The index of the first case of each of these rows, and N; shape (m + 1,).
        cells: The rows and the columns of the cases, each of shape (N,).
        empty: The rows without a queen and without a free column.
    """

    reduction: Reduction
    rows: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)
    cells: tuple[IntArray, IntArray] = field(repr=False)
    empty: tuple[int, ...] = ()

    @classmethod
    def of(cls, reduction: Reduction) -> RowDomains:
        """List the free columns of the rows without a queen."""
        n = reduction.instance.n
        needs_queen = np.ones(n, dtype=np.bool_)
        needs_queen[coordinates(reduction.queens)[0]] = False
        rows, columns = reduction.free_arrays
        # With reduce="none" also rows with a prescribed queen have free cells.
        open_cells = needs_queen[rows]
        rows, columns = rows[open_cells], columns[open_cells]
        sizes = np.bincount(rows, minlength=n)
        starts = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
        empty = np.flatnonzero(needs_queen & (sizes == 0))
        return cls(reduction, np.flatnonzero(sizes), starts, (rows, columns), tuple(empty.tolist()))

    def placement(self, cases: Mapping[Any, Any]) -> Placement:
        """Return the board of the cases, counted from 0, of all ``rows``."""
        if not isinstance(cases, Mapping):
            raise InputTypeError(
                f"a sample is a mapping from rows to cases, not {type(cases).__name__} "
                "(of a SampleSet, take sampleset.first.sample)"
            )
        queens = list(self.reduction.queens)
        rows, columns = self.rows.tolist(), self.cells[1]
        for at, row in enumerate(rows):
            if row not in cases:
                raise MissingVariableError(
                    f"the sample has no case for row {row}; it needs all "
                    f"{counted(len(rows), 'row')} of the model"
                )
            start, stop = self.starts[at : at + 2].tolist()
            queens.append((row, int(columns[start + _case(cases[row], row, stop - start)])))
        if len(cases) > len(rows):
            foreign = next(label for label in cases if label not in set(rows))
            raise SampleError(f"the sample has an unknown variable {shown(foreign)}")
        return Placement(self.reduction.instance.n, queens)


def _case(value: object, row: int, size: int) -> int:
    """Return the case of a row as a plain integer."""
    try:
        case = as_int(value, "case")
    except InputTypeError:
        case = -1
    if not 0 <= case < size:
        raise SampleError(
            f"row {row} has the case {shown(value)}; expected an integer in 0..{size - 1}, one "
            "for each free column"
        )
    return case


IndexArray: TypeAlias = npt.NDArray[np.int32]
WeightArray: TypeAlias = npt.NDArray[np.floating]

_GROUPING_BITS = 2
_GROUPING_MASK = (1 << _GROUPING_BITS) - 1


def couplings(
    groupings: Sequence[tuple[IntArray, float]],
) -> tuple[IndexArray, IndexArray, WeightArray]:
    """Couple every two variables that share a group of some grouping, such as the columns.

    Args:
        groupings: Up to four pairs of an array with the group of each variable, shape (N,), and
            the weight of a coupling. No two variables may share a group in two groupings.

    Returns:
        The smaller variable, the larger variable and the weight of each coupling, sorted by pair
        so that dimod only appends to its neighbourhoods.
    """
    size = len(groupings[0][0])
    keys = np.concatenate(
        [_packed_pairs(group, number) for number, (group, _) in enumerate(groupings)]
    )
    keys.sort()
    weights = np.array([weight for _, weight in groupings], dtype=np.float64)
    weights = weights.astype(exact_dtype(weights))[keys & _GROUPING_MASK]
    keys >>= _GROUPING_BITS
    first = (keys // max(1, size)).astype(np.int32)
    keys -= first * np.int64(size)
    return first, keys.astype(np.int32), weights


def exact_dtype(values: npt.NDArray[np.floating]) -> type[np.floating]:
    """Return float32 if it holds `values` exactly, to save memory, else float64."""
    with np.errstate(over="ignore"):
        return np.float32 if (values.astype(np.float32) == values).all() else np.float64


def pairs_in_groups(group: IntArray) -> tuple[IntArray, IntArray]:
    """Return every two of the N variables that are in one group."""
    order = np.argsort(group, kind="stable")  # order[p] is the variable at position p
    by_group = group[order]
    starts = np.flatnonzero(np.diff(by_group, prepend=by_group[:1] - 1))  # of each group
    lengths = np.diff(starts, append=len(group))
    # later[p]: how many positions of the same group follow p; one pair for each of them
    later = np.repeat(starts + lengths, lengths) - np.arange(len(group)) - 1
    first = np.repeat(np.arange(len(group)), later)
    # for each first position the steps run 1, 2, ..., later[p]
    step = np.arange(1, len(first) + 1) - np.repeat(np.cumsum(later) - later, later)
    return order[first], order[first + step]


def pair_number(first: IntArray, second: IntArray, size: int) -> IntArray:
    """Return the index of pairs first < second in the sorted list of all pairs of 0..size-1."""
    return first * (2 * size - first - 1) // 2 + second - first - 1


def _packed_pairs(group: IntArray, grouping: int) -> IntArray:
    """Return ``(i N + j) 4 + grouping`` for every two of the N variables i < j of one group."""
    first, second = pairs_in_groups(group)
    pairs: IntArray = first * len(group) + second
    return (pairs << _GROUPING_BITS) | grouping
