"""prove(): decide an instance, with a proof."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.reduce import reduce
from qubo_queens.board.verify import verify
from qubo_queens.checks import counted, positive_number
from qubo_queens.errors import ModelTooLargeError
from qubo_queens.exact.board_search import Exhausted, prove_by_clauses
from qubo_queens.exact.clauses.cadical import decide_encoding
from qubo_queens.exact.clauses.formulations import require_formulation
from qubo_queens.exact.proof_file import check_target, write_proof
from qubo_queens.exact.stages import prove_reduction
from qubo_queens.exact.verdict import Verdict
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.result import REDUCTION, Result, Status

INTERRUPTED = "interrupted"


def prove(
    instance: InstanceLike,
    *,
    encoding: str | None = None,
    time_limit: float | None = None,
    proof: str | os.PathLike[str] | None = None,
) -> ProofResult:
    """Decide with certainty whether an instance has a solution.

    By default this is the proof search, whose stages come in the order of their cost:
    contradictions, forced queens, probing (small boards), diagonal accounting, a short search, line
    weights, and an exhaustive search to the end. Certificates are checked by code that shares
    nothing with the code that found them before the answer is ``infeasible``; where a search is the
    proof, the answer says so.

    With `encoding`, the constraints of that encoding are written as clauses and decided by the SAT
    solver CaDiCaL: a second opinion, and a comparison of encodings.

    >>> from qubo_queens import Instance
    >>> result = prove(Instance(6, [(0, 0)]))
    >>> result.status
    <Status.INFEASIBLE: 'infeasible'>
    >>> result.certificate.kind
    'empty line'
    >>> print(prove(Instance(4, [(0, 1)])).placement)
    .Q..
    ...Q
    Q...
    ..Q.

    Args:
        instance: The instance, or n for the plain board.
        encoding: None for the proof search; or ``cell`` (a Boolean per cell, sums over lines),
            ``cell-attack`` (a Boolean per cell, attacking pairs and the total count), ``labelled``
            (a variable per labelled queen) or ``row`` (a variable per row): the problems of
            ``build(encoding=...)``. Other encodings cannot be written as clauses.
        time_limit: Seconds, above 0, after which the answer is ``unknown``. It may take seconds
            longer where kernels are compiled (of the search, and of the check of a proof by
            clauses), once on a machine, and where an instance of 10^5 rows or cells and more is
            read in, or written as clauses.
        proof: A file to write the proof to if the answer is ``infeasible``. Certificates are
            written as JSON. An exhaustive search and the proof of CaDiCaL are checked and written
            as a DRAT proof, and its clauses as DIMACS to a file of that name with ``.cnf``
            appended. ``check_proof`` checks both.

    Returns:
        The result. Ctrl-C and the time limit give ``unknown``. If a search had already decided and
        only its clauses were still being written, or would not fit in memory, they give
        ``infeasible`` without a file, which ``reason`` says.

    Raises:
        InputError: If a value is out of range, the encoding cannot be written as clauses, or the
            file cannot be written.
        InputTypeError: If a value has the wrong type.
        ModelTooLargeError: If the clauses of an encoding would not fit in memory.
        MissingPackageError: If python-sat is missing, where CaDiCaL is needed.
    """
    started = time.perf_counter()
    instance = as_instance(instance)
    if encoding is not None:
        require_formulation(encoding)
    if time_limit is not None:
        time_limit = positive_number(time_limit, "time_limit")
    if proof is not None:
        check_target(proof)
    with interrupt_flag() as interrupted:
        stop = _Stop(started, time_limit, interrupted)
        if encoding is None:
            verdict, too_large = _search(instance, stop, want_proof=proof is not None)
        else:
            verdict = decide_encoding(instance, encoding, stop, want_proof=proof is not None)
            too_large = None
        stop()  # Ctrl-C may come until the end
    file = unwritten = None
    if proof is not None and verdict.certificate is not None:
        if write_proof(proof, instance, verdict.certificate, verdict.clausal):
            file = os.fspath(proof)
        else:
            unwritten = too_large or f"{stop.why} before it was complete and checked"
    return ProofResult(
        status=verdict.status,
        instance=instance,
        encoding=encoding,
        answered_by=verdict.answered_by,
        placement=verdict.placement,
        verification=None if verdict.placement is None else verify(instance, verdict.placement),
        reason=_reason(verdict, stop.why, unwritten),
        certificate=verdict.certificate,
        nodes=verdict.nodes,
        proof=file,
        interrupted=stop.why == INTERRUPTED,
        timing={"total_s": time.perf_counter() - started},
    )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ProofResult(Result):
    """The answer of ``prove``.

    >>> from qubo_queens import prove
    >>> result = prove(3)
    >>> result.encoding, result.answered_by, result.reason
    (None, 'reduction', '3 non-attacking queens do not fit on a 3 x 3 board')

    Attributes:
        encoding: The encoding whose clauses were decided; None for the proof search.
        proof: The file that the proof was written to; None if none was written.
    """

    encoding: str | None = None
    proof: str | None = None

    @property
    def summary(self) -> str:
        """One line about the answer and how it came about, without the reason."""
        method = "proof search" if self.encoding is None else f"clauses of encoding {self.encoding}"
        parts = [f"{self.status} in {self.timing['total_s']:.2f} s", method]
        if self.answered_by not in (None, REDUCTION):
            parts.append(f"answered by {self.answered_by}")
        if self.nodes:
            parts.append(f"{counted(self.nodes, 'node')} searched")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict; all cells are 0-based."""
        return {**super().to_dict(), "encoding": self.encoding, "proof": self.proof}


def _search(
    instance: Instance, should_stop: Callable[[], bool], *, want_proof: bool
) -> tuple[Verdict, str | None]:
    """Return the verdict of the proof search.

    If an exhaustive search is the proof and is wanted, the verdict has it as clauses; the second
    value is the reason if they would not fit in memory.
    """
    verdict = prove_reduction(reduce(instance), should_stop)
    if not (want_proof and isinstance(verdict.certificate, Exhausted)):
        return verdict, None
    try:
        return replace(verdict, clausal=prove_by_clauses(instance, should_stop)), None
    except ModelTooLargeError as error:  # the verdict is not lost
        return verdict, str(error)


class _Stop:
    """Returns whether to stop, and remembers why."""

    def __init__(
        self, started: float, time_limit: float | None, interrupted: Callable[[], bool]
    ) -> None:
        self._deadline = math.inf if time_limit is None else started + time_limit
        self._time_limit = time_limit
        self._interrupted = interrupted
        self.why: str | None = None

    def __call__(self) -> bool:
        if self._interrupted():
            self.why = INTERRUPTED
        elif self.why is None and time.perf_counter() >= self._deadline:
            self.why = f"time limit of {self._time_limit} s reached"
        return self.why is not None


def _reason(verdict: Verdict, stopped: str | None, unwritten: str | None) -> str | None:
    """Return why the status is not ``feasible``, and why a proof that was asked for is missing."""
    if verdict.status is Status.FEASIBLE:
        return None
    if verdict.certificate is None:
        return verdict.reason if stopped is None else f"{stopped}: {verdict.reason}"
    reason = verdict.certificate.reason
    return reason if unwritten is None else f"{reason}; no proof was written: {unwritten}"
