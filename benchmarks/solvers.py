"""The exact solvers that ``prove`` is measured against, in a process of their own.

Neither CaDiCaL through python-sat nor the building of a model can be interrupted from within, but
a process can be ended. It is started once, warmed up, and tells the seconds that it takes by its
own clock from the instance to the answer: the start of a process is in none of them.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from common import wall_timed

from qubo_queens import Instance, reduce
from qubo_queens.exact.clauses.formulations import free_cell_cnf

CP_SAT = "CP-SAT, one worker"
CADICAL = "CaDiCaL alone"

_GRACE_S = 0.5
"""How long an answer may take beyond the limit on its way here."""


@dataclass(frozen=True)
class Outcome:
    """How a solver ended: with an answer, or None after the limit."""

    seconds: float
    satisfiable: bool | None


class Solvers:
    """The process of the solvers; it ends with the ``with`` block."""

    def __init__(self) -> None:
        """Start the process, and wait until it is warm."""
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        for name in SOLVERS:
            self._connection.send((name, Instance(8), 60.0))
            self._connection.recv()

    def decide(self, name: str, instance: Instance, limit: float) -> Outcome:
        """Let a solver decide an instance within so many seconds, the building of its model too."""
        self._connection.send((name, instance, limit))
        if not self._connection.poll(limit + _GRACE_S):
            self._end()
            self._start()
            return Outcome(limit, None)
        seconds, satisfiable = self._connection.recv()
        if satisfiable is None or seconds > limit:
            return Outcome(limit, None)
        return Outcome(seconds, satisfiable)

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()


def _serve(connection: Connection) -> None:
    while True:
        try:
            name, instance, limit = connection.recv()
        except EOFError:
            return
        connection.send(wall_timed(partial(SOLVERS[name], instance, limit)))


def _cp_sat(instance: Instance, limit: float) -> bool | None:
    """Decide with a variable per open row, whose domain are the columns of its free cells."""
    from ortools.sat.python import cp_model  # only the process of the solvers needs it

    reduction = reduce(instance, "lines")
    if reduction.certificate is not None:
        return False
    domains: dict[int, list[int]] = {}
    for row, column in zip(*(cells.tolist() for cells in reduction.free_arrays), strict=True):
        domains.setdefault(row, []).append(column)
    model = cp_model.CpModel()
    columns = {
        row: model.new_int_var_from_domain(cp_model.Domain.from_values(values), f"row {row}")
        for row, values in domains.items()
    }
    model.add_all_different(columns.values())
    model.add_all_different([column + row for row, column in columns.items()])
    model.add_all_different([column - row for row, column in columns.items()])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    answers = {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}
    return answers.get(status)


def _cadical(instance: Instance, limit: float) -> bool:
    """Decide the pairwise clauses over the free cells; it heeds no limit but being ended."""
    from pysat.solvers import Cadical153

    cnf = free_cell_cnf(instance)
    with Cadical153() as solver:
        for clause in cnf:
            solver.add_clause(clause)
        return bool(solver.solve())


SOLVERS: dict[str, Callable[[Instance, float], bool | None]] = {
    CP_SAT: _cp_sat,
    CADICAL: _cadical,
}
