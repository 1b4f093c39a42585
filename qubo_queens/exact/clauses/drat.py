"""Proofs of unsatisfiability as clauses (DRAT), read and checked.

A proof is a list of steps: a clause that follows from those before it, or one that is deleted. It
is complete when it reaches the empty clause. The format has two rules by which a clause may
follow; only the first, reverse unit propagation, is taken here. The second (RAT) is for solvers
that make up variables or add clauses that do not follow, which neither a search nor CaDiCaL 1.5
does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from qubo_queens.checks import shorten
from qubo_queens.errors import InputTypeError, ProofError
from qubo_queens.exact.clauses.cnf import Clauses, Cnf, clause_text, parse_clauses, split_clauses

DratProof: TypeAlias = Clauses
"""The steps of a proof; ``deletes`` tells which of them delete a clause."""

_ADDITION, _DELETION = ord("a"), ord("d")


def parse_drat(text: str) -> DratProof:
    """Read a proof in the text format, with one step on each line.

    Raises:
        FormatError: If a line is not a step; the message says which.
    """
    if not isinstance(text, str):
        raise InputTypeError(f"a proof is text, not {type(text).__name__}; read the file first")
    return parse_clauses(text)


def drat_text(proof: DratProof) -> str:
    """Return a proof in the text format, with one step on each line."""
    return clause_text(proof.literals, proof.offsets, proof.deletes)


def parse_binary_drat(data: bytes) -> DratProof:
    """Read a proof in the binary format, as CaDiCaL writes it.

    Each step is the letter a or d, its literals and a zero byte. A literal is the number 2 v, or
    2 v + 1 if it is negated, in groups of seven bits, the lowest first; all bytes but the last of a
    number have their highest bit set.

    Raises:
        ProofError: If the bytes are not a proof, or end within a step.
    """
    octets = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(octets < 128)
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    widths = ends - starts + 1
    if len(octets) and (octets[-1] or widths.max() > 5):
        raise ProofError("the binary proof is cut off, or damaged: it does not end with a step")
    place = np.arange(len(octets)) - np.repeat(starts, widths)
    groups = (octets & 127).astype(np.int64) << (7 * place)
    codes = np.add.reduceat(groups, starts) if len(starts) else np.empty(0, np.int64)
    ending = codes == 0
    marks = np.concatenate([[True], ending[:-1]])[: len(codes)]
    deletes = marks & (codes == _DELETION) & (widths == 1)
    adds = marks & (codes == _ADDITION) & (widths == 1)
    wrong = np.where(marks, ~(deletes | adds), ~ending & ((codes < 2) | (codes >= 2**31)))
    if wrong.any():
        step = int(np.count_nonzero(ending[: wrong.argmax()])) + 1
        raise ProofError(f"step {step} of the binary proof is damaged")
    literals = np.where(codes & 1, -(codes >> 1), codes >> 1)
    return split_clauses(literals, ending, deletes, marks | ending)


def check_drat(cnf: Cnf, proof: DratProof, should_stop: Callable[[], bool] = lambda: False) -> bool:
    """Check that a proof derives the empty clause from a formula, step by step.

    Every clause has to follow from those before it by reverse unit propagation, up to the empty
    clause, which has to be stated; what comes after it is not looked at. Deleted clauses are taken
    out; the deletion of a clause of one literal, or of one that is not there, is passed over.

    Args:
        cnf: The formula.
        proof: The proof.
        should_stop: Asked about every 10 ms whether to give up.

    Returns:
        True if the proof is right. False if the check was given up: then nothing is known.

    Raises:
        ProofError: If it is not; the message names the first step that does not follow.
    """
    strange = np.abs(proof.literals) > cnf.num_variables
    if strange.any():
        step = int(np.searchsorted(proof.offsets, strange.argmax(), side="right")) - 1
        raise ProofError(
            f"step {step + 1} of the proof, {_shown(proof, step)!r}, is about a variable that the "
            f"formula of {cnf.num_variables:,} variables does not have; is it that of another?"
        )
    from qubo_queens.exact.clauses.kernel_check import KernelCheck  # loads Numba

    check = KernelCheck(cnf, proof)
    while not check.ended:
        check.advance_slice()
        if not check.ended and should_stop():
            return False
    if check.wrong_step is not None:
        raise ProofError(
            f"step {check.wrong_step + 1} of the proof, {_shown(proof, check.wrong_step)!r}, does "
            "not follow from the clauses before it by unit propagation"
        )
    if not check.proven:
        raise ProofError(
            f"the proof of {len(proof):,} steps does not reach the empty clause; is it complete?"
        )
    return True


def _shown(proof: DratProof, step: int) -> str:
    start, stop = proof.offsets[step : step + 2].tolist()
    return shorten(" ".join(map(str, [*proof.literals[start:stop].tolist(), 0])))
