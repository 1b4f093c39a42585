"""Checks of encodings and samplers, for the tests of those who write some.

They raise ``AssertionError`` with a sentence that says what is wrong, in the manner of
``dimod.testing``.
"""

from qubo_queens.testing.encodings import check_encoding as check_encoding
from qubo_queens.testing.samplers import check_sampler as check_sampler

__all__ = ["check_encoding", "check_sampler"]
