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
from qubo_queens.exact.cnf import Cnf
from qubo_queens.exact.dimacs import (
    Clauses,
    Int32Array,
    Int64Array,
    clause_text,
    clauses_of,
    split_clauses,
)
from qubo_queens.kernels.rup import (
    ADDED,
    DELETED,
    ENDED,
    GIVEN,
    GIVEN_PAIR,
    NEXT,
    NOT_IMPLIED,
    UNDER_WAY,
    Check,
    check_steps,
)

DratProof: TypeAlias = Clauses
"""The steps of a proof; ``deletes`` tells which of them delete a clause."""

_SLICE = 1_000_000
"""How many clauses to look at before asking whether to stop: some 5 to 10 ms."""

_ADDITION, _DELETION = ord("a"), ord("d")


def parse_drat(text: str) -> DratProof:
    """Read a proof in the text format, with one step on each line.

    Raises:
        FormatError: If a line is not a step; the message says which.
    """
    if not isinstance(text, str):
        raise InputTypeError(f"a proof is text, not {type(text).__name__}; read the file first")
    return clauses_of(text)


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
    check = _begin(cnf, proof)
    while (state := check_steps(check, _SLICE)) == UNDER_WAY:
        if should_stop():
            return False
    step = int(check.tally[NEXT]) - len(cnf)
    if state == NOT_IMPLIED:
        raise ProofError(
            f"step {step + 1} of the proof, {_shown(proof, step)!r}, does not follow from the "
            "clauses before it by unit propagation"
        )
    if state == ENDED:
        raise ProofError(
            f"the proof of {len(proof):,} steps does not reach the empty clause; is it complete?"
        )
    return True


def _shown(proof: DratProof, step: int) -> str:
    start, stop = proof.offsets[step : step + 2].tolist()
    return shorten(" ".join(map(str, [*proof.literals[start:stop].tolist(), 0])))


def _begin(cnf: Cnf, proof: DratProof) -> Check:
    """Make the arrays of a check."""
    strange = np.abs(proof.literals) > cnf.num_variables
    if strange.any():
        step = int(np.searchsorted(proof.offsets, strange.argmax(), side="right")) - 1
        raise ProofError(
            f"step {step + 1} of the proof, {_shown(proof, step)!r}, is about a variable that the "
            f"formula of {cnf.num_variables:,} variables does not have; is it that of another?"
        )
    num_given, num_clauses = len(cnf), len(cnf) + len(proof)
    signed = np.concatenate((cnf.literals, proof.literals))
    literals = 2 * (np.abs(signed) - 1) + (signed < 0)
    bounds = np.concatenate((cnf.offsets, cnf.offsets[-1] + proof.offsets[1:]))
    starts, lengths = bounds[:-1].copy(), np.diff(bounds)
    pairs, pair_starts, pair_counts, partners = _partners(cnf, literals)
    kinds = np.full(num_clauses, GIVEN, dtype=np.int8)
    kinds[:num_given][pairs] = GIVEN_PAIR
    kinds[num_given:] = np.where(proof.deletes, DELETED, ADDED)
    num_nodes, num_literals = 2 * num_clauses, 2 * cnf.num_variables
    # The index of clauses by content is for deletions only.
    indexed = num_clauses if proof.deletes.any() else 0
    return Check(
        literals=literals.astype(np.int32),
        starts=starts,
        lengths=lengths,
        kinds=kinds,
        values=np.zeros(num_literals, dtype=np.int8),
        trail=np.empty(cnf.num_variables + 1, dtype=np.int32),
        first=np.full(num_literals, -1, dtype=np.int32),
        after=np.full(num_nodes, -1, dtype=np.int32),
        blockers=np.full(num_nodes, -1, dtype=np.int32),
        pair_starts=pair_starts,
        pair_counts=pair_counts,
        partners=partners,
        buckets=np.full(1 << (indexed + 1).bit_length(), -1, dtype=np.int32),
        chain=np.full(indexed, -1, dtype=np.int32),
        seen=np.zeros(num_literals, dtype=np.int64),
        tally=np.zeros(5, dtype=np.int64),
    )


def _partners(
    cnf: Cnf, literals: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array, Int32Array]:
    """Return which clauses are pairs of different variables, and their partners by literal."""
    pairs = np.flatnonzero(np.diff(cnf.offsets) == 2)
    at = cnf.offsets[pairs]
    different = literals[at] >> 1 != literals[at + 1] >> 1
    pairs, at = pairs[different], at[different]
    one, other = literals[at], literals[at + 1]
    ends = np.concatenate((one, other))
    counts = np.bincount(ends, minlength=2 * cnf.num_variables)
    partners = np.concatenate((other, one))[np.argsort(ends, kind="stable")]
    return pairs, counts.cumsum() - counts, counts, partners.astype(np.int32)
