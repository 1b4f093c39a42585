"""``qubo-queens prove`` and ``check-proof``."""

import json

import pytest

from qubo_queens import Instance, Placement, check_proof, prove, verify, write_instance
from qubo_queens.errors import ProofError
from qubo_queens.exact.verdict import Verdict
from qubo_queens.generate import blocked
from qubo_queens.result import Status

NO_BOARD = ("4", "--queen", "0,0")
ACCOUNTED = (
    "10",
    *("--exclude-sum", "4", "--exclude-sum", "7", "--exclude-sum", "11", "--exclude-sum", "14"),
    *("--exclude-sum", "17", "--exclude-difference", "8"),
)
SEARCHED = write_instance(blocked(14, 111, seed=1, planted=False), format="json")
"""A board that only a search refutes."""


def test_a_feasible_board_is_printed_like_that_of_solve(run):
    code, out, err = run("prove", "8", "--queen", "0,3")
    *rows, last = out.splitlines()
    columns = [row.index("Q") for row in rows]
    assert code == 0
    assert verify(Instance(8, [(0, 3)]), Placement.from_columns(columns)).valid
    assert last == "violated constraints = 0"
    assert err.startswith("feasible in ")


def test_an_infeasible_board_is_exit_code_3_with_the_reason(run):
    code, out, err = run("prove", *NO_BOARD)
    assert code == 3
    assert out == f"infeasible: {prove(Instance(4, [(0, 0)])).reason}\n"
    assert err.startswith("infeasible in ")


@pytest.mark.parametrize("encoding", [None, "cell", "cell-attack", "labelled", "row"])
def test_u25_attacking_queens_in_every_encoding(run, encoding):
    options = () if encoding is None else ("--encoding", encoding)
    code, out, _ = run("prove", "4", "--queen", "0,0", "--queen", "1,1", *options)
    assert code == 3
    assert "prescribed queens (0, 0), (1, 1) attack each other on r - c = 0" in out


def test_json_is_the_object_of_the_result(run):
    code, out, _ = run("prove", *ACCOUNTED, "--json", "--quiet")
    instance = Instance(10, excluded_sums=[4, 7, 11, 14, 17], excluded_differences=[8])
    found, expected = json.loads(out), prove(instance).to_dict()
    assert code == 3
    assert found.pop("timing").keys() == expected.pop("timing").keys() == {"total_s"}
    assert found == json.loads(json.dumps(expected))
    assert found["certificate"]["kind"] == found["answered_by"] == "diagonal accounting"


def test_all_options_of_solve_that_state_the_instance(run):
    argv = (
        *("prove", "-", "--n", "8", "--base", "1", "--format", "cells"),
        *("--queen", "1,4", "--block", "2,2", "--exclude-sum", "16", "--exclude-difference", "7"),
    )
    code, out, _ = run(*argv, "--json", stdin="(5,1)")
    instance = Instance(
        8, [(0, 3), (4, 0)], blocked=[(1, 1)], excluded_sums=[14], excluded_differences=[7]
    )
    found = json.loads(out)
    assert code == {"feasible": 0, "infeasible": 3}[found["status"]]
    assert found["status"] == prove(instance).status


@pytest.mark.parametrize(
    ("argv", "stdin", "files"),
    [
        (NO_BOARD, None, {"proof"}),
        (ACCOUNTED, None, {"proof"}),
        (("-",), SEARCHED, {"proof", "proof.cnf"}),
    ],
    ids=["steps", "sums", "search"],
)
def test_proofs_are_written_and_checked(run, tmp_path, argv, stdin, files):
    file = tmp_path / "proof"
    code, _, err = run("prove", *argv, "--proof", str(file), stdin=stdin)
    assert code == 3
    assert err.endswith(f"proof written to {file}\n")
    code, out, _ = run("check-proof", str(file))
    assert code == 0
    assert out.startswith("valid: there is no solution (n=")
    assert {path.name for path in tmp_path.iterdir()} == files


def test_a_wrong_proof_is_exit_code_1_and_an_unreadable_one_2(run, tmp_path):
    file = tmp_path / "proof"
    run("prove", *ACCOUNTED, "--proof", str(file))
    content = json.loads(file.read_text())
    content["instance"]["excluded_sums"] = []
    file.write_text(json.dumps(content))
    code, out, err = run("check-proof", str(file))
    assert (code, err) == (1, "")
    assert out.startswith("invalid: ")
    file.write_text("{")
    assert run("check-proof", str(file))[0] == 2
    code, _, err = run("check-proof", str(tmp_path / "nothing"))
    assert code == 2
    assert "cannot read" in err


def test_a_proof_about_another_board_is_told(run, tmp_path):
    file, asked, other = tmp_path / "proof", tmp_path / "asked.json", tmp_path / "other.json"
    write_instance(Instance(4, [(0, 0)]), asked)
    write_instance(Instance(4, [(0, 3)]), other)
    run("prove", str(asked), "--proof", str(file))
    assert run("check-proof", str(file), "--instance", str(asked))[0] == 0
    code, out, _ = run("check-proof", str(file), "--instance", str(other))
    assert code == 1
    assert out.startswith("the proof is right, but about another instance: n=4, 1 prescribed")
    assert check_proof(file, Instance(4, [(0, 0)])) == Instance(4, [(0, 0)])
    with pytest.raises(ProofError, match="another instance"):
        check_proof(file, 4)


def test_no_proof_is_written_of_a_feasible_board(run, tmp_path):
    code, _, err = run("prove", "8", "--proof", str(tmp_path / "proof"))
    assert code == 0
    assert err.endswith("no proof was written: the answer is feasible\n")
    assert not list(tmp_path.iterdir())


def test_the_time_limit_is_exit_code_1(run, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "qubo_queens.exact.prove.prove_reduction", lambda reduction, stop: stalled(stop)
    )
    code, out, _ = run("prove", "8", "--time-limit", "0.01", "--proof", str(tmp_path / "proof"))
    assert code == 1
    assert out.startswith("unknown: time limit of 0.01 s reached: ")
    assert not list(tmp_path.iterdir())


def stalled(should_stop):
    while not should_stop():
        pass
    return Verdict(Status.UNKNOWN, reason="nothing came of it")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["8", "--proof", "-"], "--proof takes the name of a file"),
        (["8", "--proof", "no/folder/here"], "its folder does not exist"),
        (["8", "--encoding", "cells"], "is not one of"),
        (["8", "--encoding", "ladder"], "is not one of 'cell', 'cell-attack', 'labelled', 'row'"),
        (["8", "--time-limit", "0"], "--time-limit must be finite"),
        (["--queen", "0,0"], "INPUT"),
    ],
)
def test_bad_usage_is_exit_code_2(run, argv, message):
    code, out, err = run("prove", *argv)
    assert (code, out) == (2, "")
    assert message in err


def test_quiet_says_nothing(run):
    assert run("prove", *NO_BOARD, "--quiet")[2] == ""
