"""Where the variables of a ladder model lie on the board, by their labels alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from qubo_queens.board.lines import Cell, Kind, Line, course, line_index
from qubo_queens.encodings.sample import KIND_NUMBERS

ChainBit: TypeAlias = tuple[int, int, int]
"""``(kind, index, i)``: whether a queen is among the first i cells of a line; kind is a number."""

_KINDS = {number: kind for kind, number in KIND_NUMBERS.items()}
STEPS = {kind: course(Line(kind, 0), 1)[2:4] for kind in Kind}
"""The step from a cell of a line to the next, for each kind of line, as (rows, columns)."""


@dataclass(frozen=True)
class Span:
    """The part of a line where a chain bit lies: between two cells.

    Attributes:
        kind: The kind of line.
        first: The cell before the bit.
        last: The next cell that is free or followed by a bit; None if `first` is the last one.
    """

    kind: Kind
    first: Cell
    last: Cell | None

    def gaps(self) -> list[Cell]:
        """Return the cells from `first` to before `last`: the bit lies behind each of them."""
        (row, column), (down, right) = self.first, STEPS[self.kind]
        if self.last is None:
            return [self.first]
        steps = max(abs(self.last[0] - row), abs(self.last[1] - column))
        return [(row + k * down, column + k * right) for k in range(steps)]

    @property
    def middle(self) -> tuple[float, float]:
        """The middle between the two cells, as (row, column)."""
        last = self.last or self.first
        return (self.first[0] + last[0]) / 2, (self.first[1] + last[1]) / 2


@dataclass(frozen=True)
class BoardLabels:
    """The labels of a model whose variables are free cells and chain bits along lines.

    Attributes:
        cells: The free cells, in row-major order.
        spans: The part of a line where each chain bit lies.
    """

    cells: tuple[Cell, ...]
    spans: Mapping[ChainBit, Span]

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """The first row, first column, last row and last column with a free cell."""
        rows, columns = zip(*self.cells, strict=True)
        return min(rows), min(columns), max(rows), max(columns)

    def middles(self) -> dict[Any, tuple[float, float]]:
        """Return the position of each variable on the board, as (row, column)."""
        at_cells = {cell: (float(cell[0]), float(cell[1])) for cell in self.cells}
        return {**at_cells, **{bit: span.middle for bit, span in self.spans.items()}}


def board_labels(labels: Iterable[Any]) -> BoardLabels | None:
    """Return where variables lie; None unless all of them are cells and chain bits."""
    cells: list[Cell] = []
    bits: list[ChainBit] = []
    for label in labels:
        if not isinstance(label, tuple) or any(type(part) is not int for part in label):
            return None
        if len(label) == 2:
            cells.append(label)
        elif len(label) == 3:
            bits.append(label)
        else:
            return None
    if not cells:
        return None
    cells.sort()
    on_line: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in cells:  # in row-major order, the order of cells along each line
        for number, kind in _KINDS.items():
            on_line[number, line_index(kind, *cell)].append(cell)
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, index, place in bits:
        places[number, index].append(place)
    spans: dict[ChainBit, Span] = {}
    for (number, index), along in places.items():
        if (number, index) not in on_line:
            return None
        found = _spans(Line(_KINDS[number], index), on_line[number, index], along)
        if found is None:
            return None
        spans.update({(number, index, place): span for place, span in found.items()})
    return BoardLabels(tuple(cells), {bit: spans[bit] for bit in bits})


def _spans(line: Line, cells: list[Cell], places: list[int]) -> dict[int, Span] | None:
    """Return where the bits of a chain lie, by their places on the line; None if not consistent.

    Place i is behind the i-th cell of the line. The first bit is behind the first free cell, which
    determines the places of all other cells. For a sum diagonal this is needed, since its first
    cell depends on the board size, which labels do not contain.
    """
    (row, column), first = cells[0], min(places)
    way = course(line, 1 + max(max(cell) for cell in cells))
    by_column = line.kind is Kind.ROW
    known = 1 + (column - way.column if by_column else row - way.row)
    if first < 1 or (line.kind is not Kind.SUM and first != known):
        return None
    # Steps along the line from the first free cell to each free cell: `first + steps` is its place.
    ahead = [cell[1] - column if by_column else cell[0] - row for cell in cells]
    if max(places) > first + ahead[-1]:
        return None
    stops = sorted({first + steps for steps in ahead} | set(places))
    at = {
        p: (row + (p - first) * way.row_step, column + (p - first) * way.column_step) for p in stops
    }
    after = dict(pairwise(stops))
    return {p: Span(line.kind, at[p], at.get(after.get(p, 0))) for p in places}
