"""finish(): from a run to its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dimod
import numpy as np

from qubo_queens.board.placement import Placement
from qubo_queens.checks import counted, shown
from qubo_queens.errors import InputError
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.result import REDUCTION, Result, Status
from qubo_queens.solving.answers import Candidate, joined
from qubo_queens.solving.run import Call, Run

_OF_ONE_CALL = frozenset(("num_reads", "seed", "time_limit", "interrupt_function", "progress"))
_REPORTED = ("beta_range", "beta_schedule_type", "num_sweeps")
"""Parameters that samplers report in ``info`` if they chose them by themselves."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SolveResult(Result):
    """The answer of ``solve``.

    >>> from qubo_queens import solve
    >>> result = solve(8, sampler="neal", seed=1)
    >>> str(result.status), result.energy, result.parameters["num_sweeps"]
    ('feasible', 0, 300)
    >>> len(result.placement), result.num_violated
    (8, 0)

    Attributes:
        timing: Seconds of preparing (``reduce_s``: reducing and choosing the sampler), of building
            the BQM or loading kernels (``build_s``), of sampling (``sample_s``), of judging boards
            (``verify_s``), and of everything (``total_s``), which includes the proof search.
        encoding: The name of the encoding.
        sampler: The name of the sampler, whether it was needed or not.
        parameters: The parameters that the sampler really used: those given, the defaults, and the
            schedule that it reports (betas, sweeps). Where some reads used other schedules, as by
            default with ``flip``, ``other_schedules`` lists these: first beta, last beta, sweeps.
            Empty without reads.
        calls: The calls of the sampler in their order, each with its parameters, the number of
            its reads and the ``info`` that it returned (timing, problem ids). The last ones have 0
            reads if a board was found before they were answered.
        energy: The model's energy of ``placement``, recomputed from line counts; None if there is
            no board.
        num_variables: The number of variables of the model; None if none was made.
        num_interactions: The number of its interactions; None if no model was made.
        reads: The number of reads made; 0 if no sampling was needed.
        seed: The seed that all reads derive from; None if there were none or the sampler takes
            none.
        sampleset: All samples, if asked for with ``keep_samples``; else None. The run stops at the
            first valid board, so they give no success rate: see ``solve``.
    """

    encoding: str
    sampler: str
    parameters: Mapping[str, Any]
    calls: tuple[Call, ...] = ()
    energy: float | None = None
    num_variables: int | None = None
    num_interactions: int | None = None
    reads: int = 0
    seed: int | None = None
    sampleset: dimod.SampleSet | None = None

    @property
    def summary(self) -> str:
        """One line about the answer and how it came about, without the reason."""
        parts = [f"{self.status} in {self.timing['total_s']:.2f} s"]
        if self.num_variables and self.num_interactions is not None:
            parts.append(
                f"{self.encoding} encoding, {counted(self.num_variables, 'variable')}, "
                f"{counted(self.num_interactions, 'interaction')}"
            )
        elif not self.reads:
            parts.append("no sampling needed")
        if self.reads:
            seed = "" if self.seed is None else f", seed {self.seed}"
            parts.append(f"{self.sampler}, {counted(self.reads, 'read')}{seed}")
        if self.answered_by not in (None, self.sampler, REDUCTION):
            parts.append(f"answered by {self.answered_by}")
        if self.nodes:
            parts.append(f"{counted(self.nodes, 'node')} searched")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict; all cells are 0-based.

        A parameter or a piece of ``info`` that JSON cannot hold is given as its ``repr``.
        """
        calls = [
            {"reads": call.reads, "seed": call.parameters.get("seed"), "info": _plain(call.info)}
            for call in self.calls
        ]
        return {
            **super().to_dict(),
            "energy": self.energy,
            "encoding": self.encoding,
            "sampler": self.sampler,
            "parameters": _plain(self.parameters),
            "calls": calls,
            "num_variables": self.num_variables,
            "num_interactions": self.num_interactions,
            "reads": self.reads,
            "seed": self.seed,
        }


def finish(run: Run) -> SolveResult:
    """Return the result of a run: the best board, or the proof that there is none."""
    answer = _sampled(run) if run.needs_sampling else _reduced(run)
    best: Candidate | None = answer.pop("best")
    model = run.model
    return SolveResult(
        instance=model.instance,
        encoding=model.encoding,
        sampler=run.choice.name,
        placement=None if best is None else best.placement,
        energy=None if best is None else best.energy,
        verification=None if best is None else best.verification,
        parameters=_parameters(run),
        calls=(*run.calls, *run.pending),
        reads=run.reads,
        seed=run.seed if run.reads and run.choice.takes("seed") else None,
        interrupted=run.interrupted,
        timing=run.clock.timing(),
        sampleset=joined(run.kept) if run.kept else None,
        **answer,
    )


def _sampled(run: Run) -> dict[str, Any]:
    """Return what the reads and the proof search, if there was one, have found."""
    verdict, status, answered_by, best = run.verdict, Status.UNKNOWN, None, run.best
    if run.solved:
        status, answered_by = Status.FEASIBLE, run.choice.name
    elif verdict is not None:
        status, answered_by = verdict.status, verdict.answered_by
        if verdict.placement is not None:
            best = Candidate.judged(run.model, verdict.placement)
    return {
        "status": status,
        "answered_by": answered_by,
        "best": None if status is Status.INFEASIBLE else best,
        "reason": None if status is Status.FEASIBLE else _reason(run),
        "certificate": None if verdict is None else verdict.certificate,
        "nodes": 0 if verdict is None else verdict.nodes,
        "num_variables": run.model.num_variables,
        "num_interactions": run.model.num_interactions,
    }


def _reason(run: Run) -> str:
    """Return why no board was found."""
    if run.verdict is None:
        return run.why_ended()
    if run.verdict.certificate is not None:
        return run.verdict.certificate.reason
    return f"{run.why_ended()}; proof search: {run.verdict.reason}"


def _reduced(run: Run) -> dict[str, Any]:
    """Return the answer to an instance that is infeasible or decided by the reduction alone."""
    model, reduction, only = run.model, run.reduction, None
    with run.clock.part("verify_s"):
        if reduction.certificate is not None:
            check_certificate(model.instance, reduction.certificate.to_dict())
        if reduction.decided or not (reduction.infeasible or model.num_variables):
            only = _only_board(run)
    status = Status.INFEASIBLE if reduction.infeasible else Status.UNKNOWN
    if only is not None and only.verification.valid:
        status = Status.FEASIBLE
    return {
        "status": status,
        "answered_by": REDUCTION,
        "best": only,
        "reason": reduction.reason,
        "certificate": reduction.certificate,
        "num_variables": 0 if reduction.decided else None,
        "num_interactions": 0 if reduction.decided else None,
    }


def _only_board(run: Run) -> Candidate | None:
    """Return the only board there is; None if it is infeasible and cannot be encoded."""
    model, reduction = run.model, run.reduction
    decided = Placement(model.instance.n, reduction.queens)
    try:
        return Candidate.judged(model, decided if reduction.decided else model.decode({}))
    except InputError:
        if not reduction.infeasible:
            raise
        return None


def _parameters(run: Run) -> dict[str, Any]:
    """Return the parameters that all calls used, those that the sampler reports included."""
    if not run.calls:
        return {}
    common = {name: value for name, value in run.parameters.items() if name not in _OF_ONE_CALL}
    info = run.calls[0].info
    found = {**{name: info[name] for name in _REPORTED if name in info}, **common}
    schedules = {tuple(each) for call in run.calls for each in call.info.get("schedules", ())}
    if len(schedules) > 1:
        others = schedules - {(*info["beta_range"], info["num_sweeps"])}
        found["other_schedules"] = sorted(others)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float) and abs(value) < 1e300:  # neither NaN nor infinite
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return shown(value, 200)
