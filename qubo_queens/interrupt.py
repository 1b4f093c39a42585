"""Ctrl-C while compiled code runs: stop it, and keep its results so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Within this context, SIGINT (Ctrl-C) sets a flag instead of raising an exception.

    A compiled sampler that calls a function between reads cannot pass a ``KeyboardInterrupt`` on,
    but it stops if the function returns true. Outside the main thread, or if the program has its
    own handler, nothing is changed.

    >>> with interrupt_flag() as interrupted:
    ...     interrupted()
    False

    Yields:
        A function that returns whether SIGINT was received.
    """
    came = threading.Event()
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield came.is_set
        return
    previous = signal.signal(signal.SIGINT, lambda signum, frame: came.set())
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGINT, previous)
