"""The command ``batch``: one line of output for each line of input."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import completions
from strategies import instances

from qubo_queens import Instance, Placement, solve, verify
from qubo_queens.cli import batch

U31 = "4 1 2 4 3\n3 1 1\n4 1 1\n"
settled = settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def line_of(instance, base):
    numbers = [instance.n, *(index + base for cell in instance.queens for index in cell)]
    return " ".join(map(str, numbers))


def test_u31(run, tmp_path):
    answer = "feasible 1 2 2 4 3 1 4 3\ninfeasible\ninfeasible\n"
    assert run("batch", "-", "--base", 1, stdin=U31) == (0, answer, "")
    path = tmp_path / "boards.txt"
    path.write_text("# three boards\n\n" + U31)
    assert run("batch", path, "--base", "1") == (0, answer, "")


@given(
    boards=st.lists(instances(max_n=5), min_size=1, max_size=4),
    base=st.sampled_from([0, 1]),
    seed=st.integers(0, 99),
)
@settled
def test_each_line_is_answered_in_order_and_truly(run, boards, base, seed):
    boards = [Instance(instance.n, instance.queens) for instance in boards]
    text = "".join(line_of(instance, base) + "\n" for instance in boards)
    code, out, err = run("batch", "-", "--base", base, "--seed", seed, stdin=text)
    assert (code, err) == (0, "")
    for instance, line in zip(boards, out.splitlines(), strict=True):
        word, *numbers = line.split()
        found = list(completions(instance))
        assert word == ("feasible" if found else "infeasible")
        if found:
            indices = [int(number) - base for number in numbers]
            cells = list(zip(indices[::2], indices[1::2], strict=True))
            assert cells == sorted(cells)
            assert verify(instance, Placement(instance.n, cells)).valid
            assert tuple(cells) == solve(instance, seed=seed).placement.cells
        else:
            assert numbers == []


def test_what_is_unknown_is_exit_code_1(run):
    code, out, _ = run("batch", "-", "--sampler", "steepest-descent", stdin="4 0 0\n3\n")
    assert (code, out) == (1, "unknown\ninfeasible\n")


def test_json_lines_are_the_objects_of_solve(run):
    code, out, err = run("batch", "-", "--json", "--base", 1, "--seed", 3, stdin=U31)
    told = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [one["status"] for one in told] == ["feasible", "infeasible", "infeasible"]
    assert told[0]["columns"] == [1, 3, 0, 2]
    assert all(one.keys() == solve(4).to_dict().keys() for one in told)


@pytest.mark.parametrize(
    ("argv", "text", "expected"),
    [
        (["-"], "8\n4 1\n", "line 2, column 3: the row 1 has no column"),
        (["-"], "8\n4 4 4\n", "line 2, column 3: row 4 is outside 0..3 (n=4); for 1-based input"),
        (["-"], "", "the text is empty"),
        (["-"], b"\xff\xfe", "is not UTF-8 text"),
        (["-", "--sampler", "quantum"], "8\n", "quantum"),
        (["-", "--time-limit", "0"], "8\n", "--time-limit must be finite and above 0"),
        (["-", "--base", "2"], "8\n", "'2' is not one of '0', '1'"),
        (["none.txt"], "", "there is no file 'none.txt'; give a file, or - for standard input"),
        ([], "", "Missing argument 'FILE'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_solved(run, argv, text, expected):
    code, out, err = run("batch", *argv, stdin=text)
    assert (code, out) == (2, "")
    assert expected in err
    assert err.startswith("qubo-queens: ")
    assert err.count("\n") == 1


def test_answers_are_printed_as_they_come_and_kept_when_interrupted(run, capsys, monkeypatch):
    printed = []

    def results(problems, **options):
        yield solve(3)
        printed.append(capsys.readouterr().out)
        yield solve(2)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "solve_many", results)
    assert run("batch", "-", stdin="3\n2\n4\n") == (
        1,
        "infeasible\n",
        "qubo-queens: interrupted\n",
    )
    assert printed == ["infeasible\n"]
