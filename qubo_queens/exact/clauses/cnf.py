"""Constraints on Boolean variables as data, and as clauses (conjunctive normal form).

A constraint says what has to hold, not how it is written as clauses. Variables are numbered from 1,
as in DIMACS files. python-sat encodes exact counts, as a modulo totalizer: half the clauses of a
counter, and CaDiCaL is two to three times as fast on them. At most one of many variables is encoded
here in four lines of array arithmetic; python-sat makes the same clauses, but in a time that grows
with the square of their number (n = 400: 2.9 s against 0.35 s).

Formulas are arrays, and their DIMACS text is written from these: 1.9 million clauses take 1.9 s,
and 16 s with ``pysat.formula.CNF``, which works on lists. DIMACS text is never read: a checker
makes the clauses from the instance and compares the text. ``CNF`` would accept a missing header,
wrong numbers of clauses and variables, and ``-0``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import IntArray
from qubo_queens.errors import InputError, MissingPackageError, ModelTooLargeError

LiteralArray: TypeAlias = npt.NDArray[np.int32]

MAX_LITERALS = 20_000_000
"""The largest number of literals that clauses may have."""

PAIRWISE_UP_TO = 24
"""At most one of up to so many variables is encoded by pairs; of more, with auxiliary variables."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """All of the variables have one value."""

    name: str
    variables: IntArray
    value: bool


@dataclass(frozen=True, eq=False)
class AtMostOne:
    """No two of the variables are true."""

    name: str
    variables: IntArray


@dataclass(frozen=True, eq=False)
class ExactlyOne:
    """One of the variables is true, and no other."""

    name: str
    variables: IntArray


@dataclass(frozen=True, eq=False)
class Cardinality:
    """Exactly `number` of the variables are true: at least 0, and maybe more than there are."""

    name: str
    variables: IntArray
    number: int


@dataclass(frozen=True, eq=False)
class NotBoth:
    """For each i, ``first[i]`` and ``second[i]`` are not both true."""

    name: str
    first: IntArray
    second: IntArray


@dataclass(frozen=True, eq=False)
class InOrder:
    """If one variable of each array is true, that of `first` is in an earlier row.

    The arrays are of shape (rows, k).
    """

    name: str
    first: IntArray
    second: IntArray


BooleanConstraint: TypeAlias = Fixed | AtMostOne | ExactlyOne | Cardinality | NotBoth | InOrder
"""Its `name` is the constraint in words. Variables are in arrays of shape (k,), unless stated."""


@dataclass(frozen=True, eq=False)
class Cnf:
    """A conjunction of clauses over variables 1 to `num_variables`.

    Attributes:
        num_variables: The number of variables, including auxiliary ones.
        literals: The literals of all clauses, one clause after the other: v for variable v, -v
            for its negation; of shape (L,).
        offsets: Where each clause starts, and at the end L; of shape (m + 1,).
    """

    num_variables: int
    literals: LiteralArray = field(repr=False)
    offsets: IntArray = field(repr=False)

    @classmethod
    def from_clauses(cls, clauses: Iterable[Sequence[int]], num_variables: int = 0) -> Self:
        """Return the formula of clauses that are given as lists of literals.

        >>> print(Cnf.from_clauses([[1, -2], [2]]).to_dimacs(["two clauses"]), end="")
        c two clauses
        p cnf 2 2
        1 -2 0
        2 0

        `num_variables` is needed if there are more than the clauses mention.
        """
        literals, offsets = _flat(list(clauses))
        if len(literals) and (not literals.all() or np.abs(literals).max() >= 2**31 - 1):
            raise InputError("a literal is a variable from 1 to 2**31 - 2, or its negation")
        mentioned = int(np.abs(literals).max(initial=0))
        return cls(max(num_variables, mentioned), literals.astype(np.int32), offsets)

    def __len__(self) -> int:
        """Return the number of clauses."""
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[int]]:
        """Iterate over the clauses, as lists of literals."""
        flat, bounds = self.literals.tolist(), self.offsets.tolist()
        return (flat[start:stop] for start, stop in pairwise(bounds))

    def to_dimacs(self, comments: Iterable[str] = ()) -> str:
        """Return the formula as DIMACS text, with lines of text in front, each as a comment."""
        lines = list(comments)
        if any(len(line.splitlines()) > 1 or line.endswith("\n") for line in lines):
            raise InputError("a comment of a DIMACS file is one line; split it at its line breaks")
        head = "".join(f"c {line}\n" for line in lines)
        body = "".join(clause_lines(self.literals, self.offsets))
        return f"{head}p cnf {self.num_variables} {len(self)}\n{body}"


def clause_lines(literals: LiteralArray, offsets: IntArray) -> Iterator[str]:
    """Yield clauses as lines of text; the arguments are as in :class:`Cnf`."""
    words = list(map(str, literals.tolist()))
    for start, stop in pairwise(offsets.tolist()):
        yield f"{' '.join(words[start:stop])} 0\n" if stop > start else "0\n"


def to_cnf(constraints: Iterable[BooleanConstraint], num_variables: int) -> Cnf:
    """Return the clauses of constraints on variables 1 to `num_variables`.

    They have a model exactly if the constraints have one, and the variables of the constraints
    keep their numbers. Auxiliary variables come after them.
    """
    builder = _Builder(num_variables)
    for constraint in constraints:
        _add(builder, constraint)
    return builder.build()


class _Builder:
    """Clauses under construction."""

    def __init__(self, num_variables: int) -> None:
        self.num_variables = num_variables
        self._literals: list[IntArray] = []
        self._lengths: list[IntArray] = []
        self._size = 0

    def new_variables(self, number: int) -> IntArray:
        """Return new auxiliary variables."""
        first = self.num_variables + 1
        self.num_variables += number
        return np.arange(first, first + number)

    def add(self, *columns: IntArray) -> None:
        """Add clauses whose k-th literals are the entries of the k-th array."""
        self._append(np.stack(columns, axis=-1).reshape(-1), np.full(columns[0].size, len(columns)))

    def add_listed(self, clauses: list[list[int]]) -> None:
        """Add clauses that are given as lists."""
        literals, offsets = _flat(clauses)
        self._append(literals, np.diff(offsets))

    def _append(self, literals: IntArray, lengths: IntArray) -> None:
        self._size += len(literals)
        if self._size > MAX_LITERALS:
            raise ModelTooLargeError(
                f"the clauses have more than {MAX_LITERALS:,} literals; "
                "use a smaller board, or one with more prescribed queens"
            )
        self._literals.append(literals)
        self._lengths.append(lengths)

    def build(self) -> Cnf:
        """Return the formula."""
        empty = np.empty(0, dtype=np.int64)
        literals = np.concatenate([empty, *self._literals]).astype(np.int32)
        return Cnf(self.num_variables, literals, np.concatenate([[0], *self._lengths]).cumsum())


def _flat(clauses: list[Any]) -> tuple[IntArray, IntArray]:
    """Return lists of literals as one array, and where each list starts."""
    offsets = np.cumsum([0, *map(len, clauses)])
    return np.fromiter(chain.from_iterable(clauses), np.int64, int(offsets[-1])), offsets


def _add(builder: _Builder, constraint: BooleanConstraint) -> None:
    match constraint:
        case Fixed(variables=variables, value=value):
            builder.add(variables if value else -variables)
        case NotBoth(first=first, second=second):
            builder.add(-first, -second)
        case AtMostOne(variables=variables):
            _at_most_one(builder, variables)
        case ExactlyOne(variables=variables):
            builder.add_listed([variables.tolist()])
            _at_most_one(builder, variables)
        case Cardinality(variables=variables, number=number):
            _exactly(builder, variables, number)
        case InOrder(first=first, second=second):
            _in_order(builder, first, second)


def _at_most_one(builder: _Builder, variables: IntArray) -> None:
    """Require that no two of the variables are true.

    Few variables are taken in pairs. Many get the sequential counter of C. Sinz, "Towards an
    optimal CNF encoding of Boolean cardinality constraints" (CP 2005): 3k - 4 clauses.
    """
    if len(variables) <= PAIRWISE_UP_TO:
        first, second = np.triu_indices(len(variables), 1)
        builder.add(-variables[first], -variables[second])
        return
    seen = builder.new_variables(len(variables) - 1)  # seen[i]: one of the first i + 1 is true
    builder.add(-variables[:-1], seen)
    builder.add(-seen[:-1], seen[1:])
    builder.add(-seen, -variables[1:])


def _exactly(builder: _Builder, variables: IntArray, number: int) -> None:
    """Require that `number` of the variables are true."""
    if number > len(variables):
        builder.add_listed([[]])
        return
    try:
        from pysat.card import CardEnc, EncType
    except ImportError as error:
        raise MissingPackageError(
            "clauses need the package python-sat; install it with: python -m pip install python-sat"
        ) from error
    found = CardEnc.equals(
        lits=variables.tolist(),
        bound=number,
        top_id=builder.num_variables,
        encoding=EncType.kmtotalizer,
    )
    builder.num_variables = max(builder.num_variables, found.nv)
    builder.add_listed(found.clauses)


def _in_order(builder: _Builder, first: IntArray, second: IntArray) -> None:
    """Require that the true variable of `first` is in an earlier row than that of `second`.

    The auxiliary variable ``passed[r]`` is true exactly if that of `first` is in one of the rows up
    to r. All arrays of literals are of shape (rows - 1, k), but for `passed`, (rows - 1, 1).
    """
    passed = builder.new_variables(len(first) - 1)[:, None]
    here = np.broadcast_to(passed, first[1:].shape)
    builder.add(-first[:-1], here)
    builder.add(-first[1:], -here)
    builder.add(-passed[:-1], passed[1:])
    builder.add(-second[1:], here)
    builder.add(-second[0])
