"""The size of a model, known before it is built; the guard against models too large for memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

from qubo_queens.checks import counted
from qubo_queens.errors import ModelTooLargeError

_BYTES_PER_INTERACTION = 32
"""dimod keeps each coupling in both neighbourhoods, as a padded index and a double."""

_BYTES_PER_BIAS = 8
LABEL_BYTES = 100
"""Memory for the label of a variable, at least."""


class BuildMemory(NamedTuple):
    """The peak memory of making a BQM: multiples of its coefficients, and bytes for variables.

    The defaults were measured for models that are sums of penalties.
    """

    times_bqm: float = 4.6
    bytes_per_variable: int = 500


_PENALTIES = BuildMemory()


@dataclass(frozen=True)
class Forecast:
    """The size of a model.

    >>> from qubo_queens import forecast
    >>> size = forecast(100)
    >>> size.variables, size.interactions, size.largest_degree
    (10000, 1646700, 395)

    Attributes:
        encoding: The encoding.
        n: The board size.
        variables: The number of binary variables.
        interactions: The number of couplings.
        exact: False if the two are estimates (very large boards with cells fixed).
        largest_degree: The largest number of couplings of one variable; None if unknown (large
            boards with cells fixed, and large boards of some encodings).
        largest_coefficient: The largest absolute value of a bias or coupling; None if unknown.
        build_memory: From which ``peak_bytes`` is calculated.
    """

    encoding: str
    n: int
    variables: int
    interactions: int
    exact: bool = True
    largest_degree: int | None = None
    largest_coefficient: float | None = None
    build_memory: BuildMemory = _PENALTIES

    @property
    def bytes(self) -> int:
        """The size of the BQM's coefficients in memory, as ``bqm.nbytes()`` counts it."""
        biases = self.variables + 1  # the offset is one of them
        return self.interactions * _BYTES_PER_INTERACTION + biases * _BYTES_PER_BIAS

    @property
    def peak_bytes(self) -> int:
        """About how much memory building the BQM takes, labels included."""
        times, each = self.build_memory
        return int(self.bytes * times) + self.variables * each

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict."""
        facts = {name: value for name, value in vars(self).items() if name != "build_memory"}
        return {**facts, "bytes": self.bytes, "peak_bytes": self.peak_bytes}

    def __str__(self) -> str:
        numbers = (self.variables, "variable"), (self.interactions, "interaction")
        variables, interactions = (
            counted(number, word) if self.exact else f"about {_rounded(number)} {word}s"
            for number, word in numbers
        )
        size = (
            f"{variables}, {interactions}, {readable_bytes(self.bytes)} "
            f"(about {readable_bytes(self.peak_bytes)} while building)"
        )
        if self.largest_degree is None or self.largest_coefficient is None:
            return size
        return (
            f"{size}, degree up to {self.largest_degree:,}, "
            f"coefficients up to {self.largest_coefficient:,.10g}"
        )


def _rounded(number: int) -> str:
    """Return four digits of a number, in full where that is readable."""
    return f"{float(f'{number:.4g}'):,.0f}" if number < 10**16 else f"{number:.4g}"


def check_memory(name: str, n: int, size: str, peak_bytes: int) -> None:
    """Refuse a model, of a type and a size in words, that would not fit in memory."""
    memory = _physical_memory()
    if memory is not None and peak_bytes > memory:
        raise ModelTooLargeError(
            f"the {name} model for n={n} has {size} and this machine has "
            f"{readable_bytes(memory)}; prescribe more queens or take a smaller n, "
            "or another encoding"
        )


def _physical_memory() -> int | None:
    """Return the bytes of memory of this machine, None where the system does not report them."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def readable_bytes(size: float) -> str:
    """Return a number of bytes in powers of 1000, such as ``52.8 MB``."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if size < 1000:
            return f"{size:.0f} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} EB" if size < 10**6 else f"{size:.3g} EB"
