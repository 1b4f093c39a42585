"""The clauses of a proof under check, and how one is found by its content to be deleted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.board import Int32Array, Int64Array
from qubo_queens.kernels.jit import kernel

Int8Array = npt.NDArray[np.int8]

GIVEN, GIVEN_PAIR, ADDED, DELETED = 0, 1, 2, 3
"""Kinds of clauses: of the formula; likewise with two different variables; steps of the proof."""

NEXT, SIZE, HEAD, CONFLICT, WORK = 0, 1, 2, 3, 4
"""In ``Check.tally``: the clause to look at next, the length of the trail, how much of it is
propagated, whether there is a conflict without assumptions, and the clauses looked at so far."""

GONE = -1
"""In ``Check.blockers``: the clause of the node is deleted."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S29, _S32 = np.uint64(29), np.uint64(32)


class Check(NamedTuple):
    """A check under way, for C clauses and 2 V literals.

    Attributes:
        literals: The literals of all clauses, which change places within a clause.
        starts: Where each clause starts in `literals`, of shape (C,).
        lengths: The number of its literals, of shape (C,); repeated ones are taken out.
        kinds: The kinds of the clauses, of shape (C,).
        values: For each literal 1 if true, -1 if false, else 0; of shape (2 V,).
        trail: The true literals in the order in which they were assigned, of shape (V + 1,).
        first: The first node of the list of each literal, or -1; of shape (2 V,).
        after: The next node in the list of each node, or -1; of shape (2 C,).
        blockers: A literal of the clause of each node, or -1 if the clause is deleted; likewise.
        pair_starts: Where the partners of each literal in pairs start, of shape (2 V,).
        pair_counts: How many there are, of shape (2 V,).
        partners: The partners.
        buckets: The latest clause of each value of the hash, or -1; their number is a power of two.
        chain: The clause before each one in its bucket, or -1; empty if no step deletes.
        seen: For each literal the last clause that was looked at and has it, plus 1.
        tally: The counters, of shape (5,).
    """

    literals: Int32Array
    starts: Int64Array
    lengths: Int64Array
    kinds: Int8Array
    values: Int8Array
    trail: Int32Array
    first: Int32Array
    after: Int32Array
    blockers: Int32Array
    pair_starts: Int64Array
    pair_counts: Int64Array
    partners: Int32Array
    buckets: Int32Array
    chain: Int32Array
    seen: Int64Array
    tally: Int64Array


@kernel
def tidy(check: Check, clause: int) -> bool:
    """Take repeated literals out of a clause, and tell whether it has some literal both ways."""
    literals, start = check.literals, check.starts[clause]
    size = 0
    tautology = False
    for at in range(start, start + check.lengths[clause]):
        literal = literals[at]
        if check.seen[literal] == clause + 1:
            continue
        check.seen[literal] = clause + 1
        tautology = tautology or check.seen[literal ^ 1] == clause + 1
        literals[start + size] = literal
        size += 1
    check.lengths[clause] = size
    return tautology


@kernel
def bucket_of(check: Check, clause: int) -> int:
    """Return the bucket of a clause, whatever the order of its literals."""
    start = check.starts[clause]
    total = np.uint64(0)
    for at in range(start, start + check.lengths[clause]):
        mixed = np.uint64(check.literals[at] + 1) * _MIX_1
        total += (mixed ^ (mixed >> _S29)) * _MIX_2
    total ^= total >> _S32
    return int(total & np.uint64(len(check.buckets) - 1))


@kernel
def enter(check: Check, clause: int) -> None:
    """Make a clause one that can be deleted."""
    if len(check.chain) > 0:
        bucket = bucket_of(check, clause)
        check.chain[clause] = check.buckets[bucket]
        check.buckets[bucket] = clause


@kernel
def delete(check: Check, step: int) -> None:
    """Take out a clause with the literals of clause `step`; nothing happens if there is none."""
    bucket = bucket_of(check, step)
    length = check.lengths[step]
    later = -1
    clause = check.buckets[bucket]
    while clause >= 0:
        start = check.starts[clause]
        same = check.lengths[clause] == length
        at = start
        while same and at < start + length:
            same = check.seen[check.literals[at]] == step + 1
            at += 1
        if same:
            break
        later = clause
        clause = check.chain[clause]
    if clause < 0:
        return
    if later < 0:
        check.buckets[bucket] = check.chain[clause]
    else:
        check.chain[later] = check.chain[clause]
    if check.kinds[clause] == GIVEN_PAIR:
        start = check.starts[clause]
        drop_partner(check, check.literals[start], check.literals[start + 1])
        drop_partner(check, check.literals[start + 1], check.literals[start])
    else:
        check.blockers[2 * clause] = GONE
        check.blockers[2 * clause + 1] = GONE


@kernel
def drop_partner(check: Check, literal: int, partner: int) -> None:
    """Take one occurrence of a partner out of those of a literal."""
    begin = check.pair_starts[literal]
    last = begin + check.pair_counts[literal] - 1
    for at in range(begin, last + 1):
        if check.partners[at] == partner:
            check.partners[at] = check.partners[last]
            check.pair_counts[literal] -= 1
            return
