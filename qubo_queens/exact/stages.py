"""The stages of the proof search, from those that take microseconds to those that may take hours.

They stand in the order of measured costs (``benchmarks/verdicts.py``). Most boards are decided by
the first stages; a stage that decides many boards at little cost comes before one that decides more
at a higher cost.
"""

from __future__ import annotations

from collections.abc import Callable

from qubo_queens.board.lines import Kind
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import probe
from qubo_queens.board.reduction import Reduction
from qubo_queens.exact.board_search import MAX_OPEN_ROWS, BoardSearch, Exhausted
from qubo_queens.exact.diagonal_accounting import find_diagonal_accounting
from qubo_queens.exact.line_weights import find_line_weights
from qubo_queens.exact.verdict import Verdict, feasible, infeasible
from qubo_queens.result import REDUCTION, Status

CHEAP_CELLS = 100
"""Boards with at most so many free cells are probed first: it takes half a millisecond."""

CHEAP_BITS = 200_000
"""With sets up to this size, diagonal accounting is cheaper than a short search: at most 2 ms."""

SHORT_SEARCH = 200_000
"""The most nodes that are searched before the more expensive certificates: about 6 ms."""

_PART_WORK = 640_000
_SHORT_WORK = 20 * _PART_WORK
"""The most words of free cells that the short search visits, if that is less: about 30 ms."""


def prove_reduction(reduction: Reduction, should_stop: Callable[[], bool]) -> Verdict:
    """Decide what a reduction leaves open; its mode is ``propagate`` or ``probe``.

    `should_stop` is called about every 10 ms; if it returns true, the verdict is ``unknown``.
    """
    verdict, left = _before_search(reduction, should_stop)
    if verdict is None and should_stop():
        return Verdict(Status.UNKNOWN, reason="stopped before a search began")
    return verdict or _with_search(left, should_stop)


def quick_proof(reduction: Reduction) -> Verdict | None:
    """Decide a reduction by the stages before any search: some milliseconds, no compiled code.

    The result is None if these stages leave the board undecided.
    """
    return _before_search(reduction, lambda: False)[0]


def _before_search(
    reduction: Reduction, should_stop: Callable[[], bool]
) -> tuple[Verdict | None, Reduction]:
    """Return the verdict of the stages before any search, or None, and what is left open."""
    verdict = _reduced(reduction)
    if verdict or len(reduction.open_lines(Kind.ROW)) > MAX_OPEN_ROWS:
        return verdict, reduction
    if len(reduction.free_arrays[0]) <= CHEAP_CELLS:
        reduction = probe(reduction, should_stop)
        if verdict := _reduced(reduction):
            return verdict, reduction
    found = find_diagonal_accounting(reduction, should_stop, CHEAP_BITS)
    return (None if found is None else infeasible(reduction.instance, found)), reduction


def _with_search(reduction: Reduction, should_stop: Callable[[], bool]) -> Verdict:
    """Search shortly, then look for more expensive certificates, then search to the end."""
    open_rows = len(reduction.open_lines(Kind.ROW))
    if open_rows > MAX_OPEN_ROWS:
        return Verdict(Status.UNKNOWN, reason=_too_large(open_rows))
    search = BoardSearch(reduction)
    if verdict := _short_search(search, should_stop):
        return verdict
    for find in (find_diagonal_accounting, find_line_weights):
        found = None if should_stop() else find(reduction, should_stop)
        if found is not None:
            return infeasible(reduction.instance, found, nodes=search.nodes)
    search.run(should_stop, max_solutions=1)
    reason = f"stopped after {search.nodes:,} nodes of an exhaustive search"
    return _searched(search) or Verdict(Status.UNKNOWN, reason=reason, nodes=search.nodes)


def _short_search(search: BoardSearch, should_stop: Callable[[], bool]) -> Verdict | None:
    """Begin a search, and return its verdict if it soon has one.

    The parts are measured in nodes, so that the method that answers does not depend on the time.
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
        "solve may find a solution"
    )


def _reduced(reduction: Reduction) -> Verdict | None:
    """Return the verdict of a reduction to a contradiction or to a complete board, else None."""
    if reduction.certificate is not None:
        return infeasible(reduction.instance, reduction.certificate, REDUCTION)
    if not reduction.decided:
        return None
    board = Placement(reduction.instance.n, reduction.queens)
    return feasible(reduction.instance, board, REDUCTION)


def _searched(search: BoardSearch) -> Verdict | None:
    """Return the verdict of a search that has found a board or has ended, else None."""
    instance, nodes = search.reduction.instance, search.nodes
    if search.found:
        return feasible(instance, search.placement(), Exhausted.kind, nodes)
    return infeasible(instance, Exhausted(nodes), nodes=nodes) if search.exhausted else None
