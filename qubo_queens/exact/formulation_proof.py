"""Decide an instance in one of its formulations, by CaDiCaL, and check what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import verify
from qubo_queens.errors import MismatchError
from qubo_queens.exact.cadical import decide
from qubo_queens.exact.cnf import Cnf, to_cnf
from qubo_queens.exact.dimacs import Clauses
from qubo_queens.exact.drat import DratProof, check_drat
from qubo_queens.exact.formulations import Formulation, formulate
from qubo_queens.result import Status


@dataclass(frozen=True, eq=False)
class FormulationAnswer:
    """What is known of an instance in one of its formulations.

    Attributes:
        status: ``feasible``, ``infeasible``, or ``unknown`` if it was stopped.
        formulation: The formulation.
        cnf: Its clauses.
        placement: With ``feasible``, a board; it is verified.
        proof: With ``infeasible``, a proof from the clauses if one was asked for; it is checked.
    """

    status: Status
    formulation: Formulation
    cnf: Cnf = field(repr=False)
    placement: Placement | None = None
    proof: DratProof | None = field(default=None, repr=False)


def decide_formulation(
    instance: InstanceLike,
    name: str,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    want_proof: bool = False,
) -> FormulationAnswer:
    """Decide an instance by the clauses of one of its formulations.

    Args:
        instance: The instance, or n for the plain board.
        name: One of ``FORMULATIONS``.
        should_stop: Asked about every 10 ms whether to give up.
        want_proof: Whether ``infeasible`` comes with a proof, and is said only once it is checked.

    Raises:
        InputError: If the name is unknown.
        ModelTooLargeError: If the clauses would have more than ``MAX_LITERALS`` literals.
        SolverUnavailableError: If python-sat is not installed.
        SolverError: If the solver ends without an answer.
        ProofError: If its proof is not one.
        MismatchError: If its board is not one.
    """
    formulation = formulate(instance, name)
    cnf = to_cnf(formulation, break_symmetry=True)
    answer = decide(cnf, should_stop, proof=want_proof)
    if answer.satisfiable is None:
        return FormulationAnswer(Status.UNKNOWN, formulation, cnf)
    if answer.satisfiable:
        placement = formulation.decode(answer.model)
        verification = verify(formulation.instance, placement)
        if not verification:
            raise MismatchError(placement, 0, verification)
        return FormulationAnswer(Status.FEASIBLE, formulation, cnf, placement)
    if answer.proof is None:
        return FormulationAnswer(Status.INFEASIBLE, formulation, cnf)
    proof = with_empty_clause(answer.proof)
    if not check_drat(cnf, proof, should_stop):
        return FormulationAnswer(Status.UNKNOWN, formulation, cnf)
    return FormulationAnswer(Status.INFEASIBLE, formulation, cnf, proof=proof)


def with_empty_clause(proof: DratProof) -> DratProof:
    """Return a proof that states the empty clause, if need be as one more step.

    A solver that meets a contradiction among the clauses as they are given may not state it. The
    check judges this step as any other.
    """
    if bool(((np.diff(proof.offsets) == 0) & ~proof.deletes).any()):
        return proof
    return Clauses(
        proof.literals, np.append(proof.offsets, proof.offsets[-1]), np.append(proof.deletes, False)
    )
