"""Leaving out qubits that a chain does not need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qubo_queens.embedding.embedding import Chains


def prune(chains: Chains, edges: Iterable[tuple[Any, Any]], graph: Any) -> Chains:
    """Return a valid embedding without the qubits that it can spare.

    Each chain in turn loses, as long as it can, a qubit at one of its ends without which it still
    has a coupler to every neighbour. Later chains see the shorter ones.

    Args:
        chains: A valid embedding.
        edges: The interactions.
        graph: The chip, a ``networkx.Graph``.
    """
    neighbours: dict[Any, list[Any]] = {label: [] for label in chains}
    for first, second in edges:
        neighbours[first].append(second)
        neighbours[second].append(first)
    owner = {qubit: label for label, chain in chains.items() for qubit in chain}
    kept = {label: list(chain) for label, chain in chains.items()}
    for label, chain in kept.items():
        while spare := _spare(chain, neighbours[label], owner, graph):
            chain.remove(spare[0])
            del owner[spare[0]]
    return {label: tuple(chain) for label, chain in kept.items()}


def _spare(
    chain: list[int], neighbours: list[Any], owner: Mapping[int, Any], graph: Any
) -> list[int]:
    """Return a qubit that the chain can do without, as a list of one; empty if there is none."""
    if len(chain) == 1:
        return []
    members = set(chain)
    reach = {qubit: {owner[q] for q in graph[qubit] if q in owner} for qubit in chain}
    for qubit in chain:
        is_end = len(members.intersection(graph[qubit])) == 1
        if is_end and all(
            any(label in reach[other] for other in chain if other != qubit) for label in neighbours
        ):
            return [qubit]
    return []
