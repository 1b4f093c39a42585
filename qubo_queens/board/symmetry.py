"""The eight symmetries of the square, and those that map an instance to itself."""

from __future__ import annotations

from enum import Enum

import numpy as np

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import BoolArray, Cell, IntArray, Kind, Line
from qubo_queens.board.placement import Placement


class Symmetry(Enum):
    """A symmetry of the square; turns are clockwise.

    The value is ``(swap, flip_row, flip_column)``: whether row and column of a cell are exchanged,
    and then whether the row r becomes n - 1 - r, and the column c becomes n - 1 - c.
    """

    IDENTITY = (False, False, False)
    QUARTER_TURN = (True, False, True)
    HALF_TURN = (False, True, True)
    THREE_QUARTER_TURN = (True, True, False)
    LEFT_RIGHT = (False, False, True)
    TOP_BOTTOM = (False, True, False)
    MAIN_DIAGONAL = (True, False, False)
    OTHER_DIAGONAL = (True, True, True)

    def cell(self, cell: Cell, n: int) -> Cell:
        """Return the image of a cell of an n x n board."""
        swap, flip_row, flip_column = self.value
        row, column = cell[::-1] if swap else cell
        return n - 1 - row if flip_row else row, n - 1 - column if flip_column else column

    def line(self, line: Line, n: int) -> Line:
        """Return the image of a line of an n x n board."""
        swap, flip_row, flip_column = self.value
        kind, index = line.kind, line.index
        if kind in (Kind.ROW, Kind.COLUMN):
            if swap:
                kind = Kind.COLUMN if kind is Kind.ROW else Kind.ROW
            flip = flip_row if kind is Kind.ROW else flip_column
            return Line(kind, n - 1 - index if flip else index)
        if swap and kind is Kind.DIFFERENCE:
            index = -index
        if flip_row:  # r + c = k becomes r - c = n - 1 - k, and vice versa
            kind, index = _other(kind), n - 1 - index
        if flip_column:  # r + c = k becomes r - c = k - (n - 1), and vice versa
            shift = 1 - n if kind is Kind.SUM else n - 1
            kind, index = _other(kind), index + shift
        return Line(kind, index)

    def boards(self, columns: IntArray) -> IntArray:
        """Return the images of b boards, given by the columns of their rows: of shape (b, n)."""
        n = columns.shape[1]
        swap, flip_row, flip_column = self.value
        rows = np.broadcast_to(np.arange(n), columns.shape)
        row, column = (columns, rows) if swap else (rows, columns)
        row = n - 1 - row if flip_row else row
        column = n - 1 - column if flip_column else column
        # Axis 0 is the board and axis 1 the row: images[b, new row] = new column.
        images = np.empty_like(columns)
        np.put_along_axis(images, row, column, axis=1)
        return images

    def placement(self, placement: Placement) -> Placement:
        """Return the image of a placement."""
        n = placement.n
        return Placement(n, [self.cell(cell, n) for cell in placement.cells])

    def instance(self, instance: Instance) -> Instance:
        """Return the image of an instance."""
        n = instance.n
        lines = [self.line(line, n) for line in instance.excluded_lines()]
        return Instance(
            n,
            [self.cell(cell, n) for cell in instance.queens],
            blocked=[self.cell(cell, n) for cell in instance.blocked],
            excluded_sums=[line.index for line in lines if line.kind is Kind.SUM],
            excluded_differences=[line.index for line in lines if line.kind is Kind.DIFFERENCE],
        )

    def keeps(self, instance: Instance) -> bool:
        """Return whether an instance is its own image, as it is stated."""
        n = instance.n
        for cells in (instance.queens, instance.blocked):
            known = frozenset(cells)
            if not all(self.cell(cell, n) in known for cell in cells):
                return False
        lines = instance.excluded_lines()
        known_lines = frozenset(lines)
        return all(self.line(line, n) in known_lines for line in lines)


def symmetries(instance: Instance) -> tuple[Symmetry, ...]:
    """Return the symmetries that map an instance, as it is stated, to itself.

    They are a group of 1, 2, 4 or 8 elements, and map solutions to solutions.
    """
    return tuple(symmetry for symmetry in Symmetry if symmetry.keeps(instance))


def num_fixed(symmetry: Symmetry, columns: IntArray) -> int:
    """Return the number of boards, of shape (b, n), that a symmetry maps to themselves."""
    return int((symmetry.boards(columns) == columns).all(axis=1).sum())


def are_smallest(group: tuple[Symmetry, ...], columns: IntArray) -> BoolArray:
    """Return for each of b boards whether it is the smallest of its images under a group.

    Boards, of shape (b, n), are compared by their lists of columns, in lexicographic order.
    """
    smallest = np.ones(len(columns), dtype=np.bool_)
    number = np.arange(len(columns))
    for symmetry in group:
        images = symmetry.boards(columns)
        first = (images != columns).argmax(axis=1)  # the first row that differs; 0 if none does
        smallest &= images[number, first] >= columns[number, first]
    return smallest


def _other(kind: Kind) -> Kind:
    return Kind.DIFFERENCE if kind is Kind.SUM else Kind.SUM
