"""What clauses can state: encodings as constraints on Boolean variables, and the free cells.

The formulation of an encoding is the problem of ``build(encoding=...)`` in the words of a SAT
solver. It shares no code with the encodings, so that each can test the other. It declares the whole
board, fixes what is prescribed or forbidden, and has a solution exactly if the instance has one:
contradictory prescriptions are not looked for, they contradict the constraints.

``free-cells`` states what a search decides. Its clauses have no auxiliary variables.
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
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import shown
from qubo_queens.errors import Argument, InputError, ModelTooLargeError
from qubo_queens.exact.clauses.cnf import (
    MAX_LITERALS,
    AtMostOne,
    BooleanConstraint,
    Cardinality,
    Cnf,
    ExactlyOne,
    Fixed,
    InOrder,
    NotBoth,
    to_cnf,
)

FREE_CELLS = "free-cells"
"""The name of the clauses over the cells that prescribed queens leave free."""

Meaning: TypeAlias = Cell | tuple[int, Cell]


@dataclass(frozen=True, eq=False)
class Formulation:
    """An instance as constraints on Boolean variables.

    The variables are numbered from 1. Variable ``r * n + c + 1`` states that cell (r, c) has a
    queen; with labelled queens, variable ``label * n^2 + r * n + c + 1`` states that this queen is
    on cell (r, c).

    Attributes:
        encoding: One of ``FORMULATIONS``.
        num_labels: The number of labelled queens; None if queens have no labels.
        symmetry_breaking: Constraints that may be added; they leave one labelling of each board.
    """

    encoding: str
    instance: Instance
    constraints: tuple[BooleanConstraint, ...] = field(repr=False)
    num_labels: int | None = None
    symmetry_breaking: tuple[BooleanConstraint, ...] = field(default=(), repr=False)

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
        """Return the board with the queens of a model, given by the variables that are true.

        Auxiliary variables, whose numbers come after the others, and labels are ignored.
        """
        true = np.fromiter(variables, np.int64)
        true = true[(true >= 1) & (true <= self.num_variables)]
        n = self.instance.n
        return Placement.from_arrays(*np.divmod(np.unique((true - 1) % (n * n)), n), n)

    def to_cnf(self, *, break_symmetry: bool = False) -> Cnf:
        """Return the clauses of the constraints, with those of `symmetry_breaking` if wanted."""
        extra = self.symmetry_breaking if break_symmetry else ()
        return to_cnf((*self.constraints, *extra), self.num_variables)


def require_formulation(encoding: str) -> str:
    """Return the name of an encoding, if it can be written as clauses."""
    if not isinstance(encoding, str) or encoding not in FORMULATIONS:
        raise InputError(
            f"encoding {shown(encoding)} cannot be written as clauses; choose one of "
            f"{', '.join(FORMULATIONS)}"
        )
    return encoding


def formulate(instance: InstanceLike, encoding: str) -> Formulation:
    """Return an instance as the constraints of an encoding, one of ``FORMULATIONS``."""
    instance = as_instance(instance)
    entry = FORMULATIONS[require_formulation(encoding)]
    least = entry.least_literals(instance)
    if least > MAX_LITERALS:
        raise ModelTooLargeError(
            f"the clauses of encoding {encoding} with n={instance.n} have at least {least:,} "
            f"literals, more than the {MAX_LITERALS:,} that are allowed; use ",
            Argument("encoding", "cell"),
            ", the proof search or a smaller board",
        )
    return entry.build(instance)


def stated_cnf(instance: Instance, name: str) -> Cnf:
    """Return the clauses that a proof file refers to by name: ``free-cells``, or an encoding."""
    if name == FREE_CELLS:
        return free_cell_cnf(instance)
    if name not in FORMULATIONS:
        known = ", ".join([FREE_CELLS, *FORMULATIONS])
        raise InputError(f"clauses called {shown(name)} are unknown; known are {known}")
    return formulate(instance, name).to_cnf(break_symmetry=True)


def cells_of_lines(instance: Instance) -> Formulation:
    """One variable per cell; every line by the sum of its variables."""
    sums = (ExactlyOne(str(line), _on(line, instance.n)) for line in _lines(instance, ROW_COLUMN))
    most = (AtMostOne(str(line), _on(line, instance.n)) for line in _lines(instance, DIAGONAL))
    return Formulation("cell", instance, (*_given(instance), *sums, *most))


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

    If more than n queens are prescribed, there are as many labelled queens, which cannot all be in
    different rows. The symmetry-breaking constraints number the free queens by their rows.
    """
    labels = max(instance.n, len(instance.queens))
    constraints = (*_labelled_cells(instance, labels), *_labelled_attacks(instance.n, labels))
    return Formulation(
        "labelled", instance, constraints, labels, tuple(_labels_in_order(instance, labels))
    )


def _labelled_cells(instance: Instance, num_labels: int) -> Iterator[BooleanConstraint]:
    """Put each labelled queen on one cell, and the first ones on the prescribed cells."""
    n, size = instance.n, instance.n**2
    forbidden = np.flatnonzero(_forbidden(instance))
    for label in range(num_labels):
        first = label * size + 1
        yield ExactlyOne(f"Q_{label} is on one cell", np.arange(first, first + size))
        yield Fixed(f"Q_{label} is on no forbidden cell", forbidden + first, False)
    for label, (row, column) in enumerate(instance.queens):
        place = np.array([label * size + row * n + column + 1])
        yield Fixed(f"Q_{label} is on {row, column}", place, True)


def _labelled_attacks(n: int, num_labels: int) -> Iterator[NotBoth]:
    """Forbid each two labelled queens to attack each other, or to share a cell."""
    size = n * n
    rows, columns = np.divmod(np.arange(size), n)
    # Pairs of cells, as two arrays: those in one row, in one column, on one diagonal.
    one_row = np.nonzero(rows[:, None] == rows)
    one_column = np.nonzero(columns[:, None] == columns)
    apart = np.abs(rows[:, None] - rows)
    one_diagonal = np.nonzero((apart == np.abs(columns[:, None] - columns)) & (apart > 0))
    for i, j in combinations(range(num_labels), 2):
        for text, (here, there) in (
            (f"R_{i} != R_{j}", one_row),
            (f"C_{i} != C_{j}", one_column),
            (f"|R_{i} - R_{j}| != |C_{i} - C_{j}|", one_diagonal),
        ):
            yield NotBoth(text, here + (i * size + 1), there + (j * size + 1))


def _labels_in_order(instance: Instance, num_labels: int) -> Iterator[InOrder]:
    """Order the labelled queens that are not prescribed by their rows."""
    n = instance.n
    of_label = np.arange(1, num_labels * n * n + 1).reshape(num_labels, n, n)
    for label in range(len(instance.queens), n - 1):
        yield InOrder(f"R_{label} < R_{label + 1}", of_label[label], of_label[label + 1])


def queen_in_each_row(instance: Instance) -> Formulation:
    """A variable over the columns for each row; rows differ in columns and in diagonals."""
    n = instance.n
    columns = np.arange(1, n + 1)
    constraints: list[BooleanConstraint] = [*_given(instance)]
    constraints += [ExactlyOne(f"C_{row} has one value", columns + row * n) for row in range(n)]
    for r, s in combinations(range(n), 2):
        here, there, step = columns + r * n, columns + s * n, s - r
        constraints.append(NotBoth(f"C_{r} != C_{s}", here, there))
        # Column c of row r shares a diagonal with columns c - step and c + step of row s.
        left = np.concatenate((here[step:], here[:-step]))
        right = np.concatenate((there[:-step], there[step:]))
        constraints.append(NotBoth(f"|C_{r} - C_{s}| != {step}", left, right))
    return Formulation("row", instance, tuple(constraints))


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
    """Yield the lines of some kinds, without the diagonals of one cell."""
    for kind in kinds:
        every = indices(kind, instance.n)
        yield from (Line(kind, index) for index in (every[1:-1] if kind in DIAGONAL else every))


def _on(line: Line, n: int) -> IntArray:
    """Return the variables of the cells on a line, where there is one per cell."""
    way = course(line, n)
    along = np.arange(way.length)
    return (way.row + way.row_step * along) * n + (way.column + way.column_step * along) + 1


def _pairs(variables: IntArray) -> tuple[IntArray, IntArray]:
    """Return all pairs of variables, as two arrays."""
    first, second = np.triu_indices(len(variables), 1)
    return variables[first], variables[second]


def _num_attacks(n: int) -> int:
    """Return the number of pairs of cells that share a line."""
    return n * n * (n - 1) + n * (n - 1) * (2 * n - 1) // 3


class _Entry(NamedTuple):
    """The builder of a formulation, and a lower bound on the literals of its clauses."""

    build: Callable[[Instance], Formulation]
    least_literals: Callable[[Instance], int]


def _labelled_literals(asked: Instance) -> int:
    labels = max(asked.n, len(asked.queens))
    return labels * (labels - 1) * (2 * _num_attacks(asked.n) + asked.n**2)


FORMULATIONS: dict[str, _Entry] = {
    "cell": _Entry(cells_of_lines, lambda asked: 10 * asked.n**2),
    "cell-attack": _Entry(
        attacking_cells, lambda asked: 2 * _num_attacks(asked.n) + 4 * asked.n**3
    ),
    "labelled": _Entry(labelled_queens, _labelled_literals),
    "row": _Entry(queen_in_each_row, lambda asked: 2 * _num_attacks(asked.n)),
}
"""The formulations by the name of the encoding that they state."""


def free_cell_cnf(instance: InstanceLike) -> Cnf:
    """Return the clauses over the free cells of ``reduce(instance, "lines")``.

    Variable i + 1 stands for a queen on the i-th free cell in row-major order. There is a clause
    for each open row and then for each open column, of its free cells; then one for each two free
    cells on a line: of all rows, columns, sum diagonals and difference diagonals in turn. If the
    prescribed queens contradict each other, there is an empty clause in front.
    """
    reduction = reduce(instance, "lines")
    rows, columns = reduction.free_arrays
    groups = [_CellsByLine(reduction, kind, rows, columns) for kind in Kind]
    num_literals = 2 * len(rows) + 2 * sum(int(group.later.sum()) for group in groups)
    if num_literals > MAX_LITERALS:
        raise ModelTooLargeError(
            f"the clauses over the {len(rows):,} free cells have {num_literals:,} literals, more "
            f"than the {MAX_LITERALS:,} that are allowed; use a smaller board, or prescribe more"
        )
    contradicted = [0] if reduction.instance.contradictions() else []
    literals, lengths = [], [np.array(contradicted, dtype=np.int64)]
    for group in groups[: len(ROW_COLUMN)]:
        literals.append(group.order + 1)
        lengths.append(group.counts[reduction.is_open[group.kind]])
    for group in groups:
        literals.append(-1 - group.pairs())
        lengths.append(np.full(len(literals[-1]) // 2, 2))
    offsets = np.concatenate([[0], *lengths]).cumsum()
    return Cnf(len(rows), np.concatenate(literals).astype(np.int32), offsets)


class _CellsByLine:
    """The F free cells, ordered by their lines of one kind.

    Attributes:
        counts: The number of free cells on each line, by position.
        order: The numbers of the free cells, line by line; of shape (F,).
        later: For each place in that order, the number of cells that follow on the same line.
    """

    def __init__(self, reduction: Reduction, kind: Kind, rows: IntArray, columns: IntArray) -> None:
        at = position(kind, rows, columns, reduction.instance.n)
        self.kind = kind
        self.counts = np.bincount(at, minlength=len(reduction.is_open[kind]))
        self.order = np.argsort(at, kind="stable")
        ends = np.repeat(self.counts.cumsum(), self.counts)
        self.later = ends - np.arange(len(self.order)) - 1

    def pairs(self) -> IntArray:
        """Return the P pairs of cells that share a line, one after the other; of shape (2 P,)."""
        # Place i is paired with places i + 1 to i + later[i]; begin is the first pair of place i.
        place = np.repeat(np.arange(len(self.order)), self.later)
        begin = np.repeat(self.later.cumsum() - self.later, self.later)
        partner = place + 1 + np.arange(len(place)) - begin
        return np.stack((self.order[place], self.order[partner]), axis=1).reshape(-1)
