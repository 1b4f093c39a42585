"""Formulations as clauses, CaDiCaL, and refutations with their check."""
