"""Who searches: the registry of samplers, and how their reads are run in batches."""
