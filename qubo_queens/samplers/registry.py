"""The samplers that ``solve`` knows by name, and which of them are installed.

Any other :class:`dimod.Sampler` can be given to ``solve`` directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Literal

from dimod.core.sampler import Sampler

from qubo_queens.checks import shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, MissingPackageError, Remedy

Where = Literal["local", "cloud"]
Defaults = Callable[[Model, float | None], Mapping[str, Any]]
DefaultReads = Callable[[Model], int]


@dataclass(frozen=True)
class SamplerInfo:
    """What is known of a sampler.

    Attributes:
        name: The name that ``solve`` and ``get_sampler`` take.
        description: One line about it.
        where: Whether it runs on this machine (``local``) or elsewhere (``cloud``).
        package: The distribution that it comes from.
        installed: Whether it can be used now.
        version: The version of the distribution, None if it is not installed.
        reason: Why it cannot be used, None if it can.
        parameters: The keywords that it takes.
    """

    name: str
    description: str
    where: Where
    package: str
    installed: bool
    version: str | None
    reason: str | None
    parameters: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as plain JSON-able values."""
        return {**vars(self), "parameters": list(self.parameters)}


@dataclass(frozen=True)
class _Entry:
    """Where a sampler is found, and the parameters that suit these models."""

    description: str
    where: Where
    package: str
    module: str
    class_name: str
    defaults: Defaults
    default_reads: DefaultReads

    def load(self) -> type[Sampler]:
        """Import the class; raises ImportError where its package is missing."""
        sampler: type[Sampler] = getattr(import_module(self.module), self.class_name)
        return sampler


_NEAL_SCHEDULES = {
    "cell": ((2, 8), 300),
    "cell-attack": ((2, 12), 300),
    "cell-slack": ((2, 6), 1000),
    "row": ((3, 12), 300),
    "row-domain-wall": ((2, 8), 1000),
    "labelled": ((3, 12), 300),
    "ladder": ((3.5, 6), 3000),
}
"""Betas, and sweeps: measured with the default strengths (``benchmarks/README.md``).

All of these have 1 on rows and columns, so betas are in units of 1 / A.
"""


def _neal_defaults(model: Model, time_limit: float | None) -> dict[str, Any]:
    """Anneal from where single queens still move to where nothing does.

    The sampler's own range starts far too hot for these energies.
    """
    (hot, cold), sweeps = _NEAL_SCHEDULES[model.encoding]
    unit = model.strengths.row_column
    return {"beta_range": (hot / unit, cold / unit), "num_sweeps": sweeps}


def _tabu_defaults(model: Model, time_limit: float | None) -> dict[str, Any]:
    """Stop at the ground energy, and give each read time to get there.

    The sampler compares its threshold with energies without the offset. Its timeout, in
    milliseconds, has to grow with the square of the number of variables (2 s at n = 100); it is
    kept within the time limit.
    """
    timeout = max(20, model.num_variables**2 // 50_000)
    if time_limit is not None:
        timeout = max(1, min(timeout, int(1000 * time_limit)))
    return {"energy_threshold": -model.offset, "timeout": timeout}


def _tabu_reads(model: Model) -> int:
    """Return how many reads fit in about ten seconds, at least 10."""
    return max(10, 10_000 // int(_tabu_defaults(model, None)["timeout"]))


def _annealing_reads(model: Model) -> int:
    """Return about a million variables' worth of reads, within 100 to 10,000."""
    return min(10_000, max(100, 1_000_000 // max(1, model.num_variables)))


def _swap_reads(model: Model) -> int:
    """Return as many reads, but at most 1,000: a swap read that fails is a long one."""
    return min(1000, _annealing_reads(model))


def _no_defaults(model: Model, time_limit: float | None) -> dict[str, Any]:
    return {}


_ENTRIES = {
    "flip": _Entry(
        "our single-flip annealer by line counts; for boards of any kind and size",
        "local",
        "qubo-queens",
        "qubo_queens.samplers.annealers.flip",
        "FlipSampler",
        _no_defaults,
        _annealing_reads,
    ),
    "swap": _Entry(
        "our annealer over permutations; for the largest boards and completions",
        "local",
        "qubo-queens",
        "qubo_queens.samplers.annealers.swap",
        "SwapSampler",
        _no_defaults,
        _swap_reads,
    ),
    "neal": _Entry(
        "simulated annealing",
        "local",
        "dwave-neal",
        "neal",
        "SimulatedAnnealingSampler",
        _neal_defaults,
        _annealing_reads,
    ),
    "tabu": _Entry(
        "tabu search; a read ends after `timeout` milliseconds, so a seed repeats it only roughly",
        "local",
        "dwave-samplers",
        "dwave.samplers",
        "TabuSampler",
        _tabu_defaults,
        _tabu_reads,
    ),
    "steepest-descent": _Entry(
        "steepest descent from random states; fast, and often stuck",
        "local",
        "dwave-samplers",
        "dwave.samplers",
        "SteepestDescentSampler",
        _no_defaults,
        _annealing_reads,
    ),
}


def list_samplers() -> list[SamplerInfo]:
    """Return every sampler known by name, installed or not."""
    return [_info(name, entry) for name, entry in _ENTRIES.items()]


def get_sampler(name: str, **init: Any) -> Sampler:
    """Return a new sampler.

    Args:
        name: One of the names of ``list_samplers()``.
        **init: Passed on to the class of the sampler.

    Raises:
        InputError: If the name is unknown.
        MissingPackageError: If its package is not installed.
    """
    entry = _ENTRIES[resolve(name)]
    try:
        return entry.load()(**init)
    except ImportError as error:
        raise MissingPackageError(
            f"sampler {name!r} needs the package {entry.package}: {error}"
        ) from error


def default_parameters(name: str, model: Model, time_limit: float | None = None) -> dict[str, Any]:
    """Return the parameters with which the sampler `name` suits a model and a time limit (seconds).

    Raises:
        InputError: If the name is unknown.
    """
    return dict(_ENTRIES[resolve(name)].defaults(model, time_limit))


def default_reads(name: str, model: Model) -> int:
    """Return how many reads ``solve`` makes at most where nobody says.

    Raises:
        InputError: If the name is unknown.
    """
    return _ENTRIES[resolve(name)].default_reads(model)


def resolve(name: str) -> str:
    """Return `name` if it is one of ``list_samplers()``.

    Raises:
        InputError: If the name is unknown.
    """
    if isinstance(name, str) and name == "auto":
        raise InputError(f"only solve() knows what auto is; choose one of {', '.join(_ENTRIES)}")
    if not isinstance(name, str) or name not in _ENTRIES:
        raise InputError(
            f"sampler {shown(name)} is unknown; choose one of auto, {', '.join(_ENTRIES)}",
            Remedy(", or give a dimod.Sampler object"),
        )
    return name


def _info(name: str, entry: _Entry) -> SamplerInfo:
    version: str | None = None
    reason: str | None = None
    parameters: tuple[str, ...] = ()
    try:
        parameters = tuple(entry.load()().parameters)
        version = metadata.version(entry.package)
    except ImportError as error:  # PackageNotFoundError is one too
        reason = f"package {entry.package} is not installed ({error})"
    return SamplerInfo(
        name,
        entry.description,
        entry.where,
        entry.package,
        reason is None,
        version,
        reason,
        parameters,
    )
