"""How kernels are compiled, and the array types that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Int8Array: TypeAlias = npt.NDArray[np.int8]
UInt8Array: TypeAlias = npt.NDArray[np.uint8]
Int32Array: TypeAlias = npt.NDArray[np.int32]
UInt32Array: TypeAlias = npt.NDArray[np.uint32]
Int64Array: TypeAlias = npt.NDArray[np.int64]
UInt64Array: TypeAlias = npt.NDArray[np.uint64]
Float64Array: TypeAlias = npt.NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile `function` on first use, without the global lock, and cache the machine code on disk.

    The cache is next to the source file, or in the user's cache folder if the installation is
    read-only. If neither can be written, each process compiles the function again.
    """
    return _compiled(function)


def inlined(function: _Function) -> _Function:
    """Compile a step that is inlined into each kernel that calls it; else like :func:`kernel`."""
    return _compiled(function, inline="always")


def _compiled(function: _Function, **options: Any) -> _Function:
    try:
        compiled = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder for the cache can be written
        compiled = numba.njit(nogil=True, **options)(function)
    return cast(_Function, compiled)
