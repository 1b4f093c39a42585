"""Exact answers: proofs that there is no solution, counts, and lists of solutions.

``prove`` is the proof search (``stages.py``), or decides the clauses of an encoding (``clauses/``).
A kind of proof is one file, with its certificate, the code that finds it and the code that checks
it, which share nothing.
"""
