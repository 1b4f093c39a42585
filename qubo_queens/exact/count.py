"""count(): how many solutions an instance has."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.lines import BoolArray, IntArray, Kind
from qubo_queens.board.reduce import reduce
from qubo_queens.board.symmetry import Symmetry, num_fixed, symmetries
from qubo_queens.checks import counted, int_in_range, positive_number
from qubo_queens.exact.board_search import BoardSearch
from qubo_queens.interrupt import interrupt_flag

MAX_BATCH = 1024
"""The largest number of boards that are looked at together."""

_MAX_BATCH_CELLS = 1 << 20


@dataclass(frozen=True)
class Count:
    """How many solutions an instance has; ``str(count)`` says it in words.

    Attributes:
        value: The number of solutions, or of those found before the search was stopped.
        exact: Whether there are no more: the search ended by itself, and below the limit.
        up_to_symmetry: Whether boards that a symmetry of the instance maps to each other count
            as one.
        nodes: How many nodes of the search tree were looked at.
        seconds: How long it took.
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
        """Return the attributes as plain JSON-able values."""
        return asdict(self)


def count(
    instance: InstanceLike,
    *,
    limit: int | None = None,
    up_to_symmetry: bool = False,
    time_limit: float | None = None,
) -> Count:
    """Count the solutions of an instance, by exhaustive search.

    Where the left-right mirror leaves the instance as it is, half of the boards are searched.

    Ctrl-C ends the search early; what was counted by then is returned.

    Args:
        instance: The instance, or n for the plain board.
        limit: Stop when so many are known, at least 1: 2 tells whether a solution is unique.
        up_to_symmetry: Whether boards count as one if a symmetry of the square maps one to the
            other and the instance, as it is stated, to itself. By Burnside's lemma, such classes
            are counted as boards, each weighed with the number of symmetries that keep it, divided
            by the number of symmetries.
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
    """Return how many boards of n columns to look at together."""
    return max(1, min(MAX_BATCH, _MAX_BATCH_CELLS // n))


class _Tally:
    """Counts boards, each weighed with the number of symmetries that keep it.

    Attributes:
        nodes: The nodes that the searches looked at.
    """

    def __init__(self, group: tuple[Symmetry, ...], limit: int | None) -> None:
        self.nodes = 0
        self._group = group
        self._limit = limit
        self._weight = 0

    @property
    def value(self) -> int:
        """The number of classes that the boards so far belong to at least, up to the limit."""
        classes = -(-self._weight // len(self._group))
        return classes if self._limit is None else min(classes, self._limit)

    def add_all(self, instance: Instance, seconds: float, interrupted: Callable[[], bool]) -> bool:
        """Count until all are found, which it tells, or the limit is reached, or time is up."""
        deadline = math.inf

        def should_stop() -> bool:
            return self._reached or interrupted() or time.perf_counter() >= deadline

        batch = batch_size(instance.n) if len(self._group) > 1 else 1
        for weight, search in _searches(instance, batch):
            if deadline == math.inf:  # by now the kernel is compiled
                deadline = time.perf_counter() + seconds
            while not search.exhausted and not should_stop():
                self._add(weight, search)
            self.nodes += search.nodes
            if not search.exhausted:
                return False
        return not self._reached

    @property
    def _reached(self) -> bool:
        return self.value == self._limit

    def _add(self, weight: int, search: BoardSearch) -> None:
        """Search for one slice, with boards of that weight."""
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

    last = n - 1

    def left(rows: IntArray, columns: IntArray) -> BoolArray:
        return np.where(rows == open_rows[0], 2 * columns < last, True)

    def middle(rows: IntArray, columns: IntArray) -> BoolArray:
        return np.where(rows == open_rows[0], 2 * columns == last, True)

    yield 2, BoardSearch(reduction, keep=left, batch=batch)
    if n % 2:
        yield 1, BoardSearch(reduction, keep=middle, batch=batch)
