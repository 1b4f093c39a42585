"""submit(): call the sampler until a board is found or the limits are reached.

With ``auto`` a proof is searched for beside the calls, and whichever answers first ends the other.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from typing import Any

import dimod

from qubo_queens.errors import InputError, QueensError
from qubo_queens.exact.stages import quick_proof
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.samplers.annealers.interface import NativeSampler
from qubo_queens.solving.answers import Answer
from qubo_queens.solving.proof_search import ProofSearch
from qubo_queens.solving.run import Call, Run

HEAD_START_S = 0.1
"""How long calls go on alone; most boards are solved by then, without the kernel of the search."""

PROOF_S = 30.0
"""How long a proof is searched for at least where no time limit is given."""


def submit(run: Run) -> None:
    """Call the sampler, and with ``auto`` search for a proof, until one of them answers.

    At Ctrl-C the run is marked as interrupted. What a sampler object raises is passed on.
    """
    try:
        if run.choice.proves:
            _with_proof_search(run)
        else:
            _make_calls(run)
    except KeyboardInterrupt:
        run.interrupted = True


def _with_proof_search(run: Run) -> None:
    """Try the proofs that take milliseconds, then call the sampler beside the others."""
    if not run.reduction.untouched:
        run.verdict = quick_proof(run.reduction)
    if run.verdict is not None:
        return
    with ProofSearch(run.reduction, HEAD_START_S) as proof:
        run.proof = proof
        _make_calls(run)
        if not run.solved and not run.interrupted:
            elapsed = time.perf_counter() - run.clock.started
            limited = run.limits.time_limit is not None
            run.interrupted = proof.wait(run.seconds_left if limited else PROOF_S - elapsed)
    if not run.solved:
        run.verdict = proof.verdict


def _make_calls(run: Run) -> None:
    """Make calls and judge their answers, in their order, until the run needs no more.

    As many calls are under way at once as the sampler takes; those that are still pending when a
    board is found are left alone.
    """
    caller = _caller(run)
    caller.load()
    most = 1 if run.choice.entry is None else run.choice.entry.concurrent_calls
    under_way = deque[tuple[Call, Answer]]()
    while True:
        while len(under_way) < most and (call := run.next_call()) is not None:
            with run.clock.part("sample_s"):
                under_way.append((call, caller.start(call)))
        if not under_way or run.solved:
            return
        run.record(*under_way.popleft())


class _Caller(ABC):
    """How one sampler is called on one model."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @abstractmethod
    def load(self) -> None:
        """Prepare what all calls need."""

    @abstractmethod
    def sample(self, parameters: Mapping[str, Any]) -> Answer:
        """Call the sampler."""

    def start(self, call: Call) -> Answer:
        """Make a call; its answer may still be on its way.

        A sampler that takes an `interrupt_function` gets one that stops it at the time limit, at
        Ctrl-C, when a proof is found, or when the caller's own function returns true. What the
        caller's function raises would be swallowed by compiled code: it stops the sampler, and is
        raised again afterwards.
        """
        run = self.run
        if not run.choice.takes("interrupt_function"):
            return self.sample(call.parameters)
        with interrupt_flag() as ctrl_c:
            stop = _Stop(run, ctrl_c, call.parameters.get("interrupt_function"))
            answer = self.sample({**call.parameters, "interrupt_function": stop})
        run.interrupted |= ctrl_c()  # Ctrl-C may come until the context is left
        if stop.raised is not None:
            raise stop.raised
        return answer


class _Stop:
    """The `interrupt_function` of a call."""

    def __init__(self, run: Run, ctrl_c: Any, own: Any) -> None:
        self._run = run
        self._ctrl_c = ctrl_c
        self._own = own
        self.raised: BaseException | None = None

    def __call__(self) -> bool:
        try:
            self._run.interrupted |= bool(self._own()) if self._own is not None else False
        except BaseException as error:
            self.raised = error
        return self.raised is not None or self._ctrl_c() or self._run.should_stop


class _BoardCaller(_Caller):
    """Calls of our own annealers, which take the model as it is: no BQM is made."""

    def __init__(self, run: Run, sampler: NativeSampler) -> None:
        super().__init__(run)
        self._sampler = sampler

    def load(self) -> None:
        """Compile the kernels, which does not count to the time limit."""
        run, started = self.run, time.perf_counter()
        # The compiler would lose a Ctrl-C that comes while it calls back.
        with run.clock.part("build_s"), interrupt_flag() as ctrl_c:
            self._sampler.load(run.model)
        if ctrl_c():
            raise KeyboardInterrupt
        run.not_counted_s += time.perf_counter() - started

    def sample(self, parameters: Mapping[str, Any]) -> Answer:
        """Make reads on the board."""
        # Only a valid board ends the run, and its energy is 0: a read must not stop above.
        return self._sampler.anneal(self.run.model, **{**parameters, "target_energy": 0})


class _BqmCaller(_Caller):
    """Calls of any other sampler, which takes the BQM."""

    def load(self) -> None:
        """Make the BQM here, so that its time counts as building."""
        with self.run.clock.part("build_s"):
            self.run.model.bqm  # noqa: B018

    def sample(self, parameters: Mapping[str, Any]) -> Answer:
        """Sample the BQM; a sampler object gets a copy, which it may change."""
        model, choice = self.run.model, self.run.choice
        if choice.takes("target_energy"):
            parameters = {**parameters, "target_energy": 0}
        bqm = model.bqm.copy() if choice.entry is None else model.bqm
        try:
            answer: dimod.SampleSet = choice.sampler.sample(bqm, **parameters)
        except (TypeError, ValueError, ArithmeticError, IndexError) as error:
            if choice.entry is None or isinstance(error, QueensError):
                raise
            reason = " ".join(str(error).split())
            raise InputError(
                f"sampler {choice.name} refuses the model or a parameter: {reason}"
            ) from error
        return answer


def _caller(run: Run) -> _Caller:
    sampler = run.choice.sampler
    if isinstance(sampler, NativeSampler) and sampler.anneals(run.model):
        return _BoardCaller(run, sampler)
    return _BqmCaller(run)
