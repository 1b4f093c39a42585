"""count(): the number of solutions of an instance."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import Kind
from qubo_queens.board.reduce import reduce
from qubo_queens.board.symmetry import Symmetry, num_fixed, symmetries
from qubo_queens.checks import counted, int_in_range, positive_number
from qubo_queens.exact.board_search import BoardSearch, Keep
from qubo_queens.interrupt import interrupt_flag

MAX_BATCH = 1024
"""The largest number of boards that are processed together."""

_MAX_BATCH_CELLS = 1 << 20


@dataclass(frozen=True)
class Count:
    """The number of solutions of an instance; ``str(count)`` is a phrase.

    >>> print(Count(92, exact=False, up_to_symmetry=False, nodes=1000, seconds=0.1))
    at least 92 solutions

    Attributes:
        value: The number of solutions, or of those found before the search was stopped.
        exact: Whether there are no more: the search ended by itself, and below the limit.
        up_to_symmetry: Whether boards that a symmetry of the instance maps to each other count
            as one.
        nodes: The number of nodes of the search tree visited.
        seconds: The time it took.
    """

    value: int
    exact: bool
    up_to_symmetry: bool
    nodes: int
    seconds: float

    def __str__(self) -> str:
        least = "" if self.exact else "at least "
        return f"{least}{counted(self.value, 'solution')}" + (
            " up to symmetry" if self.up_to_symmetry else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict of the attributes."""
        return asdict(self)


def count(
    instance: InstanceLike,
    *,
    limit: int | None = None,
    up_to_symmetry: bool = False,
    time_limit: float | None = None,
) -> Count:
    """Count the solutions of an instance, by exhaustive search.

    Where the left-right mirror maps the instance to itself, half of the boards are searched.

    Ctrl-C ends the search early; the number counted by then is returned.

    >>> from qubo_queens import Instance
    >>> print(count(Instance(8, [(3, 3), (4, 1)])))
    2 solutions
    >>> print(count(8, up_to_symmetry=True))
    12 solutions up to symmetry

    Args:
        instance: The instance, or n for the plain board.
        limit: Stop once so many are found, at least 1; with 2, a solution is shown to be unique.
        up_to_symmetry: Whether boards count as one if a symmetry of the square maps one to the
            other and the instance, as it is stated, to itself. By Burnside's lemma, the number of
            such classes is the sum over the boards of the number of symmetries that keep the
            board, divided by the number of symmetries.
        time_limit: Seconds, above 0, after which to stop. Compiling the kernel does not count.

    Returns:
        The number. It is exact unless the limit, the time or the user ended the search.

    Raises:
        InputError: If a value is out of range, or there are more than 1,000 open rows.
        InputTypeError: If a value has the wrong type.
    """
    started = time.perf_counter()
    instance = as_instance(instance)
    if limit is not None:
        limit = int_in_range(limit, "limit", 1, 2**60)
    seconds = math.inf if time_limit is None else positive_number(time_limit, "time_limit")
    group = symmetries(instance) if up_to_symmetry else (Symmetry.IDENTITY,)
    with interrupt_flag() as interrupted:
        tally = _Tally(group, limit)
        exact = tally.add_all(instance, seconds, interrupted)
    return Count(tally.value, exact, up_to_symmetry, tally.nodes, time.perf_counter() - started)


def batch_size(n: int) -> int:
    """Return how many boards of n columns to process together."""
    return max(1, min(MAX_BATCH, _MAX_BATCH_CELLS // n))


class _Tally:
    """Counts boards, each weighted with the number of symmetries that keep it."""

    def __init__(self, group: tuple[Symmetry, ...], limit: int | None) -> None:
        self.nodes = 0
        self._group = group
        self._limit = limit
        self._weight = 0

    @property
    def value(self) -> int:
        """A lower bound on the number of classes of the boards so far, up to the limit."""
        classes = -(-self._weight // len(self._group))
        return classes if self._limit is None else min(classes, self._limit)

    def add_all(self, instance: Instance, seconds: float, interrupted: Callable[[], bool]) -> bool:
        """Count until time is up; return whether all boards were found, below the limit."""
        deadline = math.inf
        batch = batch_size(instance.n) if len(self._group) > 1 else 1
        for weight, search in _searches(instance, batch):
            if deadline == math.inf:  # by now the kernel is compiled
                deadline = time.perf_counter() + seconds
            while not (search.exhausted or self._reached or interrupted()):
                if time.perf_counter() >= deadline:
                    break
                self._add(weight, search)
            self.nodes += search.nodes
            if not search.exhausted:
                return False
        return not self._reached

    @property
    def _reached(self) -> bool:
        return self.value == self._limit

    def _add(self, weight: int, search: BoardSearch) -> None:
        """Search for one slice; each board found has that weight."""
        before = search.found
        if len(self._group) == 1:
            missing = None if self._limit is None else self._limit - self._weight
            search.advance_slice(None if missing is None else -(-missing // weight))
            self._weight += weight * (search.found - before)
            return
        search.advance_slice(search.batch)
        boards = search.columns(search.found - before)
        self._weight += weight * sum(num_fixed(symmetry, boards) for symmetry in self._group)


def _searches(instance: Instance, batch: int) -> Iterator[tuple[int, BoardSearch]]:
    """Yield searches, and how often each of their solutions counts.

    Where the left-right mirror keeps the instance, it maps solutions with a queen in the left half
    of the first open row to those with one in the right half, and the images are kept by as many
    symmetries. Only the left half and the middle are searched then.
    """
    reduction, n = reduce(instance), instance.n
    open_rows = reduction.open_lines(Kind.ROW)
    if reduction.infeasible or not len(open_rows) or not Symmetry.LEFT_RIGHT.keeps(instance):
        yield 1, BoardSearch(reduction, batch=batch)
        return
    first, last = open_rows[0], n - 1
    parts: list[tuple[int, Keep]] = [(2, lambda row, col: (row != first) | (2 * col < last))]
    if n % 2:
        parts.append((1, lambda row, col: (row != first) | (2 * col == last)))
    for weight, keep in parts:
        yield weight, BoardSearch(reduction, keep=keep, batch=batch)
