"""Sets of small numbers as the bits of 64-bit words: how many there are, and the smallest one.

Both are one instruction in compiled code; without compilation they are plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

BitArray: TypeAlias = npt.NDArray[np.uint64]

WORD, LOG_WORD, LAST_BIT = 64, 6, 63
"""The number of bits in a word, its logarithm, and the position of the last one.

Shifting by the second and masking with the third is division by the first; the compiler knows that
only of numbers without a sign.
"""

NO_BIT, ONE_BIT = np.uint64(0), np.uint64(1)


def popcount(word: np.uint64) -> int:
    """Return how many bits of `word` are set."""
    return int(word).bit_count()


def lowest(word: np.uint64) -> int:
    """Return the position of the lowest bit of `word` that is set; `word` is not 0."""
    number = int(word)
    return (number & -number).bit_length() - 1


def _instruction(emit: Callable[[Any, Any], Any]) -> Any:
    """Return the function from a word to an ``int64`` that `emit` writes as an instruction."""

    def typed(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.int64(types.uint64), generate

    return intrinsic(typed)


_ANY_AT_ZERO = ir.Constant(ir.IntType(1), 1)
"""Tells the instruction that its result for 0 does not matter."""

_popcount = _instruction(lambda builder, word: builder.ctpop(word))
_lowest = _instruction(lambda builder, word: builder.cttz(word, _ANY_AT_ZERO))

overload(popcount)(lambda word: lambda word: _popcount(word))
overload(lowest)(lambda word: lambda word: _lowest(word))
