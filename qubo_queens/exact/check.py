"""The checker of certificates: from coordinates and whole numbers alone.

It shares nothing with the code that finds the proofs: no reduction, no solver, and the four line
formulas are stated once more, as in the verifier. What it takes is the plain data of
``Certificate.to_dict``, which is also what a proof file has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice, permutations
from math import isqrt
from typing import Any

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import ProofError

Data = Mapping[str, Any]

_MOST_DIAGONALS = 64
"""How many queens may be missing where sums of diagonals are the proof."""

_MOST_BITS = 3 * 10**7
"""How large a set of sums may become, in bits; the proofs that are found stay far below."""


def check_certificate(instance: Instance, certificate: Data) -> None:
    """Confirm that a certificate proves an instance infeasible.

    Args:
        instance: The instance.
        certificate: What ``Certificate.to_dict`` returns.

    Raises:
        ProofError: If it does not; the message says what is wrong.
    """
    kind = certificate.get("kind") if isinstance(certificate, Mapping) else None
    if not isinstance(kind, str) or kind not in _CHECKS:
        raise ProofError(f"certificate kind {shown(kind)} is unknown; known: {', '.join(_CHECKS)}")
    try:
        _CHECKS[kind](instance, certificate)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, ProofError):
            raise
        raise ProofError(f"the {kind} certificate is malformed: {error!r}") from error


def _after(instance: Instance, steps: Any) -> Position:
    """Return the position that the steps of a certificate lead to, each of them confirmed."""
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


def _force(position: Position, step: Data) -> None:
    """Place a forced queen, if its line has no other free cell."""
    cell, line = _cell(step["forced"]), step["line"]
    only = list(islice(position.free_on(line), 2)) == [cell]
    demand(only, f"{cell} is not the only free cell of {line_name(line)}")
    position.place(cell)


def _check_contradiction(instance: Instance, certificate: Data) -> None:
    """One of the contradictions is enough, but all have to hold."""
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


def _check_small_board(instance: Instance, certificate: Data) -> None:
    """Try all boards with one queen in each row and column."""
    demand(instance.n <= 3, f"n = {instance.n} is not small")
    for columns in permutations(range(instance.n)):
        cells = list(enumerate(columns))
        attacked = any(_attack(a, b) for a in cells for b in cells if a < b)
        demand(attacked, f"columns {columns} are a solution")


def _check_empty_line(instance: Instance, certificate: Data) -> None:
    left = next(_after(instance, certificate["steps"]).free_on(certificate["line"]), None)
    demand(left is None, f"{line_name(certificate['line'])} keeps the free cell {left}")


def _check_line_weights(instance: Instance, certificate: Data) -> None:
    """Add up what covers each free cell, and compare with the total."""
    position = _after(instance, certificate["steps"])
    weights = defaultdict[tuple[str, int], int](int)
    for kind, index, weight in certificate["weights"]:
        demand(type(weight) is int and weight >= 0, f"weight {shown(weight)} is not a number >= 0")
        demand(kind in ("row", "column", "sum", "difference"), f"no line is a {shown(kind)}")
        demand((kind, index) not in weights, f"{kind} {index} has two weights")
        weights[kind, index] = weight
    cover, missing = certificate["cover"], position.missing
    demand(type(cover) is int and cover > 0, f"cover {shown(cover)} is not a positive number")
    for row, column in position.free_cells():
        lines = (
            ("row", row),
            ("column", column),
            ("sum", row + column),
            (
                "difference",
                row - column,
            ),
        )
        weight = sum(weights.get(line, 0) for line in lines)
        demand(weight >= cover, f"the lines through ({row}, {column}) weigh only {weight}")
    total = sum(weights.values())
    demand(total < missing * cover, f"a total of {total} suffices for {missing} x {cover}")


def _check_accounting(instance: Instance, certificate: Data) -> None:
    """Find every sum of squares that diagonals can have, and compare with what is demanded."""
    position = _after(instance, certificate["steps"])
    missing = position.missing
    demand(missing > 0, "no queen is missing")
    demand(missing <= _MOST_DIAGONALS, f"{missing:,} queens are too many for sums of diagonals")
    cells = list(position.free_cells())
    open_lines = position.rows, position.columns
    rows, columns = map(sum, open_lines)
    squares = 2 * sum(i * i for lines in open_lines for i in lines)
    sums, differences = {r + c for r, c in cells}, {r - c for r, c in cells}
    if min(len(sums), len(differences)) < missing:
        return  # there are fewer diagonals than queens
    room = squares - _least(differences, missing)
    of_sums = _sums_of_squares(sums, missing, rows + columns, room)
    room = squares - min(of_sums, default=squares)
    of_differences = _sums_of_squares(differences, missing, rows - columns, room)
    meet = sorted(part for part in of_sums if squares - part in of_differences)
    demand(not meet, f"squares of {meet[:1]} and {squares} less that are possible")


def _least(values: set[int], number: int) -> int:
    return sum(sorted(value * value for value in values)[:number])


def _sums_of_squares(values: set[int], number: int, total: int, most: int) -> set[int]:
    """Return the sums of squares of `number` different values that add up to `total`.

    Values are moved by their mean m first, which keeps numbers small: v^2 = (v - m)^2 + 2mv - m^2.
    A set of pairs (sum, sum of squares) is one integer, whose bit ``square * width + sum`` tells
    whether a pair is reached. Sums of squares above `most` are of no interest: they are cut off,
    counting the least that the values still to choose must add.
    """
    middle = round(total / number)
    constant = 2 * middle * total - number * middle * middle
    moved = sorted((value - middle for value in values), key=abs)
    squares = [value * value for value in moved]
    room = most - constant
    # No sum of values is larger, by Cauchy and Schwarz, so that sums never run into the squares.
    bound = isqrt(number * (max(room, 0) + squares[-1])) + 1
    width = 2 * bound + 1
    size = (max(room, 0) + squares[-1]) * width
    demand(size <= _MOST_BITS, f"the sums of {number} diagonals are too many to be checked")
    reached = [1 << bound] + [0] * number
    for at, (value, square) in enumerate(zip(moved, squares, strict=True)):
        for count in range(min(number, at + 1), 0, -1):
            coming = squares[at + 1 : at + 1 + number - count]
            digits = max(0, room - sum(coming) + 1) if len(coming) == number - count else 0
            grown = reached[count] | reached[count - 1] << square * width + value
            reached[count] = grown & (1 << digits * width) - 1
    shift = total - number * middle + bound
    if not 0 <= shift < width:
        return set()
    bits = f"{reached[number] >> shift:b}"[::-width]
    return {square + constant for square, bit in enumerate(bits) if bit == "1"}


def _cell(value: Any) -> Cell:
    row, column = value
    demand(type(row) is int and type(column) is int, f"{shown(value)} is not a cell")
    return row, column


_CHECKS = {
    "contradiction": _check_contradiction,
    "small board": _check_small_board,
    "empty line": _check_empty_line,
    "line weights": _check_line_weights,
    "diagonal accounting": _check_accounting,
}


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
