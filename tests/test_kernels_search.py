"""The search kernel: all solutions, however it is sliced, and refutations that can be checked."""

from itertools import combinations

import numba
import numpy as np
import pytest
from dratify import check_proof, parse_dimacs
from hypothesis import given
from hypothesis import strategies as st
from oracles import attacks, completions, solves
from strategies import instances

from qubo_queens import Instance, generate, reduce
from qubo_queens.errors import InputError, ProofError
from qubo_queens.exact import board_search
from qubo_queens.exact.board_search import BoardSearch, refutation
from qubo_queens.kernels import exhaustive
from qubo_queens.kernels.bitboard import lowest, popcount

EVERYTHING = 2**60


def never():
    return False


def open_instances(**options):
    """Draw an instance without contradictions, and with an open row."""
    return instances(**options).filter(
        lambda instance: len(instance.queens) < instance.n and not instance.contradictions()
    )


def search_of(instance, **options):
    return BoardSearch(reduce(instance, "lines"), **options)


def all_boards(search, nodes=EVERYTHING):
    """Run a search to its end, one solution at a time; the boards as lists of columns."""
    found = []
    while not search.exhausted:
        before = search.found
        search.advance(nodes, 1)
        if search.found > before:
            found.append(tuple(search.columns()[0].tolist()))
    return found


@given(st.integers(1, 2**64 - 1))
def test_bits_are_counted_and_found(number):
    word = np.uint64(number)
    count, first = bin(number).count("1"), bin(number)[::-1].index("1")
    assert (popcount(word), lowest(word)) == (count, first)
    assert (compiled_popcount(word), compiled_lowest(word)) == (count, first)


@numba.njit
def compiled_popcount(word):
    return popcount(word)


@numba.njit
def compiled_lowest(word):
    return lowest(word)


@given(open_instances(max_n=7))
def test_each_solution_is_found_once(instance):
    boards = all_boards(search_of(instance))
    assert len(set(boards)) == len(boards)
    assert set(boards) == set(completions(instance))


@given(open_instances(min_n=4, max_n=8, max_queens=2), st.integers(1, 5))
def test_slices_and_words_change_nothing(instance, nodes):
    whole, sliced, wide = search_of(instance), search_of(instance), search_of(instance, wide=True)
    boards = all_boards(whole)
    assert all_boards(sliced, nodes) == boards
    assert all_boards(wide, nodes) == boards
    assert whole.nodes == sliced.nodes == wide.nodes


def test_without_nodes_nothing_happens():
    search = search_of(Instance(6))
    search.advance(0, 1)
    assert (search.nodes, search.found, search.exhausted) == (0, 0, False)
    search.advance(7, EVERYTHING)
    assert (search.nodes, search.exhausted) == (7, False)


def test_the_same_in_plain_python(monkeypatch):
    compiled = search_of(Instance(6))
    compiled.advance(EVERYTHING, EVERYTHING)
    monkeypatch.setattr(exhaustive, "advance", exhaustive.advance.py_func)
    plain = search_of(Instance(6))
    plain.advance(EVERYTHING, EVERYTHING)
    assert (plain.nodes, plain.found, plain.exhausted) == (compiled.nodes, 4, True)
    assert compiled.found == 4


def test_the_last_solutions_are_remembered_in_their_order():
    instance = Instance(8)
    search, whole = search_of(instance, batch=10), search_of(instance, batch=92)
    whole.advance(EVERYTHING, EVERYTHING)
    expected = all_boards(search_of(instance))
    assert [tuple(board) for board in whole.columns(92).tolist()] == expected
    search.advance(EVERYTHING, 57)
    assert [tuple(board) for board in search.columns(10).tolist()] == expected[47:57]


def knights(n):
    """A well-known solution, for n that leave neither 2 nor 3 when divided by 6."""
    return [(row, 2 * row + 1 if row < n // 2 else 2 * (row - n // 2)) for row in range(n)]


@pytest.mark.parametrize("seed", range(4))
def test_more_than_a_word_of_open_rows(seed):
    """The same board twice: most queens prescribed, or most rows with a single cell."""
    n = 130
    queens = knights(n)
    assert solves(Instance(n), queens)
    rng = np.random.default_rng(seed)
    loose = sorted(rng.choice(n, 14, replace=False).tolist())
    kept = [queen for queen in queens if queen[0] not in loose]
    narrow = Instance(n, kept)
    blocked = [(row, c) for row, column in kept for c in range(n) if c != column]
    wide = Instance(n, blocked=blocked)
    one, other = search_of(narrow), search_of(wide)
    assert (len(one.rows), len(other.rows)) == (14, n)
    boards = all_boards(one)
    assert tuple(column for _, column in queens) in boards
    assert sorted(all_boards(other)) == sorted(boards)


def test_too_many_open_rows_are_refused():
    with pytest.raises(InputError, match="up to 1,000 open rows, not 1,001; prescribe more"):
        BoardSearch(reduce(1001))
    with pytest.raises(InputError, match="mode 'none'"):
        BoardSearch(reduce(4, "none"))
    search = BoardSearch(reduce(1000))
    search.advance(3)
    assert search.nodes == 3
    with pytest.raises(InputError, match="not found a solution yet"):
        search.placement()


def test_a_finished_or_contradictory_board_needs_no_search():
    done = BoardSearch(reduce(Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])))
    assert not done.exhausted
    done.run(never)
    assert (done.found, done.nodes, done.exhausted) == (1, 0, True)
    assert done.placement().columns == (1, 3, 0, 2)
    done.advance(1)
    assert done.found == 1
    for instance in (Instance(4, [(0, 0), (1, 1)]), Instance(3), Instance(4, excluded_sums=[0, 1])):
        search = BoardSearch(reduce(instance))
        search.run(never)
        assert (search.found, search.exhausted) == (0, True)


def test_a_run_stops_when_told_and_goes_on():
    search = BoardSearch(reduce(10), batch=3)
    search.run(lambda: True)
    assert search.nodes == 0
    search.run(never, 3)
    assert (search.found, search.exhausted) == (3, False)
    assert search.placement().columns == tuple(search.columns(3)[2].tolist())
    asked = []
    search.run(lambda: bool(asked.append(1) or len(asked) > 1))
    assert search.nodes > 0
    search.run(never)
    assert (search.found, search.exhausted) == (724, True)


# Refutations


def dimacs(reduction):
    """The board as clauses about its free cells, numbered from 1 in row-major order."""
    cells = reduction.free_cells
    number = {cell: i for i, cell in enumerate(cells, 1)}
    clauses = []
    for axis in (0, 1):
        filled = {queen[axis] for queen in reduction.queens}
        for line in set(range(reduction.instance.n)) - filled:
            clauses.append([number[cell] for cell in cells if cell[axis] == line])
    clauses += [
        [-number[one], -number[other]]
        for one, other in combinations(cells, 2)
        if attacks(one, other)
    ]
    lines = [" ".join(map(str, [*clause, 0])) for clause in clauses]
    return number, "\n".join([f"p cnf {len(cells)} {len(clauses)}", *lines, ""])


def drat(steps, number):
    """The steps of a refutation as lines of a proof."""
    return "".join(
        ("d " if step.kind == "delete" else "")
        + " ".join(map(str, [*(-number[cell] for cell in step.cells), 0]))
        + "\n"
        for step in steps
    )


def holds(reduction, steps):
    """Tell whether each added clause follows by unit propagation, and the last one is empty."""
    number, formula = dimacs(reduction)
    return check_proof(parse_dimacs(formula), drat(steps, number), check_rat=False).ok


def infeasible_boards(count, low, high, density):
    """Random boards with blocked cells, and without a solution."""
    rng = np.random.default_rng(7)
    found = []
    while len(found) < count:
        n = int(rng.integers(low, high + 1))
        cells = np.argwhere(rng.random((n, n)) < density).tolist()
        instance = Instance(n, blocked=map(tuple, cells))
        search = BoardSearch(reduce(instance))
        search.run(never)
        if not search.found:
            found.append(instance)
    return found


@pytest.mark.parametrize("density", [0.3, 0.45])
def test_refutations_follow_clause_by_clause(density):
    lengths = []
    for instance in infeasible_boards(40, 4, 10, density):
        reduction = reduce(instance)
        steps = list(refutation(reduction, never))
        assert steps[-1] == ("add", ())
        assert holds(reduction, steps)
        lengths.append(len(steps))
        pending = []
        for step in steps:
            if step.kind == "delete":
                pending.remove(step.cells)  # of clauses that are there
            else:
                pending.append(step.cells)
    assert max(lengths) > 20


def test_a_refutation_without_one_of_its_steps_does_not_always_hold():
    reduction = reduce(infeasible_boards(20, 9, 10, 0.3)[-1])
    steps = [step for step in refutation(reduction, never) if step.kind == "add"]
    assert holds(reduction, steps)
    assert not all(holds(reduction, steps[:i] + steps[i + 1 :]) for i in range(len(steps)))


@pytest.mark.parametrize("queens", [(7, [(0, 0), (1, 6)]), (8, [(0, 0), (1, 2)])])
def test_refutations_around_prescribed_queens(queens):
    reduction = reduce(Instance(*queens))
    steps = list(refutation(reduction, never))
    assert steps[-1] == ("add", ())
    assert holds(reduction, steps)


def test_slices_and_a_full_buffer_change_no_refutation(monkeypatch):
    instance = infeasible_boards(20, 9, 10, 0.3)[-1]
    expected = list(refutation(reduce(instance), never))
    monkeypatch.setattr(board_search, "_TRAIL_SIZE", 0)
    assert list(refutation(reduce(instance), never)) == expected
    monkeypatch.setattr(board_search, "_FIRST_SLICE", 1)
    assert list(refutation(reduce(instance), never)) == expected
    paths = [step.cells for step in expected if step.kind == "add"][:-1]
    wide = search_of(instance, refute=True, wide=True)
    while not wide.exhausted:
        wide.advance(3, 1)
        taken = list(wide.take_paths())
        assert taken == paths[: len(taken)]
        del paths[: len(taken)]
    assert not paths


def test_a_refutation_that_is_stopped_has_no_end():
    instance = generate.excluded_diagonals(21, 40, seed=2, planted=False)
    assert all(step.cells for step in refutation(reduce(instance), lambda: True))


def test_there_is_no_refutation_of_a_board_with_a_solution():
    complete = Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])
    for instance in (Instance(6), complete):
        with pytest.raises(ProofError, match="nothing to refute"):
            list(refutation(reduce(instance), never))
    with pytest.raises(InputError, match="attack each other"):
        list(refutation(reduce(Instance(4, [(0, 0), (1, 1)])), never))
