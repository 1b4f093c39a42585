"""The command ``embed``."""

import json

import pytest

from qubo_queens import build
from qubo_queens.embedding.embedding import Embedding


def test_embed_prints_writes_and_draws(run, tmp_path):
    file, picture = tmp_path / "embedding.json", tmp_path / "embedding.svg"
    code, out, err = run(
        *("embed", 6, "--encoding", "ladder", "--topology", "zephyr:4"),
        *("-o", file, "--picture", picture),
    )
    lines = out.splitlines()
    assert (code, err, len(lines)) == (0, "", 4)
    assert lines[0] == "ladder n=6: 164 variables, 336 interactions"
    found = Embedding.read(file)
    assert lines[1].startswith(f"zephyr:4: {found.num_qubits} qubits, longest chain 2, mean 1.")
    assert lines[3].startswith("lattice, ")
    assert found.faults(build(6, "ladder").bqm.quadratic) == ()
    assert picture.read_text().startswith("<?xml")


def test_embed_as_json(run):
    arguments = "embed", 4, "--topology", "chimera:6", "--seed", 1, "--json"
    code, out, _ = run(*arguments)
    told = json.loads(out)
    assert code == 0
    assert (told["n"], told["encoding"], told["topology"]) == (4, "cell", "chimera:6")
    assert (told["num_variables"], told["num_interactions"], told["found"]) == (16, 76, True)
    assert sum(told["chain_lengths"].values()) == 16
    assert told["longest_chain"] == max(map(int, told["chain_lengths"]))


def test_none_found(run, tmp_path):
    file = tmp_path / "embedding.json"
    code, out, _ = run("embed", 8, "--topology", "chimera:1", "-o", file)
    assert code == 1
    limits = "within the limits (--time-limit, --tries)"
    assert out.splitlines()[1] == f"no embedding found {limits}; chimera:1 has 8 qubits"
    assert not file.exists()
    code, out, _ = run("embed", 8, "--topology", "chimera:1", "--json")
    assert (code, json.loads(out)["found"]) == (1, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["8"], "Missing option '--topology'"),
        (["8", "--topology", "eagle:3"], "topology type 'eagle' is unknown"),
        (["8", "--topology", "zephyr:4", "--method", "lattice"], "take encoding ladder"),
        (["8", "--topology", "zephyr:4", "-o", "-"], "takes the name of a file"),
        (["4", "--topology", "zephyr:4", "--picture", "x.txt"], "ends in none of .pdf, .png, .svg"),
        (["8", "--topology", "zephyr:4", "--time-limit", "0"], "must be finite and above 0"),
    ],
)
def test_bad_input(run, arguments, message):
    code, out, err = run("embed", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_picture_is_the_same_each_time(run, tmp_path):
    pictures = [tmp_path / "a.png", tmp_path / "b.png"]
    for picture in pictures:
        code, _, _ = run("embed", 4, "--topology", "zephyr:2", "--seed", 1, "--picture", picture)
        assert code == 0
    assert pictures[0].read_bytes() == pictures[1].read_bytes()


def test_one_file_for_two_things_is_refused(run, tmp_path):
    file = tmp_path / "one.svg"
    arguments = "embed", 4, "--topology", "zephyr:3", "-o", file, "--picture", file
    code, _, err = run(*arguments)
    assert (code, file.exists()) == (2, False)
    assert "-o and --picture are one file" in err


@pytest.mark.parametrize(("mode", "told"), [("none", False), ("lines", True)])
def test_a_ladder_that_lost_its_grid_is_told_how_to_keep_it(run, mode, told):
    arguments = "--topology", "zephyr:6", "--encoding", "ladder", "--reduce", mode, "--seed", 1
    code, out, err = run("embed", 12, "--queen", "5,5", "--queen", "6,7", *arguments)
    assert code == 0
    assert ("--reduce none" in err) is told
    assert ("longest chain 2," in out) is not told


def test_no_file_is_written_where_none_can_be(run, tmp_path):
    for option, name in (("-o", "x.json"), ("--picture", "x.png")):
        missing = tmp_path / "missing" / name
        code, _, err = run("embed", 4, "--topology", "zephyr:2", option, missing)
        assert (code, missing.parent.exists()) == (2, False)
        assert "make its folder first" in err
