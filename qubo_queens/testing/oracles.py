"""Answers to compare with, by plain loops over coordinates and over all states of a BQM.

Of an ``Instance`` only its data are read here (its n, queens, blocked and excluded lists): no line,
count or energy comes from the code under test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, product

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell

MOST_VARIABLES = 22


def all_cells(n: int) -> list[Cell]:
    """Return the cells of a board in row-major order."""
    return [(row, column) for row, column in product(range(n), repeat=2)]


def attacks(one: Cell, other: Cell) -> bool:
    """Return whether queens on two different cells attack each other."""
    (r, c), (s, t) = one, other
    return r == s or c == t or abs(r - s) == abs(c - t)


def attacking_pairs(cells: Iterable[Cell]) -> list[tuple[Cell, Cell]]:
    """Return the pairs of queens that attack each other."""
    return [pair for pair in combinations(sorted(cells), 2) if attacks(*pair)]


def is_forbidden(instance: Instance, cell: Cell) -> bool:
    """Return whether a cell is blocked or on an excluded diagonal."""
    row, column = cell
    return (
        cell in instance.blocked
        or row + column in instance.excluded_sums
        or row - column in instance.excluded_differences
    )


def solves(instance: Instance, cells: Collection[Cell]) -> bool:
    """Return whether queens on `cells` solve an instance.

    >>> solves(Instance(4), [(0, 1), (1, 3), (2, 0), (3, 2)])
    True
    """
    return (
        len(cells) == instance.n
        and set(instance.queens) <= set(cells)
        and not attacking_pairs(cells)
        and not any(is_forbidden(instance, cell) for cell in cells)
    )


def completions(instance: Instance) -> Iterator[tuple[int, ...]]:
    """Yield the columns of every solution, by depth-first search over the rows.

    >>> list(completions(Instance(4)))
    [(1, 3, 0, 2), (2, 0, 3, 1)]
    """
    given: defaultdict[int, set[int]] = defaultdict(set)
    for row, column in instance.queens:
        given[row].add(column)

    def extend(columns: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        row = len(columns)
        if row == instance.n:
            yield columns
            return
        for column in range(instance.n):
            cell = (row, column)
            if (
                given[row] <= {column}
                and not is_forbidden(instance, cell)
                and not any(attacks(cell, queen) for queen in enumerate(columns))
            ):
                yield from extend((*columns, column))

    yield from extend(())


def state_energies(bqm: dimod.BinaryQuadraticModel) -> npt.NDArray[np.float64]:
    """Return the energies of all 2^N states, N up to 22; bit i of a state is variable i.

    >>> state_energies(dimod.BinaryQuadraticModel({"a": 1, "b": 2}, {"ab": 4}, 8, "BINARY"))
    array([ 8.,  9., 10., 15.])
    """
    size, order = bqm.num_variables, {label: i for i, label in enumerate(bqm.variables)}
    if size > MOST_VARIABLES:
        raise ValueError(f"{size} variables are too many; at most {MOST_VARIABLES}")
    bias, coupling = np.zeros(size), np.zeros((size, size))
    for label, weight in bqm.linear.items():
        bias[order[label]] = weight
    for (one, other), weight in bqm.quadratic.items():
        coupling[tuple(sorted((order[one], order[other])))] = weight
    # variable by variable: the states with bit i set follow those without it
    energies = np.full(1, float(bqm.offset))
    for i in range(size):
        field = np.full(1, bias[i])  # the change of energy by bit i, for all states of bits < i
        for j in range(i):
            field = np.concatenate((field, field + coupling[j, i]))
        energies = np.concatenate((energies, energies + field))
    return energies
