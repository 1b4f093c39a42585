"""Remarks on standard error, which never spoil what a command answers."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click


def say(message: str) -> None:
    """Print a remark to standard error, if anybody listens there."""
    if sys.stderr is None:
        return
    try:
        click.echo(message, err=True)
    except OSError:
        abandon(sys.stderr)


def abandon(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the interpreter does not fail over it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
