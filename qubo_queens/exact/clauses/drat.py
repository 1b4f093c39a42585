"""Proofs of unsatisfiability as clauses (DRAT): read, written and checked.

A proof is a list of steps: a clause that follows from those before it, or one that is deleted. It
is complete when it reaches the empty clause. The format has two rules by which a clause may
follow. Only the first, reverse unit propagation, is accepted here; the second (RAT) is for solvers
that add variables or clauses that do not follow, which neither the search nor CaDiCaL 1.5 does.

The checker is compiled because proofs are long: for 229,000 steps it takes 1.2 s, and the pure
Python package dratify, which the tests compare it with, 67 s.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qubo_queens.board.lines import BoolArray, IntArray
from qubo_queens.checks import shorten
from qubo_queens.errors import FormatError, InputTypeError, ProofError
from qubo_queens.exact.clauses.cnf import Cnf, LiteralArray, clause_lines

if TYPE_CHECKING:  # loads Numba
    from qubo_queens.kernels.rup import Check

_ADDITION, _DELETION = ord("a"), ord("d")
_STEP = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,8} )*0\s*", re.ASCII)
_DELETES = 2_000_000_000
"""Stands for the letter d among the literals, which have at most nine digits."""

_SLICE = 1_000_000
"""How many clauses to visit between two calls of `should_stop`: 5 to 10 ms."""


@dataclass(frozen=True, eq=False)
class DratProof:
    """The steps of a proof.

    Attributes:
        literals: The literals of all clauses, one clause after the other, of shape (L,).
        offsets: Where each clause starts, and at the end L; of shape (m + 1,).
        deletes: Whether each step deletes its clause, of shape (m,).
    """

    literals: LiteralArray = field(repr=False)
    offsets: IntArray = field(repr=False)
    deletes: BoolArray = field(repr=False)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.deletes)

    def __str__(self) -> str:
        """Return the proof in the text format, with one step on each line."""
        clauses = clause_lines(self.literals, self.offsets)
        steps = zip(self.deletes.tolist(), clauses, strict=True)
        return "".join(f"d {clause}" if deletes else clause for deletes, clause in steps)

    def shown(self, step: int) -> str:
        """Return the clause of a step for messages, shortened."""
        start, stop = self.offsets[step : step + 2].tolist()
        return shorten(" ".join(map(str, [*self.literals[start:stop].tolist(), 0])))

    def with_empty_clause(self) -> DratProof:
        """Return a proof that states the empty clause, if need be as one more step.

        A solver may leave it out if the clauses it was given already contradict each other. The
        check treats the added step as any other.
        """
        if bool(((np.diff(self.offsets) == 0) & ~self.deletes).any()):
            return self
        offsets = np.append(self.offsets, self.offsets[-1])
        return DratProof(self.literals, offsets, np.append(self.deletes, False))


@dataclass(frozen=True, eq=False)
class ClausalProof:
    """Clauses that state an instance, and a proof that they cannot be satisfied.

    Attributes:
        formulation: What the clauses state: ``free-cells``, or the name of an encoding.
    """

    formulation: str
    cnf: Cnf = field(repr=False)
    proof: DratProof = field(repr=False)


def parse_drat(text: str) -> DratProof:
    """Read a proof in the text format, such as ``1 -2 0`` or ``d 1 -2 0`` on each line.

    Blank lines are skipped.
    """
    if not isinstance(text, str):
        raise InputTypeError(f"a proof is text, not {type(text).__name__}; read the file first")
    lines = text.splitlines()
    steps = [line for line in lines if line and not line.isspace()]
    for line in steps:
        if _STEP.fullmatch(line) is None:
            raise FormatError(
                f"line {lines.index(line) + 1}: expected a clause such as '1 -2 0' or 'd 1 -2 0', "
                f"not {shorten(line)!r}"
            )
    if not steps:
        return DratProof(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.bool_))
    joined = "\n".join(steps).replace("d", str(_DELETES))
    numbers = np.fromstring(joined, dtype=np.int64, sep=" ")
    ends, deletes = numbers == 0, numbers == _DELETES
    return _split(numbers, ends, deletes, ends | deletes)


def _split(numbers: IntArray, ends: BoolArray, deletes: BoolArray, marks: BoolArray) -> DratProof:
    """Return the steps of a stream of N numbers; all arguments are of shape (N,).

    Args:
        numbers: The literals, and marks between them.
        ends: Which numbers end a clause.
        deletes: Which numbers stand before a clause that is deleted.
        marks: Which numbers are not literals.
    """
    literals = numbers[~marks].astype(np.int32)
    before = np.cumsum(~marks)[ends]  # the number of literals up to the end of each clause
    deleted = np.zeros(len(before), dtype=np.bool_)
    deleted[np.cumsum(ends)[deletes]] = True  # the index of the clause that comes next
    return DratProof(literals, np.concatenate([[0], before]), deleted)


def parse_binary_drat(data: bytes) -> DratProof:
    """Read a proof in the binary format, as CaDiCaL writes it.

    Each step is the letter a or d, its literals and a zero byte. A literal is the number 2 v, or
    2 v + 1 if it is negated, in groups of seven bits, the lowest first; all bytes but the last of a
    number have their highest bit set.
    """
    octets = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(octets < 128)  # the last byte of each number
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    widths = ends - starts + 1
    if len(octets) and (octets[-1] or widths.max() > 5):
        raise ProofError("the binary proof is cut off, or damaged: it does not end with a step")
    place = np.arange(len(octets)) - np.repeat(starts, widths)  # of a byte within its number
    groups = (octets & 127).astype(np.int64) << (7 * place)
    codes = np.add.reduceat(groups, starts) if len(starts) else np.empty(0, np.int64)
    ending = codes == 0
    marks = np.concatenate([[True], ending[:-1]])[: len(codes)]  # a letter follows each zero
    deletes = marks & (codes == _DELETION) & (widths == 1)
    adds = marks & (codes == _ADDITION) & (widths == 1)
    wrong = np.where(marks, ~(deletes | adds), ~ending & ((codes < 2) | (codes >= 2**31)))
    if wrong.any():
        step = int(np.count_nonzero(ending[: wrong.argmax()])) + 1
        raise ProofError(f"step {step} of the binary proof is damaged")
    literals = np.where(codes & 1, -(codes >> 1), codes >> 1)
    return _split(literals, ending, deletes, marks | ending)


def check_drat(cnf: Cnf, proof: DratProof, should_stop: Callable[[], bool] = lambda: False) -> bool:
    """Check that a proof derives the empty clause from a formula, step by step.

    Every clause has to follow from those before it by reverse unit propagation, up to the empty
    clause, which has to be stated; later steps are ignored. Deleted clauses are removed; the
    deletion of a clause of one literal, or of an unknown one, is ignored. A wrong proof raises an
    error that names the first step that does not follow.

    `should_stop` is called about every 10 ms. If it returns true, the check is given up and the
    result is False: nothing is known then.
    """
    strange = np.abs(proof.literals) > cnf.num_variables
    if strange.any():
        step = int(np.searchsorted(proof.offsets, strange.argmax(), side="right")) - 1
        raise ProofError(
            f"step {step + 1} of the proof, {proof.shown(step)!r}, is about a variable that the "
            f"formula of {cnf.num_variables:,} variables does not have; is it that of another?"
        )
    from qubo_queens.kernels import rup  # loads Numba

    check, state = _begin(cnf, proof), rup.UNDER_WAY
    while state == rup.UNDER_WAY:
        state = rup.check_steps(check, _SLICE)
        if state == rup.UNDER_WAY and should_stop():
            return False
    if state == rup.NOT_IMPLIED:
        step = int(check.tally[rup.NEXT]) - len(cnf)
        raise ProofError(
            f"step {step + 1} of the proof, {proof.shown(step)!r}, does not follow from the "
            "clauses before it by unit propagation"
        )
    if state != rup.PROVEN:
        raise ProofError(
            f"the proof of {len(proof):,} steps does not reach the empty clause; is it complete?"
        )
    return True


def _begin(cnf: Cnf, proof: DratProof) -> Check:
    """Make the arrays of a check: the clauses of the formula, then those of the proof."""
    from qubo_queens.kernels.rup import ADDED, DELETED, GIVEN, GIVEN_PAIR, Check

    num_given, num_clauses = len(cnf), len(cnf) + len(proof)
    signed = np.concatenate((cnf.literals, proof.literals))
    literals = 2 * (np.abs(signed) - 1) + (signed < 0)  # 2 (v - 1), or that + 1 if negated
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


def _partners(cnf: Cnf, literals: IntArray) -> tuple[IntArray, IntArray, IntArray, LiteralArray]:
    """Return the numbers of the clauses that are pairs of different variables, and their literals.

    These are for each literal where its partners start, and how many there are, both of shape
    (2 V,); and the partners, ordered by literal.
    """
    pairs = np.flatnonzero(np.diff(cnf.offsets) == 2)
    at = cnf.offsets[pairs]
    different = literals[at] >> 1 != literals[at + 1] >> 1
    pairs, at = pairs[different], at[different]
    one, other = literals[at], literals[at + 1]
    ends = np.concatenate((one, other))
    counts = np.bincount(ends, minlength=2 * cnf.num_variables)
    partners = np.concatenate((other, one))[np.argsort(ends, kind="stable")]
    return pairs, counts.cumsum() - counts, counts, partners.astype(np.int32)
