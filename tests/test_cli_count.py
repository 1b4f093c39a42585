"""The commands ``count`` and ``enumerate``."""

import json
import signal

import pytest

from qubo_queens import Instance, Placement, verify
from qubo_queens.exact.board_search import BoardSearch

NONE_YET = "none found so far; `qubo-queens prove` may decide whether there is one\n"


@pytest.fixture
def press_ctrl_c(monkeypatch):
    """Press Ctrl-C at the end of the first slice of a search."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    advance_slice = BoardSearch.advance_slice

    def press(search, *arguments):
        advance_slice(search, *arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(BoardSearch, "advance_slice", press)
    yield
    signal.signal(signal.SIGINT, before)


def boards_of(output):
    """The placements that ``enumerate`` printed."""
    pictures = [block.splitlines() for block in output.split("\n\n")]
    return [
        Placement(len(rows), [(r, rows[r].index("Q")) for r in range(len(rows))])
        for rows in pictures
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "printed"),
    [
        (["8"], 0, "92 solutions\n"),
        (["8", "--up-to-symmetry"], 0, "12 solutions up to symmetry\n"),
        (["8", "--limit", 2], 0, "at least 2 solutions\n"),
        (["4", "--queen", "0,1"], 0, "1 solution\n"),
        (["3"], 3, "0 solutions\n"),
        (["8", "--queen", "0,0", "--queen", "1,2"], 3, "0 solutions\n"),
        (["8", "--queen", "0,0", "--queen", "1,1"], 3, "0 solutions\n"),
        (["60", "--time-limit", "1e-9"], 1, "at least 0 solutions\n"),
    ],
)
def test_count(run, arguments, code, printed):
    assert run("count", *arguments) == (code, printed, NONE_YET if code == 1 else "")


def test_count_as_json(run):
    code, out, _ = run("count", "8", "--queen", "3,3", "--queen", "4,1", "--json")
    told = json.loads(out)
    assert code == 0
    assert list(told) == ["n", "value", "exact", "up_to_symmetry", "nodes", "seconds", "version"]
    assert (told["n"], told["value"], told["exact"]) == (8, 2, True)


def test_count_interrupted(run, press_ctrl_c):
    code, out, _ = run("count", "14")
    assert code == 0
    assert out.startswith("at least ")


def test_u72_enumerate_says_that_there_are_no_more(run):
    code, out, err = run("enumerate", "6", "--k", 10)
    boards = boards_of(out)
    assert (code, err) == (0, "4 found, no more\n")
    assert len(set(boards)) == 4
    assert all(verify(6, board).valid for board in boards)


def test_enumerate_some(run):
    code, out, err = run("enumerate", "8", "--k", 10)
    assert (code, err) == (0, "10 found; there may be more\n")
    assert len(set(boards_of(out))) == 10


def test_enumerate_one_of_each_class(run):
    code, out, err = run("enumerate", "8", "--up-to-symmetry")
    assert (code, len(boards_of(out)), err) == (0, 12, "12 found, no more\n")


def test_enumerate_none(run):
    assert run("enumerate", "3") == (3, "", "it is proven that there is none\n")
    code, out, err = run("enumerate", "1000", "--time-limit", "1e-9")
    assert (code, out, err) == (1, "", NONE_YET)


def test_enumerate_as_json(run):
    code, out, _ = run("enumerate", "8", "--queen", "3,3", "--queen", "4,1", "--json")
    told = json.loads(out)
    assert (code, told["n"], told["complete"]) == (0, 8, True)
    nauck = Instance(8, [(3, 3), (4, 1)])
    assert len(told["columns"]) == 2
    assert all(verify(nauck, Placement.from_columns(board)).valid for board in told["columns"])
    code, out, _ = run("enumerate", "2", "--json")
    assert (code, json.loads(out)["columns"]) == (3, [])


def test_enumerate_interrupted(run, press_ctrl_c):
    code, out, err = run("enumerate", "60", "--json")
    told = json.loads(out)
    assert (code, told["complete"]) == (1, False)
    assert err == "interrupted\n" + NONE_YET


def test_enumerate_large_boards_as_lists(run):
    n = 2002
    queens = [(row, 2 * row + 1 if row < n // 2 else 2 * (row - n // 2)) for row in range(n)]
    columns = " ".join(str(column) for _, column in queens)
    code, out, err = run("enumerate", "-", "--format", "columns", stdin=columns)
    assert (code, err) == (0, "1 found, no more\n")
    assert [int(word) for word in out.strip(" []\n").replace(",", " ").split()] == [
        column for _, column in queens
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["count", "8", "--limit", 0], "--limit 0 is outside"),
        (["count", "1001"], "up to 1,000 open rows"),
        (["enumerate", "8", "--k", 0], "--limit 0 is outside"),
        (["enumerate", "1001"], "up to 1,000 open rows"),
        (["count", "8", "--time-limit", "0"], "--time-limit must be finite and above 0"),
    ],
)
def test_bad_input(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
