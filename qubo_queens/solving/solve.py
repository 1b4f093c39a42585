"""solve(): from an instance to a verified board."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import dimod
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike, as_instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import further
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.verdict import Verdict
from qubo_queens.result import REDUCTION, Status
from qubo_queens.solving.calls import Budget
from qubo_queens.solving.choice import ChosenSampler
from qubo_queens.solving.portfolio import side_by_side
from qubo_queens.solving.result import SolveResult
from qubo_queens.solving.search import Candidate, Clock, Progress, Search


def solve(
    problem: InstanceLike | Model,
    *,
    encoding: str = "cell",
    sampler: str | Sampler = "auto",
    seed: int | None = None,
    time_limit: float | None = None,
    num_reads: int | None = None,
    batch_size: int | None = None,
    target_energy: float = 0,
    reduce: Mode | None = None,
    row_column_strength: float | None = None,
    diagonal_strength: float | None = None,
    count_strength: float | None = None,
    one_hot_strength: float | None = None,
    wall_strength: float | None = None,
    keep_samples: bool = False,
    progress: Callable[[Progress], object] | None = None,
    **sampler_parameters: Any,
) -> SolveResult:
    """Search for a valid board, and verify it independently of the model.

    Contradictions, chains of forced queens that leave a row or column empty, and boards without a
    free cell are answered at once, and with ``auto`` what other proofs tell in milliseconds.
    Otherwise reads are made in batches until a board has energy at most `target_energy`, satisfies
    every constraint and is verified, or until the budget is used up. Ctrl-C ends the search and
    returns the best board so far: ``flip`` and ``swap`` stop within their reads, ``neal`` finishes
    the read under way, and a call of a sampler without an `interrupt_function` is given up.

    With ``sampler="auto"``, ``prove`` goes to work too after a tenth of a second, side by side with
    the reads and within the same time limit, until one of them answers (``Result.answered_by`` says
    who); the status is ``unknown`` only when both have run out, or at Ctrl-C. A seed repeats the
    reads, but who is first on a hard board may depend on the machine.

    Args:
        problem: An instance, n for the plain board, or a model (with its own strengths).
        encoding: One of ``list_encodings()``.
        sampler: A name of ``list_samplers()``, ``auto`` (which picks one by the size and shape of
            the board, and searches for a proof besides), or any ``dimod.Sampler`` object. Named
            ones get parameters that suit the model, objects only those given here.
        seed: An integer in 0..2**64-1; by default a random one, which the result names.
        time_limit: Seconds, above 0, after which no further read is begun; there is always one.
            A sampler that has such a parameter gets it too; if it takes no number of reads, it is
            called once. Reads of ``flip`` and ``swap`` are cut short then; compiling their
            kernels does not count.
        num_reads: The largest number of reads, at least 1. By default as many as the time limit
            allows; without one, for ``flip``, ``swap`` and ``neal`` a million divided by the
            number of variables, kept within 100 to 10,000 (``swap``: 1,000), for ``tabu`` about
            ten seconds' worth, and for an object 100.
            A sampler without such a parameter returns what it likes, and by default is called
            once. With ``auto`` and no time limit, the search for a proof goes on after them, up to
            30 seconds from the call on.
        batch_size: Reads of each call of the sampler; by default 1, 2, 4 and so on up to 256, as
            a board may be found early. Give ``num_reads`` where each call is expensive.
        target_energy: At least 0. The search stops at a board with at most this energy and no
            broken constraint; the energy of such a board is 0, so a larger target changes nothing.
        reduce: As in ``build``; None for its default.
        row_column_strength: As in ``build``, like the other strengths; None for the default.
        diagonal_strength: Likewise.
        count_strength: Likewise, of encoding ``cell-attack``.
        one_hot_strength: Likewise, of ``row`` and ``labelled``.
        wall_strength: Likewise, of ``row-domain-wall``.
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
        Exception: Whatever a sampler object raises is passed on.
    """
    clock = Clock()
    if progress is not None and not callable(progress):
        raise InputTypeError(f"progress must be a function, not {shown(progress)}")
    target = positive_number(target_energy, "target_energy", zero=True)
    seed = secrets.randbits(32) if seed is None else int_in_range(seed, "seed", 0, 2**64 - 1)
    budget = _checked_budget(num_reads, batch_size, time_limit, clock.started)
    strengths = {
        "row_column_strength": row_column_strength,
        "diagonal_strength": diagonal_strength,
        "count_strength": count_strength,
        "one_hot_strength": one_hot_strength,
        "wall_strength": wall_strength,
    }
    with clock.part("reduce_s"):
        model = _as_model(problem, encoding, reduce=reduce, **strengths)
        chosen = ChosenSampler.of(sampler, model)
        chosen.check(sampler_parameters)
        reduction = further(model.reduction, "propagate")
    if reduction.infeasible or reduction.decided or not model.num_variables:
        return _without_sampling(model, reduction, chosen, clock)

    if budget.num_reads is None and budget.time_limit is None:
        budget.num_reads = chosen.default_reads(model)
    search = Search(model, budget, clock, target, progress, keep_samples)
    parameters = chosen.parameters(model, sampler_parameters, time_limit)
    anneal = partial(search.run, chosen, parameters, seed)
    proves = isinstance(sampler, str) and sampler == "auto"
    verdict = side_by_side(search, reduction, anneal) if proves else anneal()
    return _after_search(search, chosen, seed, verdict)


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


def _checked_budget(
    num_reads: int | None, batch_size: int | None, time_limit: float | None, started: float
) -> Budget:
    """Return the limits that were asked for; None stands for a limit that was not."""
    if num_reads is not None:
        num_reads = int_in_range(num_reads, "num_reads", 1, 2**63 - 1)
    if batch_size is not None:
        batch_size = int_in_range(batch_size, "batch_size", 1, 2**31 - 1)
    if time_limit is not None:
        time_limit = positive_number(time_limit, "time_limit")
    return Budget(num_reads, time_limit, batch_size, started)


def _without_sampling(
    model: Model, reduction: Reduction, chosen: ChosenSampler, clock: Clock
) -> SolveResult:
    """Answer an instance that is proven infeasible, or has no free cell or no variable left."""
    only = None
    with clock.part("verify_s"):
        if reduction.certificate is not None:
            check_certificate(model.instance, reduction.certificate.to_dict())
        if reduction.decided or not (reduction.infeasible or model.num_variables):
            only = _only_board(model, reduction)
    status = Status.INFEASIBLE if reduction.infeasible else Status.UNKNOWN
    if only is not None and only.verification.valid:
        status = Status.FEASIBLE
    return SolveResult(
        status=status,
        instance=model.instance,
        encoding=model.encoding,
        sampler=chosen.name,
        answered_by=REDUCTION,
        placement=None if only is None else only.placement,
        energy=None if only is None else only.energy,
        verification=None if only is None else only.verification,
        reason=reduction.reason,
        certificate=reduction.certificate,
        num_variables=0 if reduction.decided else None,
        num_interactions=0 if reduction.decided else None,
        timing=clock.timing(),
    )


def _only_board(model: Model, reduction: Reduction) -> Candidate | None:
    """Return the only board there is; None if it is infeasible and cannot be stated."""
    decided = Placement(model.instance.n, reduction.queens)
    try:
        return Candidate.judged(model, decided if reduction.decided else model.decode({}))
    except InputError:
        if not reduction.infeasible:
            raise
        return None


def _after_search(
    search: Search, chosen: ChosenSampler, seed: int, verdict: Verdict | None
) -> SolveResult:
    """Return what the samples and the proof search, if there was one, have come to."""
    model, status, answered_by = search.model, Status.UNKNOWN, None
    if search.solved:
        status, answered_by = Status.FEASIBLE, chosen.name
    elif verdict is not None:
        status, answered_by = verdict.status, verdict.answered_by
        if verdict.placement is not None:
            search.best = Candidate.judged(model, verdict.placement)
    best = None if status is Status.INFEASIBLE else search.best
    certificate = None if verdict is None else verdict.certificate
    return SolveResult(
        status=status,
        instance=model.instance,
        encoding=model.encoding,
        sampler=chosen.name,
        answered_by=answered_by,
        placement=None if best is None else best.placement,
        energy=None if best is None else best.energy,
        verification=None if best is None else best.verification,
        reason=_reason(search, status, verdict),
        certificate=certificate,
        nodes=0 if verdict is None else verdict.nodes,
        num_variables=model.num_variables,
        num_interactions=model.num_interactions,
        reads=search.budget.reads,
        seed=seed if search.budget.reads and chosen.takes("seed") else None,
        interrupted=search.budget.interrupted,
        timing=search.clock.timing(),
        sampleset=dimod.concatenate(search.kept) if search.kept else None,
    )


def _reason(search: Search, status: Status, verdict: Verdict | None) -> str | None:
    """Return why the status is not ``feasible``."""
    if status is Status.FEASIBLE:
        return None
    if verdict is None:
        return search.why_ended()
    if verdict.certificate is not None:
        return verdict.certificate.reason
    return f"{search.why_ended()}; proof search: {verdict.reason}"
