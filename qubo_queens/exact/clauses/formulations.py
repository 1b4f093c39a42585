"""The formulations of an instance: Boolean variables, and the constraints that each declares.

Each one stands on its own: it declares the whole board, fixes what is prescribed or forbidden, and
has a solution exactly if the instance has one. Contradictory prescriptions contradict constraints
of the formulation; none of them is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    BoolArray,
    Cell,
    IntArray,
    Kind,
    Line,
    coordinates,
    course,
    indices,
    position,
)
from qubo_queens.board.placement import Placement
from qubo_queens.checks import shown
from qubo_queens.errors import Argument, InputError, ModelTooLargeError
from qubo_queens.exact.clauses.constraints import (
    AtMostOne,
    Cardinality,
    Constraint,
    ExactlyOne,
    Fixed,
    InOrder,
    NotBoth,
)

MAX_LITERALS = 20_000_000
"""How many literals a formulation may have when written as clauses."""

Meaning: TypeAlias = Cell | tuple[int, Cell]


@dataclass(frozen=True, eq=False)
class Formulation:
    """An instance as constraints on Boolean variables.

    The variables are numbered from 1: for each label its n^2 cells in row-major order. Only
    labelled queens have labels; elsewhere variable ``r * n + c + 1`` says that cell (r, c) has a
    queen (or, which is the same, that row r has its queen in column c).

    Attributes:
        name: One of ``FORMULATIONS``.
        instance: What is asked.
        constraints: What is declared.
        num_labels: The number of labelled queens; None where queens have no labels.
        symmetry_breaking: What may be added: it leaves each board one of its labellings.
    """

    name: str
    instance: Instance
    constraints: tuple[Constraint, ...] = field(repr=False)
    num_labels: int | None = None
    symmetry_breaking: tuple[Constraint, ...] = field(default=(), repr=False)

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        labels = 1 if self.num_labels is None else self.num_labels
        return labels * self.instance.n**2

    def meaning(self, variable: int) -> Meaning:
        """Return what a variable stands for: a cell, or a label and a cell."""
        n = self.instance.n
        label, place = divmod(variable - 1, n * n)
        cell = divmod(place, n)
        return cell if self.num_labels is None else (label, cell)

    def decode(self, variables: Iterable[int]) -> Placement:
        """Return the board on which the variables that are true put queens.

        Args:
            variables: Those that are true. Numbers beyond the last variable, as auxiliary
                variables of clauses have them, are passed over; so are the labels of queens.
        """
        true = np.fromiter(variables, np.int64)
        true = true[(true >= 1) & (true <= self.num_variables)]
        n = self.instance.n
        return Placement.from_arrays(*np.divmod(np.unique((true - 1) % (n * n)), n), n)


def formulate(instance: InstanceLike, name: str) -> Formulation:
    """Return an instance in one of the formulations.

    Args:
        instance: The instance, or n for the plain board.
        name: ``cell-sums`` (rows, columns and diagonals by their sums), ``cell-attack`` (pairs of
            attacking cells, and the number of queens), ``labelled`` (a variable over all cells for
            each queen) or ``row`` (a variable over all columns for each row).

    Raises:
        InputError: If the name is unknown.
        ModelTooLargeError: If its clauses would have more than ``MAX_LITERALS`` literals.
    """
    instance = as_instance(instance)
    if not isinstance(name, str) or name not in FORMULATIONS:
        known = ", ".join(FORMULATIONS)
        raise InputError(f"formulation {shown(name)} is unknown; choose one of {known}")
    entry = FORMULATIONS[name]
    least = entry.least_literals(instance)
    if least > MAX_LITERALS:
        raise ModelTooLargeError(
            f"the {name} formulation of n={instance.n} has at least {least:,} literals, more than "
            f"the {MAX_LITERALS:,} that are allowed; use ",
            Argument("formulation", "cell"),
            " or a smaller board",
        )
    return entry.build(instance)


def cells_of_lines(instance: Instance) -> Formulation:
    """One variable per cell; every line by the sum of its variables."""
    sums = (ExactlyOne(str(line), _on(line, instance.n)) for line in _lines(instance, ROW_COLUMN))
    most = (AtMostOne(str(line), _on(line, instance.n)) for line in _lines(instance, DIAGONAL))
    return Formulation("cell-sums", instance, (*_given(instance), *sums, *most))


def attacking_cells(instance: Instance) -> Formulation:
    """One variable per cell; no two that attack each other, and n in all."""
    n = instance.n
    pairs = (
        NotBoth(f"no attack on {line}", *_pairs(_on(line, n)))
        for line in _lines(instance, tuple(Kind))
    )
    total = Cardinality(f"{n} queens", np.arange(1, n * n + 1), n)
    return Formulation("cell-attack", instance, (*_given(instance), *pairs, total))


def labelled_queens(instance: Instance) -> Formulation:
    """A variable over all cells for each of n queens; the prescribed ones come first.

    More than n prescribed queens are that many labelled queens: they cannot all differ in rows. The
    others can be numbered by their rows, which is not demanded, but may be added.
    """
    n, size = instance.n, instance.n**2
    num_labels = max(n, len(instance.queens))
    rows, columns = np.divmod(np.arange(size), n)
    one_row = np.nonzero(rows[:, None] == rows)
    one_column = np.nonzero(columns[:, None] == columns)
    apart = np.abs(rows[:, None] - rows)
    one_diagonal = np.nonzero((apart == np.abs(columns[:, None] - columns)) & (apart > 0))

    def constraints() -> Iterator[Constraint]:
        for label in range(num_labels):
            first = label * size + 1
            yield ExactlyOne(f"Q_{label} is on one cell", np.arange(first, first + size))
            forbidden = np.flatnonzero(_forbidden(instance)) + first
            yield Fixed(f"Q_{label} is on no forbidden cell", forbidden, False)
        for label, (row, column) in enumerate(instance.queens):
            place = np.array([label * size + row * n + column + 1])
            yield Fixed(f"Q_{label} is on {row, column}", place, True)
        for i, j in combinations(range(num_labels), 2):
            for text, (here, there) in (
                (f"R_{i} != R_{j}", one_row),
                (f"C_{i} != C_{j}", one_column),
                (f"|R_{i} - R_{j}| != |C_{i} - C_{j}|", one_diagonal),
            ):
                yield NotBoth(text, here + (i * size + 1), there + (j * size + 1))

    def ordered() -> Iterator[Constraint]:
        of_label = np.arange(1, num_labels * size + 1).reshape(num_labels, n, n)
        for label in range(len(instance.queens), n - 1):
            yield InOrder(f"R_{label} < R_{label + 1}", of_label[label], of_label[label + 1])

    return Formulation("labelled", instance, tuple(constraints()), num_labels, tuple(ordered()))


def queen_in_each_row(instance: Instance) -> Formulation:
    """A variable over the columns for each row; rows differ in columns and in diagonals."""
    n = instance.n
    columns = np.arange(1, n + 1)

    def constraints() -> Iterator[Constraint]:
        yield from _given(instance)
        for row in range(n):
            yield ExactlyOne(f"C_{row} has one value", columns + row * n)
        for r, s in combinations(range(n), 2):
            here, there, step = columns + r * n, columns + s * n, s - r
            yield NotBoth(f"C_{r} != C_{s}", here, there)
            yield NotBoth(
                f"|C_{r} - C_{s}| != {step}",
                np.concatenate((here[step:], here[:-step])),
                np.concatenate((there[:-step], there[step:])),
            )

    return Formulation("row", instance, tuple(constraints()))


def _given(instance: Instance) -> Iterator[Fixed]:
    """Fix what is prescribed and what is forbidden, of one variable per cell."""
    rows, columns = coordinates(instance.queens)
    yield Fixed("prescribed queens", rows * instance.n + columns + 1, True)
    yield Fixed("forbidden cells", np.flatnonzero(_forbidden(instance)) + 1, False)


def _forbidden(instance: Instance) -> BoolArray:
    """Return which cells are blocked or on an excluded diagonal, in row-major order."""
    n = instance.n
    rows, columns = np.divmod(np.arange(n * n), n)
    forbidden = np.zeros(n * n, dtype=np.bool_)
    for kind in DIAGONAL:
        barred = np.zeros(2 * n - 1, dtype=np.bool_)
        barred[np.array(instance.excluded(kind), dtype=np.int64) - indices(kind, n)[0]] = True
        forbidden |= barred[position(kind, rows, columns, n)]
    blocked_rows, blocked_columns = coordinates(instance.blocked)
    forbidden[blocked_rows * n + blocked_columns] = True
    return forbidden


def _lines(instance: Instance, kinds: Iterable[Kind]) -> Iterator[Line]:
    """Yield the lines of some families; a diagonal of one cell says nothing and is left out."""
    for kind in kinds:
        every = indices(kind, instance.n)
        yield from (Line(kind, index) for index in (every[1:-1] if kind in DIAGONAL else every))


def _on(line: Line, n: int) -> IntArray:
    """Return the variables of the cells on a line, where there is one per cell."""
    way = course(line, n)
    along = np.arange(way.length)
    return (way.row + way.row_step * along) * n + (way.column + way.column_step * along) + 1


def _pairs(variables: IntArray) -> tuple[IntArray, IntArray]:
    """Return every two of some variables."""
    first, second = np.triu_indices(len(variables), 1)
    return variables[first], variables[second]


def _num_attacks(n: int) -> int:
    """Return the number of pairs of cells that share a line."""
    return n * n * (n - 1) + n * (n - 1) * (2 * n - 1) // 3


class Entry(NamedTuple):
    """How a formulation is made, and the least number of literals that its clauses have."""

    build: Callable[[Instance], Formulation]
    least_literals: Callable[[Instance], int]


def _labelled_literals(asked: Instance) -> int:
    labels = max(asked.n, len(asked.queens))
    return labels * (labels - 1) * (2 * _num_attacks(asked.n) + asked.n**2)


FORMULATIONS: dict[str, Entry] = {
    "cell-sums": Entry(cells_of_lines, lambda asked: 10 * asked.n**2),
    "cell-attack": Entry(attacking_cells, lambda asked: 2 * _num_attacks(asked.n) + 9 * asked.n**3),
    "labelled": Entry(labelled_queens, _labelled_literals),
    "row": Entry(queen_in_each_row, lambda asked: 2 * _num_attacks(asked.n)),
}
"""The formulations by name."""
