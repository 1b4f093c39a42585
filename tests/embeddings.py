"""What an embedding is, by the definition of a minor and with networkx."""

from collections import Counter

import networkx


def is_embedding(chains, edges, graph):
    """Whether the chains are one, by the definition of a minor and with networkx."""
    counts = Counter(qubit for chain in chains.values() for qubit in chain)
    if not set(counts) <= set(graph) or max(counts.values(), default=1) > 1:
        return False
    if not all(c and networkx.is_connected(graph.subgraph(c)) for c in chains.values()):
        return False
    return all(networkx.node_boundary(graph, chains[u]) & set(chains[v]) for u, v in edges)


def holds(found, model, topology):
    bqm = getattr(model, "bqm", model)
    assert list(found) == list(bqm.variables)
    assert is_embedding(found.chains, bqm.quadratic, topology.graph)
    assert found.faults(bqm.quadratic, topology) == ()
    return True
