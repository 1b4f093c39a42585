"""A search for a proof in a thread, beside the calls of a sampler."""

from __future__ import annotations

import threading
import time
from typing import Self

from qubo_queens.board.reduction import Reduction
from qubo_queens.exact.stages import prove_reduction
from qubo_queens.exact.verdict import Verdict
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.result import Status

_PAUSE_S = 0.01


class ProofSearch:
    """A search for a proof in a thread of its own; it ends with the ``with`` block.

    Ending it takes as long as a step that cannot be interrupted: about 10 ms, or a second while
    the kernel of the search is compiled, once on a machine.
    """

    def __init__(self, reduction: Reduction, head_start: float) -> None:
        """Prepare the search, which begins after so many seconds."""
        self._reduction = reduction
        self._head_start = head_start
        self._stopped = threading.Event()
        self._begin = threading.Event()
        self._verdict: Verdict | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._search, name="proof search")

    def _search(self) -> None:
        self._begin.wait(self._head_start)
        if self._stopped.is_set():
            return
        try:
            self._verdict = prove_reduction(self._reduction, self._stopped.is_set)
        except BaseException as error:
            self._error = error

    @property
    def verdict(self) -> Verdict | None:
        """What was found; None while the search goes on, or if it was stopped in its head start.

        An error that ended the search is raised here.
        """
        if self._error is not None:
            raise self._error
        return self._verdict

    def answered(self) -> bool:
        """Return whether the instance is decided, or the search has failed."""
        found = self._verdict is not None and self._verdict.status is not Status.UNKNOWN
        return found or self._error is not None

    def wait(self, seconds: float) -> bool:
        """Wait for so long at most until the search has ended by itself.

        Ctrl-C ends the wait; the result is whether it came.
        """
        deadline = time.perf_counter() + seconds
        with interrupt_flag() as interrupted:
            self._begin.set()
            while self._thread.is_alive() and not interrupted():
                left = deadline - time.perf_counter()
                if left <= 0:
                    break
                self._thread.join(min(left, _PAUSE_S))
            return interrupted()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        self._begin.set()
        self._thread.join()
