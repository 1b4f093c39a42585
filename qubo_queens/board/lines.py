"""The geometry of the board: the four lines through a cell, and the types of integer arrays.

A diagonal is named by its formula, since sources disagree on "diagonal" and "anti-diagonal":
``r + c = k`` is a sum diagonal, with k in 0..2n-2, and ``r - c = d`` a difference diagonal, with d
in -(n-1)..n-1. The *index* of a line is its row, its column, k or d. Its *position* counts the
lines of a kind from 0: it differs from the index only for difference diagonals, by n - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Cell: TypeAlias = tuple[int, int]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]

_Coordinate = TypeVar("_Coordinate", int, IntArray)


class Kind(StrEnum):
    """The four kinds of lines."""

    ROW = "row"
    COLUMN = "column"
    SUM = "sum"
    DIFFERENCE = "difference"


ROW_COLUMN = (Kind.ROW, Kind.COLUMN)
DIAGONAL = (Kind.SUM, Kind.DIFFERENCE)

_FORMULAS = {
    Kind.ROW: "row {}",
    Kind.COLUMN: "column {}",
    Kind.SUM: "r + c = {}",
    Kind.DIFFERENCE: "r - c = {}",
}


@dataclass(frozen=True, order=True, slots=True)
class Line:
    """A line of the board; ``str(line)`` is its name, such as ``row 3`` or ``r - c = -1``."""

    kind: Kind
    index: int

    def __str__(self) -> str:
        return _FORMULAS[self.kind].format(self.index)


class Course(NamedTuple):
    """The cells of a line: cell i is ``(row + i * row_step, column + i * column_step)``."""

    row: int
    column: int
    row_step: int
    column_step: int
    length: int


def line_index(kind: Kind, row: _Coordinate, column: _Coordinate) -> _Coordinate:
    """Return the index of the line of `kind` through a cell, or through each of many (arrays)."""
    if kind is Kind.ROW:
        return row
    if kind is Kind.COLUMN:
        return column
    return row + column if kind is Kind.SUM else row - column


def lines_through(cell: Cell) -> tuple[Line, Line, Line, Line]:
    """Return the row, column, sum diagonal and difference diagonal through `cell`."""
    row, column, total, difference = (Line(kind, line_index(kind, *cell)) for kind in Kind)
    return row, column, total, difference


def indices(kind: Kind, n: int) -> range:
    """Return the indices of the lines of `kind` on an n x n board."""
    if kind in ROW_COLUMN:
        return range(n)
    return range(2 * n - 1) if kind is Kind.SUM else range(1 - n, n)


def position(kind: Kind, row: _Coordinate, column: _Coordinate, n: int) -> _Coordinate:
    """Return the position in ``indices(kind, n)`` of the line through a cell, or each of many."""
    index = line_index(kind, row, column)
    return index + (n - 1) if kind is Kind.DIFFERENCE else index  # other indices begin at 0


def coordinates(cells: Sequence[Cell]) -> tuple[IntArray, IntArray]:
    """Return the rows and the columns of m cells, each of shape (m,)."""
    numbers = np.fromiter(chain.from_iterable(cells), np.int64, 2 * len(cells))
    return numbers[::2], numbers[1::2]


def line_counts(rows: IntArray, columns: IntArray, n: int) -> dict[Kind, IntArray]:
    """Return for each kind the number of the m cells, of shapes (m,), on each line, by position."""
    return {
        kind: np.bincount(position(kind, rows, columns, n), minlength=len(indices(kind, n)))
        for kind in Kind
    }


def course(line: Line, n: int) -> Course:
    """Return the cells of `line` on an n x n board."""
    kind, index = line.kind, line.index
    if kind is Kind.ROW:
        return Course(index, 0, 0, 1, n)
    if kind is Kind.COLUMN:
        return Course(0, index, 1, 0, n)
    if kind is Kind.SUM:
        top = max(0, index - n + 1)
        return Course(top, index - top, 1, -1, n - abs(index - n + 1))
    return Course(max(0, index), max(0, -index), 1, 1, n - abs(index))
