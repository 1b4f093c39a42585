"""Proof files: what prove() writes is right, and confirmed by others; all else is refused."""

import json
import os
import tempfile
from functools import cache
from pathlib import Path

import dratify
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import completions
from strategies import instances

from qubo_queens import Instance, Status, check_proof, prove
from qubo_queens.errors import FormatError, InputError, InputTypeError, ProofError
from qubo_queens.exact import prove as prove_module
from qubo_queens.exact import stages
from qubo_queens.exact.clauses.formulations import FORMULATIONS
from qubo_queens.generate import blocked, excluded_diagonals, planted

CORNER = Instance(6, [(0, 0)])
SEARCHED = Instance(7, [(0, 0), (1, 6)])
CERTIFIED = {
    "contradiction": Instance(8, [(0, 0), (3, 3), (5, 1)], blocked=[(5, 1)]),
    "small board": Instance(3),
    "empty line": CORNER,
    "diagonal accounting": excluded_diagonals(10, 8, seed=4, planted=False),
}
PROVEN = {
    "n = 3": Instance(3),
    "corner": CORNER,
    "two queens": Instance(7, [(0, 0), (1, 6), (2, 1)]),
    "attack": Instance(5, [(0, 0), (3, 3), (2, 1)]),
    "queen on a blocked cell": Instance(4, [(0, 1)], blocked=[(0, 1)]),
    "emptied row": Instance(4, blocked=[(2, c) for c in range(4)]),
    "excluded": Instance(5, excluded_sums=[0, 2, 4], excluded_differences=[0, 1]),
}


@pytest.fixture
def only_search(monkeypatch):
    """Leave no proof but the search and what is seen at once."""
    search_alone(monkeypatch)


def search_alone(patch):
    patch.setattr(stages, "CHEAP_CELLS", 0)
    patch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
    patch.setattr(stages, "find_line_weights", lambda *_: None)


def clauses_path(path):
    return path.with_name(path.name + ".cnf")


def others_agree(path):
    """Ask another checker about a proof and its clauses."""
    formula = dratify.parse_dimacs(clauses_path(path).read_text("utf-8"))
    return dratify.check_proof(formula, path.read_text("utf-8"), engine="python").ok


# What is written


@pytest.mark.parametrize("kind", CERTIFIED)
def test_certificates_are_written_as_json(kind, tmp_path):
    path = tmp_path / "proof.json"
    result = prove(CERTIFIED[kind], proof=path)
    assert result.status is Status.INFEASIBLE
    assert result.proof == str(path)
    assert check_proof(path) == result.instance
    assert [file.name for file in tmp_path.iterdir()] == ["proof.json"]
    content = json.loads(path.read_text("utf-8"))
    assert content["certificate"] == json.loads(json.dumps(result.certificate.to_dict()))
    assert content["certificate"]["kind"] == kind
    assert content["reason"] == result.reason
    assert content["instance"]["n"] == CERTIFIED[kind].n


def test_weights_are_written_as_json(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
    monkeypatch.setattr(stages, "SHORT_SEARCH", 10)
    instance = excluded_diagonals(12, 10, seed=2, planted=False)
    result = prove(instance, proof=tmp_path / "proof")
    assert result.certificate.kind == "line weights"
    assert check_proof(tmp_path / "proof") == instance


@pytest.mark.usefixtures("only_search")
@pytest.mark.parametrize(
    "instance",
    [
        SEARCHED,
        blocked(12, 90, seed=6, planted=False),
        excluded_diagonals(8, 8, seed=362, planted=False),
        blocked(14, 130, seed=7, planted=False),
    ],
    ids=["two queens", "blocked", "excluded", "larger"],
)
def test_a_search_is_written_as_drat(instance, tmp_path):
    path = tmp_path / "proof.drat"
    result = prove(instance, proof=path)
    assert result.answered_by == "exhaustive search"
    assert result.proof == str(path)
    assert check_proof(path) == result.instance
    assert others_agree(path)
    assert {file.name for file in tmp_path.iterdir()} == {"proof.drat", "proof.drat.cnf"}


@pytest.mark.parametrize("name", list(FORMULATIONS))
@pytest.mark.parametrize("what", PROVEN)
def test_what_cadical_proves_is_written_as_drat(name, what, tmp_path):
    path = tmp_path / "proof"
    result = prove(PROVEN[what], encoding=name, proof=path)
    assert (result.status, result.proof) == (Status.INFEASIBLE, str(path))
    assert "its proof was checked" in result.reason
    assert check_proof(path) == result.instance
    assert others_agree(path)


@settings(max_examples=60)
@given(instances(min_n=2), st.booleans())
def test_proofs_of_any_infeasible_board_are_right(instance, only_search):
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        if only_search:
            search_alone(patch)
        path = Path(folder, "proof")
        result = prove(instance, proof=path)
        if result.status is Status.FEASIBLE:
            assert list(Path(folder).iterdir()) == []
            return
        assert next(completions(instance), None) is None
        assert check_proof(path) == result.instance
        if clauses_path(path).exists():
            assert others_agree(path)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_feasible_boards_have_no_proof(name, tmp_path):
    old = tmp_path / "proof"
    old.write_text("old", encoding="utf-8")
    result = prove(planted(8, 4, seed=1), encoding=name, proof=old)
    assert (result.status, result.proof) == (Status.FEASIBLE, None)
    assert [file.name for file in tmp_path.iterdir()] == ["proof"]
    assert old.read_text("utf-8") == "old"


def test_names_may_be_of_any_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("plain", Path("a b ü.json"), os.fsdecode(b"odd-\xc3\xa9")):
        assert prove(CORNER, proof=name).proof == os.fspath(name)
        assert check_proof(name) == CORNER


def test_an_older_proof_is_replaced(tmp_path):
    path = tmp_path / "proof"
    prove(Instance(3), proof=path)
    before = path.read_text("utf-8")
    prove(CORNER, proof=path)
    assert path.read_text("utf-8") != before
    assert check_proof(path) == CORNER


# Writing that fails


def test_a_write_that_fails_leaves_the_old_certificate(tmp_path, monkeypatch):
    path = tmp_path / "proof"
    prove(Instance(3), proof=path)
    before = path.read_bytes()
    fail(monkeypatch, 1)
    with pytest.raises(InputError, match=r"cannot write .*No space left"):
        prove(CORNER, proof=path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("only_search")
@pytest.mark.parametrize("call", [1, 2])
def test_a_write_that_fails_leaves_no_part_of_a_proof(call, tmp_path, monkeypatch):
    path = tmp_path / "proof"
    path.write_text("old", encoding="utf-8")
    fail(monkeypatch, call)
    with pytest.raises(InputError, match=r"cannot write .*No space left"):
        prove(SEARCHED, proof=path)
    assert path.read_text("utf-8") == "old"
    assert {file.name for file in tmp_path.iterdir()} <= {"proof", "proof.cnf"}


def fail(monkeypatch, call):
    """Let the disk be full when the `call`-th file is written."""
    calls = []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == call:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("qubo_queens.files.os.fsync", fsync)


@pytest.mark.usefixtures("only_search")
def test_a_prove_by_clauses_that_is_wrong_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(prove_module, "prove_by_clauses", wrong_proof)
    with pytest.raises(ProofError):
        prove(SEARCHED, proof=tmp_path / "proof")
    assert list(tmp_path.iterdir()) == []


def wrong_proof(instance, should_stop):
    raise ProofError("step 1 does not follow")


# Damage


@cache
def written(kind):
    """Return the bytes of a proof and of its clauses (None for a certificate)."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "proof")
        if kind == "search":
            search_alone(patch)
            prove(SEARCHED, proof=path)
        elif kind == "json":
            prove(CORNER, proof=path)
        else:
            prove(CORNER, encoding=kind, proof=path)
        clauses = clauses_path(path)
        return path.read_bytes(), clauses.read_bytes() if clauses.exists() else None


def lay(folder, proof, clauses=None):
    path = Path(folder, "proof")
    path.write_bytes(proof)
    clauses_path(path).unlink(missing_ok=True)
    if clauses is not None:
        clauses_path(path).write_bytes(clauses)
    return path


CLAUSAL = ("search", "row", "cell-attack", "labelled")


@pytest.mark.parametrize("kind", ["json", *CLAUSAL])
def test_files_that_are_cut_off_are_refused(kind, tmp_path):
    proof, clauses = written(kind)
    size = len(proof)
    places = {*range(min(size - 1, 30)), *range(0, size - 1, max(1, size // 40))}
    places |= set(range(max(0, size - 12), size - 1 if kind == "json" else size - 2))
    for place in sorted(places):
        path = lay(tmp_path, proof[:place], clauses)
        with pytest.raises(InputError) as caught:
            check_proof(path)
        assert isinstance(caught.value, ProofError | FormatError) or place == 0
    assert check_proof(lay(tmp_path, proof[:-1], clauses))  # a line feed is missing, no more


@pytest.mark.parametrize("kind", CLAUSAL)
def test_clauses_that_are_cut_off_are_refused(kind, tmp_path):
    proof, clauses = written(kind)
    size = len(clauses)
    for place in sorted({*range(0, size - 1, max(1, size // 60)), size - 2, size - 3, 1, 2}):
        path = lay(tmp_path, proof, clauses[:place])
        with pytest.raises((ProofError, FormatError)):
            check_proof(path)
    assert check_proof(lay(tmp_path, proof, clauses[:-1]))


@settings(max_examples=100)
@given(st.sampled_from(CLAUSAL), st.data())
def test_spoilt_steps_are_refused_or_do_not_matter(kind, data):
    proof, clauses = written(kind)
    lines = proof.decode().splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    words = lines[at].split()
    how = data.draw(st.sampled_from(["flip", "drop", "swap", "shorten", "letter", "large"]))
    place = data.draw(st.integers(0, len(words) - 1))
    if how == "flip" and words[place] not in ("0", "d"):
        words[place] = str(-int(words[place]))
    elif how == "letter":
        words[place] = data.draw(st.sampled_from(["x", "-", "d", "1.5", "--1", "é", "c"]))
    elif how == "large":
        words[place] = data.draw(st.sampled_from(["999999999", "-99999", "9999999999999"]))
    elif how == "shorten":
        del words[place]
    lines[at] = " ".join(words)
    if how == "drop":
        del lines[at]
    elif how == "swap":
        lines[at], lines[place] = lines[place], lines[at]
    text = "".join(f"{line}\n" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = lay(folder, text.encode(), clauses)
        try:
            assert check_proof(path)
        except (ProofError, FormatError):
            return
        assert others_agree(path)


@settings(max_examples=100)
@given(st.sampled_from(CLAUSAL), st.data())
def test_other_clauses_are_refused(kind, data):
    """Even those that mean the same: they are not what states the instance."""
    proof, clauses = written(kind)
    comment, head, *lines = clauses.decode().splitlines()
    at, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    how = data.draw(st.sampled_from(["flip", "swap", "drop", "add", "move", "announce"]))
    words = lines[at].split()
    if how == "flip" and len(words) > 1:
        words[0] = str(-int(words[0]))
        lines[at] = " ".join(words)
    elif how == "swap" and lines[at] != lines[other]:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == "drop":
        del lines[at]
    elif how == "add":
        lines.append(lines[at])
    elif how == "move" and at and len(words) > 1:  # a literal, from a clause to the one before
        lines[at - 1 : at + 1] = [f"{lines[at - 1][:-1]}{words[0]} 0", " ".join(words[1:])]
    else:
        head = f"{head}0"
    if data.draw(st.booleans()) and how in ("drop", "add"):
        head = " ".join([*head.split()[:3], str(len(lines))])
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(f"{line}\n" for line in (comment, head, *lines))
        path = lay(folder, proof, text.encode())
        with pytest.raises((ProofError, FormatError)):
            check_proof(path)


def with_header(clauses, change):
    """Return clauses with another comment in front."""
    comment, _, rest = clauses.decode().partition("\n")
    asked = json.loads(comment.removeprefix("c qubo-queens "))
    change(asked)
    return f"c qubo-queens {json.dumps(asked)}\n{rest}".encode()


HEADERS = {
    "smaller": (lambda asked: asked["instance"].update(n=5), InputError),
    "larger": (lambda asked: asked["instance"].update(n=8), ProofError),
    "huge": (lambda asked: asked["instance"].update(n=10**7), ProofError),
    "no queens": (lambda asked: asked["instance"].update(queens=[], blocked=[]), ProofError),
    "more walls": (lambda asked: asked["instance"].update(excluded_sums=[3]), ProofError),
    "no number": (lambda asked: asked["instance"].update(n="6"), FormatError),
    "no board": (lambda asked: asked.update(instance=[6]), FormatError),
    "unknown key": (lambda asked: asked["instance"].update(extra=1), FormatError),
    "no instance": (lambda asked: asked.pop("instance"), FormatError),
    "no formulation": (lambda asked: asked.pop("formulation"), FormatError),
    "formulation 3": (lambda asked: asked.update(formulation=3), FormatError),
    "other formulation": (lambda asked: asked.update(formulation="cell"), ProofError),
    "unknown formulation": (lambda asked: asked.update(formulation="cells"), InputError),
    "queen off the board": (lambda asked: asked["instance"].update(queens=[[0, 99]]), InputError),
}


@pytest.mark.parametrize("kind", CLAUSAL)
@pytest.mark.parametrize("what", HEADERS)
def test_headers_about_another_instance_are_refused(kind, what, tmp_path):
    proof, clauses = written(kind)
    change, error = HEADERS[what]
    with pytest.raises(error):
        check_proof(lay(tmp_path, proof, with_header(clauses, change)))


def test_clauses_that_would_not_fit_in_memory_are_no_proof(tmp_path, monkeypatch):
    path = lay(tmp_path, *written("search"))
    monkeypatch.setattr("qubo_queens.exact.clauses.formulations.MAX_LITERALS", 10)
    with pytest.raises(ProofError, match="too large"):
        check_proof(path)


@pytest.mark.parametrize("first", ["", "c\n", "c qubo-queens\n", "c qubo-queens []\n", "c hello\n"])
def test_clauses_without_a_header_are_refused(first, tmp_path):
    proof, clauses = written("row")
    text = first.encode() + clauses.partition(b"\n")[2]
    with pytest.raises(FormatError, match="no comment says which instance"):
        check_proof(lay(tmp_path, proof, text))


@pytest.mark.parametrize("kind", ["search", "row"])
def test_the_clauses_are_not_the_proof(kind, tmp_path):
    proof, clauses = written(kind)
    path = lay(tmp_path, proof, clauses)
    with pytest.raises(FormatError, match="has the clauses of a proof; name the proof itself"):
        check_proof(clauses_path(path))


def test_a_proof_without_its_clauses_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"cannot read '.*proof\.cnf': No such file"):
        check_proof(lay(tmp_path, written("row")[0]))


@pytest.mark.parametrize("one", CLAUSAL)
@pytest.mark.parametrize("other", CLAUSAL)
def test_the_clauses_of_another_proof_are_refused(one, other, tmp_path):
    path = lay(tmp_path, written(one)[0], written(other)[1])
    if one == other:
        assert check_proof(path)
        return
    with pytest.raises(ProofError):
        check_proof(path)


JUNK = [
    *(b"", b"\n\n", b" ", b"0", b"0\n", b"{", b"[]", b"{}", b"null", b"hello\n", b"c hello\n"),
    *(b"\x00", b"\xff\xfe\x00junk", b"\x7fELF\x02\x01", b"\xef\xbb\xbf{}"),
    *(b'{"format": "qubo-queens certificate"}', b'{"format": 3}', b'{"n": ' + b"9" * 5000 + b"}"),
    *(b"{" * 100_000, b'{"a":' * 100_000, b'{"a": ' + b"[" * 100_000),
]


@pytest.mark.parametrize("with_clauses", [False, True])
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk[:12]))
def test_what_is_no_proof_is_refused(junk, with_clauses, tmp_path):
    path = lay(tmp_path, junk, written("search")[1] if with_clauses else None)
    with pytest.raises(InputError):
        check_proof(path)


@given(st.binary(max_size=60), st.sampled_from([b"", b"{", b"1 0\n", b"p cnf 1 1\n", b"c "]))
def test_no_bytes_make_another_error(junk, front):
    with tempfile.TemporaryDirectory() as folder:
        for path in (lay(folder, front + junk), lay(folder, b"0\n", front + junk)):
            with pytest.raises(InputError):
                check_proof(path)


def test_names_that_are_no_proof(tmp_path):
    for name in (tmp_path, tmp_path / "missing", "a\0b", ""):
        with pytest.raises(InputError, match="cannot read"):
            check_proof(name)
    for value in (None, 3, b"proof"):
        with pytest.raises(InputTypeError, match="a path is needed"):
            check_proof(value)


def respelt(change):
    """Return the certificate about CORNER, after a change to its JSON."""
    content = json.loads(written("json")[0])
    change(content)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda c: c["instance"].update(queens=[]), ProofError, "not the only free cell of row 2"),
        (lambda c: c["instance"].update(n=7), ProofError, "not the only free cell of row 2"),
        (lambda c: c["instance"].update(n=0), InputError, "board size"),
        (lambda c: c["instance"].update(n=6.0), FormatError, "must be an integer"),
        (lambda c: c["instance"].update(queens=[[0, 6]]), InputError, "outside"),
        (lambda c: c["instance"].update(n=float("inf")), FormatError, "Infinity"),
        (lambda c: c["instance"].update(walls=[]), FormatError, "the keys n, queens"),
        (lambda c: c.update(instance=None), FormatError, "the keys n, queens"),
        (lambda c: c.update(certificate=[]), FormatError, "objects"),
        (lambda c: c.pop("instance"), FormatError, "the keys n, queens"),
        (lambda c: c.pop("certificate"), FormatError, "objects"),
        (lambda c: c.pop("format"), FormatError, "format"),
        (lambda c: c.update(format="qubo-queens board"), FormatError, "format"),
        (lambda c: c["certificate"].pop("steps"), ProofError, "malformed"),
        (lambda c: c["certificate"]["steps"].pop(0), ProofError, "."),
        (lambda c: c["certificate"]["steps"].reverse(), ProofError, "."),
        (lambda c: c["certificate"].update(kind="line weights"), ProofError, "malformed"),
        (lambda c: c["certificate"].update(kind="exhaustive search"), ProofError, "unknown"),
        (lambda c: c["certificate"].update(line=["row", 0]), ProofError, "has a queen already"),
    ],
)
def test_certificates_that_are_changed_are_refused(change, error, message, tmp_path):
    with pytest.raises(error, match=message):
        check_proof(lay(tmp_path, respelt(change)))


@settings(max_examples=200)
@given(st.data())
def test_certificates_with_a_changed_byte_are_refused_or_still_right(data):
    """What is still accepted is about an instance without a solution, whatever it says."""
    proof = bytearray(written("json")[0])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(proof) - 1))
        proof[at] = data.draw(st.sampled_from(list(b'0123456789{}[],:"- x')))
    with tempfile.TemporaryDirectory() as folder:
        path = lay(folder, bytes(proof))
        try:
            assert check_proof(path)
        except InputError:
            return
        asked = json.loads(path.read_text("utf-8"))["instance"]
        instance = Instance(
            **{key: value for key, value in asked.items() if key != "n"}, n=asked["n"]
        )
        assert instance.n < 8
        assert next(completions(instance), None) is None


def test_keys_that_are_given_twice_are_refused(tmp_path):
    """Or a person may read the first one, and a program the second."""
    plain, attacked = '{"n": 8}', '{"n": 8, "queens": [[0, 0], [1, 1]]}'
    certificate = '{"kind": "small board"}'
    path = tmp_path / "proof"
    path.write_text(
        f'{{"format": "qubo-queens certificate", "instance": {plain}, "instance": {attacked}, '
        f'"certificate": {certificate}}}',
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match="occurs 2 times"):
        check_proof(path)


def test_two_headers_are_refused(tmp_path):
    proof, clauses = written("row")
    first = clauses.partition(b"\n")[0]
    with pytest.raises(FormatError, match="2 comments say which instance"):
        check_proof(lay(tmp_path, proof, first + b"\n" + clauses))


def test_clauses_lie_beside_the_file_and_not_beside_a_link_to_it(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "here" / "proof")
    result = prove(Instance(5, [(0, 0), (1, 1)]), encoding="row", proof=tmp_path / "link")
    assert result.proof == str(tmp_path / "link")
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"proof", "proof.cnf"}
    assert check_proof(tmp_path / "link")


def test_what_is_no_regular_file_is_refused_before_any_work(monkeypatch):
    monkeypatch.setattr("qubo_queens.exact.prove.reduce", None)
    with pytest.raises(InputError, match="it is no regular file"):
        prove(8, proof="/dev/null")
