"""Settings for all tests: hypothesis draws the same examples in every run, without a deadline."""

from hypothesis import settings

settings.register_profile(
    "qubo_queens", deadline=None, derandomize=True, database=None, max_examples=80
)
settings.load_profile("qubo_queens")
