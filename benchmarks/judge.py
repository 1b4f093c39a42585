"""Verdicts of this package and of other solvers, compared with what is known of the boards."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from boards import MIXED_SOURCE, Board
from common import wall_timed
from solvers import Solvers

from qubo_queens import Instance, Status, prove, solve, verify
from qubo_queens.errors import ProofError
from qubo_queens.exact.board_search import Exhausted
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.proof_file import check_proof
from qubo_queens.result import Result

PROVEN_NODES = 200_000
"""Searches of at most so many nodes are written as clauses, and the clauses checked."""

METHODS: dict[str, Callable[[Instance, float], Result]] = {
    "prove": lambda instance, limit: prove(instance, time_limit=limit),
    "auto": lambda instance, limit: solve(instance, sampler="auto", seed=1, time_limit=limit),
}
"""The methods of this package; each decides a board within so many seconds."""


@dataclass(frozen=True)
class Answer:
    """The answer of a method or a solver for one board.

    Attributes:
        method: The name of the method or solver.
        board: The board.
        seconds: The time it took, on the wall.
        status: ``feasible``, ``infeasible`` or ``unknown``.
        answered_by: What decided it.
        fault: What is wrong with the verdict, if anything.
        nodes: The nodes of a search that is itself the proof; None if none is.
    """

    method: str
    board: Board
    seconds: float
    status: Status
    answered_by: str
    fault: str | None = None
    nodes: int | None = None


def ask(method: str, board: Board, limit: float) -> Answer:
    """Let a method of this package decide a board, and judge its answer."""
    seconds, result = wall_timed(lambda: METHODS[method](board.instance, limit))
    search = result.certificate if isinstance(result.certificate, Exhausted) else None
    return Answer(
        method,
        board,
        seconds,
        result.status,
        result.answered_by or "none",
        _fault(board, result),
        search and search.nodes,
    )


def ask_solver(solvers: Solvers, name: str, board: Board, limit: float) -> Answer:
    """Let another solver decide a board; its answer must agree with what is known."""
    outcome = solvers.decide(name, board.instance, limit)
    status = {True: Status.FEASIBLE, False: Status.INFEASIBLE, None: Status.UNKNOWN}
    found = Answer(name, board, outcome.seconds, status[outcome.satisfiable], name)
    if board.feasible is not None and outcome.satisfiable is (not board.feasible):
        raise AssertionError(f"{name} says {found.status}, which is wrong, of {board}")
    return found


def proven_by_clauses(answer: Answer) -> bool:
    """Write the search behind an answer as clauses, and return whether the file proves it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proof"
        result = prove(answer.board.instance, proof=file)
        try:
            return result.proof is not None and check_proof(file) == answer.board.instance
        except ProofError:
            return False


def group(answer: Answer) -> tuple[str, int, bool | None]:
    """Return the group of an answer: boards, n (0 for mixed ones), and what is known."""
    board = answer.board
    return board.source, 0 if board.source == MIXED_SOURCE else board.instance.n, board.feasible


def grouped(answers: Iterable[Answer]) -> list[tuple[tuple[str, ...], list[Answer]]]:
    """Return groups of answers, each with what names it: boards, n, and what is known."""
    groups = defaultdict[tuple[str, int, bool | None], list[Answer]](list)
    for answer in answers:
        groups[group(answer)].append(answer)
    named = []
    for (source, n, feasible), found in groups.items():
        sizes = sorted({answer.board.instance.n for answer in found})
        shown = f"{n or sizes[0]:,}" + ("" if len(sizes) == 1 else f" to {sizes[-1]:,}")
        known = {True: "feasible", False: "infeasible", None: "not known"}[feasible]
        named.append(((source, shown, known), found))
    return named


def by_method(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """Return the answers of each method, in their order."""
    methods: dict[str, list[Answer]] = {}
    for answer in answers:
        methods.setdefault(answer.method, []).append(answer)
    return methods


def _fault(board: Board, result: Result) -> str | None:
    """Return why a verdict is wrong, or not shown to be right; None if it is, or there is none."""
    if result.status is Status.UNKNOWN:
        return None
    said = result.status is Status.FEASIBLE
    if board.feasible is not None and said is not board.feasible:
        return f"it is said to be {result.status}"
    if said:
        solved = result.placement is not None and verify(board.instance, result.placement)
        return None if solved else "the board is no solution"
    if result.certificate is None:
        return "there is no proof"
    if not result.certificate.checkable:
        return None  # a search is the proof
    try:
        check_certificate(board.instance, result.certificate.to_dict())
    except ProofError as error:
        return f"the certificate is wrong: {error}"
    return None
