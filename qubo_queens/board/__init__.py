"""The problem itself: geometry, instances, placements, verification. No QUBO in here."""
