"""Instances as clauses, the SAT solver CaDiCaL, and proofs by clauses with their check."""
