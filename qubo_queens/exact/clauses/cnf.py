"""Constraints as clauses: formulas in conjunctive normal form, in memory and as DIMACS text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from qubo_queens.checks import counted, shorten
from qubo_queens.errors import FormatError, InputError, ModelTooLargeError
from qubo_queens.exact.clauses.constraints import (
    AtMostOne,
    Cardinality,
    Constraint,
    ExactlyOne,
    Fixed,
    InOrder,
    NotBoth,
)
from qubo_queens.exact.clauses.formulations import MAX_LITERALS, Formulation

PAIRWISE_UP_TO = 24
"""At most one of so many variables is said by pairs; of more, by auxiliary variables."""


@dataclass(frozen=True, eq=False)
class Cnf:
    """A conjunction of clauses over variables 1 to `num_variables`.

    Attributes:
        num_variables: The number of variables, auxiliary ones included.
        literals: The literals of all clauses, one clause after the other: v for variable v, -v
            for its negation; of shape (L,).
        offsets: Where each clause starts, and at the end L; of shape (m + 1,).
    """

    num_variables: int
    literals: Int32Array = field(repr=False)
    offsets: Int64Array = field(repr=False)

    @classmethod
    def from_clauses(cls, clauses: Iterable[Sequence[int]], num_variables: int = 0) -> Self:
        """Return the formula of clauses that are given as lists of literals.

        Args:
            clauses: The clauses; an empty one cannot be satisfied.
            num_variables: The number of variables, if it is more than the clauses mention.

        Raises:
            InputError: If a literal is 0 or does not fit in 31 bits.
        """
        listed = [list(clause) for clause in clauses]
        literals = np.array([v for clause in listed for v in clause], dtype=np.int64)
        if len(literals) and (not literals.all() or np.abs(literals).max() >= 2**31 - 1):
            raise InputError("a literal is a variable from 1 to 2**31 - 2, or its negation")
        mentioned = int(np.abs(literals).max(initial=0))
        offsets = np.cumsum([0, *map(len, listed)])
        return cls(max(num_variables, mentioned), literals.astype(np.int32), offsets)

    def __len__(self) -> int:
        """Return the number of clauses."""
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[int]]:
        """Iterate over the clauses, as lists of literals."""
        flat, bounds = self.literals.tolist(), self.offsets.tolist()
        return (flat[start:stop] for start, stop in pairwise(bounds))

    def to_dimacs(self, comments: Iterable[str] = ()) -> str:
        """Return the formula as DIMACS text.

        Args:
            comments: Lines of text to put in front, each as a comment.

        Raises:
            InputError: If a comment has a line break.
        """
        lines = list(comments)
        if any(len(line.splitlines()) > 1 or line.endswith("\n") for line in lines):
            raise InputError("a comment of a DIMACS file is one line; split it at its line breaks")
        head = "".join(f"c {line}\n" for line in lines)
        body = clause_text(self.literals, self.offsets)
        return f"{head}p cnf {self.num_variables} {len(self)}\n{body}"

    @classmethod
    def from_dimacs(cls, text: str) -> tuple[Self, list[str]]:
        """Return the formula that a DIMACS text states, and its comments in front.

        Raises:
            FormatError: If the text is not one; the message says in which line.
        """
        comments, number, rest = [], 0, text
        while True:
            number += 1
            line, _, rest = rest.partition("\n")
            if line == "c" or line.startswith("c "):
                comments.append(line[2:])
            elif line.strip() or not rest:
                break
        words = line.split()
        if len(words) != 4 or words[:2] != ["p", "cnf"] or not all(map(_is_number, words[2:])):
            raise FormatError(
                f"line {number}: expected 'p cnf VARIABLES CLAUSES' of a DIMACS file, not {line!r}"
            )
        num_variables, num_clauses = map(int, words[2:])
        found = parse_clauses(rest, first_line=number + 1)
        if found.deletes.any():
            raise FormatError("a line with 'd' is one of a proof, not of a DIMACS formula")
        if len(found) != num_clauses:
            raise FormatError(
                f"line {number} announces {counted(num_clauses, 'clause')}, but there are "
                f"{len(found):,}; is the file complete?"
            )
        most = int(np.abs(found.literals).max(initial=0))
        if most > num_variables:
            raise FormatError(
                f"line {number} announces {counted(num_variables, 'variable')}, but variable "
                f"{most} occurs"
            )
        return cls(num_variables, found.literals, found.offsets), comments


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10


class CnfBuilder:
    """Clauses under construction."""

    def __init__(self, num_variables: int) -> None:
        """Begin without clauses.

        Args:
            num_variables: The variables that exist; auxiliary ones come after them.
        """
        self.num_variables = num_variables
        self._literals: list[npt.NDArray[np.integer]] = []
        self._lengths: list[npt.NDArray[np.integer]] = []
        self._size = 0

    def new_variables(self, number: int) -> Int64Array:
        """Return some new variables."""
        first = self.num_variables + 1
        self.num_variables += number
        return np.arange(first, first + number)

    def require(self, num_literals: int) -> None:
        """Refuse so many more literals if they would not fit, before they are made.

        Raises:
            ModelTooLargeError: If the clauses come to more than ``MAX_LITERALS`` literals.
        """
        if self._size + num_literals > MAX_LITERALS:
            raise ModelTooLargeError(
                f"the clauses have more than {MAX_LITERALS:,} literals; "
                "use a smaller board, or one with more prescribed queens"
            )

    def add(self, clauses: npt.NDArray[np.integer]) -> None:
        """Add the rows of an array of shape (clauses, literals) as clauses."""
        self.require(clauses.size)
        self._size += clauses.size
        self._literals.append(clauses.reshape(-1))
        self._lengths.append(np.full(len(clauses), clauses.shape[1]))

    def build(self) -> Cnf:
        """Return the formula."""
        empty = np.empty(0, dtype=np.int64)
        literals = np.concatenate([empty, *self._literals]).astype(np.int32)
        offsets = np.concatenate([[0], *self._lengths]).cumsum()
        return Cnf(self.num_variables, literals, offsets)


def to_cnf(formulation: Formulation, *, break_symmetry: bool = False) -> Cnf:
    """Return the clauses of a formulation.

    They have a model exactly if the constraints have one, and the variables of the formulation
    keep their numbers. Auxiliary variables come after them.

    Args:
        formulation: The formulation.
        break_symmetry: Whether to add what leaves one of the models of each board.

    Raises:
        ModelTooLargeError: If there are more than ``MAX_LITERALS`` literals.
    """
    extra = formulation.symmetry_breaking if break_symmetry else ()
    return constraints_to_cnf((*formulation.constraints, *extra), formulation.num_variables)


def constraints_to_cnf(constraints: Iterable[Constraint], num_variables: int) -> Cnf:
    """Return the clauses of constraints on variables 1 to `num_variables`; see :func:`to_cnf`."""
    builder = CnfBuilder(num_variables)
    for constraint in constraints:
        _add(builder, constraint)
    return builder.build()


def _add(builder: CnfBuilder, constraint: Constraint) -> None:
    match constraint:
        case Fixed(variables=variables, value=value):
            builder.add((variables if value else -variables).reshape(-1, 1))
        case NotBoth(first=first, second=second):
            builder.add(-np.stack((first, second), axis=1))
        case AtMostOne(variables=variables):
            at_most_one(builder, variables)
        case ExactlyOne(variables=variables):
            builder.add(variables.reshape(1, -1))
            at_most_one(builder, variables)
        case Cardinality(variables=variables, number=number):
            exactly(builder, variables, number)
        case InOrder(first=first, second=second):
            in_order(builder, first, second)


def at_most_one(builder: CnfBuilder, variables: Int64Array) -> None:
    """Say that no two of the variables are true.

    Few are said by pairs. For many there is the sequential counter of C. Sinz, "Towards an optimal
    CNF encoding of Boolean cardinality constraints" (CP 2005), with an auxiliary variable for each
    prefix, true if one in the prefix is: 3k - 4 clauses for k variables.
    """
    size = len(variables)
    if size <= PAIRWISE_UP_TO:
        first, second = np.triu_indices(size, 1)
        builder.add(-np.stack((variables[first], variables[second]), axis=1))
        return
    seen = builder.new_variables(size - 1)
    builder.add(np.stack((-variables[:-1], seen), axis=1))
    builder.add(np.stack((-seen[:-1], seen[1:]), axis=1))
    builder.add(np.stack((-seen, -variables[1:]), axis=1))


def in_order(builder: CnfBuilder, first: Int64Array, second: Int64Array) -> None:
    """Say that the true variable of `first` is in an earlier row than that of `second`.

    ``passed[r]`` is true exactly if that of `first` is in one of the rows up to r.
    """
    passed = builder.new_variables(len(first) - 1)[:, None]
    builder.add(_rows(-first[:-1], np.broadcast_to(passed, first[:-1].shape)))
    builder.add(_rows(-first[1:], np.broadcast_to(-passed, first[1:].shape)))
    builder.add(_rows(-passed[:-1], passed[1:]))
    builder.add(_rows(-second[1:], np.broadcast_to(passed, second[1:].shape)))
    builder.add(-second[0].reshape(-1, 1))


def exactly(builder: CnfBuilder, variables: Int64Array, number: int) -> None:
    """Say that `number` of the variables are true, by a sequential counter.

    Variable ``reached[i, j]`` is true exactly if at least j + 1 of the first i + 1 variables are,
    for j up to `number`: about 4 k (number + 1) clauses for k variables.
    """
    size, width = len(variables), number + 1
    if number > size:
        builder.add(np.empty((1, 0), dtype=np.int64))
        return
    if size == 0:
        return
    builder.require(11 * size * width)
    reached = builder.new_variables(size * width).reshape(size, width)
    here, before = reached[1:], reached[:-1]
    one = np.broadcast_to(variables[1:, None], here.shape)
    # The first variable alone.
    builder.add(np.array([[-variables[0], reached[0, 0]], [variables[0], -reached[0, 0]]]))
    builder.add(-reached[0, 1:].reshape(-1, 1))
    # What is reached stays reached, and one more is reached with each true variable.
    builder.add(_rows(-before, here))
    builder.add(_rows(-one[:, :1], here[:, :1]))
    builder.add(_rows(-one[:, 1:], -before[:, :-1], here[:, 1:]))
    # Nothing is reached without cause.
    builder.add(_rows(-here, before, one))
    builder.add(_rows(-here[:, 1:], before[:, 1:], before[:, :-1]))
    # `number` are reached, and no more.
    if number:
        builder.add(reached[-1:, -2:-1])
    builder.add(-reached[-1:, -1:])


def _rows(*columns: Int64Array) -> Int64Array:
    """Return clauses whose k-th literals are the entries of the k-th array."""
    return np.stack([column.reshape(-1) for column in columns], axis=1)


Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_CLAUSE = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,8} )*0\s*", re.ASCII)
_DELETES = 2_000_000_000
"""Stands for the letter d among the literals, which have at most nine digits."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """Clauses in the order in which they stand.

    Attributes:
        literals: The literals of all clauses, one clause after the other, of shape (L,).
        offsets: Where each clause starts, and at the end L; of shape (m + 1,).
        deletes: Which clauses stand behind a ``d``, of shape (m,).
    """

    literals: Int32Array = field(repr=False)
    offsets: Int64Array = field(repr=False)
    deletes: BoolArray = field(repr=False)

    def __len__(self) -> int:
        """Return the number of clauses."""
        return len(self.deletes)


def parse_clauses(text: str, first_line: int = 1) -> Clauses:
    """Read clauses, one on each line: ``1 -2 0``, with a ``d`` in front if it is deleted.

    Blank lines are passed over.

    Args:
        text: The lines.
        first_line: The number of the first line, for messages.

    Raises:
        FormatError: If a line is not a clause; the message says which.
    """
    lines = text.splitlines()
    clean = [line for line in lines if line and not line.isspace()]
    for line in clean:
        if _CLAUSE.fullmatch(line) is None:
            number = lines.index(line) + first_line
            raise FormatError(
                f"line {number}: expected a clause such as '1 -2 0' or 'd 1 -2 0', "
                f"not {shorten(line)!r}"
            )
    if not clean:
        return Clauses(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.bool_))
    joined = "\n".join(clean)
    numbers = np.fromstring(joined.replace("d", str(_DELETES)), dtype=np.int64, sep=" ")
    ends, deletes = numbers == 0, numbers == _DELETES
    return split_clauses(numbers, ends, deletes, ends | deletes)


def split_clauses(
    numbers: Int64Array, ends: BoolArray, deletes: BoolArray, marks: BoolArray
) -> Clauses:
    """Return the clauses of a stream of numbers.

    Args:
        numbers: The literals, and marks between them.
        ends: Which of the numbers stand behind a clause.
        deletes: Which stand in front of a clause that is deleted.
        marks: Which are marks of any kind.
    """
    literals = numbers[~marks].astype(np.int32)
    before = np.cumsum(~marks)[ends]
    deleted = np.zeros(len(before), dtype=np.bool_)
    deleted[np.cumsum(ends)[deletes]] = True
    return Clauses(literals, np.concatenate([[0], before]), deleted)


def clause_text(literals: Int32Array, offsets: Int64Array, deletes: BoolArray | None = None) -> str:
    """Return clauses as lines of text; the arguments are as in :class:`Clauses`."""
    flat, bounds = list(map(str, literals.tolist())), offsets.tolist()
    starts = pairwise(bounds)
    marks = [""] * (len(bounds) - 1) if deletes is None else ["d " if d else "" for d in deletes]
    return "".join(
        f"{mark}{' '.join(flat[start:stop])} 0\n" if stop > start else f"{mark}0\n"
        for mark, (start, stop) in zip(marks, starts, strict=True)
    )
