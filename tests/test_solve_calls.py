"""What results keep of the calls: parameters, info, joined sample sets, and calls side by side."""

import json

import dimod
import numpy as np
import pytest
from test_samplers import Scripted, prepared, zeros

from qubo_queens import Instance, Placement, build, solve
from qubo_queens.samplers.entry import SamplerEntry
from qubo_queens.solving.answers import joined
from qubo_queens.solving.choice import Choice
from qubo_queens.solving.result import finish
from qubo_queens.solving.submit import submit

HOPELESS = Instance(6, [(0, 0)])
BOARD = Placement.from_columns([1, 3, 0, 2])


def test_parameters_are_those_that_the_sampler_really_got():
    neal = solve(8, sampler="neal", seed=1, num_sweeps=123)
    assert dict(neal.parameters) == {
        "beta_range": (2, 8),
        "num_sweeps": 123,
        "beta_schedule_type": "geometric",
    }
    assert neal.calls[0].parameters["num_reads"] == 1
    flip = solve(8, sampler="flip", seed=1)
    assert {"beta_range", "num_sweeps"} <= set(flip.parameters)  # its own choice
    assert flip.parameters["num_sweeps"] == flip.calls[0].info["num_sweeps"]
    hopeless = Instance(10, excluded_sums=[4, 7, 11, 14, 17], excluded_differences=[8])
    for num_reads, others in ((7, 0), (30, 1)):  # of one call, the eighth read takes another one
        hard = solve(hopeless, sampler="flip", num_reads=num_reads, batch_size=30, seed=1)
        assert len(hard.parameters.get("other_schedules", ())) == others
    dwave = solve(
        8,
        sampler=dimod.IdentitySampler(),
        initial_states=build(8).encode(Placement.from_columns([4, 6, 0, 3, 1, 7, 5, 2])),
    )
    assert list(dwave.parameters) == ["initial_states"]


def test_nothing_is_claimed_where_nothing_was_sampled():
    result = solve(3)
    assert (result.parameters, result.calls, result.reads) == ({}, (), 0)


def test_info_of_every_call_is_kept():
    def answer(bqm, num_reads, **_):
        sampleset = zeros(bqm, num_reads)
        sampleset.info.update(problem_id=f"id-{num_reads}", timing={"qpu_access_time": num_reads})
        return sampleset

    result = solve(HOPELESS, sampler=Scripted(answer), num_reads=7, keep_samples=True)
    assert [call.info["problem_id"] for call in result.calls] == ["id-1", "id-2", "id-4"]
    assert [call.reads for call in result.calls] == [1, 2, 4]
    assert result.sampleset.info["calls"][2]["timing"] == {"qpu_access_time": 4}
    assert [call["info"]["problem_id"] for call in result.to_dict()["calls"]] == [
        "id-1",
        "id-2",
        "id-4",
    ]


def parts():
    """Three sample sets of one board: other label orders, vartypes, and one with a vector."""
    model = build(4)
    good = dict(model.encode(BOARD))
    bad = dict.fromkeys(good, 0)
    backwards = dict(reversed(good.items()))
    plain = dimod.SampleSet.from_samples_bqm([bad, bad], model.bqm).aggregate()
    spins = dimod.SampleSet.from_samples(
        [{v: 2 * x - 1 for v, x in backwards.items()}], "SPIN", energy=[0]
    )
    broken = dimod.SampleSet.from_samples(
        [good, bad],
        "BINARY",
        energy=[0, 8],
        chain_break_fraction=[0.25, 0.5],
        sort_labels=False,
        info={"problem_id": "x"},
    )
    return model, [plain, spins, broken]


def test_u95_rows_occurrences_energies_and_info_are_kept_when_sets_are_joined():
    model, samplesets = parts()
    joint = joined(samplesets)
    assert joint.vartype is dimod.BINARY
    assert joint.record.energy.tolist() == [8, 0, 0, 8]
    assert joint.record.num_occurrences.tolist() == [2, 1, 1, 1]
    assert model.bqm.energies(joint).tolist() == [8, 0, 0, 8]
    vector = joint.record.chain_break_fraction
    assert np.isnan(vector[:2]).all()
    assert vector[2:].tolist() == [0.25, 0.5]
    assert joint.info == {"calls": [{}, {}, {"problem_id": "x"}]}


def test_u95_a_vector_that_cannot_be_nan_is_left_out():
    _, (first, _, _) = parts()
    with_count = dimod.append_data_vectors(first, num_sweeps=np.array([3]))
    assert "num_sweeps" not in joined([first, with_count]).record.dtype.names
    assert joined([with_count, with_count]).record.num_sweeps.tolist() == [3, 3]


class Remote(Scripted):
    """Returns at once; the answer is made when somebody waits for it."""

    def __init__(self, answer):
        super().__init__(answer)
        self.asked, self.answered = [], []

    def sample(self, bqm, num_reads, seed, interrupt_function):
        self.asked.append(num_reads)

        def resolve(_):
            self.answered.append((num_reads, len(self.asked)))
            return self.answer(bqm, num_reads)

        return dimod.SampleSet.from_future(object(), resolve)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_several_calls_are_under_way_at_once(most):
    remote = Remote(zeros)
    run = prepared(remote, num_reads=30)
    entry = SamplerEntry(name="remote", target=Remote, concurrent_calls=most)
    run.choice = Choice("remote", remote, entry)
    submit(run)
    assert remote.asked == [1, 2, 4, 8, 15]
    # how many calls had been made when each answer was waited for
    assert remote.answered == [
        (size, min(number + most, 5)) for number, size in enumerate(remote.asked)
    ]
    assert (run.reads, run.pending) == (30, [])


def test_calls_that_are_pending_when_a_board_is_found_are_not_waited_for():
    good = build(4).encode(BOARD)
    remote = Remote(lambda bqm, num_reads: dimod.SampleSet.from_samples_bqm([good], bqm))
    run = prepared(remote, num_reads=30)
    run.choice = Choice("remote", remote, SamplerEntry(name="r", target=Remote, concurrent_calls=3))
    submit(run)
    assert run.solved
    assert (remote.asked, remote.answered) == ([1, 2, 4], [(1, 3)])
    assert [call.number for call in run.pending] == [1, 2]
    assert [call.reads for call in finish(run).calls] == [1, 0, 0]


@pytest.mark.parametrize("problem", [8, 3, HOPELESS, Instance(100, [(0, 5)])])
def test_the_repr_of_a_result_fits_on_a_screen(problem):
    text = repr(solve(problem, seed=1, num_reads=2, keep_samples=True))
    assert text.startswith("<SolveResult n=")
    assert len(text) < 400


def test_the_encoding_may_be_given_by_position():
    assert solve(6, "row", seed=1).encoding == "row"


def test_a_strength_of_another_encoding_leaves_a_parameter_of_the_sampler_alone():
    class Counting(Scripted):
        def __init__(self):
            super().__init__(zeros)
            self.parameters["count_strength"] = []

    sampler = Counting()
    solve(HOPELESS, sampler=sampler, num_reads=1, count_strength=3.0)
    assert sampler.calls[0]["count_strength"] == 3.0
    with pytest.raises(TypeError, match="encoding cell has no count_strength"):
        solve(HOPELESS, sampler="neal", count_strength=3.0)


def test_what_json_cannot_hold_is_written_as_its_repr():
    def answer(bqm, num_reads, **_):
        sampleset = zeros(bqm, num_reads)
        sampleset.info.update(fraction=np.float64("nan"), energy=np.inf, arrays=np.arange(2), f=len)
        return sampleset

    result = solve(HOPELESS, sampler=Scripted(answer), num_reads=1)
    info = json.loads(json.dumps(result.to_dict(), allow_nan=False))["calls"][0]["info"]
    assert (info["fraction"], info["energy"], info["arrays"]) == ("nan", "inf", [0, 1])
    assert "len" in info["f"]
