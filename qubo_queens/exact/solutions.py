"""solutions(): the boards of an instance, one after the other."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator

import numpy as np

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.lines import IntArray
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import reduce
from qubo_queens.board.symmetry import Symmetry, are_smallest, symmetries
from qubo_queens.checks import int_in_range, positive_number
from qubo_queens.exact.board_search import BoardSearch
from qubo_queens.exact.count import batch_size
from qubo_queens.interrupt import interrupt_flag


def solutions(
    instance: InstanceLike,
    k: int | None = None,
    *,
    up_to_symmetry: bool = False,
    time_limit: float | None = None,
) -> Solutions:
    """Return an iterator over the solutions of an instance; all are different.

    They come in the order in which an exhaustive search finds them, which depends on the instance
    alone and is the same in each run, but is not sorted. Ctrl-C raises ``KeyboardInterrupt``, and
    the iterator can be continued afterwards.

    >>> from qubo_queens import Instance
    >>> for board in solutions(Instance(6, [(0, 1)])):
    ...     print(board.columns)
    (1, 3, 5, 0, 2, 4)

    Args:
        instance: The instance, or n for the plain board.
        k: End after so many boards, at least 1; None for all.
        up_to_symmetry: Whether to leave out boards that a symmetry maps to another one: of the
            images of a board under the symmetries of the square that map the instance, as it is
            stated, to itself, only the one with the smallest list of columns is returned.
        time_limit: Seconds of search, above 0, after which to end. The time that the caller takes
            between boards does not count, nor does compiling the kernel.

    Raises:
        InputError: If a value is out of range, or there are more than 1,000 open rows.
        InputTypeError: If a value has the wrong type.
    """
    if k is not None:
        k = int_in_range(k, "k", 1, 2**60)
    seconds = math.inf if time_limit is None else positive_number(time_limit, "time_limit")
    return Solutions(instance, k, up_to_symmetry, seconds)


class Solutions(Iterator[Placement]):
    """An iterator over the solutions of an instance, which searches on demand.

    >>> found = solutions(6)
    >>> len(list(found)), found.complete
    (4, True)

    Attributes:
        found: The number of solutions returned so far.
        complete: Whether it is proven that there are no more; False until then.
    """

    def __init__(
        self, instance: InstanceLike, k: int | None, up_to_symmetry: bool, seconds: float
    ) -> None:
        """Set up the search; for the arguments see ``solutions``."""
        asked = as_instance(instance)
        self.found = 0
        self.complete = False
        self._most = math.inf if k is None else k
        self._group = symmetries(asked) if up_to_symmetry else (Symmetry.IDENTITY,)
        self._seconds_left = seconds
        self._search = BoardSearch(reduce(asked), batch=batch_size(asked.n))
        self._waiting: deque[IntArray] = deque()

    @property
    def nodes(self) -> int:
        """The number of nodes of the search tree visited so far."""
        return self._search.nodes

    def __next__(self) -> Placement:
        """Return the next solution, up to `k` and within the time limit."""
        while not self._waiting and self.found < self._most:
            if self._search.exhausted:
                self.complete = True
                break
            if self._seconds_left <= 0:
                break
            self._search_on()
        if not self._waiting or self.found >= self._most:
            raise StopIteration
        self.found += 1
        return Placement.from_columns(self._waiting.popleft())

    def _search_on(self) -> None:
        """Search for one slice, and queue the solutions found."""
        with interrupt_flag() as interrupted:
            started, before = time.perf_counter(), self._search.found
            self._search.advance_slice(self._search.batch)
            boards = self._search.columns(self._search.found - before)
            self._waiting.extend(boards[np.flatnonzero(are_smallest(self._group, boards))])
            self._seconds_left -= time.perf_counter() - started
        if interrupted():
            raise KeyboardInterrupt
