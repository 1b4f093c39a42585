"""solve(): from an instance to a verified board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.reduction import Mode
from qubo_queens.encodings.model import Model
from qubo_queens.solving.prepare import checked_limits, prepare
from qubo_queens.solving.result import SolveResult, finish
from qubo_queens.solving.run import Progress
from qubo_queens.solving.submit import submit


def solve(
    problem: InstanceLike | Model,
    encoding: str | type[Model] = "cell",
    *,
    sampler: str | Sampler = "auto",
    seed: int | None = None,
    time_limit: float | None = None,
    num_reads: int | None = None,
    batch_size: int | None = None,
    target_energy: float = 0,
    reduce: Mode | None = None,
    row_column_strength: float | None = None,
    diagonal_strength: float | None = None,
    keep_samples: bool = False,
    progress: Callable[[Progress], object] | None = None,
    **parameters: Any,
) -> SolveResult:
    """Search for a valid board, and verify it independently of the model.

    An instance that is decided by contradictions, forced queens or proofs that take milliseconds
    (the last with ``auto`` only) needs no sampling. Otherwise reads are made, in calls of growing
    size, until a board has energy at most `target_energy`, satisfies every constraint and is
    verified, or until a limit is reached. Ctrl-C ends the search and returns the best board so far:
    ``flip`` and ``swap`` stop within their reads, ``neal`` finishes the read under way, and a call
    of a sampler without an `interrupt_function` is given up.

    With ``sampler="auto"`` a proof search joins in after a tenth of a second, within the same time
    limit, until one of the two answers (``answered_by`` names it). The status is ``unknown`` only
    if both have ended without an answer, or at Ctrl-C. A seed repeats the reads; which of the two
    is faster on a hard board may depend on the machine.

    The search stops at the first valid board, so `keep_samples` gives no success rate. For exactly
    so many reads, call the sampler itself: ``get_sampler("flip").sample(model, num_reads=50)``, or
    ``get_sampler("neal").sample(model.bqm, num_reads=50)``.

    >>> from qubo_queens import Instance
    >>> result = solve(Instance(8, queens=[(3, 3), (4, 1)]), seed=1)
    >>> str(result.status), result.num_violated
    ('feasible', 0)
    >>> solve(Instance(4, queens=[(0, 0), (1, 1)])).reason
    'prescribed queens (0, 0), (1, 1) attack each other on r - c = 0'

    Args:
        problem: An instance, n for the plain board, or a model (with its own strengths).
        encoding: One of ``list_encodings()``, or a subclass of ``Model``.
        sampler: The name of one of ``list_samplers()``; ``auto``, which picks one by the size and
            shape of the board and searches for a proof as well; or any ``dimod.Sampler`` object.
            Named samplers get parameters that suit the model, objects only those given here.
        seed: An integer in 0..2**64-1; by default a random one, which is in the result.
        time_limit: Seconds, above 0, after which no further read is begun; one is always made.
            A sampler that has such a parameter gets it too; if it takes no number of reads, it is
            called once. Reads of ``flip`` and ``swap`` are cut short then; compiling their
            kernels does not count.
        num_reads: The largest number of reads, at least 1. By default as many as the time limit
            allows; without one, for ``flip``, ``swap`` and ``neal`` a million divided by the
            number of variables, kept within 100 to 10,000 (``swap``: 1,000), for ``tabu`` about
            ten seconds' worth, and for an object 100. An object without such a parameter returns as
            many reads as it likes, and by default is called once. With ``auto`` and no time limit,
            the proof search goes on after the reads, up to 30 seconds from the start.
        batch_size: The number of reads of each call of the sampler; by default 1, 2, 4 and so on
            up to 256, since a board may be found early. Give ``num_reads`` where each call is
            expensive.
        target_energy: At least 0. The search stops at a board with at most this energy and no
            broken constraint; the energy of such a board is 0, so a larger target changes nothing.
        reduce: As in ``build``; None for its default.
        row_column_strength: As in ``build``; None for the default of the encoding.
        diagonal_strength: Likewise.
        keep_samples: Whether to keep all samples in the result.
        progress: Called with a :class:`Progress` after each call of the sampler.
        **parameters: Further strengths of the encoding, such as ``wall_strength``, and parameters
            of the sampler, such as ``num_sweeps``.

    Returns:
        The result; its status is ``infeasible`` only with a proof, never from sampling.

    Raises:
        InputError: If a value is out of range.
        InputTypeError: If a value has the wrong type.
        ParameterError: If the sampler has no parameter of that name.
        MissingPackageError: If the package of the sampler is not installed.
        MismatchError: If the model and the verifier disagree about a board.
        ModelTooLargeError: If the model would not fit in memory.
        Exception: Whatever a sampler object raises is passed on.
    """
    run = prepare(
        problem,
        encoding,
        sampler=sampler,
        seed=seed,
        limits=checked_limits(num_reads, time_limit, batch_size, target_energy),
        options={
            "reduce": reduce,
            "row_column_strength": row_column_strength,
            "diagonal_strength": diagonal_strength,
        },
        keep_samples=keep_samples,
        progress=progress,
        parameters=parameters,
    )
    if run.needs_sampling:
        submit(run)
    return finish(run)
