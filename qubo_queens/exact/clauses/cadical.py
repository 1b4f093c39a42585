"""The SAT solver CaDiCaL (A. Biere and others), through python-sat, in a process of its own.

python-sat cannot interrupt CaDiCaL; a process can be killed. All that goes to and fro lies in files
without a name, so nothing is left behind, however a process ends.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

from qubo_queens.checks import shorten
from qubo_queens.child import start
from qubo_queens.errors import MissingPackageError, SolverError
from qubo_queens.exact.clauses import cadical_child
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.drat import DratProof, parse_binary_drat

_PAUSE_S = 0.005
"""How long to wait before asking again whether the solver is done."""

_REMEDY = "install it with: python -m pip install python-sat"


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver says.

    Attributes:
        satisfiable: Whether the formula has a model; None if the solver was stopped.
        model: The variables that are true, if it has one.
        proof: If it has none and a proof was asked for, the proof, which nobody has checked yet.
    """

    satisfiable: bool | None
    model: tuple[int, ...] = field(default=(), repr=False)
    proof: DratProof | None = field(default=None, repr=False)


def decide(
    cnf: Cnf, should_stop: Callable[[], bool] = lambda: False, *, proof: bool = False
) -> Answer:
    """Ask CaDiCaL whether a formula has a model.

    Args:
        cnf: The formula.
        should_stop: Asked about every 5 ms whether to give up.
        proof: Whether to return a proof if there is no model.

    Raises:
        MissingPackageError: If python-sat is not installed.
        SolverError: If the solver ends without an answer.
    """
    with CadicalRun(cnf, proof=proof) as run:
        while (answer := run.poll()) is None:
            if should_stop():
                return Answer(None)
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
                self._process = self._start(source, packages, files)
            self._files = files.pop_all()

    def _start(self, source: IO[bytes], packages: str, files: ExitStack) -> subprocess.Popen[bytes]:
        options = json.dumps({"packages": packages, "proof": self._wants_proof})
        try:
            return start(
                cadical_child.__file__,
                options,
                files,
                stdin=source,
                stdout=self._output.fileno(),
                stderr=self._errors.fileno(),
            )
        except OSError as error:
            raise SolverError(
                f"no process for CaDiCaL could be started with {sys.executable!r}: {error}"
            ) from error

    def poll(self) -> Answer | None:
        """Return the answer, or None if there is none yet.

        Raises:
            SolverError: If the solver has ended without one.
        """
        code = self._process.poll()
        if code is None:
            return None
        self._output.seek(0)
        head, _, content = self._output.read().partition(b"\n")
        words = head.decode("ascii", "replace").split()
        if code or len(words) != 2 or words[1] != str(len(content)):
            raise SolverError(f"CaDiCaL ended without an answer (exit code {code}): {self._said()}")
        if words[0] == "sat":
            literals = np.frombuffer(content, dtype=np.int32)
            return Answer(True, tuple(literals[literals > 0].tolist()))
        return Answer(False, proof=parse_binary_drat(content) if self._wants_proof else None)

    def _said(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return shorten(lines[-1], 200) if lines else "it said nothing"

    def kill(self) -> None:
        """End the solver if it still runs, and drop its files."""
        self._process.kill()
        self._process.wait()
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def _packages() -> str:
    """Return the folder that python-sat is installed in."""
    found = importlib.util.find_spec("pysat")
    if found is None or found.origin is None:
        raise MissingPackageError(f"CaDiCaL needs the package python-sat; {_REMEDY}")
    if not sys.executable:
        raise SolverError("CaDiCaL needs a Python interpreter: sys.executable is empty")
    return str(Path(found.origin).parent.parent)


def _write(cnf: Cnf, target: IO[bytes]) -> None:
    """Write a formula as the process of the solver reads it, and go back to its beginning."""
    for numbers in (np.array([len(cnf)]), np.diff(cnf.offsets), cnf.literals):
        target.write(numbers.astype(np.intc).tobytes())
    target.seek(0)
