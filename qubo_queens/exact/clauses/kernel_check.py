"""The check of a proof by clauses with its arrays, in slices."""

from __future__ import annotations

import numpy as np

from qubo_queens.exact.clauses.cnf import Clauses, Cnf, Int32Array, Int64Array
from qubo_queens.kernels.rup import (
    ADDED,
    DELETED,
    GIVEN,
    GIVEN_PAIR,
    NEXT,
    NOT_IMPLIED,
    PROVEN,
    UNDER_WAY,
    Check,
    check_steps,
)

_SLICE = 1_000_000
"""How many clauses to look at in a slice: some 5 to 10 ms."""


class KernelCheck:
    """A check under way; every literal of the proof is about a variable of the formula."""

    def __init__(self, cnf: Cnf, proof: Clauses) -> None:
        self._check = _begin(cnf, proof)
        self._num_given = len(cnf)
        self._state = UNDER_WAY

    def advance_slice(self) -> None:
        """Check on for some 10 ms, or to the end."""
        self._state = check_steps(self._check, _SLICE)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to check."""
        return self._state != UNDER_WAY

    @property
    def proven(self) -> bool:
        """Whether the empty clause has been derived."""
        return self._state == PROVEN

    @property
    def wrong_step(self) -> int | None:
        """The number, from 0, of the step that does not follow; None if there is none so far."""
        if self._state != NOT_IMPLIED:
            return None
        return int(self._check.tally[NEXT]) - self._num_given


def _begin(cnf: Cnf, proof: Clauses) -> Check:
    """Make the arrays of a check."""
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
