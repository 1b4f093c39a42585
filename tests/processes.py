"""What the system knows of a process."""

import os
import time
from pathlib import Path


def is_running(pid):
    """Tell whether a process runs; one that has ended may stay listed until its parent looks."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def has_ended(pid, seconds=20):
    """Wait for the end of a process; tell whether it came."""
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        os.sched_yield()
    return not is_running(pid)
