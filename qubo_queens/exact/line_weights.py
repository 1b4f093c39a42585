"""Line weights: a proof by linear programming duality that the missing queens do not fit.

The linear program places a fraction of a queen on each free cell, at most 1 in total on each line,
and maximizes the total. If the maximum is below the number of missing queens, the dual solution, a
weight for each line, is a proof. Scaled to whole numbers, it is checked by additions alone.

The check shares no code with the search for weights.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from qubo_queens.board.certificate import Reduced, line_list
from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import IntArray, Kind, Line, indices, position
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import counted, shown
from qubo_queens.exact.check import CertificateData, demand, replay

MOST_CELLS = 10_000
"""The largest number of free cells: with more, the linear program takes seconds."""

MOST_SECONDS = 5.0
"""The time limit of the linear program; most take hundredths of a second."""

_PAUSE_S = 0.005

_SCALES = (*range(1, 61), 100, 1000, 10**4, 10**5, 10**6, 10**7)
"""Factors for the weights before they are rounded; the first that gives a proof is used."""

_CLEAR = 1e-6
"""How far the maximum must be below the number of queens, so that it is no rounding error."""

_Optimum: TypeAlias = tuple[float, npt.NDArray[np.float64] | None]


@dataclass(frozen=True)
class LineWeights(Reduced):
    """Weights of lines that prove that the missing queens do not fit.

    Each line takes at most one queen, so the weights of the lines through all queens add up to at
    most the total weight. But each free cell lies on lines that weigh at least `cover`, and m
    queens on m such cells need m times that.

    >>> from qubo_queens.board.lines import Kind, Line
    >>> LineWeights((), {Line(Kind.ROW, 2): 1}, cover=1, missing=2).to_dict()
    {'kind': 'line weights', 'steps': [], 'weights': [['row', 2, 1]], 'cover': 1}

    Attributes:
        weights: A positive integer for each of some open lines.
        cover: The least sum of the weights of the lines through a free cell.
        missing: The number m of queens still to place.
    """

    kind = "line weights"
    weights: Mapping[Line, int]
    cover: int
    missing: int

    @property
    def _conclusion(self) -> str:
        total = sum(self.weights.values())
        return (
            f"{counted(len(self.weights), 'line')} can be given weights of {total} in total such "
            f"that the lines through each free cell weigh {self.cover} or more, while "
            f"{counted(self.missing, 'queen')} would need {self.missing} x {self.cover} = "
            f"{self.missing * self.cover}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict: the kind, the steps, the weights and the cover."""
        weights = [[*line_list(line), weight] for line, weight in self.weights.items()]
        return {**super().to_dict(), "weights": weights, "cover": self.cover}


def check_line_weights(instance: Instance, certificate: CertificateData) -> None:
    """Add up the weights of the lines through each free cell, and compare with the total."""
    left = replay(instance, certificate["steps"])
    weights = defaultdict[tuple[str, int], int](int)
    for kind, index, weight in certificate["weights"]:
        demand(type(weight) is int and weight >= 0, f"weight {shown(weight)} is not a number >= 0")
        demand(kind in ("row", "column", "sum", "difference"), f"no line is a {shown(kind)}")
        demand((kind, index) not in weights, f"{kind} {index} has two weights")
        weights[kind, index] = weight
    cover, missing = certificate["cover"], left.missing
    demand(type(cover) is int and cover > 0, f"cover {shown(cover)} is not a positive number")
    for row, column in left.free_cells():
        weight = (
            weights.get(("row", row), 0)
            + weights.get(("column", column), 0)
            + weights.get(("sum", row + column), 0)
            + weights.get(("difference", row - column), 0)
        )
        demand(weight >= cover, f"the lines through ({row}, {column}) weigh only {weight}")
    total = sum(weights.values())
    demand(total < missing * cover, f"a total of {total} suffices for {missing} x {cover}")


def find_line_weights(
    reduction: Reduction, should_stop: Callable[[], bool] = lambda: False
) -> LineWeights | None:
    """Return weights that prove a board without contradictions infeasible; None if none are found.

    `should_stop` is called about every 5 ms; if it returns true, nothing is proven.
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
    """Return the lines with free cells, and for each cell the numbers of its four lines.

    The numbers are of shape (4, N): the kinds of lines, and the free cells in row-major order.
    """
    lines: list[Line] = []
    of_cell = []
    for kind in Kind:
        places, numbers = np.unique(position(kind, rows, columns, n), return_inverse=True)
        of_cell.append(numbers + len(lines))
        lines += [Line(kind, indices(kind, n)[at]) for at in places.tolist()]
    return lines, np.stack(of_cell)


def _unless_stopped(solve: Callable[[], _Optimum], should_stop: Callable[[], bool]) -> _Optimum:
    """Return the optimum, or ``(inf, None)`` once `should_stop` returns true.

    The solver cannot be interrupted. It runs in a thread, which is then left to end by itself. The
    thread is no daemon, because the solver crashes if the interpreter exits while it runs.
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
    """Return the optimum of the relaxation and its dual solution; None if it was not reached."""
    from scipy.optimize import linprog  # here, since it takes 0.2 s to load
    from scipy.sparse import csr_array

    num_cells = of_cell.shape[1]
    # A row per line, a column per cell; of_cell.ravel() has all cells once for each kind of line.
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
