"""What proofs and searches conclude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qubo_queens.board.certificate import Certificate, Contradictory
from qubo_queens.board.instance import Contradiction, Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import verify
from qubo_queens.checks import counted
from qubo_queens.errors import MismatchError
from qubo_queens.exact.check import check_certificate
from qubo_queens.result import Status


@dataclass(frozen=True)
class Exhausted(Certificate):
    """A search went through all boards. The tree is the proof; a proof file has it as clauses.

    Attributes:
        nodes: The number of nodes of the search tree.
    """

    kind = "exhaustive search"
    nodes: int

    @property
    def reason(self) -> str:
        """The size of the search."""
        return f"an exhaustive search found no solution ({counted(self.nodes, 'node')})"

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and the number of nodes."""
        return {**super().to_dict(), "nodes": self.nodes}


@dataclass(frozen=True)
class Unsatisfiable(Certificate):
    """A SAT solver found the clauses of a formulation unsatisfiable.

    Attributes:
        formulation: The name of the formulation.
        clauses: The number of its clauses.
        checked: Whether the solver's proof was asked for, and found to be right.
        contradictions: Those of the prescribed queens, which make any clauses unsatisfiable.
    """

    kind = "unsatisfiable clauses"
    formulation: str
    clauses: int
    checked: bool
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def reason(self) -> str:
        """Who says so of what."""
        checked = "; its proof was checked" if self.checked else ""
        known = f"{Contradictory(self.contradictions).reason}; " if self.contradictions else ""
        return (
            f"{known}CaDiCaL found the {self.clauses:,} clauses of formulation {self.formulation} "
            f"unsatisfiable{checked}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, the formulation and what is known of its proof."""
        about = {"formulation": self.formulation, "clauses": self.clauses}
        return {**super().to_dict(), **about, "checked": self.checked}


@dataclass(frozen=True)
class Verdict:
    """What is known of an instance, and how it became known.

    Attributes:
        status: ``feasible`` with a verified board, ``infeasible`` with a proof, or ``unknown``.
        answered_by: What decided it; None if nothing did.
        placement: The board.
        certificate: The proof.
        reason: With ``unknown``, why.
        nodes: How many nodes a search looked at.
    """

    status: Status
    answered_by: str | None = None
    placement: Placement | None = None
    certificate: Certificate | None = None
    reason: str | None = None
    nodes: int = 0


def infeasible(
    instance: Instance, certificate: Certificate, answered_by: str | None = None, nodes: int = 0
) -> Verdict:
    """Return the verdict of a certificate, which is checked first unless a search is the proof.

    Raises:
        ProofError: If the certificate proves nothing.
    """
    if not isinstance(certificate, Exhausted | Unsatisfiable):
        check_certificate(instance, certificate.to_dict())
    who = answered_by or certificate.kind
    return Verdict(Status.INFEASIBLE, who, certificate=certificate, nodes=nodes)


def feasible(instance: Instance, placement: Placement, answered_by: str, nodes: int = 0) -> Verdict:
    """Return the verdict of a board, once it is verified.

    Raises:
        MismatchError: If it is not a solution.
    """
    verification = verify(instance, placement)
    if not verification.valid:
        raise MismatchError(placement, 0, verification)
    return Verdict(Status.FEASIBLE, answered_by, placement, nodes=nodes)
