"""Proofs as clauses: the refutation that a search makes of a board."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qubo_queens.board.instance import Instance
from qubo_queens.board.reduce import reduce
from qubo_queens.checks import shown
from qubo_queens.errors import InputError
from qubo_queens.exact.board_search import refutation
from qubo_queens.exact.cnf import Cnf, to_cnf
from qubo_queens.exact.dimacs import Clauses
from qubo_queens.exact.drat import DratProof, check_drat
from qubo_queens.exact.formulations import FORMULATIONS, formulate
from qubo_queens.exact.free_cells import free_cell_cnf

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
