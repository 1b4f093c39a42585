"""The samplers that ``solve`` knows by name.

Built-in samplers are listed in ``local.py``. :func:`register_sampler` adds one to a program;
another package adds one by an entry point of the group ``qubo_queens.samplers`` that names a
:class:`SamplerEntry`. Any other ``dimod.Sampler`` object can be given to ``solve`` directly.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any

from dimod.core.sampler import Sampler

from qubo_queens.checks import shown
from qubo_queens.errors import InputError, InputTypeError, Remedy
from qubo_queens.samplers.entry import SamplerEntry
from qubo_queens.samplers.local import ENTRIES

GROUP = "qubo_queens.samplers"
"""The group of entry points by which other packages add samplers."""

_entries = {entry.name: entry for entry in ENTRIES}


def list_samplers() -> list[SamplerEntry]:
    """Return what is known of every sampler, installed or not; none is imported or made.

    >>> [entry.name for entry in list_samplers()][:3]
    ['flip', 'swap', 'neal']
    >>> list_samplers()[2].package
    'dwave-neal'
    """
    return list(_every_entry().values())


def get_sampler(name: str, **init: Any) -> Sampler:
    """Return a new sampler.

    >>> from qubo_queens import build
    >>> sampleset = get_sampler("neal").sample(build(4).bqm, num_reads=50, seed=1)
    >>> len(sampleset)
    50

    Args:
        name: The name of one of ``list_samplers()``.
        **init: Passed on to the class of the sampler.

    Raises:
        InputError: If the name is unknown.
        MissingPackageError: If its package is not installed.
        SamplerUnavailableError: If it cannot be made.
    """
    return get_entry(name).make(**init)


def register_sampler(entry: SamplerEntry) -> SamplerEntry:
    """Make a sampler known by name, for ``solve``, ``list_samplers`` and the command line.

    >>> import dimod
    >>> from qubo_queens import solve
    >>> from qubo_queens.samplers.registry import SamplerEntry
    >>> entry = SamplerEntry(name="brute-force", target=dimod.ExactSolver)
    >>> register_sampler(entry).name
    'brute-force'
    >>> solve(4, sampler="brute-force").status
    <Status.FEASIBLE: 'feasible'>

    Args:
        entry: The facts about it; it is not imported.

    Returns:
        `entry`.

    Raises:
        InputTypeError: If `entry` is not a :class:`SamplerEntry`.
        InputError: If the name is empty, ``auto``, or taken by another entry.
    """
    if not isinstance(entry, SamplerEntry):
        raise InputTypeError(f"register_sampler needs a SamplerEntry, not {shown(entry)}")
    name = entry.name
    if not isinstance(name, str) or name.split() != [name] or name == "auto":
        raise InputError(f"a sampler needs a name of its own, without blanks, not {shown(name)}")
    if not isinstance(entry.concurrent_calls, int) or entry.concurrent_calls < 1:
        raise InputError(f"concurrent_calls {shown(entry.concurrent_calls)} must be at least 1")
    if _every_entry().get(entry.name, entry) != entry:
        raise InputError(f"sampler name {entry.name!r} is taken; choose another one")
    _entries[entry.name] = entry
    return entry


def get_entry(name: str) -> SamplerEntry:
    """Return what is known of a sampler."""
    known = _every_entry()
    if isinstance(name, str) and name in known:
        return known[name]
    if isinstance(name, str) and name == "auto":
        raise InputError(f"only solve knows what auto is; choose one of {', '.join(known)}")
    raise InputError(
        f"sampler {shown(name)} is unknown; choose one of auto, {', '.join(known)}",
        Remedy(", or give a dimod.Sampler object"),
    )


def _every_entry() -> dict[str, SamplerEntry]:
    """Return the entries by name; those of this process win over those of other packages."""
    return {**_entries, **{n: e for n, e in _of_packages().items() if n not in _entries}}


@cache
def _of_packages() -> dict[str, SamplerEntry]:
    """Return the entries of other packages; one that cannot be loaded has its error as target."""
    return {point.name: _loaded(point) for point in metadata.entry_points(group=GROUP)}


def _loaded(point: metadata.EntryPoint) -> SamplerEntry:
    try:
        entry = point.load()
        if isinstance(entry, SamplerEntry) and entry.name == point.name:
            return entry
        problem: BaseException = InputTypeError(f"{point.value} is no SamplerEntry of that name")
    except (Exception, SystemExit) as error:  # a broken package must not hide the other samplers
        problem = error

    def fail(**init: Any) -> Sampler:
        raise problem

    package = None if point.dist is None else point.dist.name
    return SamplerEntry(
        name=point.name, target=fail, description="(could not be loaded)", package=package
    )
