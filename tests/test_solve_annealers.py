"""solve() with our own annealers: no BQM is made, and auto picks by size and shape."""

import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from qubo_queens import Instance, Placement, build, generate, get_sampler, solve, verify
from qubo_queens.encodings.cell import CellModel
from qubo_queens.errors import ParameterError
from qubo_queens.samplers.annealers import task as task_module
from qubo_queens.samplers.annealers.flip import FlipSampler, LineTask
from qubo_queens.samplers.annealers.swap import SwapSampler, SwapTask
from qubo_queens.solving.choice import suitable_sampler

OURS = ["flip", "swap"]


@pytest.fixture
def no_bqm(monkeypatch):
    def refuse(self):
        raise AssertionError("a BQM was made")

    monkeypatch.setattr(CellModel, "_make_bqm", refuse)


@pytest.mark.parametrize(
    "sampler",
    [*OURS, FlipSampler(), SwapSampler()],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
@pytest.mark.parametrize("n", [1, 4, 8, 60, 500])
def test_boards_are_solved_without_a_bqm(no_bqm, sampler, n):
    result = solve(n, sampler=sampler, seed=n)
    assert result.status == "feasible"
    assert verify(n, result.placement).valid
    assert result.energy == 0


@pytest.mark.parametrize("sampler", OURS)
def test_prescribed_queens_are_merged_and_forbidden_cells_stay_empty(no_bqm, sampler):
    for instance in (
        generate.planted(40, 15, seed=1),
        generate.excluded_diagonals(30, 15, seed=2),
        generate.blocked(30, 500, seed=3),
    ):
        result = solve(instance, sampler=sampler, seed=1)
        assert result.status == "feasible"
        assert verify(instance, result.placement).valid


@pytest.mark.parametrize("sampler", OURS)
def test_same_seed_same_result(sampler):
    instance = generate.excluded_diagonals(18, 34, seed=5)
    first, second = (solve(instance, sampler=sampler, seed=9, num_reads=40) for _ in range(2))
    assert (first.placement, first.reads) == (second.placement, second.reads)
    third = solve(instance, sampler=sampler, seed=9, num_reads=40, num_threads=1)
    assert (first.placement, first.reads) == (third.placement, third.reads)


def test_two_seeds_give_two_boards():
    assert len({solve(200, sampler="flip", seed=seed).placement for seed in range(5)}) == 5


@pytest.mark.parametrize("sampler", OURS)
def test_hopeless_boards_stay_unknown_within_the_budget(sampler):
    instance = Instance(6, queens=[(0, 0)])  # has no completion, which lines alone do not show
    result = solve(instance, sampler=sampler, num_reads=30, num_sweeps=50, seed=1)
    assert (result.status, result.reads) == ("unknown", 30)
    assert result.energy > 0
    assert result.num_violated > 0
    assert "no valid board in 30 reads" in result.reason


@pytest.mark.parametrize("sampler", OURS)
def test_u56_the_time_limit_cuts_a_read_short(sampler):
    instance = Instance(6, queens=[(0, 0)])
    options = {"num_sweeps": 10**9, "num_reads": 10**6, "time_limit": 0.2, "seed": 1}
    result = solve(instance, sampler=sampler, **options)
    assert result.status == "unknown"
    assert 1 <= result.reads <= 4
    assert "time limit of 0.2 s" in result.reason


@pytest.mark.parametrize("sampler", OURS)
def test_samples_are_kept_on_request(sampler):
    result = solve(Instance(6, [(0, 0)]), sampler=sampler, num_reads=7, keep_samples=True, seed=2)
    assert len(result.sampleset) == 7
    model = build(Instance(6, [(0, 0)]))
    assert model.bqm.energies(result.sampleset).tolist() == result.sampleset.record.energy.tolist()


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        (8, "neal"),
        (50, "neal"),
        (51, "flip"),
        (1000, "flip"),
        (1001, "swap"),
        (10**6, "swap"),
        (generate.planted(60, 30, seed=1), "neal"),
        (generate.planted(200, 20, seed=1), "flip"),
        (generate.planted(3000, 200, seed=1), "swap"),
        (generate.excluded_diagonals(10, 18, seed=1), "neal"),
        (generate.excluded_diagonals(21, 40, seed=1), "flip"),
        (generate.blocked(20, 10, seed=1), "flip"),
        (generate.blocked(2000, 10, seed=1), "swap"),
        (generate.excluded_diagonals(2000, 3000, seed=1), "flip"),
    ],
    ids=str,
)
def test_auto_picks_by_size_and_shape(instance, expected):
    assert suitable_sampler(build(instance)) == expected


def test_auto_leaves_strengths_without_a_common_unit_to_neal():
    model = build(60, row_column_strength=1, diagonal_strength=2**0.5)
    assert suitable_sampler(model) == "neal"


def test_auto_says_who_answered():
    assert solve(300, seed=1).sampler == "flip"
    assert solve(2000, seed=1).sampler == "swap"


def test_a_large_board_is_printed_as_columns_that_verify_reads(tmp_path, run):
    code, out, _ = run("solve", "3000", "--seed", "1")
    assert code == 0
    first, last = out.splitlines()
    assert Placement.from_columns(map(int, first.split())).n == 3000
    assert last == "violated constraints = 0"
    (tmp_path / "answer.txt").write_text(out)
    assert run("verify", str(tmp_path / "answer.txt"))[0] == 0


def test_small_boards_do_not_load_the_compiler():
    script = (
        "import sys; from qubo_queens import solve; from qubo_queens.solving import submit;"
        "submit.HEAD_START_S = 60;"
        "assert solve(8).status == 'feasible';"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("sampler", ["flip", "swap"])
def test_compiling_kernels_does_not_count_to_the_time_limit(monkeypatch, sampler):
    """As in the first call after an installation, here with a compiler that only takes time."""
    of_solve = get_sampler(sampler)
    task = {"flip": LineTask, "swap": SwapTask}[sampler]

    def rehearse(self):
        end = time.perf_counter() + 0.3
        while time.perf_counter() < end:
            pass

    monkeypatch.setattr(task, "rehearse", rehearse)
    for call in (
        lambda: solve(60, sampler=sampler, seed=1, time_limit=0.25).energy,
        lambda: of_solve.anneal(60, seed=1, target_energy=0, time_limit=0.25).energies[0],
    ):
        monkeypatch.setattr(task_module, "_loaded", set())
        assert call() == 0


def test_a_larger_target_does_not_stop_reads_early():
    for target in (0, 4, 20):
        result = solve(60, sampler="flip", seed=1, num_reads=100, target_energy=target)
        assert (result.status, result.reads) == ("feasible", 1)


def test_solve_refuses_to_note_traces_that_it_would_lose():
    with pytest.raises(ParameterError, match="`solve` returns no traces"):
        solve(8, sampler="flip", trace_interval=1)


@pytest.mark.parametrize("sampler", ["flip", "swap"])
def test_ctrl_c_while_kernels_are_compiled_ends_the_search(monkeypatch, sampler):
    """A compiler that calls back from machine code swallows what is raised in it."""
    task = {"flip": LineTask, "swap": SwapTask}[sampler]

    def rehearse(self):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(task, "rehearse", rehearse)
    monkeypatch.setattr(task_module, "_loaded", set())
    result = solve(Instance(60), sampler=sampler, seed=1)
    assert (result.status, result.reads) == ("unknown", 0)
    assert "interrupted" in result.reason
