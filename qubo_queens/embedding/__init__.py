"""Models on the qubits of an annealer: chip graphs, embeddings, and how they are found."""
