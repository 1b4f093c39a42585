"""``qubo-queens solve``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from qubo_queens.board.instance import Instance
from qubo_queens.checks import counted
from qubo_queens.cli.options import model_options
from qubo_queens.cli.output import EXIT_CODES, report
from qubo_queens.cli.parameters import (
    beta_range,
    json_option,
    named_value,
    quiet_option,
    time_limit_option,
)
from qubo_queens.cli.problem import takes_instance
from qubo_queens.solving.run import Progress as SearchProgress
from qubo_queens.solving.solve import solve as solve_instance

_OWN_PARAMETERS = frozenset(signature(solve_instance).parameters)

_DELAY_S = 1.0
"""Seconds before the progress bar is shown."""


@click.command()
@takes_instance
@model_options
@click.option(
    "--sampler",
    default="auto",
    show_default=True,
    help="One of `qubo-queens samplers`; auto picks by size and shape, and also searches for a "
    "proof.",
)
@click.option("--seed", type=int, help="Makes the run repeatable; by default random, and printed.")
@click.option(
    "--num-reads",
    type=int,
    help="The largest number of reads; by default, without a time limit, 1,000,000 / variables, "
    "within 100 to 10,000 (tabu: those of about ten seconds). With auto and no time limit, the "
    "proof search may go on up to 30 seconds from the start.",
)
@click.option(
    "--num-sweeps",
    type=int,
    help="Sweeps of each read; for neal by default 300 (encoding cell; others "
    "have their own), for flip and swap by the board.",
)
@click.option(
    "--beta-range",
    type=beta_range,
    metavar="A,B",
    help="First and last inverse temperature; for neal by default 2,8 (encoding cell; others have "
    "their own), divided by the row-column strength, for flip and swap by the board.",
)
@click.option(
    "--param",
    type=named_value,
    metavar="NAME=VALUE",
    multiple=True,
    help="Any other parameter of the sampler, such as timeout=50 for tabu. Repeatable.",
)
@time_limit_option(
    "Seconds after which no further read is begun; at least one is made. Reads of flip and swap "
    "are cut short."
)
@json_option
@quiet_option
def solve(
    instance: Instance,
    *,
    as_json: bool,
    quiet: bool,
    param: tuple[tuple[str, Any], ...],
    **options: Any,
) -> int:
    """Search for a valid board, and print it.

    INPUT is a board size n, a file with a board, or - for standard input. Queens in it are
    prescribed.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in param:
        if name in _OWN_PARAMETERS:
            option = f"--{name.replace('_', '-')}"
            remedy = f"use {option}" if name in options else f"{name} is not one"
            raise click.UsageError(f"--param takes parameters of the sampler; {remedy}")
        if name in given:
            raise click.UsageError(f"parameter {name} is given twice")
        given[name] = value
    with progress_bar(hidden=quiet) as show:
        result = solve_instance(instance, progress=show, **given)
    report(result, as_json=as_json, quiet=quiet)
    return EXIT_CODES[result.status]


@contextmanager
def progress_bar(*, hidden: bool) -> Iterator[Callable[[SearchProgress], None]]:
    """Show a progress bar on standard error after a second, if that is a terminal."""
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
