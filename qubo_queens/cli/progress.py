"""A progress bar for searches that take longer than a second, on a terminal only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from qubo_queens.checks import counted
from qubo_queens.solving.run import Progress as SearchProgress

_DELAY_S = 1.0


@contextmanager
def progress_bar(*, hidden: bool) -> Iterator[Callable[[SearchProgress], None]]:
    """Show a bar on standard error after a second; it leaves nothing behind.

    Yields:
        The function to tell where the search stands.
    """
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    bar = Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    task = bar.add_task("first read", total=None)

    def update(progress: SearchProgress) -> None:
        best = f"{counted(progress.reads, 'read')}, best energy {progress.energy:g}"
        bar.update(task, description=best, total=progress.num_reads, completed=progress.reads)

    if hidden or not console.is_terminal:
        yield update
        return
    timer = threading.Timer(_DELAY_S, bar.start)
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
