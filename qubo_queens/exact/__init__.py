"""Exact answers: proofs that there is no solution, counts, and lists of solutions.

``prove`` climbs from reductions over certificates to search (``ladder.py``); ``check.py`` and
``drat.py`` confirm what it says without its help.
"""
