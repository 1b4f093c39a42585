"""Where the queens stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from qubo_queens.board.instance import as_cells, as_size
from qubo_queens.board.lines import Cell
from qubo_queens.board.render import board_svg, board_text
from qubo_queens.checks import as_list, counted, int_in_range
from qubo_queens.errors import InputError


@dataclass(frozen=True, init=False, repr=False)
class Placement:
    """Queens on distinct cells of an n x n board, in a right or a wrong arrangement.

    ``str(placement)`` is the board as n lines of ``Q`` and ``.``; notebooks show it as a picture
    up to n = 128.

    Attributes:
        n: The board size.
        cells: The queens as sorted ``(row, column)`` pairs, 0-based from the top left.
    """

    n: int
    cells: tuple[Cell, ...]

    def __init__(self, n: int, cells: Iterable[Cell] = ()) -> None:
        """Check and sort the queens; see :meth:`from_cells`."""
        size = as_size(n)
        checked = as_cells(cells, size, "queen")
        for left, right in pairwise(checked):
            if left == right:
                raise InputError(f"queen {left} is listed twice; leave one of them out")
        object.__setattr__(self, "n", size)
        object.__setattr__(self, "cells", tuple(checked))

    @classmethod
    def from_cells(cls, cells: Iterable[Cell], n: int) -> Placement:
        """Return the placement with queens on `cells`.

        Args:
            cells: ``(row, column)`` pairs of integers in 0..n-1, in any order, each once.
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
            columns: n integers in ``base..n-1+base``; their number is the board size.
            base: What the columns count from, 0 or 1.

        Raises:
            InputTypeError: If a value is not an integer.
            InputError: If a column is off the board.
        """
        base = int_in_range(base, "base", 0, 1)
        listed = as_list(columns, "columns")
        last = len(listed) - 1 + base
        hint = f" (n={len(listed)})" + ("; for 1-based input pass base=1" if base == 0 else "")
        for row, column in enumerate(listed):
            int_in_range(column, f"column of row {row}:", base, last, hint)
        return cls(len(listed), [(row, int(column) - base) for row, column in enumerate(listed)])

    @property
    def columns(self) -> tuple[int, ...]:
        """The column of the queen in each row.

        Raises:
            InputError: Unless each row has exactly one queen.
        """
        if [row for row, _ in self.cells] != list(range(self.n)):
            raise InputError(
                f"this placement of {counted(len(self.cells), 'queen')} does not have exactly one "
                f"in each of its {self.n} rows; use .cells"
            )
        return tuple(column for _, column in self.cells)

    def __len__(self) -> int:
        """Return the number of queens."""
        return len(self.cells)

    def __iter__(self) -> Iterator[Cell]:
        """Iterate over the cells with queens."""
        return iter(self.cells)

    def __str__(self) -> str:
        return board_text(self.n, self.cells)

    def __repr__(self) -> str:
        return f"Placement(n={self.n}, cells={list(self.cells)})"

    def _repr_svg_(self) -> str | None:
        """Return the board as an SVG picture (None if too large to be one)."""
        return board_svg(self.n, self.cells)

    def _repr_html_(self) -> str | None:
        """Return the board as HTML for a notebook (None if too large for a picture)."""
        picture = self._repr_svg_()
        return None if picture is None else f'<div class="qubo-queens-board">{picture}</div>'
