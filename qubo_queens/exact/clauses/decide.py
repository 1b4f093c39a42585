"""Decide an instance in one of its formulations, by CaDiCaL, and check what it says."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qubo_queens.board.instance import Instance, InstanceLike
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import reduce
from qubo_queens.board.verify import verify
from qubo_queens.checks import shown
from qubo_queens.errors import InputError, MismatchError
from qubo_queens.exact.board_search import refutation
from qubo_queens.exact.clauses.cadical import decide
from qubo_queens.exact.clauses.cnf import Clauses, Cnf, to_cnf
from qubo_queens.exact.clauses.drat import DratProof, check_drat
from qubo_queens.exact.clauses.formulations import FORMULATIONS, Formulation, formulate
from qubo_queens.exact.clauses.free_cells import free_cell_cnf
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
        MissingPackageError: If python-sat is not installed.
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


FREE_CELLS = "free-cells"
"""How a proof file calls the clauses over the cells that prescribed queens leave free."""


@dataclass(frozen=True, eq=False)
class ClausalProof:
    """Clauses that state an instance, and a proof that they cannot be satisfied.

    Attributes:
        statement: What the clauses state: ``free-cells``, or the name of a formulation.
        cnf: The clauses.
        proof: The proof.
    """

    statement: str
    cnf: Cnf
    proof: DratProof


def stated_cnf(instance: Instance, name: str) -> Cnf:
    """Return the clauses that a proof file states by name.

    Raises:
        InputError: If the name is unknown.
    """
    if name == FREE_CELLS:
        return free_cell_cnf(instance)
    if name not in FORMULATIONS:
        known = ", ".join([FREE_CELLS, *FORMULATIONS])
        raise InputError(f"clauses called {shown(name)} are unknown; known are {known}")
    return to_cnf(formulate(instance, name), break_symmetry=True)


def search_proof(instance: Instance, should_stop: Callable[[], bool]) -> ClausalProof | None:
    """Search an infeasible board once more, noting what is refuted, and check that as a proof.

    Args:
        instance: The instance; its prescribed queens do not contradict each other.
        should_stop: Asked about every 10 ms.

    Returns:
        The proof; None if it was told to stop before the proof was whole and checked.

    Raises:
        ProofError: If the board has a solution, or the proof is wrong.
        ModelTooLargeError: If the clauses would not fit in memory.
    """
    cnf = free_cell_cnf(instance)
    reduction = reduce(instance, "lines")  # forced queens follow from the clauses by themselves
    number = {cell: variable for variable, cell in enumerate(reduction.free_cells, 1)}
    literals, lengths, deletes = array("i"), array("q", [0]), array("b")
    for step in refutation(reduction, should_stop):
        literals.extend([-number[cell] for cell in step.cells])
        lengths.append(len(step.cells))
        deletes.append(step.kind == "delete")
    if lengths[-1] or len(lengths) == 1:
        return None  # it was stopped before it came to the empty clause
    proof = Clauses(
        np.array(literals, dtype=np.int32),
        np.cumsum(np.array(lengths, dtype=np.int64)),
        np.array(deletes, dtype=np.bool_),
    )
    return ClausalProof(FREE_CELLS, cnf, proof) if check_drat(cnf, proof, should_stop) else None
