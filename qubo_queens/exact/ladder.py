"""The ladder: from what costs microseconds to what may take hours, until an instance is decided.

The order is that of measured costs (``benchmarks/verdicts.py``). Most boards end on a low rung, so
a rung that decides much for little stands below one that decides more for more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qubo_queens.board.lines import Kind
from qubo_queens.board.placement import Placement
from qubo_queens.board.probe import probe
from qubo_queens.board.reduction import Reduction
from qubo_queens.exact.accounting import diagonal_accounting
from qubo_queens.exact.board_search import MAX_OPEN_ROWS, BoardSearch
from qubo_queens.exact.verdict import Exhausted, Verdict, feasible, infeasible
from qubo_queens.exact.weights import line_weights
from qubo_queens.result import Status

_PART = 10_000

REDUCTION = "reduction"
SEARCH = "exhaustive search"

PROBED_CELLS = 100
"""Boards with at most this many free cells are probed first of all: it takes half a millisecond."""

CHEAP_BITS = 200_000
"""With sets up to this large, diagonal accounting is cheaper than a short search: 2 ms at most."""

SHORT_SEARCH = 200_000
"""How many nodes of the search come before the dearer certificates: about 6 ms."""


def climb(reduction: Reduction, should_stop: Callable[[], bool]) -> Verdict:
    """Decide what a reduction leaves open.

    Args:
        reduction: The instance with forced queens placed (mode ``propagate`` or ``probe``).
        should_stop: Asked about every 10 ms; if it returns true, the verdict is ``unknown``.

    Raises:
        ProofError: If a certificate does not pass its check.
        MismatchError: If the search and the verifier disagree about a board.
    """
    for verdict in _rungs(reduction, should_stop):
        if verdict is not None:
            return verdict
        if should_stop():
            break
    return Verdict(Status.UNKNOWN, reason="stopped before it was decided")


def glance(reduction: Reduction) -> Verdict | None:
    """Return what the lowest rungs say, within some milliseconds and without compiled code.

    None stands for a board that they leave undecided.
    """
    return next((verdict for verdict, _ in _lowest(reduction, lambda: False) if verdict), None)


def _rungs(reduction: Reduction, should_stop: Callable[[], bool]) -> Iterator[Verdict | None]:
    """Yield what each rung says: a verdict, or None if it leaves the board undecided."""
    left = reduction
    for verdict, left in _lowest(reduction, should_stop):  # noqa: B007 - the last one is used below
        yield verdict
    open_rows = len(left.open_lines(Kind.ROW))
    if open_rows > MAX_OPEN_ROWS:
        yield Verdict(Status.UNKNOWN, reason=_too_large(open_rows))
        return
    search = BoardSearch(left)
    for _ in range(SHORT_SEARCH // _PART):  # in equal parts, so that time has no say in who answers
        search.advance(_PART)
        yield _searched(search)
    for find in (diagonal_accounting, line_weights):
        if found := find(left, should_stop):
            yield infeasible(left.instance, found, nodes=search.nodes)
        yield None
    search.run(should_stop, max_solutions=1)
    yield _searched(search) or Verdict(
        Status.UNKNOWN,
        reason=f"stopped after {search.nodes:,} nodes of an exhaustive search",
        nodes=search.nodes,
    )


def _lowest(
    reduction: Reduction, should_stop: Callable[[], bool]
) -> Iterator[tuple[Verdict | None, Reduction]]:
    """Yield what the rungs below any search say, and what is left to decide."""
    yield _reduced(reduction), reduction
    if len(reduction.open_lines(Kind.ROW)) > MAX_OPEN_ROWS:
        return
    if len(reduction.free_arrays[0]) <= PROBED_CELLS:
        reduction = probe(reduction, should_stop)
        yield _reduced(reduction), reduction
    if found := diagonal_accounting(reduction, should_stop, CHEAP_BITS):
        yield infeasible(reduction.instance, found), reduction


def _too_large(open_rows: int) -> str:
    return (
        f"{open_rows:,} open rows are too many for proofs, which take up to {MAX_OPEN_ROWS:,}; "
        "solve() may find a solution"
    )


def _reduced(reduction: Reduction) -> Verdict | None:
    """Return the verdict of a reduction that ended in a contradiction, or with a whole board."""
    if reduction.certificate is not None:
        return infeasible(reduction.instance, reduction.certificate, REDUCTION)
    if not reduction.decided:
        return None
    board = Placement(reduction.instance.n, reduction.queens)
    return feasible(reduction.instance, board, REDUCTION)


def _searched(search: BoardSearch) -> Verdict | None:
    """Return the verdict of a search that has found a board, or has ended."""
    instance, nodes = search.reduction.instance, search.nodes
    if search.found:
        return feasible(instance, search.placement(), SEARCH, nodes)
    return infeasible(instance, Exhausted(nodes), SEARCH, nodes) if search.exhausted else None
