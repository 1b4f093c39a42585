"""The registry, the calls of samplers, and the choice of the best sample."""

import re
import signal
from types import SimpleNamespace

import dimod
import numpy as np
import pytest

from qubo_queens import Placement, build, get_sampler, interrupt, list_samplers, solve
from qubo_queens.board.instance import Instance
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.errors import (
    InputError,
    MissingPackageError,
    MissingVariableError,
    QueensError,
    SampleError,
)
from qubo_queens.samplers import registry
from qubo_queens.samplers.entry import SamplerEntry
from qubo_queens.samplers.registry import get_entry
from qubo_queens.solving import run as run_module
from qubo_queens.solving import submit as submit_module
from qubo_queens.solving.answers import best_read
from qubo_queens.solving.prepare import checked_limits, prepare
from qubo_queens.solving.run import derived_seed
from qubo_queens.solving.submit import submit

BOARD = [1, 3, 0, 2]


class Scripted(dimod.Sampler):
    """Returns prepared sample sets and records how it was called."""

    parameters = None
    properties = None

    def __init__(self, answer):
        self.parameters = {"num_reads": [], "seed": [], "interrupt_function": []}
        self.properties = {}
        self.answer = answer
        self.calls = []

    def sample(self, bqm, **parameters):
        self.calls.append(parameters)
        return self.answer(bqm, **parameters)


def zeros(bqm, num_reads=1, **_):
    return dimod.SampleSet.from_samples_bqm([dict.fromkeys(bqm.variables, 0)] * num_reads, bqm)


def test_registry_describes_every_sampler():
    known = {info.name: info for info in list_samplers()}
    assert {"neal", "tabu", "steepest-descent"} <= set(known)
    for name, info in known.items():
        assert info.where in ("local", "cloud")
        assert info.installed
        assert info.version
        assert info.reason is None
        assert set(info.parameters) == set(get_sampler(name).parameters)
        assert isinstance(get_sampler(name), dimod.Sampler)


def test_registry_says_why_a_sampler_is_missing(monkeypatch):
    absent = SamplerEntry(name="absent", target="no_such_module:S", package="no-such-package")
    monkeypatch.setitem(registry._entries, "absent", absent)
    info = {info.name: info for info in list_samplers()}["absent"]
    assert not info.installed
    assert info.version is None
    assert "no-such-package, which is not installed" in info.reason
    with pytest.raises(MissingPackageError, match="needs the package no-such-package"):
        get_sampler("absent")


def test_unknown_sampler_lists_the_known_ones():
    with pytest.raises(InputError, match=r"'quantum' is unknown.*auto, flip, swap, neal, tabu"):
        get_sampler("quantum")
    with pytest.raises(InputError, match="knows what auto is"):
        get_sampler("auto")


@pytest.mark.parametrize("name", [info.name for info in list_samplers()])
def test_each_named_sampler_solves_and_repeats_itself(name):
    first, second = (solve(8, sampler=name, seed=5) for _ in range(2))
    assert first.status == "feasible"
    assert first.sampler == name
    assert (first.placement, first.reads) == (second.placement, second.reads)


@pytest.mark.parametrize("scale", [1, 10, 0.25])
def test_default_schedule_scales_with_the_strengths(scale):
    model = build(6, row_column_strength=scale, diagonal_strength=2 * scale)
    low, high = get_entry("neal").defaults(model, None)["beta_range"]
    assert (low * scale, high * scale) == (2, 8)
    assert solve(model, seed=2).status == "feasible"


def test_every_encoding_has_a_schedule_of_its_own():
    for encoding in list_encodings():
        parameters = get_entry("neal").defaults(build(6, encoding), None)
        assert set(parameters) == {"beta_range", "num_sweeps"}
        scaled = build(6, encoding, row_column_strength=10, diagonal_strength=10)
        hot, cold = get_entry("neal").defaults(scaled, None)["beta_range"]
        assert (10 * hot, 10 * cold) == pytest.approx(parameters["beta_range"])


@pytest.mark.parametrize("encoding", [name for name in list_encodings() if name != "cell"])
def test_swap_refuses_other_encodings_by_name(encoding):
    with pytest.raises(
        InputError, match=f"swap anneals boards in the encoding cell, not {encoding}"
    ):
        solve(6, encoding=encoding, sampler="swap")


def test_a_schedule_of_the_callers_own_replaces_the_default():
    result = solve(8, sampler="neal", beta_schedule=np.geomspace(2, 8, 200), seed=1)
    assert result.status == "feasible"


def prepared(sampler, num_reads=None, seed=0, **options):
    """Return a run on the board with four rows."""
    limits = checked_limits(num_reads, time_limit=None, batch_size=None, target_energy=0)
    return prepare(
        4,
        "cell",
        sampler=sampler,
        seed=seed,
        limits=limits,
        options={},
        keep_samples=True,
        progress=None,
        parameters=options,
    )


def test_calls_double_and_their_seeds_differ():
    sampler = Scripted(zeros)
    run = prepared(sampler, num_reads=20, seed=3)
    submit(run)
    assert [call["num_reads"] for call in sampler.calls] == [1, 2, 4, 8, 5]
    assert [call["seed"] for call in sampler.calls] == [derived_seed(3, i) for i in range(5)]
    assert len({call["seed"] for call in sampler.calls}) == 5
    assert run.reads == sum(map(len, run.kept)) == 20
    assert all(0 <= derived_seed(seed, 0) < 2**31 for seed in (0, 1, 2**64 - 1))


def test_calls_stop_growing():
    run = prepared(Scripted(zeros), num_reads=10**9)
    sizes = []
    for _ in range(12):
        call = run.next_call()
        sizes.append(call.parameters["num_reads"])
        run.record(call, zeros(run.model.bqm))
    assert sizes == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256]


def test_pending_calls_count_as_asked():
    run = prepared(Scripted(zeros), num_reads=5)
    calls = [run.next_call() for _ in range(4)]
    assert [call and call.parameters["num_reads"] for call in calls] == [1, 2, 2, None]
    assert run.reads == 0


def test_reads_are_counted_by_occurrences():
    def aggregated(bqm, num_reads=1, **_):
        return zeros(bqm, num_reads).aggregate()

    run = prepared(Scripted(aggregated), num_reads=7)
    submit(run)
    assert run.reads == 7


def test_a_sampler_that_returns_nothing_is_an_error_and_not_an_endless_loop():
    def nothing(bqm, **_):
        return dimod.SampleSet.from_samples_bqm([], bqm)

    with pytest.raises(InputError, match="returned no sample"):
        solve(4, sampler=Scripted(nothing))


def test_own_interrupt_function_is_asked_too():
    calls = []
    result = solve(
        Instance(4, [(0, 0)]),
        sampler="neal",
        num_reads=64,
        interrupt_function=lambda: bool(calls.append(1)) or len(calls) > 4,
    )
    assert result.status == "unknown"
    assert calls


@pytest.mark.parametrize("claimed", ["BINARY", "SPIN"])
@pytest.mark.parametrize("shift", [0, -8])
def test_u23_best_sample_is_found_whatever_vartype_and_offset_are_reported(claimed, shift):
    model = build(4)
    good = {(r, c): int(BOARD[r] == c) for r in range(4) for c in range(4)}
    bad = dict.fromkeys(good, 0)
    rows = np.array([[sample[v] for v in model.variables] for sample in (bad, good)], dtype=np.int8)
    if claimed == "SPIN":
        rows = 2 * rows - 1
    sampleset = dimod.SampleSet.from_samples(
        (rows, list(model.variables)), vartype=claimed, energy=np.array([8, 0]) + shift
    )
    assert best_read(model, sampleset)[0].columns == tuple(BOARD)


def test_u23_a_binary_sample_set_with_spin_values_is_read_as_spins():
    model = build(4)
    board = Placement.from_columns(BOARD)
    spins = model.encode(board, vartype="SPIN")
    sampleset = dimod.SampleSet.from_samples([spins], vartype="SPIN", energy=0)
    sampleset._vartype = dimod.BINARY
    assert best_read(model, sampleset)[0] == board


def test_u37_a_sampler_that_drops_a_variable_is_an_error_that_names_the_cell():
    def lossy(bqm, **_):
        samples = {v: 0 for v in bqm.variables if v != (2, 2)}
        return dimod.SampleSet.from_samples([samples], vartype="BINARY", energy=0)

    with pytest.raises(MissingVariableError, match=r"\(2, 2\)"):
        solve(4, sampler=Scripted(lossy))


def test_a_sampler_that_returns_other_values_is_an_error():
    def wrong(bqm, **_):
        sampleset = zeros(bqm)
        sampleset.record.sample[:] = 2
        return sampleset

    with pytest.raises(SampleError, match=r"has the value 2; expected 0 or 1"):
        solve(4, sampler=Scripted(wrong))


class FakeTime:
    """A clock that only moves when told."""

    def __init__(self):
        self.now = 100.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    fake = FakeTime()
    monkeypatch.setattr(run_module, "time", fake)
    monkeypatch.setattr(submit_module, "time", fake)
    return fake


def test_u56_an_interruptible_sampler_is_told_when_the_time_is_up(clock):
    answers = []

    def read_for_ever(bqm, num_reads, interrupt_function, **_):
        done = 0
        while done < num_reads and not (answers and answers[-1]):
            done += 1
            clock.now += 1
            answers.append(interrupt_function())
        return zeros(bqm, done)

    result = solve(4, sampler=Scripted(read_for_ever), time_limit=5, num_reads=1000)
    assert answers == [False] * 4 + [True]
    assert (result.status, result.reads) == ("unknown", 5)
    assert result.reason.startswith("time limit of 5 s reached after 5 reads")
    assert result.timing["total_s"] == result.timing["sample_s"] == 5


def test_u56_a_sampler_that_cannot_be_interrupted_makes_single_reads_under_a_time_limit(clock):
    class Plain(Scripted):
        def __init__(self, answer):
            super().__init__(answer)
            del self.parameters["interrupt_function"]

    def one_second_a_read(bqm, num_reads, **_):
        clock.now += num_reads
        return zeros(bqm, num_reads)

    limited, free = Plain(one_second_a_read), Plain(one_second_a_read)
    assert solve(4, sampler=limited, time_limit=3.5, num_reads=1000).reads == 4
    assert [call["num_reads"] for call in limited.calls] == [1, 1, 1, 1]
    solve(4, sampler=free, num_reads=7)
    assert [call["num_reads"] for call in free.calls] == [1, 2, 4]


def test_the_size_of_batches_can_be_given():
    sampler = Scripted(zeros)
    solve(4, sampler=sampler, num_reads=1000, batch_size=400)
    assert [call["num_reads"] for call in sampler.calls] == [400, 400, 200]


def test_a_sampler_without_a_number_of_reads_is_called_once_and_gets_the_time_that_is_left(clock):
    class Hybrid(Scripted):
        def __init__(self, answer):
            super().__init__(answer)
            self.parameters = {"time_limit": [], "label": []}

    def slow(bqm, **_):
        clock.now += 2
        return zeros(bqm)

    hybrid = Hybrid(slow)
    assert solve(4, sampler=hybrid, label="a").reads == 1
    assert hybrid.calls == [{"label": "a"}]
    hybrid.calls.clear()
    assert solve(4, sampler=hybrid, time_limit=5).reads == 1
    assert hybrid.calls == [{"time_limit": 5}]


def test_a_sampler_with_reads_and_a_time_limit_gets_the_seconds_that_are_left(clock):
    class Remote(Scripted):
        def __init__(self, answer):
            super().__init__(answer)
            self.parameters = {"time_limit": [], "num_reads": []}

    def slow(bqm, num_reads, **_):
        clock.now += 2
        return zeros(bqm, num_reads)

    remote = Remote(slow)
    assert solve(4, sampler=remote, time_limit=5).reads == 3
    assert [call["time_limit"] for call in remote.calls] == [5, 3, 1]


@pytest.mark.parametrize(
    "name", ["beta_range", "num_sweeps", "initial_states", "interrupt_function"]
)
def test_none_is_passed_on_to_the_sampler(name):
    assert solve(6, sampler="neal", **{name: None}).status == "feasible"


def test_an_interrupt_function_that_fails_is_heard():
    def fails():
        raise ZeroDivisionError("in the callback")

    sampler = get_sampler("neal")
    with pytest.raises(ZeroDivisionError, match="in the callback"):
        solve(Instance(4, [(0, 0)]), sampler=sampler, interrupt_function=fails)
    with pytest.raises(TypeError, match="interrupt_function must be a function, not 'foo'"):
        solve(4, interrupt_function="foo")


def test_ctrl_c_while_the_usual_handler_is_put_back_is_not_lost(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    restored = []

    def late(number, handler):
        if handler is signal.default_int_handler and not restored:
            restored.append(1)
            signal.raise_signal(number)
        return signal.signal(number, handler)

    fake = SimpleNamespace(**{**vars(signal), "signal": late})
    monkeypatch.setattr(interrupt, "signal", fake)
    try:
        result = solve(Instance(4, [(0, 0)]), sampler="neal", num_reads=64)
    finally:
        signal.signal(signal.SIGINT, before)
    assert restored
    assert result.reason.startswith("interrupted after 1 read;")


def test_a_sampler_object_makes_a_hundred_reads_by_default():
    sampler = Scripted(zeros)
    assert solve(4, sampler=sampler).reads == 100


def test_the_best_board_is_kept_and_not_the_latest():
    model = build(4)
    close = {**model.encode(Placement.from_columns(BOARD)), (3, 2): 0}

    def good_then_bad(bqm, num_reads, **_):
        first = num_reads == 1
        return dimod.SampleSet.from_samples_bqm([close], bqm) if first else zeros(bqm, num_reads)

    result = solve(model, sampler=Scripted(good_then_bad), num_reads=7)
    assert (result.status, result.energy, len(result.placement)) == ("unknown", 2, 3)


def test_named_samplers_get_parameters_that_suit_the_model(monkeypatch):
    sampler = Scripted(zeros)
    taken = ("beta_range", "num_sweeps", "energy_threshold", "timeout")
    sampler.parameters |= {key: [] for key in taken}
    monkeypatch.setattr(SamplerEntry, "make", lambda entry: sampler)
    solve(20, sampler="neal", num_reads=1)
    solve(20, sampler="neal", num_reads=1, num_sweeps=7)
    solve(60, sampler="tabu", num_reads=1)
    neal, own, tabu = ({key: call.get(key) for key in taken} for call in sampler.calls)
    assert (neal["beta_range"], neal["num_sweeps"]) == ((2, 8), 300)
    assert (own["beta_range"], own["num_sweeps"]) == ((2, 8), 7)
    assert (tabu["energy_threshold"], tabu["timeout"]) == (-120, 60**4 // 50_000)


def test_default_reads_depend_on_the_sampler_and_the_size():
    small, large = build(4), build(200)
    assert [get_entry("neal").default_reads(m) for m in (small, build(20), large)] == [
        10_000,
        2_500,
        100,
    ]
    assert [get_entry("tabu").default_reads(m) for m in (small, large)] == [500, 10]


def test_what_a_sampler_object_raises_is_passed_on():
    class Broken(Scripted):
        def sample(self, bqm, **parameters):
            raise ValueError("operands could not be broadcast")

    with pytest.raises(ValueError, match=r"^operands could not be broadcast$") as caught:
        solve(4, sampler=Broken(zeros))
    assert not isinstance(caught.value, QueensError)
    with pytest.raises(InputError, match="sampler neal refuses the model or a parameter"):
        solve(4, sampler="neal", num_sweeps=-1)


def test_a_sampler_that_returns_no_sample_set_is_an_error():
    with pytest.raises(TypeError, match=r"returned dict instead of a dimod\.SampleSet"):
        solve(4, sampler=Scripted(lambda bqm, **_: {}))


def test_a_nan_in_an_array_is_refused():
    with pytest.raises(InputError, match="beta_schedule of sampler neal has a NaN"):
        solve(4, sampler="neal", beta_schedule=np.array([1.0, np.nan]))


@pytest.mark.parametrize(
    ("keyword", "place"),
    [("queens", "Instance(n, queens=...)"), ("relaxation", "build(..., relaxation=...)")],
)
def test_a_keyword_of_another_function_is_told_where_it_belongs(keyword, place):
    with pytest.raises(TypeError, match=re.escape(f"did you mean {place}?")):
        solve(8, **{keyword: ()})


def test_u09_a_sampler_that_changes_its_bqm_spoils_neither_the_answer_nor_the_model():
    model = build(4)
    before = model.bqm.copy()
    solution = model.encode(Placement.from_columns(BOARD), "SPIN")

    def spoil(bqm, num_reads, **_):
        bqm.change_vartype("SPIN", inplace=True)
        bqm.relabel_variables({v: str(v) for v in bqm.variables}, inplace=True)
        bqm.scale(3)
        zero = dict.fromkeys(solution, -1)
        return dimod.SampleSet.from_samples([zero, solution], vartype="SPIN", energy=[-9, -5])

    result = solve(model, sampler=Scripted(spoil))
    assert result.placement.columns == tuple(BOARD)
    assert model.bqm == before


@pytest.mark.parametrize("strengths", [(1, 1e-20), (1e16, 1), (10**15, 1), (1e10, 1e-7)])
def test_the_valid_board_is_found_whatever_the_ratio_of_the_strengths(strengths):
    model = build(8, row_column_strength=strengths[0], diagonal_strength=strengths[1])
    good = model.encode(Placement.from_columns([4, 6, 0, 3, 1, 7, 5, 2]))
    for columns in ([0, 1, 2, 3, 4, 5, 6, 7], [4, 6, 0, 3, 1, 7, 2, 5]):
        bad = model.encode(Placement.from_columns(columns))

        def both(bqm, bad=bad, **_):
            return dimod.SampleSet.from_samples([bad, good], vartype="BINARY", energy=0)

        assert solve(model, sampler=Scripted(both), num_reads=2).status == "feasible"


def test_an_interrupt_function_of_the_caller_ends_the_search():
    result = solve(Instance(4, [(0, 0)]), sampler="neal", interrupt_function=lambda: True)
    assert (result.status, result.reads) == ("unknown", 1)


def test_tabu_is_kept_within_the_time_limit():
    model = build(60)
    assert get_entry("tabu").defaults(model, 0.05)["timeout"] == 50
    assert get_entry("tabu").defaults(model, None)["timeout"] == 60**4 // 50_000


@pytest.mark.parametrize("value", [np.array([1, 2]), [], None, 3], ids=repr)
def test_what_is_no_name_is_refused_as_one(value):
    for question in (
        lambda: get_sampler(value),
        lambda: build(4, value),
        lambda: build(4, reduce=value),
    ):
        with pytest.raises(QueensError, match="is unknown"):
            question()


def test_progress_must_be_a_function():
    with pytest.raises(TypeError, match="progress must be a function, not 5"):
        solve(4, progress=5)


def test_a_sampler_without_parameters_may_say_none():
    class Silent(dimod.Sampler):
        parameters = None
        properties = None

        def sample(self, bqm):
            return zeros(bqm)

    assert solve(4, sampler=Silent()).reads == 1
