"""Proofs by the SAT solver CaDiCaL (A. Biere and others), through python-sat.

The solver runs in a process of its own, since python-sat cannot interrupt it, and a process can be
killed. Data are exchanged in unnamed files, so nothing is left behind, however a process ends.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self, TypeAlias

import numpy as np

from qubo_queens.board.certificate import Certificate, Contradictory
from qubo_queens.board.instance import Contradiction, InstanceLike
from qubo_queens.checks import shorten
from qubo_queens.child import start
from qubo_queens.errors import MissingPackageError, SolverError
from qubo_queens.exact.clauses import cadical_child
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.drat import ClausalProof, DratProof, check_drat, parse_binary_drat
from qubo_queens.exact.clauses.formulations import formulate
from qubo_queens.exact.verdict import Verdict, feasible, infeasible
from qubo_queens.result import Status

CADICAL = "CaDiCaL"

_PAUSE_S = 0.005
"""The time between two looks at whether the solver has ended."""


SolverAnswer: TypeAlias = tuple[bool | None, list[int], DratProof | None]
"""Whether the formula has a model, None if the solver was stopped; the variables that are true in
the model; and the proof, not checked yet, if it has none and a proof was asked for."""


@dataclass(frozen=True)
class Unsatisfiable(Certificate):
    """A SAT solver found the clauses of an encoding unsatisfiable.

    >>> print(Unsatisfiable("row", 100, checked=True).reason)
    CaDiCaL found the 100 clauses of encoding row unsatisfiable; its proof was checked

    Attributes:
        encoding: The name of the encoding.
        clauses: The number of its clauses.
        checked: Whether a proof of the solver was asked for, and found to be right.
        contradictions: Those of the prescribed queens, which make any clauses unsatisfiable.
    """

    kind = "unsatisfiable clauses"
    checkable = False
    encoding: str
    clauses: int
    checked: bool
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def reason(self) -> str:
        """The size of the formula, and whether the proof was checked."""
        checked = "; its proof was checked" if self.checked else ""
        known = f"{Contradictory(self.contradictions).reason}; " if self.contradictions else ""
        return (
            f"{known}{CADICAL} found the {self.clauses:,} clauses of encoding {self.encoding} "
            f"unsatisfiable{checked}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict of the attributes but for the contradictions."""
        about = {"encoding": self.encoding, "clauses": self.clauses, "checked": self.checked}
        return {**super().to_dict(), **about}


def decide_encoding(
    instance: InstanceLike,
    encoding: str,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    want_proof: bool = False,
) -> Verdict:
    """Decide an instance by the clauses of an encoding.

    `should_stop` is called about every 10 ms; if it returns true, the verdict is ``unknown``. With
    `want_proof`, the proof of ``infeasible`` is checked and part of the verdict.
    """
    formulation = formulate(instance, encoding)
    cnf, asked = formulation.to_cnf(break_symmetry=True), formulation.instance
    satisfiable, model, proof = decide(cnf, should_stop, proof=want_proof)
    if satisfiable:
        return feasible(asked, formulation.decode(model), CADICAL)
    clausal = None
    if proof is not None:
        clausal = ClausalProof(encoding, cnf, proof.with_empty_clause())
        if not check_drat(cnf, clausal.proof, should_stop):
            satisfiable = None
    if satisfiable is None:
        reason = f"{CADICAL} was stopped on the {len(cnf):,} clauses of encoding {encoding}"
        return Verdict(Status.UNKNOWN, reason=reason)
    found = Unsatisfiable(encoding, len(cnf), clausal is not None, asked.contradictions())
    return infeasible(asked, found, CADICAL, clausal=clausal)


def decide(
    cnf: Cnf, should_stop: Callable[[], bool] = lambda: False, *, proof: bool = False
) -> SolverAnswer:
    """Decide with CaDiCaL whether a formula has a model, with a proof that it has none if wanted.

    `should_stop` is called about every 5 ms; if it returns true, the solver is killed.
    """
    with CadicalRun(cnf, proof=proof) as run:
        while (answer := run.poll()) is None:
            if should_stop():
                return None, [], None
            time.sleep(_PAUSE_S)
        return answer


class CadicalRun:
    """CaDiCaL at work on a formula; within ``with``, it is killed at the end of the block."""

    def __init__(self, cnf: Cnf, *, proof: bool = False) -> None:
        """Start the solver; the arguments and errors are those of :func:`decide`."""
        packages = _packages()
        self._wants_proof = proof
        with ExitStack() as files:
            self._output = files.enter_context(tempfile.TemporaryFile())
            self._errors = files.enter_context(tempfile.TemporaryFile())
            with tempfile.TemporaryFile() as source:
                _write(cnf, source)
                self._process = start(
                    cadical_child.__file__,
                    json.dumps({"packages": packages, "proof": proof}),
                    files,
                    name=CADICAL,
                    stdin=source,
                    stdout=self._output.fileno(),
                    stderr=self._errors.fileno(),
                )
            self._files = files.pop_all()

    def poll(self) -> SolverAnswer | None:
        """Return the answer, or None if there is none yet."""
        code = self._process.poll()
        if code is None:
            return None
        self._output.seek(0)
        head, _, content = self._output.read().partition(b"\n")
        words = head.decode("ascii", "replace").split()
        if code or len(words) != 2 or words[1] != str(len(content)):
            raise SolverError(
                f"CaDiCaL ended without an answer (exit code {code}): {self._last_words()}"
            )
        if words[0] == "sat":
            literals = np.frombuffer(content, dtype=np.int32)
            return True, literals[literals > 0].tolist(), None
        return False, [], parse_binary_drat(content) if self._wants_proof else None

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return shorten(lines[-1], 200) if lines else "it said nothing"

    def kill(self) -> None:
        """End the solver if it still runs, and close its files."""
        self._process.kill()
        self._process.wait()
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()


def _packages() -> str:
    """Return the folder that python-sat is installed in."""
    found = importlib.util.find_spec("pysat")
    if found is None or found.origin is None:
        raise MissingPackageError(
            "CaDiCaL needs the package python-sat; install it with: "
            "python -m pip install python-sat"
        )
    if not sys.executable:
        raise SolverError("CaDiCaL needs a Python interpreter: sys.executable is empty")
    return str(Path(found.origin).parent.parent)


def _write(cnf: Cnf, target: IO[bytes]) -> None:
    """Write a formula in the format of ``cadical_child.read_clauses``, and rewind the file."""
    for numbers in (np.array([len(cnf)]), np.diff(cnf.offsets), cnf.literals):
        target.write(numbers.astype(np.intc).tobytes())
    target.seek(0)
