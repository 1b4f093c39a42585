"""solve(sampler="auto"): annealing and proof search side by side, until one of them answers."""

import os
import signal
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import completions
from strategies import instances

from qubo_queens import Instance, build, reduce, solve, verify
from qubo_queens.exact.board_search import Exhausted
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.verdict import Verdict
from qubo_queens.generate import blocked, excluded_diagonals
from qubo_queens.result import Status
from qubo_queens.solving import proof_search as proof_module
from qubo_queens.solving import submit as submit_module
from qubo_queens.solving.proof_search import ProofSearch

ACCOUNTED = Instance(10, excluded_sums=[4, 7, 11, 14, 17], excluded_differences=[8])
"""An infeasible board on which no queen is forced: its diagonals do not add up."""

SEARCHED = blocked(14, 111, seed=1, planted=False)
"""An infeasible board that only a search refutes."""

HOPELESS = {"num_reads": 1, "num_sweeps": 1}
"""Parameters with which annealing finds nothing on a hard board."""


@pytest.fixture
def at_once(monkeypatch):
    """Let the proof search begin without waiting."""
    monkeypatch.setattr(submit_module, "HEAD_START_S", 0)


@given(instances(max_n=7, max_queens=3), st.integers(0, 100))
@settings(max_examples=60)
def test_every_small_instance_is_decided(instance, seed):
    result = solve(instance, seed=seed)
    assert (result.status == "feasible") is any(True for _ in completions(instance))
    assert result.status != "unknown"
    assert result.answered_by is not None
    if result.status == "feasible":
        assert verify(instance, result.placement).valid
        assert result.energy == 0
    elif not isinstance(result.certificate, Exhausted):
        check_certificate(instance, result.certificate.to_dict())


def test_a_proof_ends_the_annealing_of_a_board_without_solution(at_once):
    result = solve(SEARCHED, seed=1, num_reads=10**9)
    assert (result.status, result.answered_by) == ("infeasible", "exhaustive search")
    assert result.reads < 10**9
    assert result.placement is result.energy is None
    assert result.reason == result.certificate.reason
    assert "answered by exhaustive search" in str(result)
    assert result.to_dict()["certificate"]["kind"] == "exhaustive search"


def test_a_quick_proof_needs_no_read(monkeypatch):
    monkeypatch.setattr(proof_module, "prove_reduction", None)
    result = solve(ACCOUNTED, seed=1)
    assert (result.status, result.answered_by) == ("infeasible", "diagonal accounting")
    assert (result.reads, result.nodes) == (0, 0)


def test_a_board_that_only_the_search_finds_is_judged_like_any_other(at_once):
    instance = excluded_diagonals(16, 30, seed=1)
    result = solve(instance, seed=1, **HOPELESS)
    assert (result.status, result.answered_by) == ("feasible", "exhaustive search")
    assert (result.energy, result.num_violated) == (0, 0)
    assert result.reads <= 1  # it may be found before the first read
    assert result.nodes > 0


def test_annealing_answers_in_its_head_start(monkeypatch):
    monkeypatch.setattr(submit_module, "HEAD_START_S", 60)
    result = solve(8, seed=3)
    assert (result.status, result.answered_by, result.sampler) == ("feasible", "neal", "neal")


def test_a_named_sampler_proves_nothing():
    result = solve(SEARCHED, sampler="neal", num_reads=5)
    assert (result.status, result.answered_by, result.nodes) == ("unknown", None, 0)


def test_a_model_in_another_mode_is_decided_too():
    model = build(SEARCHED, reduce="none", row_column_strength=2, diagonal_strength=3)
    assert solve(model, seed=1).status == "infeasible"


def test_it_is_unknown_only_when_both_have_run_out(monkeypatch):
    asked = []

    def give_up(reduction, should_stop):
        asked.append(reduction)
        return Verdict(Status.UNKNOWN, reason="out of ideas", nodes=7)

    monkeypatch.setattr(proof_module, "prove_reduction", give_up)
    result = solve(SEARCHED, seed=1, num_reads=3)
    assert (result.status, result.answered_by, result.reads) == ("unknown", None, 3)
    assert "3 reads" in result.reason
    assert result.reason.endswith("proof search: out of ideas")
    assert result.nodes == 7
    assert result.placement is not None
    assert len(asked) == 1


def prove_until_stopped(monkeypatch):
    """Replace the proof search by one that never ends by itself; return when it has begun."""
    begun = threading.Event()

    def prove_reduction(reduction, should_stop):
        begun.set()
        while not should_stop():
            threading.Event().wait(0.001)
        return Verdict(Status.UNKNOWN, reason="stopped")

    monkeypatch.setattr(proof_module, "prove_reduction", prove_reduction)
    return begun


def test_the_time_limit_ends_both(monkeypatch):
    prove_until_stopped(monkeypatch)
    result = solve(SEARCHED, seed=1, time_limit=0.2)
    assert result.status == "unknown"
    assert "time limit of 0.2 s reached" in result.reason


def test_without_a_time_limit_the_proof_search_has_its_own(monkeypatch):
    prove_until_stopped(monkeypatch)
    monkeypatch.setattr(submit_module, "PROOF_S", 0.2)
    result = solve(SEARCHED, seed=1, num_reads=3)
    assert (result.status, result.reads) == ("unknown", 3)


def test_ctrl_c_ends_both(monkeypatch):
    begun = prove_until_stopped(monkeypatch)

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    result = solve(SEARCHED, seed=1, num_reads=3)
    thread.join()
    assert result.status == "unknown"
    assert result.reason.startswith("interrupted after ")
    assert result.interrupted


@pytest.mark.usefixtures("at_once")
def test_no_thread_is_left():
    for instance in (Instance(8), SEARCHED, blocked(12, 90, seed=1)):
        solve(instance, seed=1)
    assert not [thread for thread in threading.enumerate() if thread.name == "proof search"]


def test_what_fails_in_the_proof_search_is_not_lost(monkeypatch):
    def fail(reduction, should_stop):
        raise ZeroDivisionError("the search broke")

    monkeypatch.setattr(proof_module, "prove_reduction", fail)
    with pytest.raises(ZeroDivisionError, match="the search broke"):
        solve(SEARCHED, num_reads=3)


def test_a_search_that_is_left_in_its_head_start_does_nothing(monkeypatch):
    monkeypatch.setattr(proof_module, "prove_reduction", None)
    with ProofSearch(reduce(SEARCHED), head_start=60) as proof:
        assert not proof.answered()
    assert proof.verdict is None
