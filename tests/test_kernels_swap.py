"""Swaps on permutations: what the kernels keep must agree with the board, and solve it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import completions, free_cells, solves
from strategies import instances

from qubo_queens import Instance, Placement, generate, verify
from qubo_queens.board.lines import Kind
from qubo_queens.board.reduce import reduce
from qubo_queens.errors import InputError
from qubo_queens.kernels.rng import random_state
from qubo_queens.kernels.swap_columns import (
    ENERGY,
    FIRST,
    WAITING,
    anneal_swaps,
    conflict_free_start,
    given_start,
)
from qubo_queens.samplers.annealers.interface import merged
from qubo_queens.samplers.annealers.swap import (
    START_TRIES,
    SWAP_TRIES,
    SwapBoard,
    default_schedule,
)

COMPILED = (conflict_free_start, given_start, anneal_swaps)
PURE = tuple(kernel.py_func for kernel in COMPILED)

seeds = st.integers(0, 2**64 - 1)


@st.composite
def problems(draw, max_n=9):
    """Draw an instance with as many open rows as open columns, and its problem."""
    instance = draw(instances(1, max_n, max_queens=2))
    queens = instance.queens
    assume(len({row for row, _ in queens}) == len({column for _, column in queens}))
    return instance, problem_of(instance)


def problem_of(instance):
    return SwapBoard.of_reduction(reduce(instance, "lines"))


def default_betas(problem):
    schedule = default_schedule(len(problem.grid.rows))
    return schedule.betas(0, schedule.num_sweeps)


def read(problem, seed, **options):
    """Make a read as the sampler makes it."""
    betas = default_betas(problem)
    return run(problem, seed, betas, tries=(START_TRIES, SWAP_TRIES), **options)[0]


def run(problem, seed, betas, *, avoid=True, target=0, cuts=(), kernels=COMPILED, tries=(20, 5)):
    """Make a read, with the schedule cut into slices; return board, sweeps, trace and generator."""
    avoiding, anyhow, anneal = kernels
    rng = random_state(np.uint64(seed))
    board = problem.empty()
    if avoid:
        avoiding(problem.grid, board, tries[0], rng)
    else:
        columns = np.random.default_rng(seed).permutation(len(board.column_of))
        anyhow(problem.grid, board, columns.astype(np.int32))
    sweeps, traces = 0, []
    for part in np.split(np.asarray(betas, dtype=np.float64), cuts):
        trace = np.full(len(part), -1, np.int64)
        sweeps += anneal(problem.grid, board, tries[1], part, target, rng, trace)
        traces += trace.tolist()
    return board, sweeps, traces, rng


def same(one, other):
    """Tell whether two results of `run` are equal; only the list is compared of its ring."""
    boards = [
        (*board[:4], listed_rows(board), board.tally[[ENERGY, WAITING]])
        for board, *_ in (one, other)
    ]
    return (
        all(np.array_equal(a, b) for a, b in zip(*boards, strict=True))
        and one[1:3] == other[1:3]
        and np.array_equal(one[3], other[3])
    )


def listed_rows(board):
    ring = (board.tally[FIRST] + np.arange(board.tally[WAITING])) % max(len(board.waiting), 1)
    return board.waiting[ring].tolist()


def queens_of(problem, board):
    """Return the queens that move, row position by row position."""
    columns = problem.grid.columns[board.column_of].tolist()
    return list(zip(problem.grid.rows.tolist(), columns, strict=True))


def check(instance, problem, board):
    """Compare all that is kept with the queens, counted from nothing by plain loops."""
    cells = queens_of(problem, board)
    n = instance.n
    assert sorted(board.column_of.tolist()) == list(range(len(cells)))
    assert {r for r, _ in cells}.isdisjoint(r for r, _ in instance.queens)
    assert {c for _, c in cells}.isdisjoint(c for _, c in instance.queens)
    listed = listed_rows(board)
    assert sorted(listed) == np.flatnonzero(board.listed).tolist()
    conflicts = sum(cell in instance.blocked for cell in cells)
    must_wait = {row for row, cell in enumerate(cells) if cell in instance.blocked}
    for kind, sign, offset in ((Kind.SUM, 1, 0), (Kind.DIFFERENCE, -1, n - 1)):
        closed = {r + sign * c for r, c in instance.queens} | {*instance.excluded(kind)}
        counts = Counter(r + sign * c for r, c in cells) + Counter(closed)
        expected = [counts[k - offset] for k in range(2 * n - 1)]
        kept = board.total if kind is Kind.SUM else board.difference
        assert kept.tolist() == expected
        conflicts += sum(k * (k - 1) // 2 for k in expected)
        seen = set(closed)
        for row, (r, c) in enumerate(cells):
            line = r + sign * c
            if line in closed:
                must_wait.add(row)
            elif row not in listed:
                assert line not in seen, "two queens of a diagonal are not listed"
                seen.add(line)
    assert board.tally[ENERGY] == conflicts
    assert must_wait <= set(listed)


def check_answer(instance, problem, board):
    """Compare the placement of a board with its energy and with the verifier."""
    placement = merged(reduce(instance, "lines"), problem.queens(board))
    solved = board.tally[ENERGY] == 0 and not instance.contradictions()
    assert solved == verify(instance, placement).valid == solves(instance, placement.cells)
    moved = set(placement.cells) - set(instance.queens)
    assert set(instance.queens) <= set(placement.cells)
    assert moved == set(queens_of(problem, board)) & set(free_cells(instance, "lines"))


@given(problems(), seeds, st.booleans(), st.integers(-1, 3), st.sampled_from([0.0, 1.0, 3.0]))
def test_what_is_kept_agrees_with_the_queens(drawn, seed, avoid, target, beta):
    _, problem = drawn
    for betas in ([], [beta] * 3, [beta] * 30):
        board, sweeps, trace, _ = run(problem, seed, betas, avoid=avoid, target=target)
        check(*drawn, board)
        check_answer(*drawn, board)
        assert sweeps <= len(betas)
        assert board.tally[ENERGY] <= target or sweeps == len(betas)
        assert all(energy > target for energy in trace[: max(sweeps - 1, 0)])


@given(problems(), seeds, st.data())
def test_given_columns_are_where_the_queens_start(drawn, seed, data):
    _, problem = drawn
    size = len(problem.grid.rows)
    columns = np.array(data.draw(st.permutations(range(size))), np.int32)
    board = problem.empty()
    given_start(problem.grid, board, columns)
    assert board.column_of.tolist() == columns.tolist()
    check(*drawn, board)
    rng, trace = random_state(np.uint64(seed)), np.empty(0, np.int64)
    anneal_swaps(problem.grid, board, 5, np.full(10, 1.0), 0, rng, trace)
    check(*drawn, board)


@given(problems(), seeds)
def test_trace_has_the_energy_after_each_sweep(drawn, seed):
    _, problem = drawn
    _, sweeps, trace, _ = run(problem, seed, [1.0] * 12, target=-1)
    assert sweeps == 12
    for stop in range(1, 13):
        board, *_ = run(problem, seed, [1.0] * stop, target=-1)
        assert trace[stop - 1] == board.tally[ENERGY]


@given(problems(), seeds, st.sets(st.integers(0, 40), max_size=4), st.booleans())
def test_slices_of_a_schedule_give_what_one_call_gives(drawn, seed, cuts, avoid):
    _, problem = drawn
    betas = np.linspace(0.5, 3, 40)
    whole = run(problem, seed, betas, avoid=avoid)
    assert same(whole, run(problem, seed, betas, avoid=avoid, cuts=sorted(cuts)))


@pytest.mark.parametrize("avoid", [True, False])
@pytest.mark.parametrize(
    "instance",
    [
        Instance(1),
        Instance(6),
        generate.blocked(12, 60, seed=1),
        generate.excluded_diagonals(15, 6, seed=2),
        generate.planted(30, 6, seed=3),
    ],
    ids=lambda instance: f"n={instance.n}",
)
def test_pure_python_gives_what_the_compiled_kernels_give(instance, avoid):
    problem = problem_of(instance)
    betas = np.linspace(0.5, 3, 15)
    for seed in (0, 2**64 - 1):
        compiled = run(problem, seed, betas, avoid=avoid, target=-1)
        assert same(compiled, run(problem, seed, betas, avoid=avoid, target=-1, kernels=PURE))


@given(problems(max_n=6), seeds)
def test_solvable_instances_are_solved_and_others_are_not(drawn, seed):
    instance, problem = drawn
    assume(not instance.contradictions())
    solvable = next(completions(instance), None) is not None
    solved = (read(problem, k).tally[ENERGY] == 0 for k in (seed, *range(20)))
    assert any(solved) if solvable else not next(solved)


@pytest.mark.parametrize("n", [1, *range(4, 31), 100, 1000])
def test_plain_boards_are_solved(n):
    problem = problem_of(n)
    for seed in range(5):
        board = read(problem, seed)
        assert board.tally[ENERGY] == 0
        check(Instance(n), problem, board)
        assert verify(n, Placement.from_columns(board.column_of)).valid


@pytest.mark.parametrize("n", [2, 3])
def test_boards_without_a_solution_keep_some_energy(n):
    problem = problem_of(n)
    board, sweeps, _, _ = run(problem, 1, default_betas(problem))
    assert (board.tally[ENERGY], sweeps) == (1, 10_000)


@pytest.mark.parametrize(
    "instance",
    [
        generate.planted(1000, 100, seed=1),
        generate.planted(300, 200, seed=1),
        generate.random_partial(1000, 300, seed=1),
        generate.excluded_diagonals(50, 20, seed=1),
        generate.blocked(100, 2000, seed=1),
    ],
    ids=["planted", "most planted", "partial", "excluded", "blocked"],
)
def test_completions_are_solved(instance):
    problem = problem_of(instance)
    board = read(problem, 1)
    assert board.tally[ENERGY] == 0
    assert verify(instance, merged(reduce(instance, "lines"), problem.queens(board))).valid


@pytest.mark.parametrize("avoid", [True, False])
def test_seeds_give_different_boards_and_the_same_seed_the_same(avoid):
    problem = problem_of(40)

    def columns(seeds):
        return [tuple(read(problem, seed, avoid=avoid).column_of.tolist()) for seed in seeds]

    assert len(set(columns(range(50)))) == 50
    assert columns([7, 7, 7]) == columns([7]) * 3


def test_small_boards_give_every_solution():
    problem = problem_of(6)
    boards = [read(problem, seed) for seed in range(60)]
    found = {tuple(board.column_of.tolist()) for board in boards if board.tally[ENERGY] == 0}
    assert found == set(completions(Instance(6)))


def test_the_start_leaves_few_conflicts():
    board, *_ = run(problem_of(2000), 1, [], tries=(100, 1))
    assert 0 < board.tally[ENERGY] < 40


def test_the_target_stops_a_read_before_energy_zero():
    problem = problem_of(200)
    board, sweeps, _, _ = run(problem, 1, np.full(1000, 4.0), target=50, avoid=False)
    assert 0 < board.tally[ENERGY] <= 50
    assert sweeps < 1000
    check(Instance(200), problem, board)


def test_nothing_to_swap():
    problem = problem_of(Instance(4, enumerate([1, 3, 0, 2])))
    board, sweeps, _, _ = run(problem, 1, np.full(5, 2.0))
    assert (board.tally[ENERGY], sweeps) == (0, 0)
    assert [part.tolist() for part in problem.queens(board)] == [[], []]


def test_rows_and_columns_that_cannot_be_matched_are_refused():
    with pytest.raises(InputError, match="as many open rows as open columns, not 4 and 3"):
        problem_of(Instance(5, [(0, 0), (0, 2)]))


def test_kept_attacked_cells_make_no_difference():
    instance = Instance(7, [(1, 2)], blocked=[(0, 0)], excluded_sums=[9])
    closed, kept = problem_of(instance), SwapBoard.of_reduction(reduce(instance, "none"))
    for one, other in zip(closed.grid, kept.grid, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(closed.closed_total, kept.closed_total)
    assert np.array_equal(closed.closed_difference, kept.closed_difference)


def test_small_boards_start_hot_and_large_ones_cold():
    starts = [default_schedule(size).first for size in (0, 1, 8, 20, 50, 100, 10**7)]
    assert starts == sorted(starts)
    assert (starts[0], starts[-1]) == (1.5, 4.0)
