"""Forward checking of clausal proofs by unit propagation, with two watched literals.

A clause follows by reverse unit propagation (RUP) if assigning all its literals false and
propagating leads to a conflict: E. Goldberg and Y. Novikov, "Verification of proofs of
unsatisfiability for CNF formulas", DATE 2003. One array holds all clauses, first those of the
formula, then the steps of the proof in their order. Literals are coded as ``2 (v - 1)`` for
variable v and ``2 (v - 1) + 1`` for its negation, so that ``literal ^ 1`` is the negation.

Clauses of the formula with two literals account for most of the propagation. For each literal,
their other literals (its *partners*) are stored contiguously. All other clauses are in linked
lists, one for each watched literal: node ``2 c + s`` stands for clause c watched at its literal s,
0 or 1. The watched literals are the first two of the clause.

An assignment made without assumptions is kept even if a clause that implied it is deleted. It
remains a consequence of the formula, so no wrong step is accepted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qubo_queens.kernels.jit import Int8Array, Int32Array, Int64Array, kernel

UNDER_WAY, PROVEN, NOT_IMPLIED, ENDED = 0, 1, 2, 3
"""States of a check: not finished; the empty clause was derived; a step does not follow; all steps
follow, but the empty clause is not among them."""

GIVEN, GIVEN_PAIR, ADDED, DELETED = 0, 1, 2, 3
"""Kinds of clauses: of the formula; of the formula with two different variables; added by a step
of the proof; deleted by a step of the proof."""

NEXT, SIZE, HEAD, CONFLICT, WORK = 0, 1, 2, 3, 4
"""In ``Check.tally``: the next clause, the length of the trail, how much of it is propagated,
whether there is a conflict without assumptions, and the number of clauses visited so far."""

GONE = -1
"""In ``Check.blockers``: the clause of the node was deleted."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S29, _S32 = np.uint64(29), np.uint64(32)


class Check(NamedTuple):
    """The state of a check, for C clauses and V variables, hence 2V literals.

    Attributes:
        literals: The literals of all clauses. Their order within a clause changes.
        starts: Where each clause starts in `literals`, of shape (C,).
        lengths: The number of literals of each clause, without repeated ones; of shape (C,).
        kinds: The kind of each clause, of shape (C,).
        values: 1 for a true literal, -1 for a false one, else 0; of shape (2V,).
        trail: The true literals in the order of their assignment, of shape (V + 1,).
        first: The first node in the list of each literal, or -1; of shape (2V,).
        after: The node after each node in its list, or -1; of shape (2C,).
        blockers: For each node another literal of its clause: if it is true, the clause need not be
            visited. `GONE` if the clause was deleted. Of shape (2C,).
        pair_starts: Where the partners of each literal start in `partners`, of shape (2V,).
        pair_counts: How many partners each literal has, of shape (2V,).
        partners: The partners of all literals.
        buckets: The latest clause with each hash value, or -1; a power of two of them.
        chain: The earlier clause with the same hash value, or -1; of shape (C,), or empty
            if no step deletes.
        seen: For each literal, 1 plus the latest clause in which :func:`tidy` found it; of shape
            (2V,).
        tally: The counters `NEXT` to `WORK`, of shape (5,).
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
def check_steps(check: Check, work: int) -> int:
    """Continue a check, until about `work` more clauses were visited, and return its state.

    If the state is `NOT_IMPLIED`, the clause is ``check.tally[NEXT]``.
    """
    tally = check.tally
    end = tally[WORK] + work
    while tally[NEXT] < len(check.starts):
        if tally[WORK] >= end:
            return UNDER_WAY
        clause = tally[NEXT]
        kind = check.kinds[clause]
        tally[WORK] += check.lengths[clause] + 1
        tautology = tidy(check, clause)
        length = check.lengths[clause]
        if kind == DELETED:
            if length > 1:
                delete(check, clause)
        else:
            if kind == ADDED and not (tautology or is_implied(check, clause)):
                return NOT_IMPLIED
            if kind == ADDED and length == 0:
                return PROVEN
            if kind != GIVEN_PAIR and not (tautology or tally[CONFLICT]):
                attach(check, clause)
            enter(check, clause)
        tally[NEXT] += 1
    return ENDED


@kernel
def tidy(check: Check, clause: int) -> bool:
    """Remove repeated literals of a clause; return whether it has a literal and its negation."""
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
    """Return the bucket of a clause, which does not depend on the order of its literals."""
    start = check.starts[clause]
    total = np.uint64(0)
    for at in range(start, start + check.lengths[clause]):
        mixed = np.uint64(check.literals[at] + 1) * _MIX_1
        total += (mixed ^ (mixed >> _S29)) * _MIX_2
    total ^= total >> _S32
    return int(total & np.uint64(len(check.buckets) - 1))


@kernel
def enter(check: Check, clause: int) -> None:
    """Enter a clause into the table of clauses that can be deleted."""
    if len(check.chain) > 0:
        bucket = bucket_of(check, clause)
        check.chain[clause] = check.buckets[bucket]
        check.buckets[bucket] = clause


@kernel
def delete(check: Check, step: int) -> None:
    """Delete a clause with the literals of clause `step`, if there is one."""
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
    """Remove one occurrence of a partner of a literal."""
    begin = check.pair_starts[literal]
    last = begin + check.pair_counts[literal] - 1
    for at in range(begin, last + 1):
        if check.partners[at] == partner:
            check.partners[at] = check.partners[last]
            check.pair_counts[literal] -= 1
            return


@kernel
def assign(check: Check, literal: int) -> None:
    """Make a literal without a value true."""
    check.values[literal] = 1
    check.values[literal ^ 1] = -1
    check.trail[check.tally[SIZE]] = literal
    check.tally[SIZE] += 1


@kernel
def propagate(check: Check) -> bool:
    """Assign all consequences of the trail, and return whether there is a conflict."""
    literals, starts, lengths, values = check.literals, check.starts, check.lengths, check.values
    first, after, blockers, tally = check.first, check.after, check.blockers, check.tally
    while tally[HEAD] < tally[SIZE]:
        false = check.trail[tally[HEAD]] ^ 1
        tally[HEAD] += 1
        begin = check.pair_starts[false]
        end = begin + check.pair_counts[false]
        tally[WORK] += end - begin + 1
        for at in range(begin, end):
            partner = check.partners[at]
            if values[partner] == 0:
                assign(check, partner)
            elif values[partner] < 0:
                return True
        previous = -1
        node = first[false]
        while node >= 0:
            tally[WORK] += 1
            following = after[node]
            blocker = blockers[node]
            keep = blocker != GONE
            if keep and values[blocker] <= 0:
                clause, slot = node >> 1, node & 1
                start = starts[clause]
                other = literals[start + 1 - slot]
                blockers[node] = other
                if values[other] <= 0:
                    found = -1
                    for at in range(start + lengths[clause] - 1, start + 1, -1):
                        if values[literals[at]] >= 0:
                            found = at
                            break
                    if found >= 0:
                        watched = literals[found]
                        literals[found] = false
                        literals[start + slot] = watched
                        after[node] = first[watched]
                        first[watched] = node
                        keep = False
                    elif values[other] < 0:
                        return True
                    else:
                        assign(check, other)
            if keep:
                previous = node
            elif previous < 0:
                first[false] = following
            else:
                after[previous] = following
            node = following
    return False


@kernel
def is_implied(check: Check, clause: int) -> bool:
    """Return whether a clause follows by reverse unit propagation; the trail is restored."""
    tally = check.tally
    if tally[CONFLICT]:
        return True
    size = tally[SIZE]
    start = check.starts[clause]
    conflict = False
    for at in range(start, start + check.lengths[clause]):
        literal = check.literals[at]
        if check.values[literal] > 0:
            conflict = True
            break
        if check.values[literal] == 0:
            assign(check, literal ^ 1)
    conflict = conflict or propagate(check)
    for at in range(size, tally[SIZE]):
        literal = check.trail[at]
        check.values[literal] = 0
        check.values[literal ^ 1] = 0
    tally[SIZE] = size
    tally[HEAD] = size
    return conflict


@kernel
def attach(check: Check, clause: int) -> None:
    """Add a clause to those that propagate, and assign its consequences."""
    literals, values, tally = check.literals, check.values, check.tally
    start, length = check.starts[clause], check.lengths[clause]
    for at in range(start, start + length):
        if values[literals[at]] > 0:
            return  # always true: the value was assigned without assumptions
    # Watch the last literals without a value: in a refutation by search these are the latest
    # decisions, while thousands of clauses share the first ones.
    free = 0
    at = start + length - 1
    while at >= start + free and free < 2:
        literal = literals[at]
        if values[literal] == 0:
            literals[at] = literals[start + free]
            literals[start + free] = literal
            free += 1
        else:
            at -= 1
    if free > 1:
        for slot in range(2):
            node = 2 * clause + slot
            watched = literals[start + slot]
            check.blockers[node] = literals[start + 1 - slot]
            check.after[node] = check.first[watched]
            check.first[watched] = node
        return
    if free == 1:
        assign(check, literals[start])
    if free == 0 or propagate(check):
        tally[CONFLICT] = 1
