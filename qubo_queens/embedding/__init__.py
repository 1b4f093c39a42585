"""Embeddings: models on the qubits of quantum annealers.

topology.py         chips as graphs: ideal, or as they work
embedding.py        an embedding: a chain of qubits for each variable
find.py             ``find_embedding`` and the methods that it tries
labels.py           where the variables of a model lie on the board
zephyr.py           layouts of the ladder encoding on Zephyr chips
pegasus.py          layouts of the ladder encoding on Pegasus chips
minor_search.py     a search by minorminer, in a process that runs minorminer_child.py
draw.py             pictures of embeddings
"""
