"""FlipSampler on binary quadratic models: which kernel, which starts, and the same answers."""

import dimod
import numpy as np
import pytest
from dimod.testing import assert_response_energies
from hypothesis import given
from hypothesis import strategies as st
from strategies import bqms, instances, modes, strengths

from qubo_queens import Instance, Placement, build, verify
from qubo_queens.samplers.annealers.flip import FlipSampler

flip = FlipSampler()
MODEL = build(6)
SOLUTION_6 = [1, 3, 5, 0, 2, 4]
GROUND = {(row, column): int(SOLUTION_6[row] == column) for row, column in MODEL.variables}


def changed(bqm):
    """The same model with a coupling of two cells that share no line."""
    other = bqm.copy()
    other.add_quadratic((0, 0), (1, 2), 0.5)
    return other


def shuffled(bqm):
    """The same model with its variables in another order."""
    order = np.random.default_rng(1).permutation(len(bqm)).tolist()
    labels = list(bqm.variables)
    other = dimod.BinaryQuadraticModel(bqm.vartype)
    for at in order:
        other.add_linear(labels[at], bqm.get_linear(labels[at]))
    other.add_quadratic_from((v, u, bias) for (u, v), bias in bqm.quadratic.items())
    other.offset = bqm.offset
    return other


@pytest.mark.parametrize(
    ("bqm", "kernel", "reason"),
    [
        (build(30).bqm, "lines", None),
        (build(6).bqm, "cells", None),
        (build(6).bqm.spin, "cells", None),
        (build(6, row_column_strength=0.1, diagonal_strength=0.7).bqm, "cells", None),
        (build(Instance(20, [(3, 3)]), reduce="none").bqm, "cells", None),
        (changed(build(6).bqm), "adjacency", "are coupled but share no line"),
        (dimod.BinaryQuadraticModel({"a": 1}, {}, "SPIN"), "adjacency", "label 'a' is not a pair"),
        (dimod.BinaryQuadraticModel("SPIN"), "cells", None),
    ],
    ids=["large", "small", "spin", "floats", "fixed", "changed", "labels", "empty"],
)
def test_boards_are_annealed_by_lines_and_other_models_by_couplings(bqm, kernel, reason):
    info = flip.sample(bqm, num_sweeps=3, seed=1).info
    assert info["kernel"] == kernel
    assert info["reason"] is None if reason is None else reason in info["reason"]
    assert set(info) == {
        *("kernel", "beta_range", "num_sweeps", "schedules", "seed", "timing", "reason", "traces"),
    }
    assert len(info["timing"]) == 4


@given(instances(1, 6), modes, strengths, st.booleans(), st.integers(0, 100))
def test_samples_of_cell_models_have_their_energies(instance, mode, weights, spin, seed):
    model = build(
        instance, reduce=mode, row_column_strength=weights[0], diagonal_strength=weights[1]
    )
    bqm = model.bqm.change_vartype("SPIN", inplace=False) if spin else model.bqm
    sampleset = flip.sample(bqm, num_reads=2, num_sweeps=4, seed=seed, trace_interval=1)
    assert len(sampleset) == 2
    largest = max(map(abs, [*model.bqm.linear.values(), 1.0]))
    for datum, trace in zip(sampleset.data(sorted_by=None), sampleset.info["traces"], strict=True):
        assert trace[-1] == pytest.approx(datum.energy, abs=1e-6 * largest)
        if model.num_variables:
            assert model.energy(datum.sample) == pytest.approx(datum.energy, abs=1e-6 * largest)


@pytest.mark.parametrize("bqm", [build(6).bqm, build(6).bqm.spin], ids=["binary", "spin"])
def test_the_order_of_the_variables_changes_nothing_for_boards(bqm):
    one, other = (
        flip.sample(model, num_reads=4, num_sweeps=7, seed=2) for model in (bqm, shuffled(bqm))
    )
    samples = ([dict(sample) for sample in found.samples(sorted_by=None)] for found in (one, other))
    assert next(samples) == next(samples)


def test_vartypes_give_the_same_reads():
    options = {"num_reads": 4, "num_sweeps": 7, "seed": 2}
    binary, spin = flip.sample(MODEL.bqm, **options), flip.sample(MODEL.bqm.spin, **options)
    assert (2 * binary.record.sample - 1 == spin.record.sample).all()
    assert binary.record.energy == pytest.approx(spin.record.energy)


def test_boards_far_from_the_corner_are_sampled():
    far = build(6).bqm
    far.relabel_variables({(row, column): (row + 90, column + 7) for row, column in far.variables})
    sampleset = flip.sample(far, target_energy=0, num_reads=50, seed=1)
    queens = [
        (row - 90, column - 7) for (row, column), bit in sampleset.first.sample.items() if bit
    ]
    assert verify(6, Placement.from_cells(queens, 6)).valid


def test_offsets_count_for_energies_and_targets():
    for bqm in (MODEL.bqm.copy(), changed(MODEL.bqm)):
        bqm.offset += 100
        sampleset = flip.sample(bqm, target_energy=104, num_reads=30, num_sweeps=50, seed=1)
        assert_response_energies(sampleset, bqm)
        assert sampleset.record.energy[-1] <= 104
        assert (sampleset.record.energy[:-1] > 104).all()


@pytest.mark.parametrize("bqm", [MODEL.bqm, changed(MODEL.bqm)], ids=["board", "couplings"])
@pytest.mark.parametrize("target", [None, 4])
def test_a_seed_gives_the_same_samples_on_any_number_of_threads(bqm, target):
    options = {"num_reads": 7, "num_sweeps": 9, "seed": 4, "target_energy": target}
    one, *others = (flip.sample(bqm, num_threads=k, **options) for k in (1, 1, 2, 5))
    for other in others:
        assert (one.record.sample == other.record.sample).all()
        assert (one.record.num_sweeps == other.record.num_sweeps).all()
    assert len(one) == 7 or target is not None


@pytest.mark.parametrize("bqm", [MODEL.bqm, changed(MODEL.bqm)], ids=["board", "couplings"])
@pytest.mark.parametrize("vartype", ["BINARY", "SPIN"])
@pytest.mark.parametrize("states", ["BINARY", "SPIN"])
@pytest.mark.parametrize("reverse", [False, True])
def test_reads_begin_with_samples_of_either_vartype_in_any_order(bqm, vartype, states, reverse):
    bqm = bqm.change_vartype(vartype, inplace=False)
    start = GROUND if states == "BINARY" else {cell: 2 * bit - 1 for cell, bit in GROUND.items()}
    start = dict(reversed(start.items())) if reverse else start
    for given_states in (start, [start, start], dimod.as_samples(start)):
        sampleset = flip.sample(bqm, initial_states=given_states, target_energy=1)
        assert (sampleset.record.num_sweeps[0], len(sampleset)) == (0, 1)
        first = sampleset.first
        assert {cell for cell, bit in first.sample.items() if bit == 1} == {
            cell for cell, bit in GROUND.items() if bit
        }


@pytest.mark.parametrize("bqm", [MODEL.bqm, changed(MODEL.bqm)], ids=["board", "couplings"])
def test_initial_states_are_repeated_or_completed_as_asked(bqm):
    cold = {"num_sweeps": 1, "beta_range": (1e9, 1e9), "seed": 1}
    start = {"initial_states": [GROUND, GROUND]}
    assert flip.sample(bqm, **start, **cold).record.energy.tolist() == [0, 0]
    tiled = flip.sample(bqm, **start, initial_states_generator="tile", num_reads=5, **cold)
    assert tiled.record.energy.tolist() == [0] * 5
    mixed = flip.sample(bqm, **start, num_reads=5, **cold)
    assert mixed.record.energy[:2].tolist() == [0, 0]
    assert (mixed.record.energy[2:] > 0).any()
    assert len(flip.sample(bqm, **start, num_reads=1, **cold)) == 1
    with pytest.raises(ValueError, match="insufficient number of initial states"):
        flip.sample(bqm, **start, initial_states_generator="none", num_reads=5)
    for generator in ("none", "tile", "foo"):
        with pytest.raises(ValueError, match=r"initial_states_generator|initial states"):
            flip.sample(bqm, initial_states_generator=generator)
    with pytest.raises(ValueError, match="mismatch between variables"):
        flip.sample(bqm, initial_states={(0, 0): 1})


@pytest.mark.parametrize("bqm", [MODEL.bqm, changed(MODEL.bqm)], ids=["board", "couplings"])
@pytest.mark.parametrize("interval", [1, 4])
def test_traces_are_in_the_info(bqm, interval):
    sampleset = flip.sample(bqm, num_reads=2, num_sweeps=12, seed=1, trace_interval=interval)
    for trace, energy in zip(sampleset.info["traces"], sampleset.record.energy, strict=True):
        assert len(trace) == 12 // interval
        assert trace[-1] == pytest.approx(energy)


@given(bqms(), st.sampled_from([None, 0, 1, -1]))
def test_custom_and_cold_schedules_end_in_local_minima(bqm, target):
    options = {"beta_schedule": [0.5] * 5 + [1e12] * 20, "seed": 1, "target_energy": target}
    sampleset = flip.sample(bqm, num_threads=1, **options)
    energy = sampleset.record.energy[0]
    assert sampleset.record.num_sweeps[0] <= 25
    if target is not None and energy <= target:
        return
    for sample in sampleset.samples():
        for variable in bqm.variables:
            flipped = dict(sample)
            other = 1 - flipped[variable] if bqm.vartype is dimod.BINARY else -flipped[variable]
            assert bqm.energy(flipped | {variable: other}) >= energy - 1e-9
