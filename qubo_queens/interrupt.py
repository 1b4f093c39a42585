"""Ctrl-C while compiled code runs: ask it to stop, and keep what it has found."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Within this context, SIGINT (Ctrl-C) raises nothing and is remembered instead.

    A compiled sampler that calls back between reads cannot pass a ``KeyboardInterrupt`` on; it
    can be told to stop. Outside the main thread, or where the program has a handler of its own,
    nothing is changed.

    Yields:
        A function that tells whether SIGINT has come.
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
