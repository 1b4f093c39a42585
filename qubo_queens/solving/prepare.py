"""prepare(): check what is asked, build the model, and choose the sampler."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.reduce import further
from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.registry import get_encoding, strengths_by_name
from qubo_queens.errors import InputTypeError
from qubo_queens.solving.choice import choose
from qubo_queens.solving.run import Clock, Limits, Progress, Run


def prepare(
    problem: InstanceLike | Model,
    encoding: str | type[Model],
    *,
    sampler: str | Sampler,
    seed: int | None,
    limits: Limits,
    options: Mapping[str, Any],
    keep_samples: bool,
    progress: Callable[[Progress], object] | None,
    parameters: Mapping[str, Any],
) -> Run:
    """Return a run that is ready to be submitted; nothing is sampled yet.

    The arguments are those of ``solve``; `options` are keywords of ``build``, with None for the
    default of each.
    """
    clock = Clock()
    if progress is not None and not callable(progress):
        raise InputTypeError(f"progress must be a function, not {shown(progress)}")
    seed = secrets.randbits(32) if seed is None else int_in_range(seed, "seed", 0, 2**64 - 1)
    own_encoding = type(problem) if isinstance(problem, Model) else encoding
    strengths = _strengths_among(parameters, own_encoding, sampler)
    own = {name: value for name, value in parameters.items() if name not in strengths}
    with clock.part("reduce_s"):
        model = _as_model(problem, encoding, {**options, **strengths})
        choice = choose(sampler, model)
        choice.check(own)
        reduction = further(model.reduction, "propagate")
    open_ended = limits.num_reads is None and limits.time_limit is None
    sampling = model.num_variables > 0 and not (reduction.infeasible or reduction.decided)
    if sampling and open_ended:
        limits = replace(limits, num_reads=choice.default_reads(model))
    common = choice.parameters(model, own, limits.time_limit) if sampling else own
    return Run(
        model, reduction, choice, common, limits, seed, clock, sampling, progress, keep_samples
    )


def _strengths_among(
    parameters: Mapping[str, Any], encoding: str | type[Model], sampler: object
) -> dict[str, Any]:
    """Return the parameters that are strengths: of this encoding, or of another one.

    A parameter that the sampler object takes is not a strength of another encoding.
    """
    named = {name: value for name, value in parameters.items() if name.endswith("_strength")}
    if not named:  # then no encoding has to be loaded
        return {}
    known = {strength.keyword for strength in get_encoding(encoding).takes_strengths}
    theirs = getattr(sampler, "parameters", None) or ()
    return {
        name: value
        for name, value in named.items()
        if name in known or (name not in theirs and name in strengths_by_name())
    }


def _as_model(
    problem: InstanceLike | Model, encoding: str | type[Model], options: Mapping[str, Any]
) -> Model:
    """Return `problem` as a model; `options` that are None keep the defaults of ``build``."""
    given = {name: value for name, value in options.items() if value is not None}
    if not isinstance(problem, Model):
        return build(as_instance(problem), encoding, **given)
    if given or encoding not in ("cell", problem.encoding):
        names = ", ".join(given) or "encoding"
        raise InputTypeError(
            f"solve() got a model that is already built and also {names}; give these to build()"
        )
    return problem


def checked_limits(
    num_reads: int | None, time_limit: float | None, batch_size: int | None, target_energy: float
) -> Limits:
    """Return the limits, each of them checked."""
    if num_reads is not None:
        num_reads = int_in_range(num_reads, "num_reads", 1, 2**63 - 1)
    if batch_size is not None:
        batch_size = int_in_range(batch_size, "batch_size", 1, 2**31 - 1)
    if time_limit is not None:
        time_limit = positive_number(time_limit, "time_limit")
    target = positive_number(target_energy, "target_energy", zero=True)
    return Limits(num_reads, time_limit, batch_size, target)
