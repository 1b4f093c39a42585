"""Patterns for the ladder on Pegasus: the formula whose solutions they are.

    python benchmarks/pegasus_pattern.py [--near 7] [--centre 10] [--total N]

Asks CaDiCaL for chains of one or two qubits for the 15 variables of three neighbouring cells (the
cell itself and the bits behind it on its four lines, for each of the three types of cells), which
repeated over the plane are disjoint and have a coupler for each interaction. A window around its
cell says which qubits a variable may take: a small one makes the search fast (seconds) and leaves
little beyond the edges of the board. Prints the table of ``qubo_queens/embedding/pegasus.py``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from typing import TypeAlias

from pysat.card import CardEnc, EncType
from pysat.solvers import Cadical195

from qubo_queens.board.lines import Kind
from qubo_queens.embedding.labels import STEPS
from qubo_queens.embedding.pegasus import _LENGTH, _OFFSETS, _PITCH, _TYPES, Place

Name: TypeAlias = tuple[Kind | None, int]
"""A variable: the kind of its line, None for a cell, and the type of its cell."""

NAMES: tuple[Name, ...] = tuple(product((None, *Kind), range(_TYPES)))


class Formula:
    """The clauses, and a variable for each qubit that each name may take."""

    def __init__(self, near: int, centre: int, total: int | None) -> None:
        self.clauses: list[list[int]] = []
        self.last = 0
        self.takes = {
            (name, qubit): self.new() for name in NAMES for qubit in window(name, near, centre)
        }
        self.by_name: defaultdict[Name, list[Place]] = defaultdict(list)
        by_class: defaultdict[Place, list[int]] = defaultdict(list)
        for (name, qubit), taken in self.takes.items():
            self.by_name[name].append(qubit)
            by_class[representative(qubit)].append(taken)
        for takers in by_class.values():
            self.at_most(takers, 1)
        for name in NAMES:
            self.chain_of(name)
        for first, second, right, down in interactions():
            self.coupler(first, second, right, down)
        if total is not None:
            self.at_most(list(self.takes.values()), total)

    def new(self) -> int:
        """Return a new variable."""
        self.last += 1
        return self.last

    def at_most(self, literals: list[int], bound: int) -> None:
        """Demand that at most so many are true."""
        kind = EncType.seqcounter if bound == 1 else EncType.totalizer
        made = CardEnc.atmost(literals, bound, top_id=self.last, encoding=kind)
        self.last = max(self.last, made.nv)
        self.clauses += made.clauses

    def chain_of(self, name: Name) -> None:
        """Demand one qubit, or two with a coupler."""
        qubits = self.by_name[name]
        self.clauses.append([self.takes[name, qubit] for qubit in qubits])
        self.at_most([self.takes[name, qubit] for qubit in qubits], 2)
        for a, b in combinations(qubits, 2):
            if not coupled(a, b):
                self.clauses.append([-self.takes[name, a], -self.takes[name, b]])

    def coupler(self, first: Name, second: Name, right: int, down: int) -> None:
        """Demand a coupler between a variable and another one, moved by so many cells."""
        ways = []
        for a, b in product(self.by_name[first], self.by_name[second]):
            if coupled(a, moved(b, right, down)):
                way = self.new()
                self.clauses += [[-way, self.takes[first, a]], [-way, self.takes[second, b]]]
                ways.append(way)
        self.clauses.append(ways)


def main() -> None:
    """Search, and print the table."""
    options = _options()
    formula = Formula(options.near, options.centre, options.total)
    print(f"{formula.last:,} variables, {len(formula.clauses):,} clauses")
    with Cadical195(bootstrap_with=formula.clauses) as solver:
        if not solver.solve():
            print("no such pattern")
            return
        true = {literal for literal in solver.get_model() if literal > 0}
    for kind, number in NAMES:
        name = kind, number
        taken = (q for q in formula.by_name[name] if formula.takes[name, q] in true)
        table = tuple(moved(qubit, -number, 0) for qubit in taken)  # from its own cell
        print(f"    ({None if kind is None else f'Kind.{kind.name}'}, {number}): {table},")


def _options() -> Namespace:
    options = ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--near", type=int, default=7, help="how many tracks away a qubit may be")
    options.add_argument("--centre", type=int, default=10, help="how far away its middle may be")
    options.add_argument("--total", type=int, help="at most so many qubits in all, of 32")
    return options.parse_args()


def coupled(a: Place, b: Place) -> bool:
    """Return whether two qubits share a coupler."""
    if a[0] == b[0]:
        if a[1] == b[1]:
            return abs(a[2] - b[2]) == _LENGTH
        return a[1] ^ 1 == b[1] and a[2] == b[2]
    return 0 <= a[1] - b[2] < _LENGTH and 0 <= b[1] - a[2] < _LENGTH


def moved(qubit: Place, right: int, down: int) -> Place:
    """Return the qubit that lies so many cells to the right and down."""
    across, track, begin = qubit
    x, y = _PITCH * right, _PITCH * down
    return across, track + (y if across else x), begin + (x if across else y)


def representative(qubit: Place) -> Place:
    """Return the one qubit of the pattern that this one repeats."""
    up = (qubit[1] if qubit[0] else qubit[2]) // _PITCH
    qubit = moved(qubit, up, -up)
    x = qubit[2] if qubit[0] else qubit[1]
    return moved(qubit, -_TYPES * (x // (_PITCH * _TYPES)), 0)


def window(name: Name, near: int, centre: int) -> Iterator[Place]:
    """Yield the qubits that a variable may take, counted from the corner of its cell."""
    kind, number = name
    down, right = (0, 0) if kind is None else STEPS[kind]
    middle = [int((_PITCH - 1) / 2 + _PITCH / 2 * step) for step in (right, down)]
    for across in (0, 1):
        beside, along = middle[across], middle[1 - across]
        for track in range(beside - near, beside + near + 1):
            for begin in range(along - 2 * _LENGTH, along + 2 * _LENGTH):
                qubit = moved((across, track, begin), number, 0)  # the cell of this type in row 0
                starts_here = (qubit[2] - _OFFSETS[across][qubit[1] % _LENGTH]) % _LENGTH == 0
                if starts_here and abs(begin + (_LENGTH - 1) / 2 - along) <= centre:
                    yield qubit


def interactions() -> Iterable[tuple[Name, Name, int, int]]:
    """Return the interactions of the three cells, with how far the second is moved."""
    return chain.from_iterable(_behind(number, kind) for number in range(_TYPES) for kind in Kind)


def _behind(number: int, kind: Kind) -> Iterator[tuple[Name, Name, int, int]]:
    """Yield the interactions of a chain bit: with the cells around it and the next bit."""
    down, right = STEPS[kind]
    following = (number + right + down) % _TYPES
    shift = number + right - following
    yield (kind, number), (None, number), 0, 0
    yield (kind, number), (None, following), shift, down
    yield (kind, number), (kind, following), shift, down


if __name__ == "__main__":
    main()
