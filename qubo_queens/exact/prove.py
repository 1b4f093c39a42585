"""prove(): decide an instance, with a proof."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.board.reduce import reduce
from qubo_queens.board.verify import verify
from qubo_queens.checks import counted, positive_number, shown
from qubo_queens.errors import InputError, ModelTooLargeError
from qubo_queens.exact.clauses.decide import ClausalProof, decide_formulation, search_proof
from qubo_queens.exact.clauses.formulations import FORMULATIONS
from qubo_queens.exact.proof_file import check_target, write_certificate, write_clausal
from qubo_queens.exact.stages import prove_reduction
from qubo_queens.exact.verdict import Exhausted, Unsatisfiable, Verdict, feasible, infeasible
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.result import REDUCTION, Result, Status

WAYS = ("cell", *FORMULATIONS)
"""What ``prove`` takes as `formulation`: the ladder, and those that are decided as clauses."""

CADICAL = "CaDiCaL"
INTERRUPTED = "interrupted"


def prove(
    instance: InstanceLike,
    *,
    formulation: str = "cell",
    time_limit: float | None = None,
    proof: str | os.PathLike[str] | None = None,
) -> ProofResult:
    """Decide whether an instance has a solution: never by chance, never wrong.

    ``cell`` climbs a ladder, cheapest proof first: contradictions, chains of forced queens, probing
    (small boards), diagonal accounting, a short search, line weights, and an exhaustive search to
    the end. Certificates are checked by code that shares nothing with what found them before the
    answer is ``infeasible``; where a search is the proof, the answer says so. The other
    formulations are written as the clauses of their own constraints and decided by CaDiCaL, which
    tells how they compare, and is a second opinion.

    Args:
        instance: The instance, or n for the plain board.
        formulation: ``cell``; or ``cell-sums`` (a Boolean per cell, sums over lines),
            ``cell-attack`` (a Boolean per cell, attacking pairs and the total count), ``labelled``
            (a variable per labelled queen) or ``row`` (a variable per row).
        time_limit: Seconds, above 0, after which the answer is ``unknown``. It may take seconds
            longer where kernels are compiled (of the search, and of the check of a proof by
            clauses), once on a machine, and where an instance of 10^5 rows or cells and more is
            read in, or written as clauses.
        proof: A file to write the proof to if the answer is ``infeasible``. Certificates are
            written as JSON. A search and CaDiCaL are written as a DRAT proof, which is checked
            before, and its clauses as DIMACS to a file of that name with ``.cnf`` behind it.
            ``check_proof`` checks both.

    Returns:
        The result. Ctrl-C and the time limit give ``unknown``; or ``infeasible`` without a file,
        which ``reason`` says, if a search had decided and only its clauses were still being made,
        or would be too many for the memory.

    Raises:
        InputError: If a value is out of range, or the file cannot be written.
        InputTypeError: If a value has the wrong type.
        ModelTooLargeError: If the clauses of another formulation would not fit in memory.
        MissingPackageError: If python-sat is missing, where CaDiCaL is needed.
    """
    started = time.perf_counter()
    instance = as_instance(instance)
    if not isinstance(formulation, str) or formulation not in WAYS:
        raise InputError(
            f"formulation {shown(formulation)} is unknown; choose one of {', '.join(WAYS)}"
        )
    if time_limit is not None:
        time_limit = positive_number(time_limit, "time_limit")
    if proof is not None:
        check_target(proof)
    decide = _by_clauses if formulation in FORMULATIONS else _by_ladder
    with interrupt_flag() as interrupted:
        stop = _Stop(started, time_limit, interrupted)
        decided = decide(instance, formulation, stop, proof is not None)
        stop()  # Ctrl-C may come until the end
    file = None
    if proof is not None and _write(proof, instance, decided):
        file = os.fspath(proof)
    verdict = decided.verdict
    return ProofResult(
        status=verdict.status,
        instance=instance,
        formulation=formulation,
        answered_by=verdict.answered_by,
        placement=verdict.placement,
        verification=None if verdict.placement is None else verify(instance, verdict.placement),
        reason=_reason(decided, stop, unwritten=proof is not None and file is None),
        certificate=verdict.certificate,
        nodes=verdict.nodes,
        proof=file,
        interrupted=stop.why == INTERRUPTED,
        timing={"total_s": time.perf_counter() - started},
    )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ProofResult(Result):
    """The answer of ``prove``.

    Attributes:
        formulation: The formulation that was decided.
        proof: The file that the proof was written to; None if it was not.
    """

    formulation: str
    proof: str | None = None

    @property
    def summary(self) -> str:
        """One line about the answer and how it came about, without the reason."""
        parts = [f"{self.status} in {self.timing['total_s']:.2f} s"]
        parts.append(f"{self.formulation} formulation")
        if self.answered_by not in (None, REDUCTION):
            parts.append(f"answered by {self.answered_by}")
        if self.nodes:
            parts.append(f"{counted(self.nodes, 'node')} searched")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict; all cells are 0-based."""
        return {**super().to_dict(), "formulation": self.formulation, "proof": self.proof}


class _Stop:
    """Tells whether to stop, and remembers why."""

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


def _reason(decided: _Decided, stop: _Stop, *, unwritten: bool) -> str | None:
    """Return why the status is not ``feasible``, and why a proof that was asked for is missing."""
    verdict = decided.verdict
    if verdict.status is Status.FEASIBLE:
        return None
    if verdict.certificate is None:
        return verdict.reason if stop.why is None else f"{stop.why}: {verdict.reason}"
    reason = verdict.certificate.reason
    if unwritten:
        why = decided.too_large or f"{stop.why} before it was whole and checked"
        reason += f"; no proof was written: {why}"
    return reason


@dataclass(frozen=True)
class _Decided:
    """A verdict, and the proof by clauses that goes with it, where there is one.

    Attributes:
        verdict: The verdict.
        clausal: The proof.
        too_large: If its clauses would not fit in memory, the message that says so.
    """

    verdict: Verdict
    clausal: ClausalProof | None = None
    too_large: str | None = None


def _by_ladder(
    instance: Instance, formulation: str, should_stop: Callable[[], bool], want_proof: bool
) -> _Decided:
    """Climb the ladder; make a search that was the proof again as clauses, if they are wanted."""
    verdict = prove_reduction(reduce(instance), should_stop)
    if not (want_proof and isinstance(verdict.certificate, Exhausted)):
        return _Decided(verdict)
    try:
        return _Decided(verdict, search_proof(instance, should_stop))
    except ModelTooLargeError as error:  # what the search has found is not lost
        return _Decided(verdict, too_large=str(error))


def _by_clauses(
    instance: Instance, formulation: str, should_stop: Callable[[], bool], want_proof: bool
) -> _Decided:
    """Let CaDiCaL decide the clauses of a formulation."""
    answer = decide_formulation(instance, formulation, should_stop, want_proof=want_proof)
    if answer.placement is not None:
        return _Decided(feasible(instance, answer.placement, CADICAL))
    if answer.status is Status.UNKNOWN:
        reason = f"CaDiCaL was stopped on the {len(answer.cnf):,} clauses of {formulation}"
        return _Decided(Verdict(Status.UNKNOWN, reason=reason))
    found = Unsatisfiable(
        formulation, len(answer.cnf), answer.proof is not None, instance.contradictions()
    )
    clausal = answer.proof and ClausalProof(formulation, answer.cnf, answer.proof)
    return _Decided(infeasible(instance, found, CADICAL), clausal or None)


def _write(path: str | os.PathLike[str], instance: Instance, decided: _Decided) -> bool:
    """Write the proof of a verdict, if there is one, and tell whether there was."""
    certificate = decided.verdict.certificate
    if decided.clausal is not None:
        write_clausal(path, instance, decided.clausal)
        return True
    if certificate is None or isinstance(certificate, Exhausted | Unsatisfiable):
        return False
    write_certificate(path, instance, certificate)
    return True
