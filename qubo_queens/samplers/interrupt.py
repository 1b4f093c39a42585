"""Ctrl-C while compiled code runs: ask it to stop, and keep what it has found."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class InterruptFlag:
    """Within this context, SIGINT (Ctrl-C) sets a flag and raises nothing.

    A compiled sampler that calls back between reads cannot pass a ``KeyboardInterrupt`` on; it
    can be told to stop. Outside the main thread, or where the program has a handler of its own,
    nothing is changed.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        mine = threading.current_thread() is threading.main_thread()
        if mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _request(self, signum: int, frame: FrameType | None) -> None:
        self.requested = True
