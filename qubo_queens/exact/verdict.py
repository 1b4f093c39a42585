"""The answer of everything in this room that decides an instance."""

from __future__ import annotations

from dataclasses import dataclass, field

from qubo_queens.board.certificate import Certificate
from qubo_queens.board.instance import Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import verify
from qubo_queens.errors import MismatchError
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.clauses.drat import ClausalProof
from qubo_queens.result import Status


@dataclass(frozen=True)
class Verdict:
    """What is known of an instance, and how it became known.

    Attributes:
        status: ``feasible`` with a verified board, ``infeasible`` with a proof, or ``unknown``.
        answered_by: The method that decided it; None if none did.
        reason: With ``unknown``, why.
        nodes: The number of nodes that a search visited.
        clausal: The proof as clauses, checked, if it was asked for.
    """

    status: Status
    answered_by: str | None = None
    placement: Placement | None = None
    certificate: Certificate | None = None
    reason: str | None = None
    nodes: int = 0
    clausal: ClausalProof | None = field(default=None, repr=False)


def infeasible(
    instance: Instance,
    certificate: Certificate,
    answered_by: str | None = None,
    *,
    nodes: int = 0,
    clausal: ClausalProof | None = None,
) -> Verdict:
    """Return the verdict of a certificate, which is checked first unless a search is the proof."""
    if certificate.checkable:
        check_certificate(instance, certificate.to_dict())
    method = answered_by or certificate.kind
    return Verdict(Status.INFEASIBLE, method, certificate=certificate, nodes=nodes, clausal=clausal)


def feasible(instance: Instance, placement: Placement, answered_by: str, nodes: int = 0) -> Verdict:
    """Return the verdict of a board, once it is verified."""
    verification = verify(instance, placement)
    if not verification.valid:
        raise MismatchError(placement, 0, verification)
    return Verdict(Status.FEASIBLE, answered_by, placement, nodes=nodes)
