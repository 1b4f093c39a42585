"""A progress bar for searches that take longer than a second, on a terminal only."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from qubo_queens.search import Progress as SearchProgress

_DELAY_S = 1.0


class ProgressBar:
    """Shows itself on standard error after a second; leaves nothing behind."""

    def __init__(self, *, hidden: bool) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("first read", total=None)
        self._timer = None
        if console.is_terminal and not hidden:
            self._timer = threading.Timer(_DELAY_S, self._bar.start)
            self._timer.daemon = True

    def __enter__(self) -> Self:
        if self._timer is not None:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._bar.stop()

    def update(self, progress: SearchProgress) -> None:
        """Show where the search stands."""
        best = f"{progress.reads:,} reads, best energy {progress.energy:g}"
        self._bar.update(
            self._task, description=best, total=progress.num_reads, completed=progress.reads
        )
