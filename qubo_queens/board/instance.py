"""Instances: a board size, prescribed queens, blocked cells and excluded diagonals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import TypeAlias, cast

from qubo_queens.board.lines import Cell, Kind, Line, indices, lines_through
from qubo_queens.checks import as_int, as_list, int_in_range, shown
from qubo_queens.errors import InputTypeError

MAX_SIZE = 10**7
"""The largest board size: its lines fit in memory, its cell numbers in 64-bit integers."""

_BASE_HINT = "; cells count from 0: for 1-based input read it with base=1"


@dataclass(frozen=True)
class Contradiction:
    """A reason why no solution has all prescribed queens.

    Attributes:
        kind: ``attack`` (queens on one line), ``blocked`` (a queen on a blocked cell) or
            ``excluded`` (a queen on an excluded diagonal).
        line: The name of the line or cell.
        cells: The cells of these prescribed queens.
    """

    kind: str
    line: str
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        more = f" and {len(self.cells) - 4} more" if len(self.cells) > 4 else ""
        where = ", ".join(map(str, self.cells[:4])) + more
        if self.kind == "attack":
            return f"prescribed queens {where} attack each other on {self.line}"
        if self.kind == "blocked":
            return f"prescribed queen {where} stands on a blocked cell"
        noun, verb = ("queen", "stands") if len(self.cells) == 1 else ("queens", "stand")
        return f"prescribed {noun} {where} {verb} on the excluded diagonal {self.line}"


@dataclass(frozen=True, init=False)
class Instance:
    """An n-queens completion problem; immutable and hashable. Cells are sorted pairs of ``int``.

    >>> Instance(4, [(3, 2), (0, 1)], excluded_sums=[0]).queens
    ((0, 1), (3, 2))

    Attributes:
        n: The board size.
        queens: Cells that must have a queen.
        blocked: Cells that must not have one. Queens attack across them.
        excluded_sums: Values k such that no queen may stand on ``r + c = k``.
        excluded_differences: Values d such that no queen may stand on ``r - c = d``.
    """

    n: int
    queens: tuple[Cell, ...]
    blocked: tuple[Cell, ...]
    excluded_sums: tuple[int, ...]
    excluded_differences: tuple[int, ...]

    def __init__(
        self,
        n: int,
        queens: Iterable[Cell] = (),
        *,
        blocked: Iterable[Cell] = (),
        excluded_sums: Iterable[int] = (),
        excluded_differences: Iterable[int] = (),
    ) -> None:
        """Check and normalise an instance. Repeated cells and diagonals count once.

        Args:
            n: The board size, 1 to 10**7.
            queens: Prescribed queens, ``(row, column)`` with both in 0..n-1.
            blocked: Blocked cells, likewise.
            excluded_sums: Excluded sum diagonals, each in 0..2n-2.
            excluded_differences: Excluded difference diagonals, each in -(n-1)..n-1.

        Raises:
            InputTypeError: If a value is not an integer (``bool`` is not accepted), a cell is not
                a pair, or the cells are a mapping, whose keys may or may not be meant.
            InputError: If a value is out of range.
        """
        size = as_size(n)
        fields: dict[str, object] = {
            "n": size,
            "queens": _unique(as_cells(queens, size, "prescribed queen")),
            "blocked": _unique(as_cells(blocked, size, "blocked cell")),
            "excluded_sums": _diagonals(excluded_sums, Kind.SUM, size),
            "excluded_differences": _diagonals(excluded_differences, Kind.DIFFERENCE, size),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def excluded(self, kind: Kind) -> tuple[int, ...]:
        """Return the indices of the excluded lines of one kind."""
        if kind is Kind.SUM:
            return self.excluded_sums
        return self.excluded_differences if kind is Kind.DIFFERENCE else ()

    def excluded_lines(self) -> tuple[Line, ...]:
        """Return the excluded diagonals as lines."""
        return tuple(Line(kind, index) for kind in Kind for index in self.excluded(kind))

    def forbidden_queens(self) -> tuple[Cell, ...]:
        """Return the prescribed queens on a blocked cell or an excluded diagonal."""
        blocked, excluded = set(self.blocked), set(self.excluded_lines())
        return tuple(
            cell
            for cell in self.queens
            if cell in blocked or not excluded.isdisjoint(lines_through(cell))
        )

    def contradictions(self) -> tuple[Contradiction, ...]:
        """Return the reasons why no solution has all prescribed queens; empty if none is found.

        There is one for each line with several prescribed queens, for each excluded diagonal
        with a prescribed queen, and for each prescribed queen on a blocked cell.
        """
        on_line: defaultdict[Line, list[Cell]] = defaultdict(list)
        for cell in self.queens:
            for line in lines_through(cell):
                on_line[line].append(cell)
        blocked = set(self.blocked)
        crowded = [line for line, cells in on_line.items() if len(cells) > 1]
        wrong = [cell for cell in self.queens if cell in blocked]
        excluded = [line for line in self.excluded_lines() if line in on_line]
        return (
            *(Contradiction("attack", str(line), tuple(on_line[line])) for line in crowded),
            *(Contradiction("blocked", f"cell {cell}", (cell,)) for cell in wrong),
            *(Contradiction("excluded", str(line), tuple(on_line[line])) for line in excluded),
        )


InstanceLike: TypeAlias = Instance | int
"""An instance, or a board size for the instance with nothing prescribed."""


def as_instance(problem: InstanceLike) -> Instance:
    """Return `problem` as an instance; a number is the size of an empty board."""
    return problem if isinstance(problem, Instance) else Instance(problem)


def as_size(n: object) -> int:
    """Return `n` as a board size."""
    return int_in_range(n, "board size n =", 1, MAX_SIZE)


def as_cells(cells: Iterable[object], n: int, what: str) -> list[Cell]:
    """Return `cells` as a sorted list of plain-int pairs on an n x n board."""
    return sorted(_as_cell(cell, n, what) for cell in as_list(cells, "(row, column) pairs"))


def _as_cell(cell: object, n: int, what: str) -> Cell:
    try:
        pair = () if isinstance(cell, str | bytes | Set) else tuple(cast(Iterable[object], cell))
    except TypeError:
        pair = ()
    if len(pair) != 2:
        raise InputTypeError(
            f"{what} must be a (row, column) pair, not {shown(cell)}"
            " (a cell number k is divmod(k, n))"
        )
    row, column = pair
    if type(row) is int and type(column) is int and 0 <= row < n and 0 <= column < n:
        return row, column  # the usual case, without wording a label for an error
    row, column = (
        _coordinate(value, f"{name} of {what} {shown(pair)}:", n)
        for name, value in zip(("row", "column"), pair, strict=True)
    )
    return row, column


def _coordinate(value: object, what: str, n: int) -> int:
    number = as_int(value, what)
    hint = _BASE_HINT if number == n else ""
    return int_in_range(number, what, 0, n - 1, f" (n={n}){hint}")


def _diagonals(values: Iterable[object], kind: Kind, n: int) -> tuple[int, ...]:
    what, allowed = f"excluded {kind} diagonal", indices(kind, n)
    listed = as_list(values, f"{what}s")
    found = {int_in_range(each, what, allowed[0], allowed[-1], f" (n={n})") for each in listed}
    return tuple(sorted(found))


def _unique(cells: list[Cell]) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(cells))
