"""Seeded instances: reproducible, in range, and with the hidden solution they promise."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import attacking_pairs, completions, solves

from qubo_queens import Instance, Placement, Status, generate, prove, verify
from qubo_queens.errors import QueensError
from qubo_queens.generate import (
    LARGEST_SIZE,
    blocked,
    corner_packed,
    excluded_diagonals,
    planted,
    random_partial,
    random_placement,
)

seeds = st.integers(0, 2**63 - 1)
solvable = st.integers(1, 16).filter(lambda n: n not in (2, 3))


@given(solvable, seeds)
def test_a_random_placement_is_a_solution(n, seed):
    assert solves(Instance(n), random_placement(n, seed=seed).cells)


@pytest.mark.parametrize("n", [50, 500, 6_000])
def test_large_boards_are_solved(n):
    assert verify(n, random_placement(n, seed=n))


@pytest.mark.parametrize("n", [1, 4, 5, 6])
def test_every_solution_of_a_small_board_comes_up(n):
    found = {random_placement(n, seed=seed).columns for seed in range(100)}
    assert found == set(completions(Instance(n)))


@given(st.data(), st.integers(1, 30), seeds)
def test_random_partial_queens_do_not_attack_each_other(data, n, seed):
    k = data.draw(st.integers(0, n // 2))
    instance = random_partial(n, k, seed=seed)
    assert (instance.n, len(instance.queens)) == (n, k)
    assert not attacking_pairs(instance.queens)
    assert instance == Instance(n, instance.queens)


def test_random_partial_boards_reach_every_set_of_queens():
    found = {random_partial(4, 2, seed=seed).queens for seed in range(1_000)}
    cells = [(r, c) for r in range(4) for c in range(4)]
    pairs = {(a, b) for a in cells for b in cells if a < b and not attacking_pairs([a, b])}
    assert found == pairs


@pytest.mark.parametrize(("n", "k", "best"), [(2, 2, 1), (3, 3, 2)])
def test_random_partial_gives_up_on_the_impossible(n, k, best):
    with pytest.raises(ValueError, match=rf"{k=} .* n={n} reached only {best}; .*planted"):
        random_partial(n, k, seed=0)


def test_random_partial_tries_again(monkeypatch):
    monkeypatch.setattr(generate, "PARTIAL_ATTEMPTS", 1)
    reached = 0
    for seed in range(50):
        try:
            reached += len(random_partial(6, 6, seed=seed).queens) == 6
        except QueensError:
            continue
    assert 0 < reached < 50
    monkeypatch.undo()
    assert all(len(random_partial(6, 6, seed=seed).queens) == 6 for seed in range(50))


@given(st.data(), st.integers(1, 40), seeds)
def test_corner_packed_queens_do_not_attack_each_other(data, n, seed):
    k = data.draw(st.integers(0, n // 2))
    instance = corner_packed(n, k, seed=seed)
    assert (instance.n, len(instance.queens)) == (n, k)
    assert not attacking_pairs(instance.queens)
    assert instance == Instance(n, instance.queens)


@given(st.data(), st.integers(1, 60), seeds)
def test_corner_packed_queens_are_shared_out_to_the_corners(data, n, seed):
    k = data.draw(st.integers(0, n // 4))
    queens = corner_packed(n, k, seed=seed).queens
    for rows in (range(k), range(n - k, n)):
        for columns in (range(k), range(n - k, n)):
            assert k // 4 <= sum(r in rows and c in columns for r, c in queens) <= -(-k // 4)


@given(st.integers(4, 40), seeds)
def test_the_first_corner_packed_queens_touch_the_corners(n, seed):
    (queen,) = corner_packed(n, 1, seed=seed).queens
    assert set(queen) <= {0, n - 1}
    distances = [
        max(min(r, n - 1 - r), min(c, n - 1 - c)) for r, c in corner_packed(n, 2, seed=seed).queens
    ]
    assert sorted(distances) in ([0, 0], [0, 1])


@pytest.mark.parametrize("n", [8, 9, 10, 11])
def test_corner_packed_boards_are_decided_as_by_brute_force(n):
    found = set()
    for seed in range(3):
        for k in range(2, n // 2 + 1):
            instance = corner_packed(n, k, seed=seed)
            feasible = next(iter(completions(instance)), None) is not None
            assert prove(instance).status == ("feasible" if feasible else "infeasible")
            found.add(feasible)
    assert found == {True, False}


@pytest.mark.parametrize(("n", "k"), [(16, 6), (24, 8), (32, 12), (64, 30)])
def test_with_a_third_of_the_queens_in_the_corners_there_is_no_completion(n, k):
    result = prove(corner_packed(n, k, seed=1))
    assert result.status is Status.INFEASIBLE


@pytest.mark.parametrize("n", [20, 24, 28])
def test_with_a_quarter_of_the_queens_in_the_corners_there_is_a_completion(n):
    instance = corner_packed(n, n // 4, seed=2)
    assert solves(instance, prove(instance).placement.cells)


def test_corner_packed_gives_up_where_no_cell_is_left():
    with pytest.raises(QueensError, match=r"k=12 non-attacking queens in the corners on n=12"):
        corner_packed(12, 12, seed=0)


@given(st.data(), solvable, seeds)
def test_planted_queens_belong_to_the_hidden_solution(data, n, seed):
    k = data.draw(st.integers(0, n))
    instance = planted(n, k, seed=seed)
    assert len(instance.queens) == k
    assert instance == Instance(n, instance.queens)
    assert solves(instance, random_placement(n, seed=seed).cells)


@given(st.data(), solvable, seeds)
def test_planted_diagonals_spare_the_hidden_solution(data, n, seed):
    m = data.draw(st.integers(0, 2 * n - 2))
    instance = excluded_diagonals(n, m, seed=seed)
    assert len(instance.excluded_sums) + len(instance.excluded_differences) == m
    assert not instance.queens
    assert not instance.blocked
    assert solves(instance, random_placement(n, seed=seed).cells)


@pytest.mark.parametrize("n", [10, 20, 30], ids="U42-n{}".format)
@pytest.mark.parametrize("seed", range(3))
def test_all_diagonals_but_those_of_a_hidden_solution_can_be_excluded(n, seed):
    instance = excluded_diagonals(n, 2 * n - 2, seed=seed)
    assert len(instance.excluded_sums) + len(instance.excluded_differences) == 2 * n - 2
    assert verify(instance, random_placement(n, seed=seed))


@given(st.data(), solvable, seeds)
def test_planted_blocked_cells_spare_the_hidden_solution(data, n, seed):
    m = data.draw(st.integers(0, n * n - n))
    instance = blocked(n, m, seed=seed)
    assert len(instance.blocked) == m
    assert instance == Instance(n, blocked=instance.blocked)
    assert solves(instance, random_placement(n, seed=seed).cells)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_without_a_hidden_solution_everything_can_be_taken(n):
    instance = excluded_diagonals(n, 4 * n - 2, seed=0, planted=False)
    assert instance.excluded_sums == tuple(range(2 * n - 1))
    assert instance.excluded_differences == tuple(range(1 - n, n))
    assert len(blocked(n, n * n, seed=0, planted=False).blocked) == n * n


def test_without_a_hidden_solution_every_cell_and_diagonal_can_come_up():
    drawn = [blocked(3, 1, seed=seed, planted=False).blocked[0] for seed in range(200)]
    assert set(drawn) == {(r, c) for r in range(3) for c in range(3)}
    both = [excluded_diagonals(3, 1, seed=seed, planted=False) for seed in range(200)]
    assert {s for i in both for s in i.excluded_sums} == set(range(5))
    assert {d for i in both for d in i.excluded_differences} == set(range(-2, 3))


def test_few_blocked_cells_of_a_huge_board_need_no_list_of_cells():
    assert len(blocked(LARGEST_SIZE, 5, seed=3, planted=False).blocked) == 5


MAKERS = {
    "partial": lambda seed: random_partial(12, 6, seed=seed),
    "placement": lambda seed: random_placement(12, seed=seed),
    "planted": lambda seed: planted(12, 6, seed=seed),
    "corner-packed": lambda seed: corner_packed(16, 6, seed=seed),
    "diagonals": lambda seed: excluded_diagonals(12, 20, seed=seed),
    "any diagonals": lambda seed: excluded_diagonals(12, 20, seed=seed, planted=False),
    "blocked": lambda seed: blocked(12, 30, seed=seed),
    "any blocked": lambda seed: blocked(12, 30, seed=seed, planted=False),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_seed_decides(make):
    assert make(7) == make(np.int64(7))
    assert len({make(seed) for seed in range(20)}) > 15


_PRINT_ALL = """
from qubo_queens.generate import *
print(random_partial(12, 6, seed=7), random_placement(12, seed=7), planted(12, 6, seed=7))
print(corner_packed(12, 6, seed=7))
for choice in ({}, {"planted": False}):
    print(excluded_diagonals(12, 20, seed=7, **choice), blocked(12, 30, seed=7, **choice))
"""


def test_the_seed_decides_in_every_process():
    printed = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_ALL],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().count("Instance(") == 7


WITH_NUMBER = [random_partial, planted, corner_packed, excluded_diagonals, blocked]
ALL_MAKERS = [*WITH_NUMBER, lambda n, _, seed: random_placement(n, seed=seed)]


@pytest.mark.parametrize("make", WITH_NUMBER)
@pytest.mark.parametrize("n", [1, 4, 9])
def test_numbers_out_of_range_are_value_errors(make, n):
    most = {"excluded_diagonals": 2 * n - 2, "blocked": n * n - n}.get(make.__name__, n)
    for number in (-1, most + 1):
        with pytest.raises(ValueError, match=rf"= {number} is outside 0\.\.{most} \(n={n}"):
            make(n, number, seed=0)


@pytest.mark.parametrize(("make", "most"), [(excluded_diagonals, 14), (blocked, 16)])
def test_numbers_out_of_range_without_a_hidden_solution(make, most):
    with pytest.raises(ValueError, match=rf"= 17 is outside 0\.\.{most} \(n=4\)$"):
        make(4, 17, seed=0, planted=False)
    with pytest.raises(ValueError, match=r"beside a hidden solution; planted=False allows more"):
        make(4, most, seed=0)


@pytest.mark.parametrize("make", [planted, excluded_diagonals, blocked, ALL_MAKERS[-1]])
@pytest.mark.parametrize("n", [2, 3], ids="U70-n{}".format)
def test_no_solution_can_be_hidden_on_boards_of_two_and_three(make, n):
    with pytest.raises(ValueError, match=f"n = {n} has no solution; choose 1 or at least 4"):
        make(n, 0, seed=0)


@pytest.mark.parametrize("make", ALL_MAKERS)
@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_out_of_range_are_value_errors(make, seed):
    with pytest.raises(ValueError, match=r"seed .* is outside 0\.\.9223372036854775807"):
        make(4, 2, seed=seed)


@pytest.mark.parametrize("make", ALL_MAKERS)
@pytest.mark.parametrize(
    "wrong",
    [{"seed": None}, {"seed": 1.0}, {"seed": True}, {"seed": "1"}, {"n": 4.0}, {"n": True}],
    ids=str,
)
def test_arguments_that_are_no_integers_are_type_errors(make, wrong):
    arguments = {"n": 4, "seed": 0} | wrong
    with pytest.raises(TypeError, match="must be an integer, not") as caught:
        make(arguments["n"], 2, seed=arguments["seed"])
    assert isinstance(caught.value, QueensError)


@pytest.mark.parametrize("make", WITH_NUMBER)
@pytest.mark.parametrize("number", [2.0, None, "2", True])
def test_numbers_that_are_no_integers_are_type_errors(make, number):
    with pytest.raises(TypeError, match="must be an integer, not"):
        make(4, number, seed=0)


def test_one_queen_fits_on_one_cell():
    assert random_placement(1, seed=0) == Placement(1, [(0, 0)])
    assert planted(1, 1, seed=0) == random_partial(1, 1, seed=0) == Instance(1, [(0, 0)])
    assert blocked(1, 0, seed=0) == excluded_diagonals(1, 0, seed=0) == Instance(1)
