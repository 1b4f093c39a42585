"""FlipSampler on boards and on any BQM: dimod's conformance, reproducibility, and what is told."""

import subprocess
import sys
from unittest import TestCase

import numpy as np
import pytest
from dimod.testing import assert_response_energies, assert_sampler_api, load_sampler_bqm_tests
from hypothesis import given
from hypothesis import strategies as st
from strategies import bqms, instances, modes, strengths

from qubo_queens import Instance, Placement, build, generate, verify
from qubo_queens.errors import InputError, ParameterError
from qubo_queens.samplers.annealers.flip import FlipSampler
from qubo_queens.samplers.annealers.interface import PARAMETERS, NativeSampler

SOLUTION_4 = Placement.from_columns([1, 3, 0, 2])
BLOCKED = Instance(8, [(2, 2)], blocked=[(0, 1), (1, 4), (6, 6)], excluded_sums=[7])

flip = FlipSampler()
consistent = instances(1, 7).filter(lambda instance: not instance.contradictions())


@load_sampler_bqm_tests(FlipSampler)
class TestConformance(TestCase):
    """What dimod asks of a sampler of binary quadratic models."""


def test_it_is_a_dimod_sampler():
    assert_sampler_api(flip)
    assert list(flip.parameters) == list(PARAMETERS)
    assert flip.properties["beta_schedule_options"] == ("linear", "geometric", "custom")
    assert flip.parameters["beta_schedule_type"] == ["beta_schedule_options"]


def test_the_samplers_are_found_in_their_room_without_loading_the_compiler():
    from qubo_queens import samplers

    assert samplers.FlipSampler is FlipSampler
    assert isinstance(samplers.SwapSampler(), NativeSampler)
    with pytest.raises(AttributeError, match="no attribute 'TurnSampler'"):
        _ = samplers.TurnSampler
    code = (
        "import sys; import qubo_queens.samplers.registry;"
        "import qubo_queens.samplers.annealers.interface, qubo_queens.samplers.annealers.recognise;"
        "print('numba' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_without_a_target_there_are_exactly_so_many_reads():
    assert len(flip.anneal(8, num_reads=50, seed=1)) == 50
    found = flip.anneal(8, num_reads=50, target_energy=0, seed=1)
    assert len(found) < 50
    assert found.energies[-1] == 0


def same_reads(one, other):
    """Tell whether two calls made the same reads."""
    boards = ([reads.placement(k) for k in range(len(reads))] for reads in (one, other))
    return (
        next(boards) == next(boards)
        and one.energies.tolist() == other.energies.tolist()
        and one.num_sweeps.tolist() == other.num_sweeps.tolist()
    )


@pytest.mark.parametrize("target", [None, 0, 3])
@pytest.mark.parametrize("problem", [9, BLOCKED, 30], ids=["9", "blocked", "30"])
def test_a_seed_gives_the_same_reads_on_any_number_of_threads(problem, target):
    options = {"num_reads": 9, "num_sweeps": 12, "seed": 3, "target_energy": target}
    one, *others = (flip.anneal(problem, num_threads=k, **options) for k in (1, 1, 2, 5))
    assert all(same_reads(one, other) for other in others)


@pytest.mark.parametrize("seed", range(4))
def test_reads_end_with_the_first_one_that_reaches_the_target(seed):
    options = {"num_reads": 12, "num_sweeps": 6, "seed": seed}
    free, targeted = flip.anneal(7, **options), flip.anneal(7, target_energy=2, **options)
    assert len(free) == 12
    assert (targeted.energies[:-1] > 2).all()
    assert targeted.energies[-1] <= 2 or len(targeted) == 12
    assert targeted.energies[:-1].tolist() == free.energies[: len(targeted) - 1].tolist()


def test_other_seeds_give_other_boards():
    boards = {flip.anneal(20, seed=seed).best_placement for seed in range(20)}
    boards |= {flip.anneal(20).best_placement for _ in range(5)}
    assert len(boards) == 25
    reads = flip.anneal(20, num_reads=20, seed=1)
    assert len({reads.placement(k) for k in range(20)}) == 20


@given(consistent, modes, strengths, st.integers(0, 2**64 - 1), st.integers(1, 30))
def test_boards_keep_to_the_instance_and_energies_to_the_model(
    instance, mode, weights, seed, num_sweeps
):
    model = build(
        instance, reduce=mode, row_column_strength=weights[0], diagonal_strength=weights[1]
    )
    reads = flip.anneal(model, num_reads=3, seed=seed, num_sweeps=num_sweeps, num_threads=1)
    for number, energy in enumerate(reads.energies):
        board = reads.placement(number)
        assert set(instance.queens) <= set(board.cells)
        assert set(board.cells) - set(model.reduction.queens) <= set(model.variables)
        assert energy == pytest.approx(sum(model.placement_energies(board).values()))
        assert model.decode(model.encode(board)) == board
    assert (reads.num_sweeps == num_sweeps).all()
    sampleset = reads.sampleset()
    assert list(sampleset.variables) == list(model.variables)
    assert_response_energies(sampleset, model.bqm)


@given(bqms(), st.integers(0, 1000))
def test_any_model_is_sampled_with_its_energies(bqm, seed):
    untouched = bqm.copy()
    sampleset = flip.sample(bqm, seed=seed, num_reads=3, num_sweeps=5, num_threads=1)
    assert bqm == untouched
    assert len(sampleset) == 3
    assert sampleset.vartype is bqm.vartype
    if bqm.num_variables:
        assert_response_energies(sampleset, bqm)


@pytest.mark.parametrize("n", [20, 60])
def test_plain_boards_are_solved_by_default(n):
    reads = flip.anneal(n, seed=1, target_energy=0, num_reads=20)
    assert reads.energies[-1] == 0
    assert verify(n, reads.best_placement).valid


def test_a_large_board_is_solved_and_verified():
    instance = generate.planted(2000, 50, seed=1)
    reads = flip.anneal(instance, seed=1, target_energy=0, num_reads=2)
    assert reads.energies[reads.best_index] == 0
    assert verify(instance, reads.best_placement).valid


@pytest.mark.parametrize(
    ("n", "energy"), [(1, 0), (2, 2), (3, 2), (Instance(4, SOLUTION_4.cells), 0)]
)
def test_the_smallest_boards(n, energy):
    assert flip.anneal(n, num_reads=20, seed=2).energies.min() == energy
    assert len(flip.anneal(n, num_reads=20, seed=2, target_energy=0)) == (20 if energy else 1)


def test_a_board_without_free_cells_has_the_energy_of_what_is_missing():
    everything = [(row, column) for row in range(3) for column in range(3)]
    model = build(Instance(3, blocked=everything))
    reads = flip.anneal(model, num_reads=2, trace_interval=1, num_sweeps=4)
    assert reads.energies.tolist() == [6, 6]
    assert len(reads.best_placement) == 0
    assert [trace.tolist() for trace in reads.traces] == [[6] * 4] * 2
    assert reads.sampleset().record.sample.shape == (2, 0)
    assert flip.sample(model.bqm).record.energy.tolist() == [6]


def test_contradictions_are_refused_before_anything_is_sampled():
    begun = []
    with pytest.raises(InputError, match=r"\(0, 0\).*\(3, 3\)"):
        flip.anneal(Instance(5, [(0, 0), (3, 3)]), progress=begun.append)
    assert not begun


@pytest.mark.parametrize("instance", [Instance(6), Instance(30), BLOCKED])
def test_reads_begin_with_the_boards_that_are_given(instance):
    model = build(instance)
    boards = [flip.anneal(model, seed=k, num_sweeps=1).best_placement for k in range(3)]
    energies = [sum(model.placement_energies(board).values()) for board in boards]
    # At a target that is reached already there is no sweep.
    for number, board in enumerate(boards):
        reads = flip.anneal(model, initial_states=board, target_energy=10**9)
        assert reads.best_placement == board
        assert (reads.energies[0], reads.num_sweeps[0]) == (energies[number], 0)
    tiled = {"num_reads": 5, "initial_states": boards, "num_sweeps": 3, "beta_range": (9, 9)}
    reads = flip.anneal(model, seed=1, **tiled)
    assert len(reads) == 5
    assert (reads.energies <= np.array([*energies, *energies[:2]]) + 1e-9).all()


@pytest.mark.parametrize(
    ("initial_states", "message"),
    [
        ([], "initial_states is empty"),
        ([[(0, 0)]], "must be placements, not"),
        (Placement(5), "an initial state has n=5, the problem n=8"),
        (Placement(8, [(0, 1)]), r"queen \(0, 1\) of an initial state stands on a cell that is"),
        (Placement(8, [(2, 2), (2, 5)]), r"queen \(2, 5\)"),
    ],
)
def test_bad_initial_boards_are_refused_with_the_reason(initial_states, message):
    with pytest.raises((InputError, TypeError), match=message):
        flip.anneal(BLOCKED, initial_states=initial_states)


@pytest.mark.parametrize("interval", [1, 3])
@pytest.mark.parametrize("target", [None, 2])
@pytest.mark.parametrize("problem", [5, 30, BLOCKED])
def test_traces_hold_the_energy_after_each_interval(problem, target, interval):
    options = {"num_reads": 3, "num_sweeps": 9, "seed": 5, "target_energy": target}
    reads = flip.anneal(problem, trace_interval=interval, **options)
    assert same_reads(reads, flip.anneal(problem, **options))
    for trace, energy, made in zip(reads.traces, reads.energies, reads.num_sweeps, strict=True):
        assert len(trace) == made // interval
        assert made % interval or not made or trace[-1] == energy
    assert not flip.anneal(problem, **options).traces


def test_a_time_limit_ends_a_read_of_a_billion_sweeps():
    for num_threads in (1, 3):
        options = {"num_sweeps": 10**9, "num_reads": 5, "num_threads": num_threads}
        reads = flip.anneal(3, time_limit=0.05, **options)
        assert 1 <= len(reads) <= 5
        assert (reads.num_sweeps < 10**9).all()
        assert len(flip.sample(build(3).bqm, time_limit=0.05, **options)) >= 1


def test_the_user_can_stop_and_is_told_where_reads_stand():
    told = []
    reads = flip.anneal(
        3, num_sweeps=10**9, num_reads=5, interrupt_function=lambda: True, progress=told.append
    )
    assert len(reads) >= 1
    assert told[-1].num_sweeps == reads.num_sweeps.sum()
    assert told[-1].num_reads == 5


def test_the_info_tells_how_reads_were_made():
    reads = flip.anneal(30, seed=7, num_sweeps=20, beta_range=(1, 2))
    assert reads.info["kernel"] == "lines"
    assert (reads.info["seed"], reads.info["num_sweeps"]) == (7, 20)
    assert reads.info["beta_range"] == [1, 2]
    expected = {"loading_ns", "preprocessing_ns", "sampling_ns", "postprocessing_ns"}
    assert set(reads.info["timing"]) == expected
    assert all(type(ns) is int and ns >= 0 for ns in reads.info["timing"].values())
    assert repr(reads) == f"<Reads: 1, lowest energy {reads.energies[0]:g}, lines kernel>"
    assert len(reads.sampleset().info["timing"]) == 4
    again = flip.anneal(30, seed=flip.anneal(30).info["seed"])
    assert same_reads(again, flip.anneal(30, seed=again.info["seed"]))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sweeps": 3}, ParameterError),
        ({"beta_schedule": [1, -1]}, InputError),
        ({"num_sweeps": 2.5}, TypeError),
    ],
)
def test_bad_parameters_are_refused_on_both_routes(options, error):
    with pytest.raises(error):
        flip.anneal(5, **options)
    with pytest.raises(error):
        flip.sample(build(5).bqm, **options)
