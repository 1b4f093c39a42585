"""solve(): verdicts, budgets, seeds, and what it refuses."""

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from types import MappingProxyType

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qubo_queens
from qubo_queens import Instance, Placement, Status, build, solve, verify
from qubo_queens.errors import (
    InputError,
    InputTypeError,
    MismatchError,
    ModelTooLargeError,
    ParameterError,
)
from qubo_queens.generate import excluded_diagonals, planted

ALL_CELLS_OF_4 = [(r, c) for r in range(4) for c in range(4)]
HOPELESS = Instance(4, [(0, 0)])  # no contradiction, and no completion


def assert_consistent(instance, result):
    """What every result must satisfy."""
    if result.status is Status.FEASIBLE:
        assert verify(instance, result.placement).valid
        assert result.energy == 0
        assert result.reason is None
        assert result.violations == ()
    else:
        assert result.reason
    if result.placement is not None:
        assert set(instance.queens) <= set(result.placement.cells)
        assert result.violations == verify(instance, result.placement).violations
    assert (result.certificate is not None) == (result.status is Status.INFEASIBLE)
    assert set(result.timing) == {"reduce_s", "build_s", "sample_s", "verify_s", "total_s"}
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_result_is_consistent(data):
    n = data.draw(st.integers(1, 7))
    cells = st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4)
    instance = Instance(n, data.draw(cells), blocked=data.draw(cells))
    mode = data.draw(st.sampled_from(["none", "lines"]))
    assert_consistent(instance, solve(instance, reduce=mode, seed=1, num_reads=20))


@pytest.mark.parametrize("n", [1, 4, 5, 6, 7, 8, 13, 20, 33])
def test_u47_defaults_solve_plain_boards(n):
    result = solve(n)
    assert_consistent(Instance(n), result)
    assert result.status == "feasible"


def test_u47_defaults_make_many_reads_before_they_give_up():
    result = solve(HOPELESS, sampler="neal")
    assert (result.status, result.reads) == ("unknown", 10_000)
    assert "10,000 reads" in result.reason


@pytest.mark.parametrize("seed", range(5))
def test_defaults_solve_planted_boards(seed):
    for instance in (planted(30, 8, seed=seed), excluded_diagonals(12, 22, seed=seed)):
        result = solve(instance, seed=seed)
        assert_consistent(instance, result)
        assert result.status == "feasible"


def test_u20_the_default_diagonal_strength_is_easier_than_a_smaller_or_larger_one():
    def solved(strength):
        model = build(20, diagonal_strength=strength)
        sampler = qubo_queens.get_sampler("neal")
        found = sampler.sample(model.bqm, num_reads=40, num_sweeps=300, seed=11)
        return sum(model.num_violated(sample) == 0 for sample in found.samples())

    by_default, by_one, by_half, by_eight = solved(2), solved(1), solved(0.5), solved(8)
    assert by_default > by_one > by_half
    assert by_default >= by_eight > by_one
    assert build(20).strengths.diagonal == 2 * build(20).strengths.row_column


@pytest.mark.parametrize(
    ("n", "status"), [(1, "feasible"), (2, "infeasible"), (3, "infeasible"), (4, "feasible")]
)
def test_u70_small_boards(n, status):
    result = solve(n)
    assert result.status == status
    if n in (2, 3):
        assert result.reads == 0
        assert "do not fit" in result.reason


@pytest.mark.parametrize(
    ("n", "error"),
    [
        (0, ValueError),
        (-4, ValueError),
        (True, TypeError),
        (4.0, TypeError),
        ("8", TypeError),
        (None, TypeError),
    ],
)
def test_u70_what_is_no_board_size(n, error):
    with pytest.raises(error, match="board size"):
        solve(n)


@pytest.mark.parametrize("mode", ["none", "lines"])
def test_u25_contradictions_are_answered_without_sampling(mode):
    result = solve(Instance(4, [(0, 0), (1, 1)]), reduce=mode)
    assert (result.status, result.reads, result.seed) == ("infeasible", 0, None)
    assert "(0, 0), (1, 1) attack each other on r - c = 0" in result.reason
    assert result.certificate.kind == "contradiction"
    assert result.to_dict()["columns"] is None


@pytest.mark.parametrize(
    "instance",
    [
        Instance(5, [(0, 0)], blocked=[(0, 0)]),
        Instance(5, [(1, 3)], excluded_sums=[4]),
        Instance(5, [(1, 3)], excluded_differences=[-2]),
        Instance(5, blocked=[(2, c) for c in range(5)]),
        Instance(5, blocked=[(r, 3) for r in range(5)]),
    ],
)
def test_forbidden_queens_and_empty_lines_are_infeasible_with_a_reason(instance):
    result = solve(instance)
    assert_consistent(instance, result)
    assert result.status == "infeasible"


@pytest.mark.parametrize(
    ("instance", "line"),
    [
        (Instance(5, blocked=[(2, c) for c in range(5)]), "row 2"),
        (Instance(6, blocked=[(r, 3) for r in range(6)]), "column 3"),
        (Instance(5, [(0, 0)], blocked=[(1, 2), (1, 3), (1, 4)]), "row 1"),
    ],
)
def test_an_empty_row_or_column_is_named(instance, line):
    assert solve(instance).reason.startswith(f"{line} has no free cell")


def test_u35_boards_without_a_free_cell_are_answered_without_sampling():
    complete = solve(Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)]))
    assert (complete.status, complete.reads, complete.energy) == ("feasible", 0, 0)
    assert complete.placement.columns == (1, 3, 0, 2)
    full = solve(Instance(4, blocked=ALL_CELLS_OF_4))
    assert (full.status, full.reads, full.energy) == ("infeasible", 0, 8)
    assert full.num_variables == 0


def test_u27_a_hopeless_board_is_unknown_and_never_infeasible_by_sampling():
    result = solve(HOPELESS, sampler="neal", seed=1, num_reads=50)
    assert (result.status, result.reads, result.energy) == ("unknown", 50, 2)
    assert "50 reads" in result.reason
    assert "energy 2" in result.reason
    assert "does not prove" in result.reason


def test_nauck_1850():
    instance = Instance(8, [(3, 3), (4, 1)])
    solutions = {(4, 6, 0, 3, 1, 7, 5, 2), (4, 0, 7, 3, 1, 6, 2, 5)}
    found = {solve(instance, seed=seed).placement.columns for seed in range(20)}
    assert found == solutions


def test_u33_prescribed_queens_are_on_every_board():
    for seed in range(10):
        result = solve(Instance(8, [(0, 3)]), seed=seed)
        assert (0, 3) in result.placement.cells
        assert len(result.placement) == 8


SAME_SAMPLES = """
import sys, hashlib
from qubo_queens import Instance, solve
queens = [(0, 3), (1, 5)]
if sys.argv[1] == "reversed":
    queens.reverse()
result = solve(Instance(8, queens), seed=7, num_reads=8, keep_samples=True)
record = result.sampleset.record
print(hashlib.sha256(record.sample.tobytes()).hexdigest(), list(result.sampleset.variables))
"""


def test_u43_same_seed_same_samples_whatever_the_order_and_hash_seed():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SAME_SAMPLES, order],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for order in ("given", "reversed")
        for hash_seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_the_seed_is_recorded_and_repeats_the_run():
    first = solve(HOPELESS, sampler="neal", num_reads=9, keep_samples=True)
    again = solve(HOPELESS, sampler="neal", num_reads=9, keep_samples=True, seed=first.seed)
    assert (first.sampleset.record.sample == again.sampleset.record.sample).all()
    other = solve(12, seed=first.seed + 1).placement
    assert other != solve(12, seed=first.seed + 2).placement


def test_u45_unknown_keywords_are_refused_with_the_known_ones():
    with pytest.raises(TypeError, match=r"no parameter chain_strength; .*num_sweeps"):
        solve(4, chain_strength=2)
    with pytest.raises(ParameterError, match="num_sweep;"):
        solve(HOPELESS, num_sweep=3)
    with pytest.raises(ParameterError, match="no parameter num_sweeps; its parameters are none"):
        solve(4, sampler=dimod.ExactSolver(), num_sweeps=3)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"num_reads": 0},
        {"time_limit": 0},
        {"time_limit": float("nan")},
        {"time_limit": float("inf")},
        {"target_energy": -1},
        {"target_energy": float("nan")},
        {"sampler": "quantum"},
        {"encoding": "qudit"},
        {"reduce": "magic"},
        {"row_column_strength": 0},
        {"diagonal_strength": float("nan")},
        {"diagonal_strength": 0},
        {"num_sweeps": -5},
        {"num_sweeps": "many"},
        {"beta_range": (float("nan"), 2)},
        {"beta_range": [1]},
    ],
)
def test_values_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        solve(6, **options)


@pytest.mark.parametrize(
    "options",
    [{"seed": 1.5}, {"num_reads": True}, {"time_limit": "1"}, {"sampler": 3}, {"sampler": None}],
)
def test_values_of_a_wrong_type_are_refused(options):
    with pytest.raises(InputTypeError):
        solve(6, **options)


def test_a_built_model_keeps_its_own_options():
    model = build(6, diagonal_strength=3)
    assert solve(model, seed=1).status == "feasible"
    with pytest.raises(InputTypeError, match="already built and also diagonal_strength"):
        solve(model, diagonal_strength=2)


def test_u05_energy_zero_and_an_invalid_board_is_an_error_with_both_facts():
    rooks = build(4, diagonal_strength=0, relaxation="rooks")
    diagonal = Placement.from_columns([0, 1, 2, 3])

    class Diagonal(dimod.Sampler):
        parameters = MappingProxyType({})
        properties = MappingProxyType({})

        def sample(self, bqm):
            return dimod.SampleSet.from_samples_bqm([rooks.encode(diagonal)], bqm)

    with pytest.raises(MismatchError, match=r"energy 0 .* r - c = 0 has 4 queens") as caught:
        solve(rooks, sampler=Diagonal())
    assert caught.value.placement == diagonal
    assert caught.value.energy == 0
    assert not caught.value.verification.valid
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_verifier_has_the_last_word_on_a_faulty_model(monkeypatch):
    from qubo_queens.encodings.cell import CellModel

    monkeypatch.setattr(CellModel, "placement_violations", lambda self, placement: ())
    with pytest.raises(MismatchError, match="but the verifier finds"):
        solve(HOPELESS, sampler="neal", num_reads=1)


def test_u56_a_time_limit_ends_a_large_budget_after_the_read_under_way():
    calls = []
    result = solve(
        HOPELESS, sampler="neal", num_reads=10**6, time_limit=0.05, progress=calls.append
    )
    assert result.status == "unknown"
    assert 1 <= result.reads < 10**6
    assert result.placement is not None
    assert "time limit of 0.05 s" in result.reason
    assert calls[-1].reads == result.reads
    assert calls[-1].energy == result.energy


def test_u56_a_time_limit_that_is_over_at_once_still_allows_one_read():
    result = solve(12, time_limit=1e-9, seed=1)
    assert result.reads == 1


def test_a_time_limit_holds_for_samplers_that_cannot_be_interrupted():
    result = solve(HOPELESS, sampler="steepest-descent", num_reads=10**6, time_limit=0.05)
    assert 1 <= result.reads < 10**6


@pytest.fixture
def sigint():
    """The usual handling of Ctrl-C, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_the_model_is_built_is_no_board(sigint, monkeypatch):
    from qubo_queens.encodings.cell import CellModel

    def press_ctrl_c(model):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(CellModel, "_make_bqm", press_ctrl_c)
    result = solve(8)
    assert (result.status, result.reads, result.placement) == ("unknown", 0, None)
    assert result.reason == "interrupted after 0 reads"
    json.dumps(result.to_dict())


@pytest.mark.parametrize("sampler", ["neal", "steepest-descent"])
def test_u56_ctrl_c_returns_the_best_board_so_far(sigint, sampler):
    def press_ctrl_c(progress):
        signal.raise_signal(signal.SIGINT)

    result = solve(HOPELESS, sampler=sampler, num_reads=10**6, progress=press_ctrl_c)
    assert result.status == "unknown"
    assert result.reason.startswith("interrupted after 1 read;")
    assert result.placement is not None


def test_u56_ctrl_c_while_compiled_code_runs(sigint):
    presses = []

    def press_once():
        if not presses:
            presses.append(1)
            signal.raise_signal(signal.SIGINT)
        return False

    result = solve(HOPELESS, sampler="neal", num_reads=10**6, interrupt_function=press_once)
    assert result.reason.startswith("interrupted after 1 read;")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_solve_works_outside_the_main_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(solve(8, seed=3)))
    thread.start()
    thread.join()
    assert results[0].status == "feasible"


def test_keep_samples_keeps_all_reads():
    result = solve(HOPELESS, sampler="neal", num_reads=11, keep_samples=True, seed=4)
    assert result.sampleset.record.num_occurrences.sum() == result.reads == 11
    assert result.sampleset.first.energy == result.energy
    assert solve(8).sampleset is None


def test_any_dimod_sampler_can_be_given():
    exact = solve(Instance(5, [(0, 0)]), sampler=dimod.ExactSolver())
    assert (exact.status, exact.sampler, exact.seed) == ("feasible", "ExactSolver", None)
    assert solve(8, sampler=dimod.TrackingComposite(qubo_queens.get_sampler("neal"))).seed


def test_strengths_that_are_not_integers_are_judged_by_violations():
    result = solve(10, row_column_strength=0.1, diagonal_strength=0.3, seed=1)
    assert (result.status, result.energy) == ("feasible", 0)


def test_a_positive_target_energy_does_not_accept_broken_constraints():
    result = solve(HOPELESS, sampler="neal", target_energy=100, num_reads=20)
    assert (result.status, result.reads) == ("unknown", 20)


def test_a_model_too_large_for_this_machine_is_refused_before_it_is_built():
    with pytest.raises(ModelTooLargeError, match=r"1,666,466,670,000 interactions"):
        solve(10_000, sampler="neal")


def test_u40_the_unique_board_of_hard_excluded_diagonals():
    instance = Instance(
        8,
        excluded_sums=[0, 1, 2, 9, 10, 13, 14],
        excluded_differences=[-7, -6, -3, 1, 2, 6, 7],
    )
    for seed in range(10):
        assert solve(instance, seed=seed).placement.columns == (5, 2, 6, 3, 0, 7, 1, 4)


def test_u29_a_unique_completion():
    result = solve(Instance(8, [(2, 2), (5, 3)]))
    assert str(result.placement).splitlines() == [
        "......Q.",
        "Q.......",
        "..Q.....",
        ".......Q",
        ".....Q..",
        "...Q....",
        ".Q......",
        "....Q...",
    ]


def test_u62_a_unique_completion():
    assert solve(Instance(4, [(0, 1), (3, 2)])).placement.columns == (1, 3, 0, 2)


def test_numpy_numbers_are_numbers():
    result = solve(np.int64(6), seed=np.int64(1), num_reads=np.int32(50), time_limit=np.float64(9))
    assert result.status == "feasible"
    json.dumps(result.to_dict())


def test_a_result_in_one_line_and_as_a_picture():
    result = solve(Instance(8, [(0, 3)], blocked=[(7, 7)]), seed=5)
    assert re.fullmatch(
        r"feasible in \d+\.\d\d s; cell encoding, 41 variables, \d+ interactions; "
        r"neal, 1 read, seed 5",
        str(result),
    )
    picture = result._repr_svg_()
    assert picture.count("#9a2617") == 1  # the prescribed queen
    assert picture.count("#1d1b18") == 7
    assert picture.count("#55504a") == 1  # the blocked cell
    assert picture in result._repr_html_()
    assert solve(2)._repr_svg_() is None
    assert str(solve(2)).endswith(
        "no sampling needed; 2 non-attacking queens do not fit on a 2 x 2 board"
    )
    assert hash(result)
