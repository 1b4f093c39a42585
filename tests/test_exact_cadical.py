"""CaDiCaL in its own process: answers, interruption, and how failures are told."""

import importlib.util
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from oracles import completions
from processes import has_ended, is_running
from strategies import instances

from qubo_queens import Instance, verify
from qubo_queens.errors import MismatchError, MissingPackageError, ProofError, SolverError
from qubo_queens.exact.clauses import cadical
from qubo_queens.exact.clauses.cadical import CadicalRun, decide, decide_encoding
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.drat import check_drat, parse_drat
from qubo_queens.exact.clauses.formulations import FORMULATIONS
from qubo_queens.result import Status


def pigeons(holes):
    """More pigeons than holes: without a model, and hard from ten on."""
    number = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    return Cnf.from_clauses(
        number
        + [
            [-number[p][h], -number[q][h]]
            for h in range(holes)
            for p in range(holes + 1)
            for q in range(p)
        ]
    )


HARD = pigeons(14)


@pytest.mark.parametrize("name", FORMULATIONS)
@settings(max_examples=6)
@given(instance=instances(max_n=5, max_queens=2))
def test_every_formulation_agrees_with_brute_force(name, instance):
    answer = decide_encoding(instance, name, want_proof=True)
    if any(completions(instance)):
        assert answer.status is Status.FEASIBLE
        assert verify(instance, answer.placement)
    else:
        assert answer.status is Status.INFEASIBLE
        assert check_drat(answer.clausal.cnf, answer.clausal.proof)


@pytest.mark.parametrize(
    "clauses", [[], [[1]], [[1], [-1]], [[]], [[1, -1]], [[2, 1], [2, -1], [-2]], [[-3]]]
)
def test_smallest_formulas(clauses):
    cnf = Cnf.from_clauses(clauses)
    satisfiable, model, proof = decide(cnf, proof=True)
    if satisfiable:
        true = set(model)
        assert all(any((v > 0) == (abs(v) in true) for v in clause) for clause in clauses)
    else:
        assert check_drat(cnf, proof.with_empty_clause())


def test_proofs_are_complete():
    """Also those longer than a buffer: without a flush the end would be missing."""
    satisfiable, _, proof = decide(pigeons(7), proof=True)
    assert satisfiable is False
    assert len(proof) > 2000
    assert check_drat(pigeons(7), proof)


def test_no_proof_unless_asked_for():
    assert decide(pigeons(3)) == (False, [], None)
    answer = decide_encoding(3, "cell")
    assert (answer.status, answer.clausal) == (Status.INFEASIBLE, None)


def test_a_run_can_be_stopped():
    asked = []

    def should_stop():
        asked.append(None)
        return len(asked) == 20

    assert decide(HARD, should_stop) == (None, [], None)
    assert len(asked) == 20
    assert decide_encoding(8, "cell", lambda: True).status is Status.UNKNOWN


def test_killing_leaves_no_process_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    listing = Path("/proc/self/fd")
    open_files = len(list(listing.iterdir())) if listing.exists() else 0
    with CadicalRun(HARD, proof=True) as run:
        process = run._process
        assert run.poll() is None
        assert list(tmp_path.iterdir()) == []
    assert process.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
    run.kill()  # again, which does nothing
    if open_files:
        assert len(list(listing.iterdir())) == open_files


def test_an_error_while_waiting_kills_the_solver():
    with pytest.raises(KeyboardInterrupt), CadicalRun(HARD) as run:
        raise KeyboardInterrupt
    assert run._process.returncode == -signal.SIGKILL


def test_the_solver_ends_with_the_process_that_asked(tmp_path):
    """Even if that one is killed, and can clean up nothing."""
    script = textwrap.dedent(
        """
        import os, signal, sys
        sys.path.insert(0, sys.argv[1])
        from test_exact_cadical import HARD
        from qubo_queens.exact.clauses.cadical import CadicalRun
        run = CadicalRun(HARD)
        print(run._process.pid, flush=True)
        sys.stdin.readline()
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as asking:
        solver = int(asking.stdout.readline())
        assert is_running(solver)
        asking.communicate("go\n")
    assert has_ended(solver)


def test_nothing_of_the_program_is_run_again(tmp_path):
    """Scripts need no ``if __name__ == "__main__"``."""
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "from qubo_queens.exact.clauses.cadical import decide_encoding\n"
        "print(decide_encoding(4, 'cell').status)\n",
        encoding="utf-8",
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["once", "feasible"], run.stderr


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="pip install python-sat"):
        decide(pigeons(2))


def test_missing_package_is_named_where_clauses_are_made(monkeypatch):
    monkeypatch.setitem(sys.modules, "pysat.card", None)
    with pytest.raises(MissingPackageError, match="pip install python-sat"):
        decide_encoding(8, "cell-attack")


def test_missing_interpreter_is_told(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(SolverError, match="/no/such/python"):
        decide(pigeons(2))


CHILDREN = {
    "crash": ("raise MemoryError('no memory')", "exit code 1.*MemoryError: no memory"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "exit code -9.*it said nothing"),
    "silent": ("", "exit code 0"),
    "cut off": ("print('unsat 5'); print('a', end='')", "exit code 0"),
    "talk": ("print('c hello')", "exit code 0"),
}


@pytest.mark.parametrize("what", CHILDREN)
def test_a_solver_without_an_answer_is_an_error(what, tmp_path, monkeypatch):
    code, message = CHILDREN[what]
    child = tmp_path / "child.py"
    child.write_text(code, encoding="utf-8")
    monkeypatch.setattr(cadical.cadical_child, "__file__", str(child))
    with pytest.raises(SolverError, match=message):
        decide(pigeons(2), proof=True)


def test_a_wrong_board_of_a_solver_is_not_believed(monkeypatch):
    monkeypatch.setattr(cadical, "decide", lambda *_, **__: (True, [1, 2, 3, 4], None))
    with pytest.raises(MismatchError):
        decide_encoding(4, "cell")


def test_a_wrong_proof_of_a_solver_is_not_believed(monkeypatch):
    lie = (False, [], parse_drat("1 0\n0\n"))
    monkeypatch.setattr(cadical, "decide", lambda *_, **__: lie)
    with pytest.raises(ProofError, match="step 1"):
        decide_encoding(4, "cell", want_proof=True)


def test_a_check_that_is_stopped_is_no_verdict(monkeypatch):
    monkeypatch.setattr(cadical, "check_drat", lambda *_: False)
    answer = decide_encoding(Instance(4, [(0, 0)]), "cell", want_proof=True)
    assert answer.status is Status.UNKNOWN
