"""Batches: many boards in a text, and many problems solved one after the other."""

import io
import signal

import dimod
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import completions
from strategies import instances

from qubo_queens import Instance, build, read_instances, solve, solve_many, verify
from qubo_queens.errors import FormatError, InputError, InputTypeError, ParameterError

U31 = "4 1 2 4 3\n3 1 1\n4 1 1\n"
batches = st.lists(instances(max_n=5), max_size=4)


def message(text, **options):
    with pytest.raises(FormatError) as caught:
        read_instances(text, **options)
    return str(caught.value)


# Reading


def test_u31_is_read_from_text_file_and_stream(tmp_path):
    expected = [Instance(4, [(0, 1), (3, 2)]), Instance(3, [(0, 0)]), Instance(4, [(0, 0)])]
    path = tmp_path / "boards"
    path.write_text(U31)
    for source in (U31, path, str(path), io.StringIO(U31), io.BytesIO(U31.encode())):
        assert read_instances(source, base=1) == expected


@given(batch=st.lists(instances(), min_size=1), base=st.sampled_from([0, 1]), data=st.data())
def test_one_instance_a_line_in_order(batch, base, data):
    lines = []
    for instance in batch:
        numbers = [instance.n, *(index + base for cell in instance.queens for index in cell)]
        lines += data.draw(st.sampled_from([[], [""], [" # 4 1 2", "#"]]))
        separator = data.draw(st.sampled_from([" ", ",", ", ", "\t", "  "]))
        lines.append(separator.join(map(str, numbers)) + data.draw(st.sampled_from(["", " #5"])))
    found = read_instances("\n".join(lines) + "\n", base=base)
    assert found == [Instance(instance.n, instance.queens) for instance in batch]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8\n4 1\n", "line 2, column 3: the row 1 has no column; after the board size come pairs"),
        (
            "8\n\n4 1 4\n",
            "line 3, column 5: column 4 is outside 0..3 (n=4); for 1-based input pass",
        ),
        ("8\n4 -1 0\n", "line 2, column 3: row -1 is outside 0..3 (n=4)"),
        ("8\n0\n", "line 2, column 1: board size n = 0 is outside 1..10000000"),
        ("8\n-4\n", "line 2, column 1: board size n = -4 is outside 1..10000000"),
        (f"8\n{'9' * 5000}\n", "line 2, column 1: a number of 5000 digits fits no board"),
        ("8\n4 x 1\n", "line 2, column 3: 'x' is not an integer"),
        ("8\n4.0\n", "line 2, column 1: '4.0' is not an integer"),
        ("8\n4 (0, 1)\n", "line 2, column 3: '(' is not an integer"),
        ("8\n4,,0,1\n", "line 2, column 3: there is no value before this ','"),
        ("8\n4 0 1 0 1 # twice\n", "line 2, column 1: queen (0, 1) is listed 2 times"),
        ("# nothing\n\n", "there is no board in the text, only comments"),
        ("\n\n", "the text is empty"),
    ],
)
def test_faults_name_the_line(text, expected):
    assert expected in message(text)


def test_a_base_is_checked():
    with pytest.raises(InputError, match=r"base 2 is outside 0\.\.1"):
        read_instances(U31, base=2)
    assert "line 1, column 3: row 0 is outside 1..4" in message("4 0 1\n", base=1)


# Solving


@given(batch=batches, seed=st.integers(0, 99))
@settings(max_examples=15)
def test_a_batch_is_answered_as_one_by_one_and_truly(batch, seed):
    for instance, result in zip(batch, solve_many(batch, seed=seed), strict=True):
        found = list(completions(instance))
        assert result.instance == instance
        assert result.status == ("feasible" if found else "infeasible")
        assert result.placement == solve(instance, seed=seed).placement
        if found:
            assert verify(instance, result.placement).valid


def test_problems_are_taken_when_their_result_is_asked_for():
    taken = []

    def problems():
        for n in (4, 5, build(6)):
            taken.append(n)
            yield n

    results = solve_many(problems(), seed=1)
    assert taken == []
    for number in (1, 2, 3):
        assert next(results).status == "feasible"
        assert len(taken) == number
    assert list(results) == []
    assert list(solve_many([])) == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sampler": "quantum"}, InputError),
        ({"sampler": 5}, InputTypeError),
        ({"sampler": "neal", "timeout": 5}, ParameterError),
        ({"time_limit": 0}, InputError),
        ({"seed": -1}, InputError),
        ({"num_reads": 0}, InputError),
        ({"encoding": "qudit"}, InputError),
        ({"reduce": "all"}, InputError),
        ({"diagonal_strength": 0}, InputError),
        ({"progress": 5}, InputTypeError),
    ],
)
def test_options_are_checked_before_a_problem_is_taken(options, error):
    problems = iter([4])
    with pytest.raises(error):
        solve_many(problems, **options)
    assert next(problems) == 4


def test_parameters_of_the_sampler_reach_it():
    [result] = solve_many([8], sampler="neal", num_sweeps=200, seed=1)
    assert (result.sampler, result.status) == ("neal", "feasible")
    [result] = solve_many([Instance(60)], num_threads=1, seed=1)  # auto picks flip, which has it
    assert (result.sampler, result.status) == ("flip", "feasible")
    results = solve_many([4], reach=3)
    with pytest.raises(ParameterError, match="has no parameter reach"):
        next(results)


def test_a_problem_that_fails_does_not_lose_what_came_before():
    results = solve_many([4, "five", 6], seed=1)
    assert next(results).status == "feasible"
    with pytest.raises(InputTypeError, match="board size n must be an integer, not 'five'"):
        next(results)


@pytest.mark.parametrize("problems", [8, Instance(4), "44", None])
def test_a_single_problem_is_refused(problems):
    with pytest.raises(InputTypeError, match="solve_many needs a list or another iterable"):
        solve_many(problems)


class CtrlC(dimod.Sampler):
    """Presses Ctrl-C instead of sampling."""

    parameters = {}  # noqa: RUF012 - as dimod has it
    properties = {}  # noqa: RUF012

    def sample(self, bqm):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_ends_the_batch_after_the_result_under_way():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        results = solve_many([3, 8, 9], sampler=CtrlC())
        assert not next(results).interrupted
        under_way = next(results)
        assert (under_way.status, under_way.interrupted) == ("unknown", True)
        with pytest.raises(KeyboardInterrupt):
            next(results)
    finally:
        signal.signal(signal.SIGINT, before)
