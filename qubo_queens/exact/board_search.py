"""Exhaustive search for what a reduction leaves open: all solutions, or a refutation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from qubo_queens.board.certificate import Contradictory
from qubo_queens.board.lines import ROW_COLUMN, Cell, IntArray, Kind, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.errors import InputError, ProofError

if TYPE_CHECKING:  # loads Numba
    from qubo_queens.exact.kernel_search import Keep, KernelSearch

MAX_OPEN_ROWS = 1000
"""The free cells are kept at each depth: with so many rows, 128 MB of bits."""

_NO_LIMIT = 1 << 62


class BoardSearch:
    """A depth-first search for all completions, which can be stopped and continued anywhere.

    It branches on the row or column with the fewest free cells. Which solutions are found, and in
    which order, depends on the reduction alone.

    Attributes:
        reduction: What is searched.
        batch: How many of the solutions found last are remembered.
    """

    def __init__(self, reduction: Reduction, *, keep: Keep | None = None, batch: int = 1) -> None:
        """Set up the search; the first one in a process loads or compiles its kernel.

        Args:
            reduction: What is to be decided, in any mode but ``none``.
            keep: If given, tells which of the N free cells may be used: gets their rows and their
                columns, each of shape (N,), and returns an array of that shape.
            batch: How many of the solutions found last to remember, at least 1.

        Raises:
            InputError: If there are more than 1,000 open rows, or the mode is ``none``.
            KeyboardInterrupt: If Ctrl-C came while the kernel was compiled.
        """
        self.reduction = _searchable(reduction)
        self.batch = batch
        self._kernel: KernelSearch | None = None
        self._found_empty = False
        if not reduction.infeasible and reduction.is_open[Kind.ROW].any():
            self._kernel = _kernel_search(reduction, keep, batch)

    @property
    def nodes(self) -> int:
        """How many nodes of the search tree have been looked at."""
        return 0 if self._kernel is None else self._kernel.nodes

    @property
    def work_of_a_node(self) -> int:
        """How many words of free cells the board has, which is what a node costs to look at."""
        return 1 if self._kernel is None else self._kernel.board_words

    @property
    def found(self) -> int:
        """How many solutions have been found; all are different."""
        return int(self._found_empty) if self._kernel is None else self._kernel.found

    @property
    def exhausted(self) -> bool:
        """Whether the search has ended: there are no solutions but those found."""
        if self._kernel is None:
            return self._found_empty or self.reduction.infeasible
        return self._kernel.ended

    def advance(self, max_nodes: int, max_solutions: int = 1) -> None:
        """Search on, until so many more nodes or solutions, or to the end.

        Args:
            max_nodes: At least 0.
            max_solutions: At least 1.
        """
        if self._kernel is not None:
            self._kernel.advance(max_nodes, max_solutions)
        else:  # without an open row there is one completion, with nothing to add
            self._found_empty = not self.reduction.infeasible

    def advance_slice(self, max_solutions: int | None = None) -> None:
        """Search on for about 10 ms, or until so many more solutions, or to the end."""
        if self._kernel is not None:
            self._kernel.advance_slice(_NO_LIMIT if max_solutions is None else max_solutions)
        else:
            self.advance(1)

    def run(self, should_stop: Callable[[], bool], max_solutions: int | None = None) -> None:
        """Search on, until so many more solutions, or to the end, or until told to stop.

        Args:
            should_stop: Is asked before each slice of about 10 ms.
            max_solutions: At least 1; None for all.
        """
        last = _NO_LIMIT if max_solutions is None else self.found + max_solutions
        while not self.exhausted and self.found < last and not should_stop():
            self.advance_slice(last - self.found)

    def columns(self, count: int = 1) -> IntArray:
        """Return the solutions found last, in the order in which they were found.

        Args:
            count: How many, in 0..min(found, batch).

        Returns:
            The column of the queen in each row, of shape (count, n).
        """
        boards = np.empty((count, self.reduction.instance.n), dtype=np.int64)
        rows, columns = coordinates(self.reduction.queens)
        boards[:, rows] = columns
        if self._kernel is not None:
            boards[:, self._kernel.rows] = self._kernel.solutions(count)
        return boards

    def placement(self) -> Placement:
        """Return the solution found last, prescribed and forced queens included.

        Raises:
            InputError: If none has been found yet.
        """
        if not self.found:
            raise InputError("the search has not found a solution yet; see BoardSearch.found")
        return Placement.from_columns(self.columns()[0])


class ProofStep(NamedTuple):
    """A step of a refutation.

    Attributes:
        kind: Whether a clause is added, or one that was added is deleted, being implied by now.
        cells: The clause: not all of these cells have a queen.
    """

    kind: Literal["add", "delete"]
    cells: tuple[Cell, ...]


def refutation(reduction: Reduction, should_stop: Callable[[], bool]) -> Iterator[ProofStep]:
    """Refute a board by search, as a proof by reverse unit propagation (RUP).

    The premises are clauses about the free cells: each open row and column has a queen, and of two
    attacking cells one has none. Queens that the search places on the only cell of a line follow
    from them by unit propagation, so only its choices are told: a clause says that a path of
    choices leads nowhere. Each one follows from the premises and the clauses before it that are
    not deleted.

    Args:
        reduction: The board, in any mode but ``none``.
        should_stop: Is asked about every 10 ms.

    Yields:
        The steps, while the search goes on. The proof is complete if the last one adds the empty
        clause; otherwise the search was stopped.

    Raises:
        InputError: If prescribed queens contradict each other, for which no clauses are needed; or
            as :class:`BoardSearch` does.
        ProofError: If the board has a solution.
    """
    if isinstance(reduction.certificate, Contradictory):
        raise InputError(f"there is no board to refute: {reduction.reason}")
    if not reduction.is_open[Kind.ROW].any():
        raise ProofError("there is nothing to refute: the board is complete")
    kernel = _kernel_search(_searchable(reduction), refute=True)
    pending: list[tuple[Cell, ...]] = []
    while not kernel.ended and not should_stop():
        kernel.advance_slice(1)
        if kernel.found:
            raise ProofError("there is nothing to refute: the search found a solution")
        for path in kernel.take_paths():
            yield ProofStep("add", path)
            while pending and len(pending[-1]) > len(path):  # these are continuations of `path`
                yield ProofStep("delete", pending.pop())
            pending.append(path)
    if kernel.ended:
        yield ProofStep("add", ())


def _searchable(reduction: Reduction) -> Reduction:
    if reduction.mode == "none":
        raise InputError("a board reduced with mode 'none' cannot be searched; use 'lines'")
    return reduction


def _kernel_search(
    reduction: Reduction, keep: Keep | None = None, batch: int = 1, *, refute: bool = False
) -> KernelSearch:
    open_rows = max(len(reduction.open_lines(kind)) for kind in ROW_COLUMN)
    if open_rows > MAX_OPEN_ROWS:
        raise InputError(
            f"exhaustive search takes up to {MAX_OPEN_ROWS:,} open rows, not {open_rows:,}; "
            "prescribe more queens, or look for one solution with `solve`"
        )
    from qubo_queens.exact.kernel_search import KernelSearch  # loads Numba

    return KernelSearch(reduction, keep=keep, batch=batch, refute=refute)
