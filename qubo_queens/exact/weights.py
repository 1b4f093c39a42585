"""Line weights: a proof by linear programming duality that the missing queens do not fit.

The relaxation "a fraction of a queen on each free cell, at most 1 on each line" asks for the
largest total. Where that is below the number of missing queens, its dual solution, a weight for
each line, is the proof; made whole numbers, it is checked by additions alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from qubo_queens.board.certificate import LineWeights
from qubo_queens.board.lines import IntArray, Kind, Line, indices, position
from qubo_queens.board.reduction import Reduction

MOST_CELLS = 10_000
"""Boards with more free cells are left out: the linear program takes seconds from there on."""

MOST_SECONDS = 5.0
"""How long the linear program may take; most take hundredths of a second."""

_PAUSE_S = 0.005

_SCALES = (*range(1, 61), 100, 1000, 10**4, 10**5, 10**6, 10**7)
"""What the weights are multiplied with before they are rounded, until they still prove it."""

_CLEAR = 1e-6
"""How far below the number of queens the optimum must be to be told from rounding errors."""

FloatArray = npt.NDArray[np.float64]

_Optimum: TypeAlias = tuple[float, FloatArray | None]


def line_weights(
    reduction: Reduction, should_stop: Callable[[], bool] = lambda: False
) -> LineWeights | None:
    """Return weights that prove a board infeasible, or None if there are none or none was found.

    Args:
        reduction: What is left of an instance without contradictions.
        should_stop: Asked about every 5 ms; if it returns true, nothing is proven.
    """
    rows, columns = reduction.free_arrays
    missing = len(reduction.open_lines(Kind.ROW))
    if not 0 < len(rows) <= MOST_CELLS:
        return None
    lines, of_cell = _lines_of_cells(rows, columns, reduction.instance.n)
    optimum, weights = _unless_stopped(lambda: _relaxed(of_cell, len(lines)), should_stop)
    if weights is None or optimum > missing - _CLEAR:
        return None
    for scale in _SCALES:
        whole = np.rint(weights * scale).astype(np.int64)
        cover = int(whole[of_cell].sum(axis=0).min())
        if int(whole.sum()) < missing * cover:
            chosen = {lines[at]: int(whole[at]) for at in np.flatnonzero(whole).tolist()}
            return LineWeights(reduction.steps, chosen, cover, missing)
    return None


def _lines_of_cells(rows: IntArray, columns: IntArray, n: int) -> tuple[list[Line], IntArray]:
    """Return the lines with free cells, and for each cell its four as numbers, of shape (4, N)."""
    lines: list[Line] = []
    of_cell = []
    for kind in Kind:
        places, numbers = np.unique(position(kind, rows, columns, n), return_inverse=True)
        of_cell.append(numbers + len(lines))
        lines += [Line(kind, indices(kind, n)[at]) for at in places.tolist()]
    return lines, np.stack(of_cell)


def _unless_stopped(solve: Callable[[], _Optimum], should_stop: Callable[[], bool]) -> _Optimum:
    """Return the optimum, or nothing once told to stop.

    The solver cannot be interrupted. It runs in a thread, which then is left to end by itself; a
    program that ends waits for it, since the solver does not survive that.
    """
    found: list[_Optimum] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            found.append(solve())
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="linear program", daemon=False)
    thread.start()
    while thread.is_alive() and not should_stop():
        thread.join(_PAUSE_S)
    if failed:
        raise failed[0]
    return found[0] if found else (np.inf, None)


def _relaxed(of_cell: IntArray, num_lines: int) -> _Optimum:
    """Return the optimum of the relaxation and its dual solution, None if it was not reached."""
    from scipy.optimize import linprog  # here, since it takes 0.2 s to load
    from scipy.sparse import csr_array

    num_cells = of_cell.shape[1]
    entries = (of_cell.ravel(), np.tile(np.arange(num_cells), 4))
    on_line = csr_array((np.ones(4 * num_cells), entries), shape=(num_lines, num_cells))
    found = linprog(
        -np.ones(num_cells),
        A_ub=cast(Any, on_line),  # its type stubs know no sparse arrays
        b_ub=np.ones(num_lines),
        method="highs",
        options={"time_limit": MOST_SECONDS},
    )
    if found.status != 0 or found.fun is None:
        return np.inf, None
    return -float(found.fun), np.maximum(-found.ineqlin.marginals, 0.0)
