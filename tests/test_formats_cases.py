"""Boards as they are seen elsewhere, and what is said of faulty ones. U.. are known cases."""

import json

import pytest

from qubo_queens import solve
from qubo_queens.board.instance import MAX_SIZE, Instance
from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import verify
from qubo_queens.errors import FormatError, InputError, InputTypeError, UnsupportedVariantError
from qubo_queens.formats.boards import FORMATS, read_instance, write_instance

FOUR = Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])
PARTIAL = Instance(4, [(0, 1), (3, 2)])
U64_FEN = "Q14/2Q12/4Q10/1Q13/9Q5/11Q3/13Q1/3Q11/12Q2/8Q6/5Q9/14Q/6Q8/10Q4/7Q7"
U38_BOARD = """\
........
........
..*.....
........
........
.....**.
...*....
........
"""


def message(source, *args, error=FormatError, **options):
    with pytest.raises(error) as caught:
        read_instance(source, *args, **options)
    return str(caught.value)


# What is read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(".Q..\r\n...Q \r\nQ...\r\n..Q.\r\n\r\n", FOUR, id="U60-crlf-and-blanks"),
        pytest.param("_ Q _ _ \n_ _ _ _\n_ _ _ _\n_ _ Q _", PARTIAL, id="U62-blank-separated"),
        pytest.param("\n\n.q..\n---Q\nQ___\n\t..Q.\n", FOUR, id="lower-case-and-other-blanks"),
        pytest.param(".Q..\r...Q\rQ...\r..Q.", FOUR, id="cr"),
        pytest.param(".Q..\n...Q\nQ...\n..Q.\n\nviolated constraints = 0\n", FOUR, id="own-output"),
        pytest.param("\ufeff.Q..\n...Q\nQ...\n..Q.\n", FOUR, id="byte-order-mark"),
        pytest.param("1Q2/3Q/Q3/2Q1", FOUR, id="fen"),
        pytest.param("1q2/4/4/2Q1 w - - 0 1\n", PARTIAL, id="fen-further-fields"),
        pytest.param("[1, 3, 0, 2]", FOUR, id="columns-list"),
        pytest.param("(1, 3, 0, 2)", FOUR, id="columns-tuple"),
        pytest.param("1 3 0 2", FOUR, id="columns-blanks"),
        pytest.param("1,3;0,2\n", FOUR, id="columns-commas"),
        pytest.param("1\n3\n0\n2\n", FOUR, id="columns-lines"),
        pytest.param("[1, null, null, 2]", PARTIAL, id="columns-null"),
        pytest.param("1 - . 2", PARTIAL, id="columns-signs"),
        pytest.param("0,1,0,0\n0,0,0,1\n1,0,0,0\n0,0,1,0\n", FOUR, id="csv"),
        pytest.param("0;1;0;0\n0 ;0;0; 1\n 1\t0 0  0\n0,0,1,0", FOUR, id="csv-separators"),
        pytest.param('{"n": 4, "queens": [[3, 2], [0, 1]]}', PARTIAL, id="json"),
        pytest.param("Q", Instance(1, [(0, 0)]), id="U70-one"),
        pytest.param("..\n..\n", Instance(2), id="U70-two"),
        pytest.param("3/3/3", Instance(3), id="U70-three"),
    ],
)
def test_boards_are_recognised(text, expected):
    assert read_instance(text) == expected


@pytest.mark.parametrize(
    "text",
    ["[[0,1],[3,2]]", "(0,1) (3,2)", "[(0, 1), (3, 2)]", "0 1\n3 2\n", "0,1\n3,2", "2\n0 1\n3 2\n"],
)
def test_lists_of_cells_need_the_size(text):
    assert read_instance(text, n=4) == PARTIAL
    assert "pass n" in message(text, error=InputError)


def test_u29_pairs():
    assert read_instance("2\n2 2\n5 3\n", n=8) == Instance(8, [(2, 2), (5, 3)])
    assert "2 pairs are announced but 3 numbers follow" in message("2\n2 2\n5\n", "pairs", n=8)


def test_u38_blocked_cells_come_with_a_legend():
    blocked = [(2, 2), (5, 5), (5, 6), (6, 3)]
    assert read_instance(U38_BOARD, legend={"*": "blocked"}) == Instance(8, blocked=blocked)
    assert message(U38_BOARD) == (
        "line 3, column 3: '*' is none of Q q . _ -; give it a meaning with legend={'*': 'blocked'}"
    )


def test_u64_fen_of_a_large_board():
    instance = read_instance(U64_FEN)
    assert instance.n == 15
    assert verify(15, Placement(15, instance.queens)).valid
    assert write_instance(instance, format="fen") == U64_FEN + "\n"


def test_u68_one_based_input_is_suspected_and_read():
    text = "[1,5,8,6,3,7,2,4]"
    assert message(text) == (
        "line 1, column 6: column 8 is outside 0..7 (n=8); for 1-based input pass base=1"
    )
    assert read_instance(text, base=1).queens[:3] == ((0, 0), (1, 4), (2, 7))
    assert message("(0,1)", n=8, base=1) == (
        "line 1, column 2: row 0 is outside 1..8 (n=8); for 0-based input pass base=0"
    )


@pytest.mark.parametrize("text", ["(-1,0)", "[[0, -1]]", "1\n-1 0", '{"queens": [[-1, 0]]}'])
def test_u68_negative_numbers_never_wrap(text):
    assert "-1 is outside 0..7 (n=8)" in message(text, n=8)


def test_base_moves_sum_diagonals_twice_and_difference_diagonals_not_at_all():
    text = '{"n": 4, "excluded_sums": [2, 8], "excluded_differences": [-3, 0]}'
    expected = Instance(4, excluded_sums=[0, 6], excluded_differences=[-3, 0])
    assert read_instance(text, base=1) == expected
    assert "sum 8 is outside 0..6 (n=4); for 1-based input pass base=1" in message(text)


@pytest.mark.parametrize("n", [0, -4])
def test_u70_sizes_out_of_range(n):
    assert "is outside 1.." in message("[]", n=n, error=InputError)
    assert "is outside 1.." in message(f'{{"n": {n}}}', error=InputError)


@pytest.mark.parametrize("n", [True, 4.0, "8"])
def test_u70_sizes_of_the_wrong_type(n):
    assert "must be an integer" in message("[]", n=n, error=InputTypeError)
    assert "n must be an integer" in message(json.dumps({"n": n}))


@pytest.mark.parametrize(
    "text",
    [
        '{"size": 2, "colorRegions": [["A", "B"], ["A", "B"]]}',
        '{"n": 2, "regions": [[0, 1], [0, 1]]}',
        'const level1 = {\n  size: 2,\n  colorRegions: [\n    ["A", "B"],\n    ["A", "B"],\n',
    ],
)
@pytest.mark.parametrize("name", [None, "json", "text"])
def test_u74_region_puzzles_are_refused(text, name):
    assert "coloured regions, a different rule set" in message(
        text, name, error=UnsupportedVariantError
    )


def test_the_result_of_solve_is_read_as_its_board():
    result = solve(Instance(4, [(0, 1), (3, 2)]), seed=1).to_dict()
    columns = tuple(enumerate(result["columns"]))
    assert read_instance(json.dumps(result), base=1) == Instance(4, columns)
    del result["version"]
    assert "key 'status' is unknown" in message(json.dumps(result))


def test_an_instance_with_keys_of_a_result_keeps_its_constraints():
    text = json.dumps({"n": 1, "blocked": [[0, 0]], "status": "open", "version": "1"})
    assert "key 'status' is unknown" in message(text)
    result = solve(4).to_dict() | {"blocked": [[0, 0]]}
    assert "key 'status' is unknown" in message(json.dumps(result))


def test_text_does_not_lose_a_blocked_cell_under_a_queen():
    with pytest.raises(InputError, match=r"queen on the blocked cell \(0, 1\); use json"):
        write_instance(Instance(4, [(0, 1)], blocked=[(0, 1)]), format="text")


# What could be several things


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("0 1", "columns or cells"),
        ("0\n", "columns or pairs or csv"),
        ("1\n", "fen or columns or csv"),
        ("1 0\n0 1", "cells or csv"),
    ],
)
def test_ambiguous_texts_name_the_candidates(text, candidates):
    assert f"can be read as {candidates}; pass format" in message(text)


def test_a_known_size_settles_what_the_text_is():
    assert read_instance("0 1", n=8) == Instance(8, [(0, 1)])
    assert read_instance("1 0\n0 1", n=8) == Instance(8, [(0, 1), (1, 0)])
    assert read_instance("0\n", n=5) == Instance(5)


def test_a_suffix_settles_only_what_the_content_leaves_open(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("1 0\n0 1\n")
    assert read_instance(path) == Instance(2, [(0, 0), (1, 1)])
    path.write_text(".Q\n..\n")
    assert read_instance(path) == Instance(2, [(0, 1)])
    path.write_text("hello\n")
    assert message(path).startswith("line 1, column 1: 'hello' stands where 1 (queen) or 0 should")


def test_a_text_that_is_no_board_names_the_formats():
    for text in ("hello\nthere\n", ",;\n"):
        assert f"none of the formats {', '.join(FORMATS)}" in message(text)


# What is wrong with a board


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Q..\n...\n..", None, "line 3, column 1: the number of cells is 2, but that of rows is 3"),
        ("Q.\n\n..\n", None, "line 2, column 1: the number of cells is 0"),
        ("Q.\n.x", None, "line 2, column 2: 'x' is none of Q q . _ -"),
        ("Q.\n.\x0b\n", None, "line 2, column 2: '\\x0b' is none of Q q . _ -"),
        ("violated constraints = 2\n", "text", "the text has no rows"),
        ("2/Q2", None, "line 1, column 3: row 1, 'Q2': the number of cells is 3"),
        ("2//2", "fen", "line 1, column 3: row 1, '': the number of cells is 0"),
        ("8/4Q3", None, "line 1, column 1: row 0, '8': the number of cells is 8"),
        ("4/4/5/4", None, "line 1, column 5: row 2, '5': the number of cells is 5"),
        ("2/1k", None, "line 1, column 4: 'k' is a king; allowed are Q, q, numbers"),
        ("2/1?", "fen", "line 1, column 4: '?' is not known; allowed are Q, q, numbers"),
        ("2/Q01", None, "line 1, column 4: 01 is not a number of empty cells"),
        (f"{'9' * 5000}/1", None, "line 1, column 1: a number of 5000 digits"),
        ("2/2\n2/2\n", None, "line 2, column 1: a FEN is a single line"),
        ("[0, 1.5, 2]", None, "line 1, column 5: '1.5' is not an integer"),
        ("[0, ٣, 2]", None, "line 1, column 5: '٣' is not an integer"),
        ("[0, [1], 2]", "columns", "line 1, column 5: '[' is not an integer"),
        ("0 9999999999999999999999999999999 2", None, "column 3: a number of 31 digits"),
        ("0,,2,1", None, "line 1, column 3: there is no value before this ','"),
        ("0,3,2,\n", None, "line 1, column 6: there is no value after the last comma"),
        ("[ ]", "columns", "the list of columns is empty"),
        ("(0,1) 3", "cells", "line 1, column 7: '3' stands outside the brackets"),
        ("(0,1)\n(2,3", "cells", "line 2, column 1: this '(' is not closed"),
        ("(0,1) (2,3,1)", "cells", "line 1, column 7: a cell is a row and a column, not 3 numbers"),
        ("0 1\n2\n", "cells", "line 2, column 1: a cell is a row and a column, not 1 numbers"),
        ("x 1 2", "pairs", "line 1, column 1: 'x' is not an integer"),
        ("0,1\n1,2\n", "csv", "line 2, column 3: '2' stands where 1 (queen) or 0 should"),
        (" 0,1\n1 ,, 0\n", "csv", "line 2, column 4: nothing stands where 1 (queen) or 0 should"),
        ("0,1,0\n1,0,0\n", None, "line 1, column 1: the number of cells is 3"),
    ],
)
def test_faults_name_the_place(text, name, expected):
    n = 4 if name in ("cells", "pairs") else None
    assert expected in message(text + "\n", name, n=n)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"n": 4,\n "queens": [[0, 1],]}', "line 2, column "),
        ('{"n": 4, "n": 4}', "key 'n' occurs 2 times"),
        ('{"n": 4, "queen": []}', "key 'queen' is unknown; known are n, queens, blocked"),
        ("{}", "key 'n', the board size, is missing; add it, or pass n"),
        ('{"n": 4, "queens": [[0, true]]}', "queens[0] must be an integer, not true"),
        ('{"n": 4, "queens": [[0, 1], [0, 1.0]]}', "queens[1] must be an integer, not 1.0"),
        (
            '{"n": 4, "queens": [[0, 1, 2]]}',
            "queens[0] must be a [row, column] list, not a list of 3",
        ),
        ('{"n": 4, "blocked": {"0": 1}}', "blocked must be a list, not an object"),
        ('{"n": 4, "blocked": null}', "blocked must be a list, not null"),
        ('{"n": 4, "excluded_sums": [7]}', "excluded_sums[0]: sum 7 is outside 0..6 (n=4)"),
        ('{"n": NaN}', "NaN is not a number"),
        ('{"n": ' + "9" * 5000 + "}", "a number of 5000 digits"),
        ('{"n": ' + "[" * 100_000, "nested too deeply"),
        ('{"n": 4, "blocks": [[4, 0]]}', "blocks[0]: row 4 is outside 0..3 (n=4); for 1-based"),
        ('{"n": 4, "blocks": [], "blocked": []}', "are two words for the same; give one"),
        ('{"n": 4, "queens": [[4, 0]]}', "queens[0]: row 4 is outside 0..3 (n=4); for 1-based"),
    ],
)
def test_faults_in_json_name_the_key(text, expected):
    assert expected in message(text)


def test_json_must_be_an_object():
    assert "not a list of 1; for a list use format columns or cells" in message("[[0, 1]]", "json")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Q.\n..", "text"),
        ("2/Q1", "fen"),
        ("0 1", "columns"),
        ("1,0\n0,0", "csv"),
        ('{"n": 2}', "json"),
    ],
)
def test_a_size_that_the_text_contradicts_is_refused(text, name):
    said = message(text, name, n=3)
    assert "size 2" in said or "2 columns" in said
    assert "(n)" in said


@pytest.mark.parametrize(
    ("options", "error", "expected"),
    [
        ({"format": "pgn"}, InputError, "format 'pgn' is unknown; choose one of text, fen"),
        ({"base": 2}, InputError, "base 2 is outside 0..1"),
        ({"base": True}, InputTypeError, "base must be an integer"),
        ({"legend": {"**": "blocked"}}, InputError, "must be exactly one visible character"),
        ({"legend": {" ": "empty"}}, InputError, "must be exactly one visible character"),
        ({"legend": {"*": "wall"}}, InputError, "choose one of queen, blocked, empty"),
        ({"legend": "*=blocked"}, InputTypeError, "legend must map glyphs to meanings"),
    ],
)
def test_arguments_are_checked(options, error, expected):
    assert expected in message("Q", error=error, **options)


# What a format cannot carry


@pytest.mark.parametrize(
    ("instance", "name", "expected"),
    [
        (
            Instance(2, blocked=[(0, 0)]),
            "fen",
            "cannot carry blocked cells; use text or json or essence",
        ),
        (Instance(2, excluded_sums=[0]), "text", "cannot carry excluded diagonals; use json"),
        (
            Instance(2, blocked=[(0, 0)], excluded_differences=[0]),
            "cells",
            "cannot carry blocked cells and excluded diagonals; use json",
        ),
        (Instance(2, [(1, 0), (1, 1)]), "columns", "several queens of row 1; use cells or json"),
        (
            Instance(MAX_SIZE),
            "csv",
            f"takes over 268,435,456 characters for n={MAX_SIZE}; use json",
        ),
        (Instance(2), "pgn", "format 'pgn' is unknown"),
    ],
)
def test_writers_refuse_what_they_cannot_carry(instance, name, expected):
    with pytest.raises(InputError, match="format") as caught:
        write_instance(instance, format=name)
    assert expected in str(caught.value)


def test_a_legend_must_leave_a_glyph_to_write():
    with pytest.raises(InputError, match="leaves no glyph for blocked"):
        write_instance(2, format="text", legend={"*": "empty"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", ".Q..\n....\n....\n..Q.\n"),
        ("fen", "1Q2/4/4/2Q1\n"),
        ("columns", "2 - - 3\n"),
        ("cells", "[[1, 2], [4, 3]]\n"),
        ("pairs", "2\n1 2\n4 3\n"),
        ("csv", "0,1,0,0\n0,0,0,0\n0,0,0,0\n0,0,1,0\n"),
        (
            "essence",
            "$ rows and columns count from 1\nletting n = 4\nletting init = [[1,2],\n[4,3]\n]\n",
        ),
        (
            None,
            '{"n": 4, "queens": [[1, 2], [4, 3]], "blocked": [], "excluded_sums": [], '
            '"excluded_differences": []}\n',
        ),
    ],
)
def test_what_is_written(name, expected):
    assert write_instance(PARTIAL, format=name, base=1) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(3,2) (0,1) (3,2)", "cells"),
        ("2\n3 2\n3 2\n", "pairs"),
        ('{"n": 4, "queens": [[3, 2], [3, 2]]}', "json"),
    ],
)
def test_a_queen_listed_twice_is_refused_and_not_dropped(text, name):
    assert "queen (3, 2) is listed 2 times" in message(text, name, n=4)


def test_rows_of_bits_need_no_separator():
    assert read_instance("0100\n0001\n1000\n0010\n").queens == ((0, 1), (1, 3), (2, 0), (3, 2))
