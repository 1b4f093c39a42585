"""SwapSampler: permutations, prescribed queens, refusals with reasons, and the same answers."""

import dimod
import numpy as np
import pytest
from dimod.testing import assert_response_energies, assert_sampler_api
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import completions
from strategies import instances, modes, strengths

from qubo_queens import Instance, Placement, build, verify
from qubo_queens.errors import InputError, ParameterError
from qubo_queens.samplers.annealers.swap import SwapSampler

swap = SwapSampler()
consistent = instances(1, 7).filter(lambda instance: not instance.contradictions())
HOPELESS = Instance(6, excluded_sums=range(4, 7), excluded_differences=range(-1, 2))


def boards_of(reads):
    return [reads.placement(number) for number in range(len(reads))]


def test_it_is_a_dimod_sampler():
    assert_sampler_api(swap)


@given(consistent, modes, strengths, st.integers(0, 2**64 - 1), st.integers(1, 20))
def test_boards_keep_to_the_instance_and_energies_to_the_model(
    instance, mode, weights, seed, num_sweeps
):
    model = build(
        instance, reduce=mode, row_column_strength=weights[0], diagonal_strength=weights[1]
    )
    reads = swap.anneal(model, num_reads=3, seed=seed, num_sweeps=num_sweeps, num_threads=1)
    for board, energy in zip(boards_of(reads), reads.energies, strict=True):
        assert set(instance.queens) <= set(board.cells)
        assert set(board.cells) - set(model.reduction.queens) <= set(model.variables)
        assert len({row for row, _ in board}) == len({column for _, column in board}) == len(board)
        assert energy == pytest.approx(sum(model.placement_energies(board).values()))
        assert (energy == 0) == verify(instance, board).valid
    assert_response_energies(reads.sampleset(), model.bqm)


@given(instances(1, 6, max_queens=2), st.integers(0, 100))
def test_what_can_be_solved_is_solved(instance, seed):
    assume(not instance.contradictions())
    solvable = next(completions(instance), None) is not None
    options = {"num_sweeps": 300, "num_reads": 30 if solvable else 2}
    reads = swap.anneal(instance, seed=seed, target_energy=0, **options)
    assert (reads.energies[-1] == 0) == solvable


@pytest.mark.parametrize("n", [1, 4, 5, 6, 20, 100])
def test_plain_boards_are_solved_by_default(n):
    reads = swap.anneal(n, seed=1)
    assert verify(n, reads.best_placement).valid
    assert reads.info["kernel"] == "swap"


def test_large_boards_are_solved_and_verified():
    solved = swap.anneal(10**5, seed=1, target_energy=0).best_placement
    assert verify(10**5, solved).valid
    instance = Instance(10**5, solved.cells[::100])
    completed = swap.anneal(instance, seed=2, target_energy=0).best_placement
    assert verify(instance, completed).valid
    assert completed != solved


@pytest.mark.parametrize("target", [None, 0, 6])
@pytest.mark.parametrize("problem", [12, HOPELESS], ids=["12", "hopeless"])
def test_a_seed_gives_the_same_reads_on_any_number_of_threads(problem, target):
    options = {"num_reads": 7, "num_sweeps": 15, "seed": 3, "target_energy": target}
    one, *others = (swap.anneal(problem, num_threads=k, **options) for k in (1, 1, 2, 5))
    for other in others:
        assert boards_of(other) == boards_of(one)
        assert other.energies.tolist() == one.energies.tolist()
        assert other.num_sweeps.tolist() == one.num_sweeps.tolist()
    assert target is not None or len(one) == 7


def test_other_seeds_give_other_boards():
    boards = [swap.anneal(20, seed=seed).best_placement for seed in range(20)]
    boards += boards_of(swap.anneal(20, num_reads=20, seed=100))
    assert len(set(boards)) == 40


@pytest.mark.parametrize("strength", [2, 0.3])
def test_the_target_is_an_energy_of_attacking_pairs(strength):
    model = build(3, diagonal_strength=strength)
    reads = swap.anneal(model, seed=1, num_reads=6, num_sweeps=400, target_energy=strength)
    assert reads.energies[-1] == strength
    assert (reads.energies[:-1] > strength).all()
    reads = swap.anneal(model, seed=1, num_reads=6, num_sweeps=40, target_energy=0.9 * strength)
    assert reads.num_sweeps.tolist() == [40] * 6


def test_contradictions_are_refused_before_anything_is_sampled():
    begun = []
    with pytest.raises(InputError, match=r"\(0, 0\).*\(3, 3\)"):
        swap.anneal(Instance(5, [(0, 0), (3, 3)]), progress=begun.append)
    assert not begun


def test_reads_begin_with_the_boards_that_are_given():
    instance = Instance(8, [(2, 2)])
    boards = [swap.anneal(instance, seed=seed, num_sweeps=1).best_placement for seed in range(3)]
    for board in boards:
        reads = swap.anneal(instance, initial_states=board, target_energy=10**6)
        assert (reads.best_placement, reads.num_sweeps[0]) == (board, 0)
    reads = swap.anneal(instance, initial_states=boards, num_reads=5, target_energy=-1)
    assert len(reads) == 5
    diagonal = Placement.from_columns(range(20))
    assert swap.anneal(20, initial_states=diagonal, target_energy=10**6).energies[0] == 2 * 190
    assert swap.anneal(20, initial_states=diagonal, seed=1, target_energy=0).energies[0] == 0


@pytest.mark.parametrize(
    ("n", "initial_states", "message"),
    [
        (5, Placement(5, [(0, 0)]), "exactly one queen in each open row and column"),
        (5, Placement.from_columns([0, 1, 2, 3, 3]), "one queen in each open row and column"),
        (130, Placement.from_columns(range(130)), "130 queens .* a diagonal; swap takes up to 64"),
        (5, Placement.from_columns([0, 1, 2]), "an initial state has n=3, the problem n=5"),
        (5, [3], "must be placements, not 3"),
    ],
)
def test_bad_initial_boards_are_refused_with_the_reason(n, initial_states, message):
    with pytest.raises((InputError, TypeError), match=message):
        swap.anneal(n, initial_states=initial_states)


def test_hot_swaps_of_a_crowded_diagonal_keep_the_energy():
    columns = [*range(64), *reversed(range(64, 128))]
    start, model = Placement.from_columns(columns), build(128)
    for seed in range(30):
        reads = swap.anneal(
            model,
            initial_states=start,
            seed=seed,
            num_sweeps=2,
            beta_range=(0, 0),
            trace_interval=1,
        )
        assert reads.traces[0][-1] == sum(model.placement_energies(reads.best_placement).values())


@pytest.mark.parametrize("interval", [1, 3])
def test_traces_hold_the_energy_after_each_interval(interval):
    options = {"num_reads": 3, "num_sweeps": 9, "seed": 5, "target_energy": -1}
    reads = swap.anneal(30, trace_interval=interval, beta_range=(1, 1), **options)
    model = build(HOPELESS)
    for trace in reads.traces:
        assert len(trace) == 9 // interval
    assert [trace[-1] for trace in reads.traces] == reads.energies.tolist()
    assert not swap.anneal(model, **options).traces


def test_reads_can_be_limited_and_stopped():
    options = {"num_sweeps": 10**9, "num_reads": 3, "target_energy": -1}
    for num_threads in (1, 3):
        for stop in ({"time_limit": 0.05}, {"interrupt_function": lambda: True}):
            reads = swap.anneal(HOPELESS, num_threads=num_threads, **stop, **options)
            assert 1 <= len(reads) <= 3
            assert (reads.num_sweeps < 10**9).all()


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize(
    "instance",
    [Instance(8), Instance(9, [(1, 2)]), Instance(12, blocked=[(0, 0), (5, 7)])],
    ids=["plain", "prescribed", "blocked"],
)
def test_the_bqm_of_a_board_is_sampled_as_the_board(instance, spin):
    model = build(instance)
    bqm = model.bqm.change_vartype("SPIN", inplace=False) if spin else model.bqm
    sampleset = swap.sample(bqm, num_reads=20, seed=1, target_energy=0)
    assert_response_energies(sampleset, bqm)
    assert sampleset.first.energy == 0
    assert verify(instance, model.decode(sampleset.first.sample)).valid
    assert (sampleset.info["kernel"], sampleset.info["reason"]) == ("swap", None)


def test_initial_samples_of_a_bqm_are_permutations():
    model = build(6)
    start = model.encode(Placement.from_columns(range(6)))
    sampleset = swap.sample(model.bqm, initial_states=start, target_energy=10**6)
    assert sampleset.record.energy.tolist() == [2 * 15]
    assert sampleset.record.num_sweeps.tolist() == [0]
    with pytest.raises(InputError, match="one queen in each open row and column"):
        swap.sample(model.bqm, initial_states=dict.fromkeys(model.variables, 1))


@pytest.mark.parametrize(
    ("bqm", "message"),
    [
        (dimod.BinaryQuadraticModel({"a": 1}, {}, "BINARY"), "this model is not one: label 'a'"),
        (build(Instance(5, [(0, 0)]), reduce="none").bqm, "without prescribed queens"),
        (build(5, diagonal_strength=0, relaxation="rooks").bqm, "no couplings on diagonals"),
        (
            build(Instance(4, blocked=[(0, c) for c in range(4)])).bqm,
            "as many open rows as open columns, not 3 and 4",
        ),
    ],
)
def test_a_bqm_that_is_no_board_is_refused_with_the_reason(bqm, message):
    with pytest.raises(InputError, match=message):
        swap.sample(bqm)


def test_boards_without_diagonals_and_bad_parameters_are_refused():
    with pytest.raises(InputError, match="any permutation is a solution"):
        swap.anneal(build(5, diagonal_strength=0, relaxation="rooks"))
    with pytest.raises(ParameterError, match="unknown parameter sweeps"):
        swap.anneal(5, sweeps=3)
    with pytest.raises(InputError, match="num_reads 0"):
        swap.sample(build(5).bqm, num_reads=0)


def test_a_board_without_free_cells_is_what_is_prescribed():
    solved = Placement.from_columns([1, 3, 0, 2])
    reads = swap.anneal(Instance(4, solved.cells), num_reads=2)
    assert boards_of(reads) == [solved] * 2
    assert reads.energies.tolist() == [0, 0]
    everything = [(row, column) for row in range(3) for column in range(3)]
    reads = swap.anneal(Instance(3, blocked=everything), num_sweeps=5)
    assert (len(reads.best_placement), reads.energies[0]) == (0, 6)
    assert np.array_equal(reads.num_sweeps, [5])
