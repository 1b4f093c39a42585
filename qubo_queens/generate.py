"""Seeded instances: random, planted, in the corners, with excluded diagonals or blocked cells.

Every generator is a pure function of its arguments: the same seed gives the same instance in
every process (with one version of NumPy, whose ``default_rng`` is used). A *planted* instance is
feasible by construction: it is made around a hidden solution, which is
``random_placement(n, seed=seed)`` for the same `n` and `seed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, product

import numpy as np

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import DIAGONAL, Cell, IntArray, Kind, indices, line_index, position
from qubo_queens.board.placement import Placement
from qubo_queens.checks import int_in_range
from qubo_queens.errors import Argument, InputError, Part, Remedy

LARGEST_SIZE = 100_000
"""The largest board that is generated; random solutions take seconds there."""

PARTIAL_ATTEMPTS = 100
"""How often ``random_partial`` and ``corner_packed`` start again before they give up."""

_LARGEST_SEED = 2**63 - 1


def random_partial(n: int, k: int, *, seed: int) -> Instance:
    """Return an instance with `k` random prescribed queens, no two of which attack each other.

    Whether it can be completed is left to chance. The queens are placed one by one, each in a
    random row and there on a random cell that no earlier queen attacks.

    Args:
        n: The board size, at least 1.
        k: The number of prescribed queens, 0..n.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or if no attempt of ``PARTIAL_ATTEMPTS``
            reached `k` queens. That happens with `k` close to `n`, for which see
            :func:`planted`; for n = 2 and 3 there are no n such queens.
    """
    n = _size(n)
    k = int_in_range(k, "number of prescribed queens k =", 0, n, f" (n={n})")
    return Instance(n, _attempted(_scattered, n, k, seed, "at random"))


def random_placement(n: int, *, seed: int) -> Placement:
    """Return a random solution of the plain n-queens problem.

    Every solution can come up, though not all with the same probability. As many queens as
    possible are placed as in :func:`random_partial`, the others anyhow in the rows and columns
    left over. Then the columns of two rows are swapped as long as that leaves fewer attacking
    pairs (see ``repair.py``); where no swap does, all starts again.

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
    corner, so that the prescribed queens use up the central diagonals, which the others need.

    Whether that leaves a solution turns on `k`. Of the boards with n = 16 to 64 that were tried,
    all with k >= n/3 are infeasible, which line weights or diagonal accounting tell within a
    second (k = 17, n = 48; k = 23, n = 64), while searches run out of time. With k <= n/4 all that
    were tried at n = 20 to 32 have solutions. The hardest lie in between: from n = 40 on ``prove``
    often leaves them undecided for long.

    Args:
        n: The board size, at least 1.
        k: The number of prescribed queens, 0..n.
        seed: 0..2**63-1.

    Raises:
        InputTypeError: If an argument is not an integer.
        InputError: If an argument is out of range, or if no attempt of ``PARTIAL_ATTEMPTS``
            reached `k` queens. That happens from about k = 0.78 n on.
    """
    n = _size(n)
    k = int_in_range(k, "number of prescribed queens k =", 0, n, f" (n={n})")
    return Instance(n, _attempted(packed, n, k, seed, "in the corners"))


def excluded_diagonals(n: int, m: int, *, seed: int, planted: bool = True) -> Instance:
    """Return an instance with `m` random excluded diagonals of the 2(2n-1).

    The more diagonals are excluded, the harder the instances are to anneal; with all 2n-2 that a
    hidden solution leaves, no other diagonal may be used.

    Args:
        n: The board size, at least 1; not 2 or 3 if `planted`.
        m: The number of excluded diagonals, 0..2n-2 if `planted`, else 0..4n-2.
        seed: 0..2**63-1.
        planted: Whether to spare the diagonals of a hidden solution.

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

    Args:
        n: The board size, at least 1; not 2 or 3 if `planted`.
        m: The number of blocked cells, 0..n^2-n if `planted`, else 0..n^2.
        seed: 0..2**63-1.
        planted: Whether to spare the cells of a hidden solution.

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
        # Each row offers n-1 cells: from the hidden queen on, the columns move up by one.
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
    """Return `k` queens from the first attempt that places as many."""
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
        # Position c - r + n - 1 stands for the difference r - c: both slices run with c.
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
        if repair(columns, rng):
            return columns


def packed(n: int, k: int, rng: np.random.Generator) -> list[Cell]:
    """Return up to `k` mutually non-attacking queens, as close to the corners as they go.

    The corners take turns, in a random order in each round. A queen is put on a random one of
    those free cells that are nearest to its corner, in king's moves. Fewer than `k` are returned
    if no free cell is left.
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
    """Which lines have no queen yet."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._is_open = {kind: np.ones(len(indices(kind, n)), dtype=np.bool_) for kind in Kind}

    def among(self, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return those of some cells that no queen attacks."""
        kept = np.ones(len(rows), dtype=np.bool_)
        for kind, is_open in self._is_open.items():
            kept &= is_open[position(kind, rows, columns, self._n)]
        return rows[kept], columns[kept]

    def take(self, row: int, column: int) -> None:
        """Put a queen on a free cell."""
        for kind, is_open in self._is_open.items():
            is_open[position(kind, row, column, self._n)] = False


class _Corner:
    """One corner, and how far from it all cells are attacked: that only grows."""

    def __init__(self, n: int, bottom: bool, right: bool) -> None:
        self._n = n
        self._bottom = bottom
        self._right = right
        self._distance = 0

    def nearest(self, free: _Free) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the nearest free cells; none if none is left."""
        for distance in range(self._distance, self._n):
            rows, columns = free.among(*self._cells(distance))
            if len(rows):
                break
        self._distance = distance
        return rows, columns

    def _cells(self, distance: int) -> tuple[IntArray, IntArray]:
        """Return the cells so many king's moves from the corner."""
        run = np.arange(distance + 1)
        rows = np.concatenate((run, np.full(distance, distance)))
        columns = np.concatenate((np.full(distance + 1, distance), run[:-1]))
        last = self._n - 1
        return last - rows if self._bottom else rows, last - columns if self._right else columns


def repair(columns: list[int], rng: np.random.Generator) -> bool:
    """Swap columns, in place, until no two queens attack each other.

    Args:
        columns: The column of the queen of each row, all different.
        rng: Decides which other row is looked at first.

    Returns:
        Whether that was reached; False if no swap leaves fewer attacking pairs.
    """
    queens = _Permutation(columns)
    n = len(columns)
    while attacked := queens.attacked():
        improved = False
        for row in attacked:
            start = int(rng.integers(n))
            improved |= any(queens.improve(row, other) for other in _from(start, n))
        if not improved:
            return False
    return True


def _from(start: int, n: int) -> Iterator[int]:
    return chain(range(start, n), range(start))


class _Permutation:
    """One queen in each row and column, with the number of queens on each diagonal."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        self._sums = [0] * (2 * len(columns) - 1)
        self._differences = self._sums.copy()  # negative differences count from the end
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
        """Take the queen off its diagonals; return how many others are there."""
        column = self.columns[row]
        self._sums[row + column] -= 1
        self._differences[row - column] -= 1
        return self._sums[row + column] + self._differences[row - column]

    def _put(self, row: int) -> int:
        """Put the queen on its diagonals; return how many others are there."""
        column = self.columns[row]
        self._sums[row + column] += 1
        self._differences[row - column] += 1
        return self._sums[row + column] + self._differences[row - column] - 2
