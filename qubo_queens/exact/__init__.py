"""Answers that are proofs: verdicts without doubt, and exact counts."""
