"""Verdicts by exhaustive search: proofs, counts and all solutions."""
