"""How kernels are compiled: the one place that knows the options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(function: _Function) -> _Function:
    """Compile `function` on first use, without the global lock, and keep the machine code on disk.

    The code is kept beside the source, or in the user's cache folder if the installation is
    read-only, or else compiled anew by each process.
    """
    return _compiled(function)


def inlined(function: _Function) -> _Function:
    """Like :func:`kernel`, for a step that is written into each kernel that calls it."""
    return _compiled(function, inline="always")


def _compiled(function: _Function, **options: Any) -> _Function:
    try:
        compiled = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # there is no place for the cache that can be written
        compiled = numba.njit(nogil=True, **options)(function)
    return cast(_Function, compiled)
