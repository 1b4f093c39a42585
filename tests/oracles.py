"""Answers to compare with, by plain loops over coordinates and by dimod.

Of qubo_queens only the data of an Instance is read here and in ``qubo_queens.testing`` (its
n, queens, blocked and excluded lists): no line, count or energy comes from the code under test.
"""

from collections import Counter, defaultdict
from itertools import combinations, product

import dimod
import numpy as np

from qubo_queens.testing import (
    all_cells,
    attacking_pairs,
    attacks,
    completions,
    is_forbidden,
    solves,
)

__all__ = ["all_cells", "attacking_pairs", "attacks", "completions", "is_forbidden", "solves"]

LINE_NAMES = {
    "row": "row {}",
    "column": "column {}",
    "sum": "r + c = {}",
    "difference": "r - c = {}",
}


def cells_on_lines(n):
    """Return the cells of each line, by (kind, index)."""
    lines = defaultdict(list)
    for row, column in all_cells(n):
        lines["row", row].append((row, column))
        lines["column", column].append((row, column))
        lines["sum", row + column].append((row, column))
        lines["difference", row - column].append((row, column))
    return dict(lines)


def forbidden_queens(instance):
    """Return the prescribed queens on forbidden cells."""
    return [cell for cell in instance.queens if is_forbidden(instance, cell)]


def free_cells(instance, mode):
    """Return the cells that queens, blocks and exclusions leave, in row-major order.

    With mode ``lines`` attacked cells are left out; ``none`` keeps them.
    """
    return [
        cell
        for cell in all_cells(instance.n)
        if cell not in instance.queens
        and not is_forbidden(instance, cell)
        and not (mode == "lines" and any(attacks(cell, queen) for queen in instance.queens))
    ]


def settled(instance, mode):
    """Return the queens and the free cells after forced queens (and probes), or None.

    None stands for an instance that is found to have no solution on the way.
    """
    if attacking_pairs(instance.queens) or forbidden_queens(instance):
        return None
    board = _forced(instance.n, set(instance.queens), set(free_cells(instance, "lines")))
    while mode == "probe" and board is not None:
        queens, free = board
        useless = {
            cell for cell in free if _forced(instance.n, *_placed(queens, free, cell)) is None
        }
        if not useless:
            break
        board = _forced(instance.n, queens, free - useless)
    return board


def _placed(queens, free, cell):
    return queens | {cell}, {other for other in free - {cell} if not attacks(cell, other)}


def _forced(n, queens, free):
    """Place queens on rows and columns with one free cell; None if one is left without."""
    for axis, index in product((0, 1), range(n)):
        if not any(cell[axis] == index for cell in queens):
            on_line = [cell for cell in free if cell[axis] == index]
            if not on_line:
                return None
            if len(on_line) == 1:
                return _forced(n, *_placed(queens, free, on_line[0]))
    return queens, free


def family_energies(n, cells, row_column, diagonal):
    """Return the energies of rows and columns, and of diagonals, from the definition."""
    rows, columns = Counter(r for r, _ in cells), Counter(c for _, c in cells)
    missed = sum((rows[i] - 1) ** 2 + (columns[i] - 1) ** 2 for i in range(n))
    pairs = sum(abs(r - s) == abs(c - t) for (r, c), (s, t) in combinations(sorted(cells), 2))
    return row_column * missed, diagonal * pairs


def full_energy(instance, cells, row_column, diagonal):
    """Return the energy of a whole board, forbidden prescribed queens included."""
    forbidden = row_column * len(forbidden_queens(instance))
    return sum(family_energies(instance.n, cells, row_column, diagonal)) + forbidden


def reference_bqm(instance, row_column, diagonal, queens, free):
    """Return the model as dimod makes it: all n^2 cells, then the decided ones fixed.

    Rows and columns are dimod's own penalty for ``sum - 1 == 0``; diagonals a loop over pairs.
    """
    cells = all_cells(instance.n)
    bqm = dimod.BinaryQuadraticModel(dimod.BINARY)
    for cell in cells:
        bqm.add_variable(cell)
    for (kind, _), line in cells_on_lines(instance.n).items():
        if kind in ("row", "column"):
            bqm.add_linear_equality_constraint([(cell, 1) for cell in line], row_column, -1)
        elif diagonal:
            for one, other in combinations(line, 2):
                bqm.add_quadratic(one, other, diagonal)
    bqm.fix_variables({c: int(c in queens) for c in cells if c not in free})
    bqm.offset += row_column * len(forbidden_queens(instance))
    return bqm


def energy_histogram(bqm):
    """Return how many of all 2^N states have each energy; for integer models with N up to 25.

    The states are pairs of a state of the first half of the variables and one of the second:
    the energy is that of each half plus the couplings between them, a matrix product.
    """
    bias, coupling = _dense(bqm)
    half = len(bias) // 2
    first, second = _bit_rows(half), _bit_rows(len(bias) - half)
    alone = _quadratic(first, bias[:half], coupling[:half, :half])[:, None]
    across = first @ coupling[:half, half:]
    later = _quadratic(second, bias[half:], coupling[half:, half:])[None, :]
    found = Counter()
    for start in range(0, len(first), 256):
        part = slice(start, start + 256)
        energies = alone[part] + later + across[part] @ second.T + np.float32(bqm.offset)
        values, counts = np.unique(np.rint(energies).astype(np.int16), return_counts=True)
        found.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
    return dict(found)


def zero_energy_boards(bqm, n):
    """Return the set of all states (cells that are 1) of energy 0 or below, for n up to 8.

    A depth-first search over the rows through all 2^n states of each, on the coefficients of the
    BQM alone. It leaves a branch only by this bound: all couplings are >= 0 (asserted), so
    leaving out those between undecided rows can only lower the energy; without them each
    undecided row takes its own minimum over its 2^n states, and no completion of the branch is
    below the sum of these minima and the energy of the decided part.
    """
    order = all_cells(n)
    bias, coupling = _dense(bqm, order)
    assert (coupling >= 0).all()
    states = _bit_rows(n)
    within = [
        _quadratic(states, np.zeros(n, np.float32), coupling[i : i + n, i : i + n])
        for i in range(0, n * n, n)
    ]
    found = set()

    def extend(chosen, energy, field):
        row = len(chosen)
        if row == n:
            found.add(tuple((r, c) for r, state in enumerate(chosen) for c in range(n) if state[c]))
            return
        # energies of every state of every undecided row, couplings among these rows left out
        free = [states @ field[r * n : r * n + n] + within[r] for r in range(row, n)]
        rest = sum(energies.min() for energies in free[1:])
        for at in np.flatnonzero(energy + free[0] + rest <= 0):
            pull = states[at] @ coupling[row * n : row * n + n]
            extend((*chosen, states[at]), energy + free[0][at], field + pull)

    extend((), np.float32(bqm.offset), bias)
    return found


def _dense(bqm, order=None):
    """Return the linear biases and the symmetric matrix of couplings."""
    order = list(bqm.variables) if order is None else order
    position = {label: i for i, label in enumerate(order)}
    bias = np.array([bqm.get_linear(label) for label in order], dtype=np.float32)
    coupling = np.zeros((len(order), len(order)), dtype=np.float32)
    for (u, v), weight in bqm.quadratic.items():
        coupling[position[u], position[v]] = coupling[position[v], position[u]] = weight
    return bias, coupling


def _bit_rows(size):
    """Return all 2^size states as rows of 0 and 1."""
    numbers = np.arange(2**size)[:, None]
    return (numbers >> np.arange(size) & 1).astype(np.float32)


def _quadratic(states, bias, coupling):
    """Return the energies of states; each coupling stands in the matrix twice."""
    return states @ bias + ((states @ coupling) * states).sum(axis=1) / 2
