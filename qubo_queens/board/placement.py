"""Placements: the cells on which queens stand."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from qubo_queens.board.instance import as_cells, as_size
from qubo_queens.board.lines import Cell, IntArray, coordinates
from qubo_queens.board.render import board_svg, board_text
from qubo_queens.checks import as_list, counted, int_in_range, shown
from qubo_queens.errors import InputError, InputTypeError


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Placement:
    """Queens on distinct cells of an n x n board, whether they attack each other or not.

    A placement is immutable. ``str(placement)`` is the board as n lines of ``Q`` and ``.``, and
    notebooks display it as a picture up to n = 128.

    Attributes:
        n: The board size.
        arrays: The rows and the columns of the m queens in row-major order, 0-based from the top
            left: two read-only ``int64`` arrays, each of shape (m,).

    Example:
        >>> from qubo_queens import Placement
        >>> board = Placement.from_columns([1, 3, 0, 2])
        >>> print(board)
        .Q..
        ...Q
        Q...
        ..Q.
        >>> board.cells
        ((0, 1), (1, 3), (2, 0), (3, 2))
        >>> board == Placement(4, [(3, 2), (2, 0), (1, 3), (0, 1)])
        True
    """

    n: int
    arrays: tuple[IntArray, IntArray]

    __match_args__ = ("n", "cells")

    def __init__(self, n: int, cells: Iterable[Cell] = ()) -> None:
        """Check and sort the queens; see :meth:`from_cells`."""
        size = as_size(n)
        self._set(size, _sorted(*coordinates(as_cells(cells, size, "queen")), size))

    def _set(self, n: int, board: IntArray) -> None:
        """Keep rows and columns, of shape (2, m), sorted, and not referenced elsewhere."""
        # The views of a read-only array cannot be made writeable again.
        board.flags.writeable = False
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "arrays", (board[0], board[1]))

    @classmethod
    def from_cells(cls, cells: Iterable[Cell], n: int) -> Placement:
        """Return the placement with queens on `cells`.

        Args:
            cells: Distinct ``(row, column)`` pairs of integers in 0..n-1, in any order.
            n: The board size, at least 1.

        Raises:
            InputTypeError: If a value is not an integer.
            InputError: If a cell is off the board or listed twice.
        """
        return cls(n, cells)

    @classmethod
    def from_columns(cls, columns: Iterable[int], *, base: int = 0) -> Placement:
        """Return the placement with one queen in each row, row r in column ``columns[r]``.

        Args:
            columns: n integers in ``base..n-1+base``, for the board size n; a list or an array.
            base: The number of the first column, 0 or 1.

        Raises:
            InputTypeError: If a value is not an integer.
            InputError: If a column is off the board.
        """
        base = int_in_range(base, "base", 0, 1)
        checked = _checked_columns(columns, base)
        size = as_size(len(checked))
        board = np.empty((2, size), dtype=np.int64)
        board[0] = np.arange(size)
        board[1] = checked
        board[1] -= base
        return cls._of(size, board)

    @classmethod
    def from_arrays(cls, rows: IntArray, columns: IntArray, n: int) -> Placement:
        """Return the placement with queens on the cells ``(rows[i], columns[i])``.

        The arrays are copied. For large placements this is the fastest way: the arrays are checked
        as a whole, and no Python object is made for each queen.

        Args:
            rows: Integers in 0..n-1, of shape (m,) and any integer type, in any order.
            columns: Integers in 0..n-1, of shape (m,). The cells must be distinct.
            n: The board size, at least 1.

        Raises:
            InputTypeError: If `rows` or `columns` is not an integer array, or `n` not an integer.
            InputError: If the shapes differ, or a cell is off the board or listed twice.
        """
        size = as_size(n)
        for name, array in (("rows", rows), ("columns", columns)):
            if not _is_integers(array):
                raise InputTypeError(
                    f"{name} must be a NumPy array of integers with one dimension, not "
                    f"{shown(array)}; for other lists use Placement.from_cells"
                )
        if len(rows) != len(columns):
            raise InputError(f"there are {len(rows)} rows but {len(columns)} columns")
        bad = _first_outside(0, size - 1, rows, columns)
        if bad is not None:
            as_cells([(rows[bad].item(), columns[bad].item())], size, "queen")
        return cls._of(size, _sorted(rows, columns, size))

    @classmethod
    def _of(cls, n: int, board: IntArray) -> Placement:
        placement = cls.__new__(cls)
        placement._set(n, board)
        return placement

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The queens as sorted ``(row, column)`` pairs of plain integers, made on first access."""
        rows, columns = self.arrays
        return tuple(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def one_in_each_row(self) -> bool:
        """Whether each row has exactly one queen."""
        rows, _ = self.arrays
        return len(rows) == self.n and bool((rows == np.arange(self.n)).all())

    @property
    def columns(self) -> tuple[int, ...]:
        """The column of the queen in each row.

        Raises:
            InputError: Unless each row has exactly one queen.
        """
        if not self.one_in_each_row:
            raise InputError(
                f"this placement of {counted(len(self), 'queen')} does not have exactly one "
                f"in each of its {self.n} rows; use .cells"
            )
        return tuple(self.arrays[1].tolist())

    def __len__(self) -> int:
        """Return the number of queens."""
        return len(self.arrays[0])

    def __iter__(self) -> Iterator[Cell]:
        """Iterate over the cells of the queens."""
        return iter(self.cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Placement) or other.__class__ is not self.__class__:
            return NotImplemented
        pairs = zip(self.arrays, other.arrays, strict=True)
        return self.n == other.n and all(np.array_equal(one, two) for one, two in pairs)

    def __hash__(self) -> int:
        # The hash of bytes would differ between processes, and with it the order of sets.
        rows, columns = self.arrays
        return hash((self.n, len(rows), zlib.crc32(rows.data), zlib.crc32(columns.data)))

    def __reduce__(self) -> tuple[Callable[..., Placement], tuple[Any, ...]]:
        # Arrays are writeable after unpickling, so a placement is made anew.
        return type(self).from_arrays, (*self.arrays, self.n)

    def __str__(self) -> str:
        return board_text(self.n, self.cells)

    def __repr__(self) -> str:
        return f"Placement(n={self.n}, cells={list(self.cells)})"

    def _repr_svg_(self) -> str | None:
        """Return the board as an SVG picture; None if it is too large."""
        return board_svg(self.n, self.cells)

    def _repr_html_(self) -> str | None:
        """Return the board as HTML for a notebook; None if it is too large."""
        picture = self._repr_svg_()
        return None if picture is None else f'<div class="qubo-queens-board">{picture}</div>'


def _is_integers(values: object) -> TypeGuard[IntArray]:
    """Return whether `values` is an integer array with one dimension.

    Subclasses are excluded, such as masked arrays, in which values can be missing.
    """
    return type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iu"


def _first_outside(low: int, high: int, *arrays: IntArray) -> int | None:
    """Return the first position at which one of the arrays is outside ``low..high``."""
    if not len(arrays[0]) or all(
        np.minimum.reduce(array) >= low and np.maximum.reduce(array) <= high for array in arrays
    ):
        return None
    outside = np.logical_or.reduce([(array < low) | (array > high) for array in arrays])
    return int(outside.argmax())


def _checked_columns(columns: Iterable[int], base: int) -> IntArray | list[int]:
    """Return the columns of the rows as a list or an array of integers."""
    listed: Any = columns if _is_integers(columns) else as_list(columns, "columns")
    n = len(listed)
    last = n - 1 + base
    hint = f" (n={n})" + ("; for 1-based input pass base=1" if base == 0 else "")

    def check(row: int) -> int:
        return int_in_range(listed[row], f"column of row {row}:", base, last, hint)

    if isinstance(listed, np.ndarray):
        bad = _first_outside(base, last, listed)
        if bad is not None:
            check(bad)
        return listed
    # Valid columns are accepted without making a label for an error message for each.
    usual = all(type(column) is int and base <= column <= last for column in listed)
    return listed if usual else [check(row) for row in range(n)]


def _sorted(rows: IntArray, columns: IntArray, n: int) -> IntArray:
    """Return cells of an n x n board in row-major order, as a new array of shape (2, m)."""
    board = np.empty((2, len(rows)), dtype=np.int64)
    board[0], board[1] = rows, columns
    number = board[0] * n + board[1]  # cell numbers: row-major order is ascending order
    if (number[1:] > number[:-1]).all():
        return board
    number.sort()
    board[0], board[1] = np.divmod(number, n)
    twice = np.flatnonzero(number[1:] == number[:-1])
    if len(twice):
        row, column = board[:, twice[0]].tolist()
        raise InputError(f"queen {row, column} is listed twice; leave one of them out")
    return board
