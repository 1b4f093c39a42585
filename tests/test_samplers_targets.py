"""Targets: a read that has reached one knows it, whatever the strengths and however it rounds."""

from fractions import Fraction

import numpy as np
import pytest
from oracles import completions

from qubo_queens import FlipSampler, Instance, Placement, SwapSampler, build, solve, verify
from qubo_queens.errors import InputError

STRENGTHS = [(0.1, 0.2), (0.3, 0.1), (0.3, 0.6), (0.7, 1.4), (0.1, 0.7), (1 / 3, 2 / 3)]
flip, swap = FlipSampler(), SwapSampler()


def relabelled(bqm):
    """The same model with labels that are no cells, so that couplings have to be used."""
    return bqm.relabel_variables({label: str(label) for label in bqm.variables}, inplace=False)


@pytest.mark.parametrize(("row_column", "diagonal"), STRENGTHS, ids=str)
@pytest.mark.parametrize("n", [5, 6, 7, 10, 12])
def test_a_solution_reaches_the_target_0_and_ends_the_reads(n, row_column, diagonal):
    model = build(n, row_column_strength=row_column, diagonal_strength=diagonal)
    options = {"seed": 1, "num_reads": 500, "num_sweeps": 400, "target_energy": 0}
    warm = {**options, "beta_range": (3 / row_column, 4 / row_column)}
    for sampler, own in ((flip, warm), (swap, options)):
        reads = sampler.anneal(model, **own)
        assert verify(n, reads.best_placement)
        assert reads.energies[-1] == 0  # exactly, on solutions
        assert len(reads) < 500
        assert all(not verify(n, board) for board in list(reads)[:-1])
    for bqm in (model.bqm, relabelled(model.bqm)):
        sampleset = flip.sample(bqm, **warm)
        assert sampleset.record.energy[-1] == pytest.approx(0, abs=1e-9)
        assert (sampleset.record.energy[:-1] > 1e-6).all()
        assert len(sampleset) < 500


@pytest.mark.parametrize("target", [0.3, 0.5 - 1e-12, 1.9999999, 2 - 1e-9])
def test_targets_next_to_a_multiple_of_the_unit_end(target):
    diagonal = Placement.from_columns(range(6))
    model = build(6, row_column_strength=0.1, diagonal_strength=0.1)
    options = {"target_energy": target, "num_sweeps": 50, "num_reads": 3, "seed": 1}
    for sampler in (flip, swap):
        assert len(sampler.anneal(model, initial_states=diagonal, **options)) >= 1
        assert len(sampler.anneal(3, **options)) >= 1
        assert len(sampler.sample(model.bqm, **options)) >= 1


@pytest.mark.parametrize(
    "target", [-1e308, 1e308, -1, -(10**40), Fraction(-1, 2), np.float32(-1.5)]
)
@pytest.mark.parametrize("sampler", [flip, swap], ids=["flip", "swap"])
def test_targets_far_away_are_no_problem(sampler, target):
    tiny = build(8, row_column_strength=1e-20, diagonal_strength=2e-20)
    for problem in (8, tiny):
        reads = sampler.anneal(problem, target_energy=target, num_sweeps=30, num_reads=2, seed=1)
        assert len(reads) == (1 if target > 0 else 2)


def test_a_large_offset_is_no_problem():
    bqm = build(6).bqm
    bqm.offset = 1e300
    assert len(flip.sample(bqm, target_energy=0, num_sweeps=5, num_reads=2)) == 2
    bqm.offset = float("inf")
    with pytest.raises(InputError, match="the offset of the model must be finite"):
        flip.sample(bqm)


@pytest.mark.parametrize("target", [0, 2, 4, 6])
def test_swap_never_claims_a_target_that_the_board_returned_misses(target):
    instance = Instance(8, blocked=[(r, c) for r in range(8) for c in range(8) if (r * c) % 3 == 1])
    for strengths in ((1, 2), (1, 1), (5, 1), (1, 4)):
        model = build(instance, row_column_strength=strengths[0], diagonal_strength=strengths[1])
        options = {"seed": 2, "num_reads": 6, "num_sweeps": 40, "target_energy": target}
        for reads in (swap.anneal(model, **options), swap.sample(model.bqm, **options)):
            energies = reads.energies if hasattr(reads, "energies") else reads.record.energy
            assert energies[-1] <= target or len(energies) == 6


@pytest.mark.parametrize("answer", [None, 0, "", [], np.False_])
def test_an_interrupt_function_may_return_anything_false(answer):
    for num_threads in (1, 2):
        options = {"num_reads": 3, "seed": 1, "num_threads": num_threads}
        assert len(flip.anneal(8, interrupt_function=lambda: answer, **options)) == 3


def test_an_interrupt_function_that_is_true_at_once_stops_threads_at_once():
    reads = flip.anneal(
        8, num_reads=10**6, num_sweeps=100, num_threads=2, interrupt_function=lambda: "stop"
    )
    assert 1 <= len(reads) < 10**5


@pytest.mark.parametrize("sampler", ["flip", "swap", "neal"])
@pytest.mark.parametrize("error", [ZeroDivisionError, TypeError, ValueError])
def test_what_an_interrupt_function_raises_comes_through_solve(sampler, error):
    def fail():
        raise error("mine")

    with pytest.raises(error, match=r"^mine$"):
        solve(Instance(6, [(0, 0)]), sampler=sampler, interrupt_function=fail, num_reads=50, seed=1)


def test_bad_initial_states_of_a_bqm_are_input_errors():
    bqm = build(4).bqm
    for states in (5, "x", {(0, 0): 1}, Placement.from_columns([1, 3, 0, 2])):
        with pytest.raises(InputError, match="initial_states are not samples of the model"):
            flip.sample(bqm, initial_states=states)
    with pytest.raises(TypeError, match="expected a list of placements, not 5"):
        flip.anneal(4, initial_states=5)


def test_initial_states_are_tiled_or_filled_up_or_refused():
    boards = [Placement.from_columns(columns) for columns in completions(Instance(6))]
    stay = {"target_energy": 0, "num_reads": 6}
    tiled = flip.anneal(6, initial_states=boards, target_energy=-1, num_sweeps=1)
    assert len(tiled) == len(boards) == 4
    assert flip.anneal(6, initial_states=boards, **stay).best_placement == boards[0]
    with pytest.raises(InputError, match="4 initial states are fewer than 6 reads"):
        flip.anneal(6, initial_states=boards, initial_states_generator="none", **stay)
    with pytest.raises(InputError, match="'new' is unknown"):
        flip.anneal(6, initial_states=boards, initial_states_generator="new")
    cold = {"beta_range": (40, 40), "num_sweeps": 1, "num_reads": 6}
    mixed = flip.anneal(6, initial_states=boards[:1], initial_states_generator="random", **cold)
    alone = flip.anneal(6, initial_states=boards[:1], **cold)
    assert (alone.energies == 0).all()
    assert mixed.energies[0] == 0
    assert (mixed.energies[1:] > 0).any()
