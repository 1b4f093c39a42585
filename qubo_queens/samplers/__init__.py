"""Samplers: the registry, and our own annealers, which load Numba when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qubo_queens.samplers.annealers.flip import FlipSampler as FlipSampler
    from qubo_queens.samplers.annealers.swap import SwapSampler as SwapSampler

_HOME = {"FlipSampler": "annealers.flip", "SwapSampler": "annealers.swap"}

__all__ = ["FlipSampler", "SwapSampler"]


def __getattr__(name: str) -> Any:
    """Load an annealer on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
