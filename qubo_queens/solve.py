"""solve(): from an instance to a verified board."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import dimod
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import Mode, Reduction
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.checks import int_in_range, positive_number
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputTypeError
from qubo_queens.result import Result, Status
from qubo_queens.samplers.batches import Budget, check_parameters, merge_parameters, sample_batches
from qubo_queens.samplers.registry import default_parameters, get_sampler, resolve
from qubo_queens.search import Candidate, Clock, Progress, Search


def solve(
    problem: InstanceLike | Model,
    *,
    encoding: str = "cell",
    sampler: str | Sampler = "auto",
    seed: int | None = None,
    time_limit: float | None = None,
    num_reads: int | None = None,
    target_energy: float = 0,
    reduce: Mode | None = None,
    row_column_strength: float | None = None,
    diagonal_strength: float | None = None,
    keep_samples: bool = False,
    progress: Callable[[Progress], object] | None = None,
    **sampler_parameters: Any,
) -> Result:
    """Search for a valid board, and verify it independently of the model.

    Contradictions, empty lines and boards without a free cell are answered without sampling.
    Otherwise reads are made in batches until a board has energy at most `target_energy`, satisfies
    every constraint and is verified, or until the budget is used up. Ctrl-C ends the search and
    returns the best board so far.

    Args:
        problem: An instance, n for the plain board, or a model (with its own strengths).
        encoding: One of ``encodings()``.
        sampler: A name of ``samplers()``, ``auto``, or any ``dimod.Sampler`` object.
        seed: An integer in 0..2**64-1; by default a random one, which the result names.
        time_limit: Seconds, above 0, after which no further read is begun.
        num_reads: The largest number of reads, at least 1; a sampler without such a parameter
            returns as many as it likes at a time. By default as many as the time limit
            allows; without one, a million divided by the number of variables, kept within
            100 to 10,000.
        target_energy: At least 0. No positive value makes ``solve`` accept a broken constraint.
        reduce: As in ``build``; None for its default.
        row_column_strength: As in ``build``; None for its default.
        diagonal_strength: As in ``build``; None for its default.
        keep_samples: Whether to keep all samples in the result.
        progress: Is called with a :class:`Progress` after each batch of reads.
        **sampler_parameters: Parameters of the sampler, such as ``num_sweeps``.

    Returns:
        The result; its status is ``infeasible`` only with a proof, never from sampling.

    Raises:
        InputError: If a value is out of range.
        InputTypeError: If a value has the wrong type.
        ParameterError: If the sampler has no parameter of that name.
        MismatchError: If the model and the verifier disagree about a board.
        ModelTooLargeError: If the model would not fit in memory.
    """
    clock = Clock()
    model = _as_model(
        problem,
        encoding,
        row_column_strength=row_column_strength,
        diagonal_strength=diagonal_strength,
        reduce=reduce,
    )
    name, engine = _as_sampler(sampler)
    check_parameters(engine, name, sampler_parameters)
    target = positive_number(target_energy, "target_energy", zero=True)
    if seed is not None:
        seed = int_in_range(seed, "seed", 0, 2**64 - 1)
    num_reads, deadline = _limits(num_reads, time_limit, clock.started)

    with clock.part("reduce_s"):
        reduction = reduce_instance(model.instance)
        answered = reduction.decided or reduction.infeasible
    if answered:
        return _without_sampling(model, reduction, name, clock)

    with clock.part("build_s"):
        bqm = model.bqm
        defaults = default_parameters(name, model) if isinstance(sampler, str) else {}
    if num_reads is None and deadline is None:
        num_reads = _default_reads(model.num_variables)
    seed = secrets.randbits(32) if seed is None else seed
    budget = Budget(num_reads, deadline)
    found = Search(model, budget, clock, target, progress)
    parameters = merge_parameters(defaults, sampler_parameters)
    batches = sample_batches(engine, bqm, parameters, seed=seed, budget=budget)
    found.run(batches, keep_samples=keep_samples)
    return _after_search(
        found, name, seed if "seed" in engine.parameters else None, found.why_ended(time_limit)
    )


def _as_model(problem: InstanceLike | Model, encoding: str, **options: Any) -> Model:
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


def _as_sampler(sampler: str | Sampler) -> tuple[str, Sampler]:
    """Return the name of a sampler and the sampler."""
    if isinstance(sampler, str):
        return resolve(sampler), get_sampler(sampler)
    if isinstance(sampler, Sampler):
        return type(sampler).__name__, sampler
    raise InputTypeError(
        f"sampler must be a name or a dimod.Sampler object, not {type(sampler).__name__}"
    )


def _limits(
    num_reads: int | None, time_limit: float | None, started: float
) -> tuple[int | None, float | None]:
    """Return the checked number of reads and the deadline, either None if not asked for."""
    if num_reads is not None:
        num_reads = int_in_range(num_reads, "num_reads", 1, 2**63 - 1)
    if time_limit is None:
        return num_reads, None
    return num_reads, started + positive_number(time_limit, "time_limit")


def _default_reads(num_variables: int) -> int:
    """Return how many reads to make where neither reads nor a time limit are asked for."""
    return min(10_000, max(100, 1_000_000 // num_variables))


def _without_sampling(model: Model, reduction: Reduction, sampler: str, clock: Clock) -> Result:
    """Answer an instance that is proven infeasible, or has no free cell left."""
    only = None
    if reduction.decided:
        with clock.part("verify_s"):
            prescribed = Placement(model.instance.n, model.instance.queens)
            only = Candidate.judged(model, prescribed)
    return Result(
        Status.INFEASIBLE if reduction.infeasible else Status.FEASIBLE,
        model.instance,
        **_fields_of(only),
        reason=reduction.reason,
        certificate=reduction.certificate,
        encoding=model.encoding,
        sampler=sampler,
        num_variables=0 if reduction.decided else None,
        num_interactions=0 if reduction.decided else None,
        timing=clock.timing(),
    )


def _after_search(found: Search, sampler: str, seed: int | None, ended: str) -> Result:
    model = found.model
    return Result(
        Status.FEASIBLE if found.solved else Status.UNKNOWN,
        model.instance,
        **_fields_of(found.best),
        reason=None if found.solved else ended,
        encoding=model.encoding,
        sampler=sampler,
        num_variables=model.num_variables,
        num_interactions=model.num_interactions,
        reads=found.budget.reads,
        seed=seed,
        timing=found.clock.timing(),
        sampleset=dimod.concatenate(found.kept) if found.kept else None,
    )


def _fields_of(best: Candidate | None) -> dict[str, Any]:
    """Return the fields of a result that speak of its board."""
    return {} if best is None else vars(best)
