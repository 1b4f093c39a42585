"""Seeded random instances and solutions.

    random_partial      k random queens that do not attack each other; completable or not
    planted             k queens of a hidden solution
    corner_packed       k queens packed into the corners; from about n/3 on not completable
    excluded_diagonals  m excluded diagonals, by default none of a hidden solution
    blocked             m blocked cells, by default none of a hidden solution
    random_placement    a random solution of the plain board

Every generator is a pure function of its arguments: the same seed gives the same instance in
every process, with one version of NumPy, whose ``default_rng`` is used. A *planted* instance is
feasible by construction. Its hidden solution is ``random_placement(n, seed=seed)`` for the same
`n` and `seed`.

>>> from qubo_queens import generate, verify
>>> instance = generate.planted(8, 3, seed=1)
>>> verify(instance, generate.random_placement(8, seed=1)).valid
True
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, product

import numpy as np

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import DIAGONAL, Cell, IntArray, Kind, indices, line_index, position
from qubo_queens.board.placement import Placement
from qubo_queens.checks import int_in_range
from qubo_queens.errors import Argument, InputError, Part, Remedy

LARGEST_SIZE = 100_000
"""The largest board size; random solutions take seconds there."""

PARTIAL_ATTEMPTS = 100
"""The number of attempts of ``random_partial`` and ``corner_packed``."""

_LARGEST_SEED = 2**63 - 1


def random_partial(n: int, k: int, *, seed: int) -> Instance:
    """Return an instance with `k` random prescribed queens, no two of which attack each other.

    It may have no solution. The queens are placed one by one, each in a random row, on a random
    cell that no earlier queen attacks.

    >>> instance = random_partial(8, 3, seed=1)
    >>> len(instance.queens), instance.contradictions()
    (3, ())

    Args:
        n: The board size, at least 1.
        k: The number of prescribed queens, 0..n.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or if none of ``PARTIAL_ATTEMPTS`` attempts
            placed `k` queens. This happens if `k` is close to `n` (use :func:`planted` instead);
            for k = n = 2 or 3 there are no such queens.
    """
    n = _size(n)
    k = int_in_range(k, "number of prescribed queens k =", 0, n, f" (n={n})")
    return Instance(n, _attempted(_scattered, n, k, seed, "at random"))


def random_placement(n: int, *, seed: int) -> Placement:
    """Return a random solution of the plain n-queens problem.

    Every solution has a positive probability, but not all have the same. As many queens as possible
    are placed as in :func:`random_partial`, and the others at random in the remaining rows and
    columns. Then the columns of two rows are swapped as long as this leaves fewer attacking pairs.
    If no swap does, the procedure starts again.

    >>> from qubo_queens import verify
    >>> verify(100, random_placement(100, seed=1)).valid
    True

    Args:
        n: The board size, 1 or at least 4; n = 6,000 takes under a second.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or n is 2 or 3: there is no solution.
    """
    return Placement.from_columns(_solution(_solvable_size(n), _generator(seed)))


def planted(n: int, k: int, *, seed: int) -> Instance:
    """Return an instance with `k` queens of a hidden solution prescribed.

    >>> hidden = random_placement(8, seed=1)
    >>> set(planted(8, 3, seed=1).queens) <= set(hidden.cells)
    True

    Args:
        n: The board size, 1 or at least 4.
        k: The number of prescribed queens, 0..n.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or n is 2 or 3: there is no solution.
    """
    n = _solvable_size(n)
    k = int_in_range(k, "number of prescribed queens k =", 0, n, f" (n={n})")
    rng = _generator(seed)
    columns = _solution(n, rng)
    rows = rng.choice(n, k, replace=False).tolist()
    return Instance(n, [(row, columns[row]) for row in rows])


def corner_packed(n: int, k: int, *, seed: int) -> Instance:
    """Return an instance with `k` non-attacking queens packed into the corners.

    The corners take turns, and each queen stands on a random one of the free cells nearest to its
    corner. So the prescribed queens use up the central diagonals, which the other queens need.

    Whether there is a solution depends on `k`. Of the boards tried with n = 16 to 64, all with
    k >= n/3 are infeasible, and line weights or diagonal accounting prove it within a second
    (k = 17, n = 48; k = 23, n = 64), while searches run out of time. All boards tried with
    k <= n/4 and n = 20 to 32 have solutions. The hardest boards lie in between: from n = 40 on
    ``prove`` often does not decide them within minutes.

    >>> instance = corner_packed(24, 8, seed=1)
    >>> all(min(row, 23 - row) < 6 and min(c, 23 - c) < 6 for row, c in instance.queens)
    True

    Args:
        n: The board size, at least 1.
        k: The number of prescribed queens, 0..n.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or if none of ``PARTIAL_ATTEMPTS`` attempts
            placed `k` queens. This happens from about k = 0.78 n on.
    """
    n = _size(n)
    k = int_in_range(k, "number of prescribed queens k =", 0, n, f" (n={n})")
    return Instance(n, _attempted(_packed, n, k, seed, "in the corners"))


def excluded_diagonals(n: int, m: int, *, seed: int, planted: bool = True) -> Instance:
    """Return an instance with `m` of the 4n-2 diagonals excluded at random.

    The more diagonals are excluded, the harder the instances are to anneal. With m = 2n-2 and a
    hidden solution, only the diagonals of that solution remain.

    >>> instance = excluded_diagonals(8, 10, seed=1)
    >>> len(instance.excluded_sums) + len(instance.excluded_differences)
    10

    Args:
        n: The board size, at least 1; not 2 or 3 if `planted`.
        m: The number of excluded diagonals, 0..2n-2 if `planted`, else 0..4n-2.
        seed: 0..2**63-1.
        planted: Whether the diagonals of a hidden solution are kept.

    Raises:
        InputTypeError: If `n`, `m` or `seed` is not an integer.
        InputError: If one is out of range, or n is 2 or 3 and `planted` is true.
    """
    n = _solvable_size(n) if planted else _size(n)
    most = 2 * n - 2 if planted else 4 * n - 2
    m = int_in_range(m, "number of excluded diagonals m =", 0, most, *_range_hint(n, planted))
    rng = _generator(seed)
    spared: set[tuple[Kind, int]] = set()
    if planted:
        hidden = list(enumerate(_solution(n, rng)))
        spared = {(kind, line_index(kind, *cell)) for kind in DIAGONAL for cell in hidden}
    allowed = [(kind, i) for kind in DIAGONAL for i in indices(kind, n) if (kind, i) not in spared]
    chosen = [allowed[at] for at in rng.choice(len(allowed), m, replace=False).tolist()]
    return Instance(
        n,
        excluded_sums=[i for kind, i in chosen if kind is Kind.SUM],
        excluded_differences=[i for kind, i in chosen if kind is Kind.DIFFERENCE],
    )


def blocked(n: int, m: int, *, seed: int, planted: bool = True) -> Instance:
    """Return an instance with `m` random blocked cells.

    >>> len(blocked(8, 20, seed=1).blocked)
    20

    Args:
        n: The board size, at least 1; not 2 or 3 if `planted`.
        m: The number of blocked cells, 0..n^2-n if `planted`, else 0..n^2.
        seed: 0..2**63-1.
        planted: Whether the cells of a hidden solution are kept.

    Raises:
        InputTypeError: If `n`, `m` or `seed` is not an integer.
        InputError: If one is out of range, or n is 2 or 3 and `planted` is true.
    """
    n = _solvable_size(n) if planted else _size(n)
    width = n - 1 if planted else n
    m = int_in_range(m, "number of blocked cells m =", 0, n * width, *_range_hint(n, planted))
    rng = _generator(seed)
    hidden = _solution(n, rng) if planted else []
    offered = [divmod(number, width) for number in rng.choice(n * width, m, replace=False).tolist()]
    if planted:
        # Each row has n-1 allowed cells, numbered 0 to n-2: skip the column of the hidden queen.
        offered = [(row, column + (column >= hidden[row])) for row, column in offered]
    return Instance(n, blocked=offered)


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(int_in_range(seed, "seed", 0, _LARGEST_SEED))


def _size(n: int) -> int:
    return int_in_range(n, "board size n =", 1, LARGEST_SIZE)


def _solvable_size(n: int) -> int:
    size = _size(n)
    if size in (2, 3):
        raise InputError(
            f"board size n = {size} has no solution; choose 1 or at least 4 "
            "(partial, excluded and blocked boards without a hidden solution can have any size)"
        )
    return size


def _range_hint(n: int, planted: bool) -> tuple[Part, ...]:
    if not planted:
        return (f" (n={n})",)
    remedy = Remedy("; ", Argument("planted", False), " allows more")
    return f" (n={n}, beside a hidden solution", remedy, ")"


def _attempted(
    place: Callable[[int, int, np.random.Generator], list[Cell]],
    n: int,
    k: int,
    seed: int,
    where: str,
) -> list[Cell]:
    """Return `k` queens from the first attempt that places that many."""
    rng = _generator(seed)
    best = 0
    for _ in range(PARTIAL_ATTEMPTS):
        queens = place(n, k, rng)
        if len(queens) == k:
            return queens
        best = max(best, len(queens))
    raise InputError(
        f"{PARTIAL_ATTEMPTS} attempts to place k={k} non-attacking queens {where} on n={n} "
        f"reached only {best}; ask for fewer or try another seed",
        Remedy(", or use planted(n, k)"),
    )


def _scattered(n: int, k: int, rng: np.random.Generator) -> list[Cell]:
    """Return up to `k` mutually non-attacking queens, in random rows on random free cells."""
    columns = np.arange(n)
    free = np.ones(n, dtype=np.bool_)
    free_sum, free_difference = np.ones((2, 2 * n - 1), dtype=np.bool_)
    queens: list[Cell] = []
    for row in rng.permutation(n).tolist():
        if len(queens) == k:
            break
        # Entry c of each slice is column c: sums r + c from r on, differences at c - r + n - 1.
        open_columns = columns[
            free & free_sum[row : row + n] & free_difference[n - 1 - row : 2 * n - 1 - row]
        ]
        if len(open_columns):
            column = int(rng.choice(open_columns))
            queens.append((row, column))
            free[column] = free_sum[row + column] = False
            free_difference[column - row + n - 1] = False
    return queens


def _solution(n: int, rng: np.random.Generator) -> list[int]:
    """Return the columns of a random solution, row by row; n is neither 2 nor 3."""
    while True:
        column_of = dict(_scattered(n, n, rng))
        left_over = sorted(set(range(n)).difference(column_of.values()))
        spare = iter(rng.permutation(left_over).tolist())
        columns = [column_of[r] if r in column_of else next(spare) for r in range(n)]
        if _repair(columns, rng):
            return columns


def _packed(n: int, k: int, rng: np.random.Generator) -> list[Cell]:
    """Return up to `k` mutually non-attacking queens, as close to the corners as possible.

    The corners take turns, in a random order in each round. A queen is placed on a random one of
    the free cells that are nearest to its corner, in king's moves. Fewer than `k` queens are
    returned if no free cell is left.
    """
    free = _Free(n)
    corners = [_Corner(n, *flips) for flips in product((False, True), repeat=2)]
    queens: list[Cell] = []
    while True:
        for number in rng.permutation(len(corners)).tolist():
            rows, columns = corners[number].nearest(free)
            if len(queens) == k or not len(rows):
                return queens
            chosen = int(rng.integers(len(rows)))
            queens.append((int(rows[chosen]), int(columns[chosen])))
            free.take(*queens[-1])


class _Free:
    """The lines without a queen."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._is_open = {kind: np.ones(len(indices(kind, n)), dtype=np.bool_) for kind in Kind}

    def among(self, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return the cells of (rows, columns) that no queen attacks."""
        kept = np.ones(len(rows), dtype=np.bool_)
        for kind, is_open in self._is_open.items():
            kept &= is_open[position(kind, rows, columns, self._n)]
        return rows[kept], columns[kept]

    def take(self, row: int, column: int) -> None:
        """Put a queen on a free cell."""
        for kind, is_open in self._is_open.items():
            is_open[position(kind, row, column, self._n)] = False


class _Corner:
    """A corner, and the distance up to which all cells are attacked, which never decreases."""

    def __init__(self, n: int, bottom: bool, right: bool) -> None:
        self._n = n
        self._bottom = bottom
        self._right = right
        self._distance = 0

    def nearest(self, free: _Free) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the nearest free cells; empty if no cell is free."""
        for distance in range(self._distance, self._n):
            rows, columns = free.among(*self._cells(distance))
            if len(rows):
                break
        self._distance = distance
        return rows, columns

    def _cells(self, distance: int) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the cells at a distance, in king's moves."""
        # In the upper left corner these are the cells (0..d, d) and (d, 0..d-1); see `last` below.
        run = np.arange(distance + 1)
        rows = np.concatenate((run, np.full(distance, distance)))
        columns = np.concatenate((np.full(distance + 1, distance), run[:-1]))
        last = self._n - 1
        return last - rows if self._bottom else rows, last - columns if self._right else columns


def _repair(columns: list[int], rng: np.random.Generator) -> bool:
    """Swap columns, in place, until no two queens attack each other.

    The result is False if no swap leaves fewer attacking pairs.
    """
    queens = _Permutation(columns)
    n = len(columns)
    while attacked := queens.attacked():
        improved = False
        for row in attacked:
            start = int(rng.integers(n))  # where the search for a partner begins
            others = chain(range(start, n), range(start))
            improved |= any(queens.improve(row, other) for other in others)
        if not improved:
            return False
    return True


class _Permutation:
    """One queen in each row and column, with the number of queens on each diagonal."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        self._sums = [0] * (2 * len(columns) - 1)
        self._differences = self._sums.copy()  # a negative difference is a negative index
        for row in range(len(columns)):
            self._put(row)

    def attacked(self) -> list[int]:
        """Return the rows whose queen is attacked."""
        return [
            row
            for row, column in enumerate(self.columns)
            if self._sums[row + column] > 1 or self._differences[row - column] > 1
        ]

    def improve(self, row: int, other: int) -> bool:
        """Swap the columns of two rows if that leaves fewer attacking pairs."""
        if self._swap(row, other) < 0:
            return True
        self._swap(row, other)
        return False

    def _swap(self, row: int, other: int) -> int:
        """Swap the columns of two rows; return the change in the number of attacking pairs."""
        columns = self.columns
        lost = self._take(row) + self._take(other)
        columns[row], columns[other] = columns[other], columns[row]
        return self._put(row) + self._put(other) - lost

    def _take(self, row: int) -> int:
        """Remove the queen from its diagonals; return how many other queens are on them."""
        column = self.columns[row]
        self._sums[row + column] -= 1
        self._differences[row - column] -= 1
        return self._sums[row + column] + self._differences[row - column]

    def _put(self, row: int) -> int:
        """Put the queen on its diagonals; return how many other queens are on them."""
        column = self.columns[row]
        self._sums[row + column] += 1
        self._differences[row - column] += 1
        return self._sums[row + column] + self._differences[row - column] - 2
