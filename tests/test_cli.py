"""The command line: what it prints, its exit codes, and one clear sentence for bad input."""

import io
import json
import subprocess
import sys
from pathlib import Path

import dimod
import pytest
from rich.console import Console

from qubo_queens import Instance, Placement, build, forecast, solve, verify
from qubo_queens.cli import solve as solve_command
from qubo_queens.solving.run import Progress

NAUCK = "8/8/8/3Q4/1Q6/8/8/8"
CSES = "........\n........\n..*.....\n........\n........\n.....**.\n...*....\n........\n"
KEYS = [
    "status",
    "n",
    "columns",
    "queens",
    "energy",
    "num_violated",
    "violations",
    "reason",
    "answered_by",
    "certificate",
    "nodes",
    "encoding",
    "sampler",
    "parameters",
    "calls",
    "num_variables",
    "num_interactions",
    "reads",
    "seed",
    "timing",
    "interrupted",
    "version",
]


@pytest.fixture
def file(tmp_path):
    """Write a file and return its path."""

    def write(content, name="board"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def board_of(output):
    """The placement that ``solve`` printed, and the line after it."""
    *rows, last = output.splitlines()
    cells = [(r, c) for r, row in enumerate(rows) for c, glyph in enumerate(row) if glyph == "Q"]
    assert all(set(row) <= {"Q", "."} and len(row) == len(rows) for row in rows)
    return Placement.from_cells(cells, len(rows)), last


def test_solve_prints_the_board_and_that_no_constraint_is_violated(run):
    code, out, err = run("solve", "8")
    placement, last = board_of(out)
    assert code == 0
    assert verify(8, placement).valid
    assert last == "violated constraints = 0"
    assert "seed" in err


def test_quiet_says_nothing_on_standard_error(run):
    assert run("solve", "6", "--quiet")[2] == ""


def test_solve_json_has_the_stated_keys(run):
    code, out, _ = run("solve", "8", "--json", "--seed", "3")
    result = json.loads(out)
    assert code == 0
    assert set(result) == set(KEYS)
    assert set(result["timing"]) == {"reduce_s", "build_s", "sample_s", "verify_s", "total_s"}
    assert (result["status"], result["seed"], result["energy"]) == ("feasible", 3, 0)
    assert result["reads"] == solve(8, seed=3).reads
    assert result["timing"]["total_s"] >= result["timing"]["sample_s"] > 0
    assert verify(8, Placement.from_columns(result["columns"])).valid
    assert (result["num_variables"], result["num_interactions"]) == (64, 728)


def test_solve_options_reach_the_solver(run):
    argv = [
        *("solve", "9", "--queen", "0,3", "--block", "1,1", "--exclude-sum", "16"),
        *("--exclude-difference", "-8", "--encoding", "cell", "--reduce", "none"),
        *("--row-column-strength", "2", "--diagonal-strength", "5", "--sampler", "neal"),
        *("--seed", "4", "--num-reads", "300", "--num-sweeps", "200", "--beta-range", "1,5"),
        *("--time-limit", "60", "--json", "--quiet"),
    ]
    code, out, err = run(*argv)
    asked = Instance(9, [(0, 3)], blocked=[(1, 1)], excluded_sums=[16], excluded_differences=[-8])
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert verify(asked, Placement.from_columns(result["columns"])).valid
    assert result["num_variables"] == build(asked, reduce="none").num_variables


def test_nauck_from_fen(run, file):
    code, out, _ = run("solve", file(NAUCK + " w - - 0 1\n"), "--json")
    assert code == 0
    assert tuple(json.loads(out)["columns"]) in {
        (4, 6, 0, 3, 1, 7, 5, 2),
        (4, 0, 7, 3, 1, 6, 2, 5),
    }


def test_u29_pairs_from_standard_input(run):
    code, out, _ = run("solve", "-", "--n", "8", stdin="2\n2 2\n5 3\n")
    assert code == 0
    assert out.splitlines()[:3] == ["......Q.", "Q.......", "..Q....."]


def test_u38_blocked_cells_through_a_legend(run, file):
    path = file(CSES)
    code, out, _ = run("solve", path, "--legend", "*=blocked", "--json")
    assert code == 0
    assert json.loads(out)["num_variables"] == 60
    code, _, err = run("solve", path)
    assert code == 2
    assert "line 3, column 3" in err
    assert "*=blocked" in err


def test_one_based_input_gives_zero_based_output(run, file):
    code, out, _ = run("solve", file("[2, 4, 1, 3]"), "--base", "1", "--json")
    assert (code, json.loads(out)["columns"]) == (0, [1, 3, 0, 2])
    code, out, _ = run(
        "solve", "4", "--base", "1", "--queen", "1,2", "--exclude-sum", "2", "--json"
    )
    assert (code, json.loads(out)["columns"]) == (0, [1, 3, 0, 2])


def test_infeasible_is_exit_code_3_with_the_reason(run):
    code, out, err = run("solve", "5", "--queen", "0,0", "--queen", "2,2")
    assert code == 3
    assert out.startswith("infeasible: ")
    assert "r - c = 0" in out
    assert "no sampling needed" in err
    code, out, _ = run("solve", "3", "--json")
    result = json.loads(out)
    assert (code, result["status"], result["columns"], result["queens"]) == (
        3,
        "infeasible",
        None,
        [],
    )


def test_unknown_is_exit_code_1_with_the_best_board(run):
    code, out, err = run("solve", "4", "--queen", "0,0", "--num-reads", "5", "--sampler", "neal")
    assert code == 1
    placement, last = board_of(out)
    assert (0, 0) in placement.cells
    violated = verify(Instance(4, [(0, 0)]), placement).num_violated
    assert last == f"violated constraints = {violated}"
    assert "5 reads" in err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_output_of_solve_can_be_verified(run, form):
    _, board, _ = run("solve", "10", *form)
    assert run("verify", "-", stdin=board)[:2] == (0, "valid\nviolated constraints = 0\n")


def test_verify_reports_each_broken_line(run, file):
    diagonal = "\n".join("." * i + "Q" + "." * (7 - i) for i in range(8))
    code, out, _ = run("verify", file(diagonal), "--json")
    answer = json.loads(out)
    assert code == 1
    assert set(answer) == {"valid", "num_violated", "violations", "missing_prescribed"}
    assert (answer["valid"], answer["num_violated"]) == (False, 1)
    violation = answer["violations"][0]
    assert {"line", "kind", "index", "count", "cells"} <= set(violation)
    assert (violation["line"], violation["kind"], violation["index"], violation["count"]) == (
        "r - c = 0",
        "difference",
        0,
        8,
    )
    code, out, _ = run("verify", file(diagonal))
    assert code == 1
    assert "r - c = 0 has 8 queens, at most one allowed" in out
    assert out.endswith("violated constraints = 1\n")


def test_u03_verify_names_empty_rows(run, file):
    code, out, _ = run("verify", file("....\n" * 4))
    assert code == 1
    assert "row 2 has 0 queens" in out
    assert out.endswith("violated constraints = 8\n")


def test_verify_against_an_instance(run, file):
    board = file("[1, 3, 0, 2]")
    missing = file('{"n": 4, "queens": [[0, 2]]}', "missing.json")
    blocked = file('{"n": 4, "queens": [[0, 1]], "blocked": [[1, 3]]}', "blocked.json")
    kept = file('{"n": 4, "queens": [[0, 1]]}', "kept.json")
    code, out, _ = run("verify", board, "--instance", missing, "--json")
    assert (code, json.loads(out)["missing_prescribed"]) == (1, [[0, 2]])
    assert run("verify", board, "--instance", blocked)[0] == 1
    assert run("verify", board, "--instance", kept)[0] == 0


def test_build_writes_what_dimod_reads(run, tmp_path):
    path = tmp_path / "model.bqm"
    code, out, _ = run("build", "8", "--queen", "0,3", "-o", path)
    model = build(Instance(8, [(0, 3)]))
    with path.open("rb") as stream:
        assert dimod.BinaryQuadraticModel.from_file(stream) == model.bqm
    assert code == 0
    assert f"{model.num_variables} variables, {model.num_interactions} interactions" in out
    assert f"offset {model.bqm.offset:g}" in out
    code, out, _ = run("build", "8", "-o", path, "--json")
    facts = json.loads(out)
    assert (facts["num_variables"], facts["num_interactions"], facts["offset"]) == (64, 728, 16)


@pytest.mark.parametrize("n", [1, 8, 1000, 10**6])
def test_forecast_needs_no_building(run, n):
    code, out, _ = run("forecast", n, "--json")
    size = json.loads(out)
    assert code == 0
    assert (size["variables"], size["interactions"]) == (n * n, n * (n - 1) * (5 * n - 1) // 3)
    assert size["bytes"] == forecast(n).bytes
    assert f"{n * n:,} variable" in run("forecast", n)[1]


def test_samplers_are_listed(run):
    code, out, _ = run("samplers")
    assert code == 0
    assert "flip (local): our single-flip annealer" in out
    assert {"flip", "swap", "neal", "tabu"} <= {
        info["name"] for info in json.loads(run("samplers", "--json")[1])
    }


@pytest.mark.parametrize(
    "kind", ["partial", "planted", "corner-packed", "excluded-diagonals", "blocked"]
)
def test_generated_instances_can_be_solved(run, tmp_path, kind):
    path = tmp_path / "instance.json"
    assert run("generate", kind, "--n", "9", "--count", "3", "--seed", "1", "-o", path)[0] == 0
    code, out, err = run("generate", kind, "--n", "9", "--count", "3", "--seed", "1")
    assert (code, err) == (0, "seed 1\n")
    assert json.loads(out) == json.loads(path.read_text())
    assert run("solve", path)[0] in ((0, 1, 3) if kind in ("partial", "corner-packed") else (0,))


HOSTILE = {
    "no such file": ["solve", "no-such-file"],
    "not a whole number": ["solve", "8.0"],
    "full-width digit": ["solve", "\uff18"],
    "empty name": ["solve", ""],
    "name with NUL": ["solve", "a\0b"],
    "zero": ["solve", "0"],
    "negative": ["solve", "--", "-4"],
    "negative without dashes": ["solve", "-4"],
    "huge size": ["solve", "99999999999999999999999999"],
    "thousands of digits": ["solve", "9" * 5000],
    "too large to build": ["solve", "20000", "--sampler", "neal"],
    "directory": ["solve", "/"],
    "queen off the board": ["solve", "8", "--queen", "8,0"],
    "negative queen": ["solve", "8", "--queen", "-1,2"],
    "queen of three": ["solve", "8", "--queen", "1,2,3"],
    "queen of letters": ["solve", "8", "--queen", "a1"],
    "huge queen": ["solve", "8", "--queen", "99999999999999999999999,0"],
    "sum off the board": ["solve", "8", "--exclude-sum", "15"],
    "difference off the board": ["solve", "8", "--exclude-difference", "-8"],
    "nan strength": ["solve", "8", "--diagonal-strength", "nan"],
    "infinite strength": ["solve", "8", "--row-column-strength", "inf"],
    "zero strength": ["solve", "8", "--row-column-strength", "0"],
    "no diagonals": ["solve", "8", "--diagonal-strength", "0"],
    "overflowing strength": ["solve", "8", "--diagonal-strength", "1e308"],
    "word strength": ["solve", "8", "--diagonal-strength", "strong"],
    "no reads": ["solve", "8", "--num-reads", "0"],
    "negative sweeps": ["solve", "8", "--num-sweeps", "-1"],
    "absurd sweeps": ["solve", "8", "--num-sweeps", str(2**70)],
    "nan beta": ["solve", "8", "--beta-range", "nan,3"],
    "one beta": ["solve", "8", "--beta-range", "3"],
    "negative beta": ["solve", "8", "--beta-range", "-1,3"],
    "no time": ["solve", "8", "--time-limit", "0"],
    "nan time": ["solve", "8", "--time-limit", "nan"],
    "negative seed": ["solve", "8", "--seed", "-3"],
    "unknown sampler": ["solve", "8", "--sampler", "quantum"],
    "foreign parameter": ["solve", "8", "--sampler", "tabu", "--num-sweeps", "3"],
    "unknown encoding": ["solve", "8", "--encoding", "qudit"],
    "unknown reduction": ["solve", "8", "--reduce", "all"],
    "unknown format": ["solve", "8", "--format", "xml"],
    "unused legend": ["solve", "8", "--legend", "*=wall"],
    "subnormal strength": ["solve", "8", "--row-column-strength", "1e-320"],
    "sweeps beyond 63 bits": ["solve", "8", "--num-sweeps", str(2**63)],
    "unknown option": ["solve", "8", "--chain-strength", "2"],
    "legend without meaning": ["solve", "8", "--legend", "x"],
    "base 2": ["solve", "8", "--base", "2"],
    "no input": ["solve"],
    "no command": ["sole", "8"],
    "build without output": ["build", "8"],
    "build into a missing folder": ["build", "8", "-o", "/no/such/folder/model"],
    "build onto a folder": ["build", "8", "-o", "/"],
    "build to a dash": ["build", "8", "-o", "-"],
    "generate to a dash": ["generate", "planted", "--n", "8", "--count", "1", "-o", "-"],
    "missing instance": ["verify", "/dev/null", "--instance", "no-such-file"],
    "generate too many": ["generate", "planted", "--n", "4", "--count", "5"],
    "generate impossible": ["generate", "planted", "--n", "3", "--count", "1"],
    "generate unplanted queens": ["generate", "partial", "--n", "5", "--count", "1", "--unplanted"],
}


def assert_one_sentence(code, out, err):
    assert code == 2
    assert out == ""
    assert err.startswith("qubo-queens: ")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert len(err) < 500


@pytest.mark.parametrize("argv", HOSTILE.values(), ids=HOSTILE)
def test_bad_arguments_get_one_sentence(run, argv):
    assert_one_sentence(*run(*argv))


HOSTILE_FILES = {
    "empty": b"",
    "blank": b" \n\n\t\n",
    "png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "utf-16": "Q...\n..Q.\n".encode("utf-16"),
    "nul bytes": b"Q..\x00\n....\n....\n....\n",
    "ragged": b"Q...\n..\n....\n....\n",
    "unknown glyph": b"K...\n....\n....\n....\n",
    "another piece in FEN": b"8/8/8/3k4/8/8/8/8",
    "short FEN row": b"8/8/7/8/8/8/8/8",
    "column too large": b"[1, 5, 8, 6, 3, 7, 2, 4]",
    "expression": b"__import__('os').system('true')",
    "deep nesting": b"[" * 100_000,
    "huge number": b'{"n": ' + b"9" * 6000 + b"}",
    "float size": b'{"n": 4.0}',
    "bool size": b'{"n": true}',
    "nan": b'{"n": NaN}',
    "unknown key": b'{"n": 4, "rooks": []}',
    "no size": b'{"queens": []}',
    "cell of three": b'{"n": 4, "queens": [[0, 1, 2]]}',
    "broken JSON": b'{"n": 4',
    "regions": b'{"colorRegions": [["A"]]}',
    "size missing": b"(0,1) (2,3)",
    "arabic digits": "٤\n".encode(),
    "two in csv": b"0,2\n0,0\n",
}


@pytest.mark.parametrize("content", HOSTILE_FILES.values(), ids=HOSTILE_FILES)
@pytest.mark.parametrize("command", ["solve", "verify"])
def test_bad_files_get_one_sentence(run, file, command, content):
    assert_one_sentence(*run(command, file(content)))


def test_bad_standard_input_gets_one_sentence(run):
    assert_one_sentence(*run("solve", "-", stdin=b"\xff\xfe\x00"))


def process(command, **options):
    """Run a shell command in which `Q` stands for the command line of this environment."""
    program = f"{sys.executable} -m qubo_queens"
    return subprocess.run(
        ["bash", "-c", command.replace("Q", program)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@pytest.mark.parametrize(
    "command",
    [
        "Q solve - <&-",
        "Q solve 8 >&-",
        "Q solve 8 > /dev/full",
        "Q generate blocked --n 200 --count 20000 --seed 1 | true; exit ${PIPESTATUS[0]}",
    ],
    ids=["closed stdin", "closed stdout", "full disk", "broken pipe"],
)
def test_closed_streams_get_one_sentence(command):
    ended = process(command)
    assert ended.returncode == 2
    lines = ended.stderr.splitlines()
    assert any(line.startswith("qubo-queens: ") for line in lines), lines
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("Q solve 4", 0),
        ("Q solve 3", 3),
        ("Q solve 0", 2),
        ("Q generate planted --n 4 --count 1", 0),
    ],
)
def test_a_full_standard_error_changes_no_exit_code(command, code):
    assert process(command + " 2> /dev/full").returncode == code
    assert process(command + " 2>&-").returncode == code


def test_output_to_standard_output_spares_what_is_there(tmp_path):
    log = tmp_path / "log"
    ended = process(
        f"{{ echo A; Q generate planted --n 4 --count 1 --seed 1 -o /dev/stdout; echo B; }} > {log}"
    )
    assert ended.returncode == 0, ended.stderr
    first, text, last = log.read_text().splitlines()
    assert (first, last) == ("A", "B")
    assert json.loads(text)["n"] == 4
    model = tmp_path / "model"
    ended = process(f"Q build 4 -o /dev/stdout > {model}")
    assert "16 variables" in ended.stderr
    with model.open("rb") as stream:
        assert dimod.BinaryQuadraticModel.from_file(stream) == build(4).bqm
        assert stream.read() == b""


def test_a_name_that_cannot_be_printed(tmp_path):
    ended = process(f"PYTHONIOENCODING=ascii Q build 4 -o {tmp_path}/\u265b.bqm")
    assert "Traceback" not in ended.stderr
    assert (tmp_path / "\u265b.bqm").exists()


def test_verify_counts_each_file_from_its_own_base(run, file):
    instance = file('{"n": 4, "queens": [[1, 3]]}', "instance.json")
    answer = file("2 4 1 3", "answer")
    assert run("verify", answer, "--base", 1, "--instance", instance)[0] == 0
    shifted = file('{"n": 4, "queens": [[2, 4]]}', "shifted.json")
    options = ["--base", 1, "--instance", shifted, "--instance-base", 1]
    assert run("verify", answer, *options)[0] == 0


def test_the_console_script_is_installed():
    script = Path(sys.executable).with_name("qubo-queens")
    ended = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("qubo-queens, version ")


def test_options_of_the_model_reach_build(run, tmp_path):
    argv = [
        *("build", "6", "--queen", "0,1", "--reduce", "none"),
        *("--row-column-strength", "2", "--diagonal-strength", "0.5", "-o", tmp_path / "m"),
    ]
    assert run(*argv)[0] == 0
    model = build(
        Instance(6, [(0, 1)]), reduce="none", row_column_strength=2, diagonal_strength=0.5
    )
    with (tmp_path / "m").open("rb") as stream:
        assert dimod.BinaryQuadraticModel.from_file(stream) == model.bqm


def test_options_of_the_model_reach_forecast(run):
    sizes = [
        json.loads(run("forecast", 6, "--queen", "0,1", "--json", "--reduce", mode)[1])["variables"]
        for mode in ("none", "lines")
    ]
    assert sizes == [
        build(Instance(6, [(0, 1)]), reduce=m).num_variables for m in ("none", "lines")
    ]


def test_base_holds_for_every_option(run):
    options = [
        "--queen",
        "1,2",
        "--block",
        "4,4",
        "--exclude-sum",
        "9",
        "--exclude-difference",
        "5",
    ]
    code, out, _ = run("forecast", 6, "--base", 1, "--json", *options)
    asked = Instance(6, [(0, 1)], blocked=[(3, 3)], excluded_sums=[7], excluded_differences=[5])
    assert (code, json.loads(out)["variables"]) == (0, build(asked).num_variables)
    for option, value, message in [
        ("--queen", "0,3", "--queen: row 0 is outside 1..6 (n=6)"),
        ("--block", "3,7", "--block: column 7 is outside 1..6 (n=6)"),
        ("--exclude-sum", "1", "--exclude-sum: sum 1 is outside 2..12 (n=6)"),
    ]:
        code, _, err = run("forecast", 6, "--base", 1, option, value)
        assert code == 2
        assert message in err


def test_a_stated_format_makes_a_number_the_name_of_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "8").write_text("[1, 3, 0, 2]")
    assert json.loads(run("solve", "8", "--format", "columns", "--json")[1])["n"] == 4


def test_verify_honours_every_rule_of_the_instance(run, file):
    board = file("1 3 0 2", "board")
    for key, value, code in [
        ("excluded_sums", [1], 1),
        ("excluded_sums", [0], 0),
        ("excluded_differences", [-1], 1),
        ("excluded_differences", [0], 0),
    ]:
        instance = file(json.dumps({"n": 4, key: value}), "rules.json")
        assert run("verify", board, "--instance", instance)[0] == code
    pairs = file("1\n0 0\n", "pairs")
    larger = file('{"n": 5}', "larger.json")
    _, out, _ = run("verify", pairs, "--instance", larger)
    assert "row 4 has 0 queens" in out


def test_generate_unplanted_may_have_no_solution(run):
    argv = ["generate", "excluded-diagonals", "--n", "4", "--count", "14", "--seed", "1"]
    assert run(*argv)[0] == 2
    code, out, _ = run(*argv, "--unplanted")
    found = json.loads(out)
    assert code == 0
    assert len(found["excluded_sums"]) + len(found["excluded_differences"]) == 14


def test_any_parameter_of_the_sampler_can_be_given(run):
    argv = ["solve", "6", "--sampler", "tabu", "--json"]
    assert run(*argv, "--param", "timeout=5", "--param", "num_restarts=3")[0] == 0
    for param in ("timeout", "1x=2", "reach=3", "sampler=neal", "time_limit=2"):
        assert_one_sentence(*run(*argv, "--param", param))
    assert_one_sentence(*run(*argv, "--param", "timeout=5", "--param", "timeout=6"))
    assert run("solve", "6", "--param", "beta_schedule_type=linear")[0] == 0


def test_build_says_that_there_is_no_solution(run, tmp_path):
    code, _, err = run("build", "5", "--queen", "0,0", "--queen", "1,1", "-o", tmp_path / "m")
    assert code == 0
    assert err.startswith("infeasible: prescribed queens (0, 0), (1, 1) attack")


def test_two_board_sizes_are_refused(run):
    assert_one_sentence(*run("solve", "8", "--n", "9"))


def test_no_command_is_one_sentence(run):
    assert_one_sentence(*run())


def test_help_is_laid_out(run):
    _, out, _ = run("--help")
    assert "\b" not in out
    assert "\\b" not in out
    assert "\n  Exit codes: 0 feasible" in out
    assert "..." not in out.split("Commands:")[1]
    assert "\n  planted             queens" in run("generate", "--help")[1]


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, delay, function):
        self.start = function

    def cancel(self):
        """Nothing is pending."""

    join = cancel


@pytest.mark.parametrize(("terminal", "hidden"), [(True, False), (True, True), (False, False)])
def test_a_progress_bar_shows_only_on_a_terminal_and_only_if_not_hidden(
    monkeypatch, terminal, hidden
):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100)
    monkeypatch.setattr(solve_command, "Console", lambda stderr: console)
    monkeypatch.setattr(solve_command.threading, "Timer", AtOnce)
    with solve_command.progress_bar(hidden=hidden) as show:
        show(Progress(reads=12, num_reads=50, energy=4))
    assert ("12 reads, best energy 4" in screen.getvalue()) == (terminal and not hidden)
