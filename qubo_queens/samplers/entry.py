"""What is known of a sampler without importing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Literal, TypeAlias

from dimod.core.sampler import Sampler

from qubo_queens.checks import said, shown
from qubo_queens.encodings.model import Model
from qubo_queens.errors import MissingPackageError, SamplerUnavailableError

Accepts: TypeAlias = Literal["bqm", "board", "cqm", "nl"]
"""A binary quadratic model; a board without a BQM (``NativeSampler``); a constrained quadratic
model; a nonlinear model."""


def _no_defaults(model: Model, time_limit: float | None) -> Mapping[str, Any]:
    return {}


def _hundred_reads(model: Model) -> int:
    return 100


@dataclass(frozen=True, kw_only=True)
class SamplerEntry:
    """The static facts about a sampler, from which nothing is imported until it is used.

    >>> entry = SamplerEntry(name="brute-force", target="dimod:ExactSolver", package="dimod")
    >>> entry.installed, type(entry.make()).__name__
    (True, 'ExactSolver')

    Attributes:
        name: The name that ``solve`` and ``get_sampler`` take.
        target: The class of the sampler as ``"module:Class"``, or the class itself (or any other
            function that returns a ``dimod.Sampler``).
        description: One line about it.
        where: Whether it runs on this machine (``local``) or elsewhere (``cloud``).
        package: The distribution that it comes from; None if there is nothing to install.
        accepts: The kinds of model that it takes.
        parameters: The keywords of its ``sample``, for listings; the sampler itself has the last
            word when it is used.
        defaults: Returns the parameters that suit a model and a time limit (seconds, or None).
        default_reads: Returns how many reads ``solve`` makes of a model at most, where neither a
            number nor a time limit is asked for; by default 100, since reads may cost money.
        concurrent_calls: How many calls may wait for their answers at once. More than 1 only where
            ``sample`` returns before the answer is there, as clients of remote solvers do.
    """

    name: str
    target: str | Callable[..., Sampler]
    description: str = ""
    where: Literal["local", "cloud"] = "local"
    package: str | None = None
    accepts: tuple[Accepts, ...] = ("bqm",)
    parameters: tuple[str, ...] = ()
    defaults: Callable[[Model, float | None], Mapping[str, Any]] = _no_defaults
    default_reads: Callable[[Model], int] = _hundred_reads
    concurrent_calls: int = 1

    @property
    def version(self) -> str | None:
        """The version of the distribution; None if it is not installed or there is none."""
        try:
            return None if self.package is None else metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    @property
    def installed(self) -> bool:
        """Whether the distribution is installed; the sampler is not imported to find out."""
        return self.package is None or self.version is not None

    @property
    def reason(self) -> str | None:
        """Why the sampler cannot be used; None if it can.

        An installed sampler is made to find out, which may connect to a service.
        """
        try:
            self.make()
        except (MissingPackageError, SamplerUnavailableError) as error:
            return str(error)
        return None

    def make(self, **init: Any) -> Sampler:
        """Return a new sampler.

        Args:
            **init: Passed on to the class.

        Raises:
            MissingPackageError: If its package is not installed.
            SamplerUnavailableError: If it cannot be made; what it raised is the cause.
        """
        factory: Any = self.target
        try:
            if isinstance(factory, str):
                module, _, name = factory.partition(":")
                factory = getattr(import_module(module), name)
            made: object = factory(**init)
        except (Exception, SystemExit) as error:
            if isinstance(error, ImportError) and not self.installed:
                raise MissingPackageError(
                    f"sampler {self.name!r} needs the package {self.package}, which is not "
                    f"installed ({error})"
                ) from error
            raise SamplerUnavailableError(
                f"sampler {self.name!r} cannot be made: {said(error)}"
            ) from error
        if not isinstance(made, Sampler):
            raise SamplerUnavailableError(
                f"sampler {self.name!r} cannot be made: {shown(made)} is not a dimod.Sampler"
            )
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict of what a listing shows."""
        names = ("name", "description", "where", "package", "installed", "version", "accepts")
        return {name: getattr(self, name) for name in (*names, "parameters")}
