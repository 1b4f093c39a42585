"""The ladder: from what costs microseconds to what may take hours, until an instance is decided.

The order is that of measured costs (``benchmarks/verdicts.py``). Most boards end on a low rung, so
a rung that decides much for little stands below one that decides more for more.
"""

from __future__ import annotations

from collections.abc import Callable

from qubo_queens.board.lines import Kind
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import probe
from qubo_queens.board.reduction import Reduction
from qubo_queens.exact.accounting import diagonal_accounting
from qubo_queens.exact.board_search import MAX_OPEN_ROWS, BoardSearch
from qubo_queens.exact.verdict import Exhausted, Verdict, feasible, infeasible
from qubo_queens.exact.weights import line_weights
from qubo_queens.result import REDUCTION, Status

SEARCH = Exhausted.kind

CHEAP_CELLS = 100
"""Boards with at most this many free cells are probed first of all: it takes half a millisecond."""

CHEAP_BITS = 200_000
"""With sets up to this large, diagonal accounting is cheaper than a short search: 2 ms at most."""

SHORT_SEARCH = 200_000
"""How many nodes of the search at most come before the dearer certificates: about 6 ms."""

_PART_WORK = 640_000
_SHORT_WORK = 20 * _PART_WORK
"""How many words of free cells the short search may look at, if that is less: 30 ms or so."""


def prove_reduction(reduction: Reduction, should_stop: Callable[[], bool]) -> Verdict:
    """Decide what a reduction leaves open.

    Args:
        reduction: The instance with forced queens placed (mode ``propagate`` or ``probe``).
        should_stop: Asked about every 10 ms; if it returns true, the verdict is ``unknown``.

    Raises:
        ProofError: If a certificate does not pass its check.
        MismatchError: If the search and the verifier disagree about a board.
    """
    verdict, left = _low_rungs(reduction, should_stop)
    if verdict is None and should_stop():
        return Verdict(Status.UNKNOWN, reason="stopped before a search began")
    return verdict or _high_rungs(left, should_stop)


def quick_proof(reduction: Reduction) -> Verdict | None:
    """Return what the low rungs say, within some milliseconds and without compiled code.

    None stands for a board that they leave undecided.
    """
    return _low_rungs(reduction, lambda: False)[0]


def _low_rungs(
    reduction: Reduction, should_stop: Callable[[], bool]
) -> tuple[Verdict | None, Reduction]:
    """Return the verdict of the rungs below any search, if they have one, and what is left."""
    verdict = _reduced(reduction)
    if verdict or len(reduction.open_lines(Kind.ROW)) > MAX_OPEN_ROWS:
        return verdict, reduction
    if len(reduction.free_arrays[0]) <= CHEAP_CELLS:
        reduction = probe(reduction, should_stop)
        if verdict := _reduced(reduction):
            return verdict, reduction
    found = diagonal_accounting(reduction, should_stop, CHEAP_BITS)
    return (None if found is None else infeasible(reduction.instance, found)), reduction


def _high_rungs(reduction: Reduction, should_stop: Callable[[], bool]) -> Verdict:
    """Return the verdict of the search, or of a certificate that is found while it is young."""
    open_rows = len(reduction.open_lines(Kind.ROW))
    if open_rows > MAX_OPEN_ROWS:
        return Verdict(Status.UNKNOWN, reason=_too_large(open_rows))
    search = BoardSearch(reduction)
    if verdict := _short_search(search, should_stop):
        return verdict
    for find in (diagonal_accounting, line_weights):
        found = None if should_stop() else find(reduction, should_stop)
        if found is not None:
            return infeasible(reduction.instance, found, nodes=search.nodes)
    search.run(should_stop, max_solutions=1)
    reason = f"stopped after {search.nodes:,} nodes of an exhaustive search"
    return _searched(search) or Verdict(Status.UNKNOWN, reason=reason, nodes=search.nodes)


def _short_search(search: BoardSearch, should_stop: Callable[[], bool]) -> Verdict | None:
    """Begin a search, and return its verdict if it soon has one.

    It goes on in equal parts, so that who answers does not depend on the time they take.
    """
    work = search.work_of_a_node
    nodes, part = min(SHORT_SEARCH, _SHORT_WORK // work), max(1, _PART_WORK // work)
    verdict = None
    while verdict is None and search.nodes < nodes and not should_stop():
        search.advance(min(part, nodes - search.nodes))
        verdict = _searched(search)
    return verdict


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
