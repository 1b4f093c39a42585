"""Constraints on Boolean variables, as data.

Variables are numbered from 1, as in DIMACS files. A constraint says what has to hold, not how it
is written as clauses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from qubo_queens.board.lines import IntArray


@dataclass(frozen=True, eq=False)
class Fixed:
    """Each of the variables has one value.

    Attributes:
        name: What the constraint says, in the words of its formulation.
        variables: An integer array of shape (k,).
        value: The value.
    """

    name: str
    variables: IntArray
    value: bool


@dataclass(frozen=True, eq=False)
class AtMostOne:
    """No two of the variables are true; the attributes are as in :class:`Fixed`."""

    name: str
    variables: IntArray


@dataclass(frozen=True, eq=False)
class ExactlyOne:
    """One of the variables is true, and no other; the attributes are as in :class:`Fixed`."""

    name: str
    variables: IntArray


@dataclass(frozen=True, eq=False)
class Cardinality:
    """As many of the variables are true as `number` says.

    Attributes:
        name: As in :class:`Fixed`.
        variables: Likewise.
        number: How many are true, at least 0; it may be more than there are.
    """

    name: str
    variables: IntArray
    number: int


@dataclass(frozen=True, eq=False)
class NotBoth:
    """For each i, ``first[i]`` and ``second[i]`` are not both true.

    Attributes:
        name: As in :class:`Fixed`.
        first: An integer array of shape (p,).
        second: Likewise.
    """

    name: str
    first: IntArray
    second: IntArray


@dataclass(frozen=True, eq=False)
class InOrder:
    """If one variable of each array is true, that of `first` is in an earlier row.

    Attributes:
        name: As in :class:`Fixed`.
        first: An integer array of shape (rows, k).
        second: Likewise.
    """

    name: str
    first: IntArray
    second: IntArray


Constraint: TypeAlias = Fixed | AtMostOne | ExactlyOne | Cardinality | NotBoth | InOrder
