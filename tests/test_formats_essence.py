"""Essence parameter files, and their twins in JSON; U66 is a known case."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import instances

from qubo_queens.board.instance import Instance
from qubo_queens.errors import FormatError, InputError
from qubo_queens.formats.boards import detect, read_instance, write_instance
from qubo_queens.formats.text_options import TextOptions
from qubo_queens.generate import blocked

BLOCKED = Instance(4, blocked=[(0, 0), (2, 3)])
TEXT = "letting n = 4\nletting blocks = [[1,1],\n[3,4],\n]\n"


FROM_1 = "$ rows and columns count from 1\n"


def published_pair(instance):
    """Return the two files that such an instance is published as: Essence from 1, JSON from 0."""
    cells = instance.blocked
    listed = "".join(f"[{row + 1},{column + 1}],\n" for row, column in cells)
    essence = f"letting n = {instance.n}\nletting blocks = [{listed}]\n"
    return essence, json.dumps({"n": instance.n, "blocks": [list(cell) for cell in cells]})


def message(text, error=FormatError, **options):
    with pytest.raises(error) as caught:
        read_instance(text, options.pop("format", "essence"), **options)
    return str(caught.value)


@pytest.mark.parametrize("seed", range(3))
def test_u66_the_two_files_of_one_board_give_the_same_instance(tmp_path, seed):
    instance = blocked(28, 595, seed=seed)
    essence, twin = published_pair(instance)
    (tmp_path / "board.param").write_text(essence)
    (tmp_path / "board.json").write_text(twin)
    first, second = (read_instance(tmp_path / f"board.{suffix}") for suffix in ("param", "json"))
    assert first == second == instance
    assert len(first.blocked) == 595
    assert read_instance(essence, base=1) == instance
    assert "column 28 is outside 0..27 (n=28); for 1-based input pass base=1" in message(
        essence, base=0
    )


@given(instance=instances(), base=st.sampled_from([0, 1]))
def test_a_base_is_taken_from_the_indices_or_asked_for(instance, base):
    asked = Instance(instance.n, instance.queens, blocked=instance.blocked)
    written = write_instance(asked, format="essence", base=base)
    assert read_instance(written) == asked  # a comment says what it counts from
    text = written.partition("\n")[2]
    numbers = {number + base for cell in asked.queens + asked.blocked for number in cell}
    if not numbers or numbers & {0, asked.n}:
        assert read_instance(text) == asked
    else:
        assert "pass base=0 or base=1" in message(text)
    assert read_instance(text, base=base) == asked


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "letting n be 4\nletting blocks be [[1,1],[3,4]]",
        "letting n =  4\nletting blocks =  [[1, 1], [3, 4]]\n",
        "language Essence 1.3\n\nletting blocks = [[1,1],[3,4]] letting n = 4",
        "language ESSENCE' 1.0\n" + TEXT,
        "$ from a competition: letting n = 9\n" + TEXT + "$ the end",
        "letting\nn\n=\n4\nletting\tblocks\n=\n[\n[\n1\n,\n1\n]\n,\n[3,$ row\n4]\n,\n]",
        TEXT + "letting init = []\n",
        "letting n = 4 letting blocks = [[1,1],[3,4],]",
    ],
)
def test_blanks_comments_and_commas_do_not_matter(text):
    assert detect(text, TextOptions()) == "essence"
    assert read_instance(text) == BLOCKED


def test_prescribed_queens_are_called_init():
    text = "letting n =  4\nletting init =  [[0, 1], [3, 2]]\n"
    assert read_instance(text) == Instance(4, [(0, 1), (3, 2)])
    both = text + "letting blocks = [[1,0]]"
    assert read_instance(both) == Instance(4, [(0, 1), (3, 2)], blocked=[(1, 0)])


def test_content_and_suffix_are_recognised(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text(TEXT)
    assert read_instance(path) == BLOCKED
    path = tmp_path / "board.param"
    assert write_instance(BLOCKED, path) == FROM_1 + TEXT.replace("4],\n]", "4]\n]")
    assert read_instance(path) == BLOCKED
    path.write_text("n = 4; blocks = []")
    assert "'n' stands where letting should" in message(path, format=None)


def test_files_count_from_1_unless_asked_otherwise():
    assert write_instance(BLOCKED, format="essence", base=0) == (
        "$ rows and columns count from 0\nletting n = 4\nletting blocks = [[0,0],\n[2,3]\n]\n"
    )
    assert write_instance(7, format="essence") == FROM_1 + "letting n = 7\n"
    assert read_instance("letting n = 7\n") == Instance(7)
    with pytest.raises(
        InputError, match="format essence cannot carry excluded diagonals; use json"
    ):
        write_instance(Instance(4, excluded_sums=[1]), format="essence")


def test_a_missing_size_may_be_known():
    text = "letting blocks = [[1,1],[3,4]]\n"
    assert read_instance(text, n=4) == BLOCKED
    assert "n, the board size, is missing" in message(text)
    assert "size 4 where one of size 5 is expected" in message(TEXT, n=5, base=1)


def test_the_json_twin_has_a_base_of_0():
    assert read_instance('{"n": 4, "blocks": [[0, 0], [2, 3]]}') == BLOCKED
    assert read_instance('{"n": 4, "blocks": [[1, 1], [3, 4]]}', base=1) == BLOCKED


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("[[1,2],[2,3]]", "does not say whether 1..3 (n=4) count from 0 or from 1; pass base=0"),
        (
            "[[1,2],\n[0,4]]",
            "line 3, column 4: index 4 is outside 0..3 (n=4), "
            "and the index 0 in line 3, column 2 is outside 1..4",
        ),
        ("[[1,5]]", "line 2, column 22: column 5 is outside 1..4 (n=4)"),
        ("[[0,5]]", "line 2, column 22: column 5 is outside 0..3 (n=4)"),
        ("[[1,-1]]", "column -1 is outside 1..4 (n=4)"),
        ("[[0,-1]]", "column -1 is outside 0..3 (n=4)"),
        (f"[[1,{'9' * 29}]]", "line 2, column 22: column 99999999999999999999999999999 is outside"),
        (f"[[1,{'9' * 9000}]]", "line 2, column 22: a number of 9000 digits fits no board"),
    ],
)
def test_indices_that_fit_no_board_are_named(cells, expected):
    assert expected in message(f"letting n = 4\nletting blocks = {cells}\n")


def test_a_stated_base_that_the_indices_contradict_is_refused():
    assert "row 0 is outside 1..4 (n=4); for 0-based input pass base=0" in message(
        "letting n = 4\nletting blocks = [[0,0]]", base=1
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("letting n = 4\nletting n = 4", "line 2, column 9: n is defined twice"),
        ("letting blocks = []\nletting blocks = []", "line 2, column 9: blocks is defined twice"),
        ("letting n = 4\nletting k = 3", "line 2, column 9: 'k' stands where n or blocks or init"),
        ("letting n = 4 5", "line 1, column 15: '5' stands where letting should"),
        ("letting n = 0", "line 1, column 13: board size n = 0 is outside 1..10000000"),
        ("letting n = -4", "line 1, column 13: board size n = -4 is outside 1..10000000"),
        (f"letting n = {'9' * 5000}", "column 13: a number of 5000 digits fits no board"),
        ("letting n = 4.5", "line 1, column 13: '4.5' is not an integer"),
        ("letting n = ٣", "line 1, column 13: '٣' is not an integer"),
        ("letting n = __import__('os')", "is not an integer"),
        ("letting n = [4]", "line 1, column 13: '[' is not an integer"),
        ("letting n 4", "line 1, column 11: '4' stands where = or be should"),
        ("letting n =", "line 1, column 12: the text ends where an integer should stand"),
        ("letting n = $ 4\n", "the text ends where an integer should stand"),
        ("letting", "line 1, column 8: the text ends where n or blocks or init should stand"),
        ("letting blocks = 4", "line 1, column 18: '4' stands where [ should"),
        ("letting blocks = [1,2]", "line 1, column 19: '1' stands where [ or ] should"),
        ("letting blocks = [[1,2,3]]", "line 1, column 23: ',' stands where ] should"),
        ("letting blocks = [[1]]", "line 1, column 21: ']' stands where , should"),
        ("letting blocks = [[]]", "line 1, column 20: ']' is not an integer"),
        ("letting blocks = [[1,2],,]", "line 1, column 25: ',' stands where [ or ] should"),
        ("letting blocks = [,]", "line 1, column 19: ',' stands where [ or ] should"),
        ("letting blocks = [[1,2] [3,4]]", "column 25: '[' stands where , or ] should"),
        ("letting blocks = [[1,2]", "line 1, column 24: the text ends where , or ] should stand"),
        ("letting blocks = [[1,2]]]", "line 1, column 25: ']' stands where letting should"),
        ("letting blocks = " + "[" * 100_000, "line 1, column 20: '[' is not an integer"),
        ("letting blocks = [(1,2)]", "line 1, column 19: '(' stands where [ or ] should"),
        ("letting blocks = [[1,2;int(1..2)]]", "column 23: ';' stands where ] should"),
        ("language\nletting n = 4", "line 1, column 1: 'language' stands where letting should"),
        (
            "language Essence 1.3\nletting n = 4 given x : int",
            "'given' stands where letting should",
        ),
        ("$ nothing else", "n, the board size, is missing"),
    ],
)
def test_faults_name_the_place(text, expected):
    assert expected in message(text + "\n", base=1)


def test_a_queen_listed_twice_is_refused():
    text = "letting n = 4\nletting init = [[1,2],[1,2]]\n"
    assert "queen (1, 2) is listed 2 times" in message(text, base=1)


def test_the_command_line_asks_for_a_base_too(run, tmp_path):
    path = tmp_path / "board.param"
    path.write_text("letting n = 5\nletting init = [[2,3]]\n")
    code, out, err = run("solve", path)
    assert (code, out) == (2, "")
    assert "pass --base 0 or --base 1" in err
    for base in (0, 1):
        code, out, _ = run("solve", path, "--base", base, "--json", "--seed", 1)
        assert code == 0
        assert json.loads(out)["columns"][2 - base] == 3 - base
    board = tmp_path / "answer"
    board.write_text(out)
    assert run("verify", board, "--instance", path, "--instance-base", 1)[0] == 0
