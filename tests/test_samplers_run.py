"""Schedules, checked parameters, and reads on threads: with made-up reads whose ends are known."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubo_queens.errors import InputError, InputTypeError, ParameterError
from qubo_queens.samplers.annealers.interface import PARAMETERS, CheckedParameters
from qubo_queens.samplers.annealers.run import Plan, Run, make_reads
from qubo_queens.samplers.annealers.schedule import CustomSchedule, Schedule, chosen_schedule

shapes = st.sampled_from(["linear", "geometric"])
betas = st.floats(1e-3, 1e3)
schedules = st.builds(Schedule, betas, betas, st.integers(1, 300), shapes)


class Countdown(Run):
    """Loses 1 of its energy in each sweep."""

    def __init__(self, energy):
        self.energy = float(energy)
        self.betas = []

    def advance(self, betas, target, trace):
        for at, beta in enumerate(betas.tolist()):
            self.energy -= 1
            self.betas.append(beta)
            trace[at : at + 1] = self.energy
            if self.energy <= target:
                return at + 1
        return len(betas)


def reads(energies, *, num_sweeps=50, **options):
    """Make a read for each of the energies to start with."""
    return make_reads(
        Plan(
            begin=lambda number: Countdown(energies[number]),
            schedule=lambda number: Schedule(1, 2, num_sweeps),
            num_reads=len(energies),
            **options,
        )
    )


@given(schedules, st.sets(st.integers(0, 300), max_size=5))
def test_slices_of_a_schedule_are_the_schedule(schedule, cuts):
    whole = schedule.betas(0, schedule.num_sweeps)
    assert len(whole) == schedule.num_sweeps
    assert whole[0] == pytest.approx(schedule.first)
    assert schedule.num_sweeps == 1 or whole[-1] == pytest.approx(schedule.last)
    ends = [0, *sorted(cuts), 400]
    parts = [schedule.betas(*ends[at : at + 2]) for at in range(len(ends) - 1)]
    assert np.array_equal(np.concatenate(parts), whole)
    steps = np.diff(np.log(whole) if schedule.shape == "geometric" else whole)
    assert np.allclose(steps, steps[:1], atol=1e-9)


@given(schedules, st.floats(0.01, 100))
def test_scaled_schedules_have_scaled_betas(schedule, factor):
    expected = schedule.betas(0, 300) * factor
    assert np.allclose(schedule.scaled(factor).betas(0, 300), expected)
    custom = CustomSchedule(schedule.betas(0, 300)).scaled(factor)
    assert np.allclose(custom.betas(0, 300), expected)
    assert (custom.first, custom.last) == (custom.values[0], custom.values[-1])


DEFAULT = Schedule(1, 3, 10)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, DEFAULT),
        ({"num_sweeps": 4}, Schedule(1, 3, 4)),
        ({"beta_range": (0, 2)}, Schedule(0, 2, 10)),
        ({"beta_range": np.array([5, 2.5])}, Schedule(5, 2.5, 10)),
        ({"beta_schedule_type": "geometric"}, Schedule(1, 3, 10, "geometric")),
    ],
)
def test_what_is_not_asked_for_is_the_default(options, expected):
    assert chosen_schedule(DEFAULT, **options) == expected


@pytest.mark.parametrize("options", [{}, {"num_sweeps": 3}, {"beta_schedule_type": "custom"}])
def test_a_custom_schedule_is_taken_as_it_is(options):
    schedule = chosen_schedule(DEFAULT, beta_schedule=[2, 0, 1.5], **options)
    assert schedule.betas(0, 9).tolist() == [2, 0, 1.5]
    assert schedule.num_sweeps == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_sweeps": 0}, r"num_sweeps 0 is outside 1\.\.1000000000"),
        ({"num_sweeps": 10**10}, "outside"),
        ({"num_sweeps": 1.5}, "num_sweeps must be an integer"),
        ({"beta_range": 3}, "two betas"),
        ({"beta_range": (1, 2, 3)}, "beta_range has two betas, not 3"),
        ({"beta_range": (-1, 2)}, "must be finite and at least 0"),
        ({"beta_range": (1, float("nan"))}, "must be finite"),
        ({"beta_range": ("a", 1)}, "must be a number"),
        ({"beta_schedule_type": "cubic"}, "'cubic' is unknown; choose one of linear, geometric"),
        ({"beta_schedule_type": "custom"}, "custom needs beta_schedule"),
        ({"beta_schedule_type": "geometric", "beta_range": (0, 1)}, "use linear"),
        ({"beta_schedule": []}, "at least one beta"),
        ({"beta_schedule": [[1.0]]}, "one dimension"),
        ({"beta_schedule": "abc"}, "list of numbers"),
        ({"beta_schedule": [1, -1]}, "must be within 0..1e.300"),
        ({"beta_schedule": [1, float("inf")]}, "must be within 0..1e.300"),
        ({"beta_schedule": [1, 2], "num_sweeps": 3}, "disagrees with the 2 betas"),
        ({"beta_schedule": [1], "beta_range": (1, 2)}, "leave out beta_range"),
        ({"beta_schedule": [1], "beta_schedule_type": "linear"}, "leave out"),
    ],
)
def test_bad_schedules_are_refused_with_the_reason(options, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        chosen_schedule(DEFAULT, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"sweeps": 3, "foo": 1},
            ParameterError,
            "unknown parameter foo, sweeps; those of reads are",
        ),
        ({"num_reads": 0}, InputError, "num_reads 0 is outside"),
        ({"num_reads": True}, InputTypeError, "num_reads must be an integer"),
        ({"seed": -1}, InputError, "seed -1 is outside"),
        ({"seed": 2**64}, InputError, "seed"),
        ({"seed": "1"}, InputTypeError, "seed must be an integer"),
        ({"target_energy": "low"}, InputTypeError, "target_energy must be a number"),
        ({"target_energy": float("nan")}, InputError, "target_energy must be finite"),
        ({"time_limit": 0}, InputError, "time_limit must be finite and above 0"),
        ({"time_limit": "1s"}, InputTypeError, "time_limit must be a number"),
        ({"num_threads": 0}, InputError, "num_threads 0 is outside"),
        ({"interrupt_function": 3}, InputTypeError, "interrupt_function must be a function"),
        ({"progress": "bar"}, InputTypeError, "progress must be a function"),
        ({"trace_interval": 0}, InputError, "trace_interval 0 is outside"),
    ],
)
def test_bad_options_are_refused_with_the_reason(options, error, message):
    with pytest.raises(error, match=message):
        CheckedParameters.of(**options)


def test_none_stands_for_the_default_of_every_parameter():
    names = [name for name in PARAMETERS if not name.startswith("initial_states")]
    options = CheckedParameters.of(**dict.fromkeys(names))
    assert (options.num_reads, options.target_energy, options.time_limit) == (1, -np.inf, np.inf)
    assert options.num_threads >= 1
    assert options.seed != CheckedParameters.of().seed


@pytest.mark.parametrize("target", [0, -2, -2.5, 3])
def test_targets_may_have_any_sign(target):
    assert CheckedParameters.of(target_energy=target).target_energy == target


@pytest.mark.parametrize("num_threads", [1, 2, 7])
def test_all_reads_are_made_in_their_order_with_the_whole_schedule(num_threads):
    outcomes = reads([100, 200, 300, 400], num_threads=num_threads, trace_interval=1)
    assert [outcome.run.energy for outcome in outcomes] == [50, 150, 250, 350]
    for outcome, first in zip(outcomes, (100, 200, 300, 400), strict=True):
        assert outcome.num_sweeps == 50
        assert outcome.trace.tolist() == list(range(first - 1, first - 51, -1))
        assert np.allclose(outcome.run.betas, Schedule(1, 2, 50).betas(0, 50))


@pytest.mark.parametrize("interval", [1, 3, 7, 50, 51])
def test_a_trace_has_the_energy_after_every_interval(interval):
    (outcome,) = reads([100], trace_interval=interval)
    assert outcome.trace.tolist() == [100 - k for k in range(interval, 51, interval)]


@given(st.lists(st.integers(0, 80), min_size=1, max_size=9), st.integers(1, 4))
def test_the_first_read_in_order_that_reaches_the_target_is_the_last(energies, num_threads):
    outcomes = reads(energies, target=0.0, num_threads=num_threads)
    reached = [at for at, energy in enumerate(energies) if energy <= 50]
    assert len(outcomes) == (reached[0] + 1 if reached else len(energies))
    for outcome, energy in zip(outcomes, energies, strict=False):
        assert outcome.num_sweeps == min(energy, 50)
        assert outcome.run.energy == energy - outcome.num_sweeps


def test_a_later_read_that_succeeds_first_does_not_end_an_earlier_one():
    later_done = threading.Event()

    class Slow(Countdown):
        def advance(self, betas, target, trace):
            assert later_done.wait(20)
            return super().advance(betas, target, trace)

    class Fast(Countdown):
        def advance(self, betas, target, trace):
            made = super().advance(betas, target, trace)
            later_done.set()
            return made

    plan = Plan(
        begin=lambda number: (Slow(30), Fast(1), Fast(90))[number],
        schedule=lambda number: Schedule(1, 2, 50),
        num_reads=3,
        target=0.0,
        num_threads=2,
    )
    (outcome,) = make_reads(plan)
    assert (outcome.run.energy, outcome.num_sweeps) == (0, 30)


@pytest.mark.parametrize("num_threads", [1, 3])
def test_asked_to_stop_reads_end_with_what_they_have(num_threads):
    asked = []

    def stop():
        asked.append(threading.current_thread())
        return len(asked) >= 3

    outcomes = reads([10**9] * 5, num_sweeps=10**9, num_threads=num_threads, should_stop=stop)
    assert 1 <= len(outcomes) <= num_threads
    assert set(asked) == {threading.main_thread()}
    assert all(outcome.run.energy == 10**9 - outcome.num_sweeps for outcome in outcomes)


@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_deadline_that_has_passed_leaves_the_first_read_as_it_begins(num_threads):
    outcomes = reads([7] * 5, deadline=0.0, num_threads=num_threads)
    assert [outcome.num_sweeps for outcome in outcomes[:1]] == [0]
    assert len(outcomes) == 1


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("where", ["should_stop", "progress", "begin", "advance"])
def test_exceptions_pass_through_and_leave_no_thread(num_threads, where):
    def fails(*_):
        raise ZeroDivisionError("in the callback")

    class Failing(Countdown):
        advance = fails

    run = Failing if where == "advance" else Countdown
    options = {"begin": lambda number: run(10**9), "schedule": lambda _: Schedule(1, 2, 10**9)}
    with pytest.raises(ZeroDivisionError, match="in the callback"):
        make_reads(
            Plan(
                **options
                | ({} if where == "advance" else {where: fails})
                | {"num_reads": 4, "num_threads": num_threads}
            )
        )
    assert threading.active_count() == 1


@pytest.mark.parametrize("num_threads", [1, 3])
def test_progress_is_told_with_growing_counts(num_threads):
    told = []
    reads([100] * 6, num_threads=num_threads, progress=told.append)
    counts = [(report.reads, report.num_sweeps) for report in told]
    assert counts == sorted(counts)
    assert counts[-1] == (6, 300)
    assert {report.num_reads for report in told} == {6}


def test_reads_can_be_made_in_a_thread_of_the_user():
    with ThreadPoolExecutor(1) as pool:
        outcomes = pool.submit(reads, [5, 5], num_threads=2).result()
    assert len(outcomes) == 2


def test_ctrl_c_while_threads_are_started_ends_those_that_run(monkeypatch):
    submit = ThreadPoolExecutor.submit

    def interrupted(pool, function):
        if pool._threads:
            raise KeyboardInterrupt
        return submit(pool, function)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reads([10**9] * 3, num_sweeps=10**9, num_threads=3)
    assert threading.active_count() == 1


CTRL_C = """
import os, signal
from qubo_queens.samplers.annealers.flip import FlipSampler
from qubo_queens.samplers.annealers.swap import SwapSampler

def press(progress):
    if progress.num_sweeps:
        os.kill(os.getpid(), signal.SIGINT)

for sampler in (FlipSampler(), SwapSampler()):
    for num_threads in (1, 3):
        try:
            sampler.anneal(12, num_sweeps=10**9, num_reads=9, beta_range=(0.1, 0.1),
                           num_threads=num_threads, progress=press)
        except KeyboardInterrupt:
            print("interrupted")
"""


def test_ctrl_c_ends_reads_on_all_threads():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["interrupted"] * 4
    assert done.stderr == ""
