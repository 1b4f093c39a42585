"""The replay of certificates on a board of plain coordinates, and the checks of reductions.

It shares no code with ``reduce``: it works on coordinates and whole numbers, and states the four
line formulas once more, as the verifier does. Its input is the plain data of
``Certificate.to_dict``, which is also what a proof file contains. Checks of other certificates
build on :func:`replay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, permutations
from typing import Any

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import ProofError

CertificateData = Mapping[str, Any]

_MOST_ROWS = 2000
"""How many open rows a board may have whose free cells are all looked at."""


def check_contradiction(instance: Instance, certificate: CertificateData) -> None:
    """Check contradictions of prescribed queens: one is enough, but all of them have to hold."""
    queens = set(instance.queens)
    demand(bool(certificate["contradictions"]), "no contradiction is listed")
    for found in certificate["contradictions"]:
        cells = [_cell(cell) for cell in found["cells"]]
        demand(bool(cells) and queens.issuperset(cells), f"{cells} are not all prescribed queens")
        if found["kind"] == "attack":
            pairs = [(a, b) for a in cells for b in cells if a < b]
            demand(bool(pairs), f"{found['line']} has only one queen")
            for one, other in pairs:
                demand(_attack(one, other), f"queens {one} and {other} do not attack each other")
        else:
            for cell in cells:
                demand(_forbidden(instance, cell), f"{cell} is not a forbidden cell")


def _attack(one: Cell, other: Cell) -> bool:
    down, right = one[0] - other[0], one[1] - other[1]
    return down == 0 or right == 0 or abs(down) == abs(right)


def _forbidden(instance: Instance, cell: Cell) -> bool:
    return (
        cell in instance.blocked
        or sum(cell) in instance.excluded_sums
        or cell[0] - cell[1] in instance.excluded_differences
    )


def check_small_board(instance: Instance, certificate: CertificateData) -> None:
    """Try all boards with one queen in each row and column."""
    demand(instance.n <= 3, f"n = {instance.n} is not small")
    for columns in permutations(range(instance.n)):
        cells = list(enumerate(columns))
        attacked = any(_attack(a, b) for a in cells for b in cells if a < b)
        demand(attacked, f"columns {columns} are a solution")


def check_empty_line(instance: Instance, certificate: CertificateData) -> None:
    """Check that the steps leave a row or column without a queen and without a free cell."""
    left = next(replay(instance, certificate["steps"]).free_on(certificate["line"]), None)
    demand(left is None, f"{line_name(certificate['line'])} keeps the free cell {left}")


def replay(instance: Instance, steps: Any) -> Position:
    """Return the position that the steps of a certificate lead to."""
    position = Position(instance)
    for step in steps:
        if "forced" in step:
            _force(position, step)
            continue
        cell = _cell(step["dropped"])
        demand(position.is_free(cell), f"dropped cell {cell} is not free")
        tried = position.copy()
        tried.place(cell)
        for later in step["then"]:
            _force(tried, later)
        line = step["empty"]
        left = next(tried.free_on(line), None)
        demand(left is None, f"cell {cell} is dropped, but {line_name(line)} keeps a free cell")
        position.dropped.add(cell)
    return position


def _force(position: Position, step: CertificateData) -> None:
    """Place a forced queen, if its line has no other free cell."""
    cell, line = _cell(step["forced"]), step["line"]
    only = list(islice(position.free_on(line), 2)) == [cell]
    demand(only, f"{cell} is not the only free cell of {line_name(line)}")
    position.place(cell)


def _cell(value: Any) -> Cell:
    row, column = value
    demand(type(row) is int and type(column) is int, f"{shown(value)} is not a cell")
    return row, column


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
        """Return whether a queen may still stand on a cell."""
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
        """The number of queens still to be placed."""
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
        """Return all free cells."""
        demand(self.missing <= _MOST_ROWS, f"{self.missing:,} open rows are too many to be checked")
        columns = self.columns
        return (
            (row, column) for row in self.rows for column in columns if self.is_free((row, column))
        )


def demand(holds: bool, otherwise: str) -> None:
    """Raise a ProofError with the message `otherwise` unless a condition holds."""
    if not holds:
        raise ProofError(otherwise)


def line_name(line: Any) -> str:
    """Return the name of a line of a certificate, whatever data stands there."""
    return " ".join(shorten(str(part)) for part in line)
