"""The board of the checker of certificates, by sets of plain coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell
from qubo_queens.checks import shorten
from qubo_queens.errors import ProofError

_MOST_ROWS = 2000
"""How many open rows a board may have whose free cells are all looked at."""


class Position:
    """A board while steps are replayed: queens, and cells that no solution uses."""

    def __init__(self, instance: Instance) -> None:
        self.n = instance.n
        self.filled_rows = set[int]()
        self.filled_columns = set[int]()
        self.closed_sums = set(instance.excluded_sums)
        self.closed_differences = set(instance.excluded_differences)
        self.dropped = set(instance.blocked)
        for cell in instance.queens:
            demand(self.is_free(cell), f"prescribed queen {cell} contradicts the others")
            self.place(cell)

    def copy(self) -> Position:
        """Return an independent copy."""
        other = object.__new__(Position)
        other.__dict__ = {
            name: value.copy() if isinstance(value, set) else value
            for name, value in self.__dict__.items()
        }
        return other

    def is_free(self, cell: Cell) -> bool:
        """Tell whether a queen may still stand on a cell."""
        row, column = cell
        return (
            0 <= row < self.n
            and 0 <= column < self.n
            and row not in self.filled_rows
            and column not in self.filled_columns
            and row + column not in self.closed_sums
            and row - column not in self.closed_differences
            and cell not in self.dropped
        )

    def place(self, cell: Cell) -> None:
        """Put a queen on a free cell."""
        row, column = cell
        self.filled_rows.add(row)
        self.filled_columns.add(column)
        self.closed_sums.add(row + column)
        self.closed_differences.add(row - column)

    @property
    def rows(self) -> list[int]:
        """The rows without a queen."""
        return [row for row in range(self.n) if row not in self.filled_rows]

    @property
    def columns(self) -> list[int]:
        """The columns without a queen."""
        return [column for column in range(self.n) if column not in self.filled_columns]

    @property
    def missing(self) -> int:
        """How many queens are still to be placed."""
        return self.n - len(self.filled_rows)

    def free_on(self, line: Any) -> Iterator[Cell]:
        """Return the free cells of a row or column that has no queen yet."""
        kind, index = line
        demand(kind in ("row", "column"), f"{line_name(line)} need not have a queen")
        filled = self.filled_rows if kind == "row" else self.filled_columns
        on_board = type(index) is int and 0 <= index < self.n
        demand(
            on_board and index not in filled,
            f"{line_name(line)} has a queen already, or is not on the board",
        )
        along = ((index, at) if kind == "row" else (at, index) for at in range(self.n))
        return filter(self.is_free, along)

    def free_cells(self) -> Iterator[Cell]:
        """Return all free cells of a board that is small enough to look at each.

        Raises:
            ProofError: If it is not.
        """
        demand(self.missing <= _MOST_ROWS, f"{self.missing:,} open rows are too many to be checked")
        columns = self.columns
        return (
            (row, column) for row in self.rows for column in columns if self.is_free((row, column))
        )


def demand(holds: bool, otherwise: str) -> None:
    """Raise a ProofError that says `otherwise`, unless something holds."""
    if not holds:
        raise ProofError(otherwise)


def line_name(line: Any) -> str:
    """Return what a line of a certificate is called, however odd it is."""
    return " ".join(shorten(str(part)) for part in line)
