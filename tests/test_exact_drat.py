"""The checker of proofs: against plain unit propagation, and against another checker."""

from functools import cache

import dratify
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubo_queens import Instance
from qubo_queens.errors import FormatError, InputTypeError, ProofError
from qubo_queens.exact.clauses.cadical import decide
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.drat import DratProof, check_drat, parse_binary_drat, parse_drat
from qubo_queens.exact.clauses.formulations import formulate, free_cell_cnf

SMALL = 5

literals = st.integers(1, SMALL).flatmap(lambda v: st.sampled_from([v, -v]))
steps = st.lists(
    st.tuples(st.sampled_from(["", "", "d "]), st.lists(literals, max_size=3)), max_size=8
)
formulas = st.lists(st.lists(literals, min_size=1, max_size=3), min_size=1, max_size=24)


def text_of(listed):
    return "".join(f"{mark}{' '.join(map(str, [*clause, 0]))}\n" for mark, clause in listed)


def conflict(clauses, assumed):
    """Propagate by going through all clauses again and again."""
    true = set(assumed)
    while True:
        if any(-literal in true for literal in true):
            return True
        units = set()
        for clause in clauses:
            if true.isdisjoint(clause):
                free = {literal for literal in clause if -literal not in true}
                if not free:
                    return True
                if len(free) == 1:
                    units |= free
        if units <= true:
            return False
        true |= units


def plain_check(clauses, listed):
    """Check by the definition; what was assigned for good stays, as units."""
    present = [frozenset(clause) for clause in clauses]
    for mark, clause in listed:
        content = frozenset(clause)
        # The consequences that need no assumption are kept, whatever is deleted.
        present += [unit for unit in map(frozenset, consequences(present)) if unit not in present]
        if mark:
            if len(content) > 1 and content in present:
                present.remove(content)
            continue
        if not conflict(present, [-literal for literal in content]):
            return False
        if not content:
            return True
        present.append(content)
    return False


def consequences(clauses):
    """Return the literals that propagation without assumptions assigns, each in a list."""
    true = set()
    while True:
        units = set()
        for clause in clauses:
            if true.isdisjoint(clause):
                free = {literal for literal in clause if -literal not in true}
                if len(free) == 1:
                    units |= free
        if units <= true:
            return [[literal] for literal in true]
        true |= units


def accepts(cnf, proof):
    try:
        return check_drat(cnf, proof)
    except ProofError:
        return False


def theirs(cnf, text):
    return dratify.check_proof(dratify.parse_dimacs(cnf.to_dimacs()), text, engine="python").ok


@given(formulas, steps)
def test_agrees_with_plain_propagation(clauses, listed):
    cnf = Cnf.from_clauses(clauses, SMALL)
    proof = parse_drat(text_of(listed))
    assert accepts(cnf, proof) == plain_check(clauses, listed)


@given(formulas, steps)
def test_accepts_nothing_that_another_checker_refuses(clauses, listed):
    cnf = Cnf.from_clauses(clauses, SMALL)
    text = text_of([*listed, ("", [])])
    if accepts(cnf, parse_drat(text)):
        assert theirs(cnf, text)


@cache
def proven_boards():
    """Infeasible boards of several kinds as clauses, each with the proof of CaDiCaL."""
    instances = {
        "n = 3": 3,
        "knight's move": Instance(8, [(0, 0), (1, 2)]),
        "corner": Instance(6, [(0, 0)]),
        "excluded": Instance(7, excluded_sums=[3, 4, 5, 9], excluded_differences=[0, 1, -1, 2]),
        "attack": Instance(5, [(0, 0), (3, 3)]),
    }
    formulas = [
        formulate(instance, name).to_cnf()
        for instance in instances.values()
        for name in ("cell", "cell-attack", "row")
    ]
    formulas += [formulate(3, "labelled").to_cnf(), free_cell_cnf(instances["knight's move"])]
    answers = [(cnf, decide(cnf, proof=True)) for cnf in formulas]
    return [(cnf, proof.with_empty_clause()) for cnf, (_, _, proof) in answers if proof is not None]


def test_proofs_of_cadical_are_right():
    assert len(proven_boards()) >= 14
    for cnf, proof in proven_boards():
        text = str(proof)
        assert check_drat(cnf, proof)
        assert check_drat(cnf, parse_drat(text))
        assert theirs(cnf, text)


@given(st.data())
def test_spoilt_proofs_are_judged_no_better_than_by_another_checker(data):
    cnf, proof = data.draw(st.sampled_from([p for p in proven_boards() if len(p[1]) < 600]))
    lines = str(proof).splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    how = data.draw(st.sampled_from(["drop", "drop many", "flip", "cut", "shorten", "swap"]))
    words = lines[at].split()
    if how == "drop":
        del lines[at]
    elif how == "drop many":
        del lines[at : at + 40]
    elif how == "cut":
        del lines[at:]
    elif how == "flip" and words[0] not in ("0", "d"):
        lines[at] = " ".join([str(-int(words[0])), *words[1:]])
    elif how == "shorten" and words[0] not in ("0", "d"):
        lines[at] = " ".join(words[1:])
    elif how == "swap":
        lines[at], lines[-1] = lines[-1], lines[at]
    text = "".join(f"{line}\n" for line in lines)
    if accepts(cnf, parse_drat(text)):
        assert theirs(cnf, text)


def test_proof_of_another_formula_is_refused():
    cnf = formulate(Instance(6, [(0, 0)]), "cell").to_cnf()
    proof = decide(cnf, proof=True)[2].with_empty_clause()
    with pytest.raises(ProofError, match="does not follow"):
        check_drat(formulate(6, "cell").to_cnf(), proof)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not reach the empty clause"),
        ("1 0\n", "does not reach the empty clause"),
        ("0\n", "step 1 of the proof, '0', does not follow"),
        ("1 0\n3 0\n0\n", "step 2 of the proof, '3 0', does not follow"),
        ("1 0\nd 1 2 0\nd 1 -2 0\n-1 0\n0\n", "step 4 of the proof, '-1 0', does not follow"),
        ("1 0\n-9 1 0\n", "step 2 of the proof, '-9 1 0', is about a variable"),
    ],
)
def test_the_first_wrong_step_is_named(text, message):
    cnf = Cnf.from_clauses([[1, 2], [1, -2], [3, 4, 1]], 4)
    with pytest.raises(ProofError, match=message):
        check_drat(cnf, parse_drat(text))


def test_deletions():
    clauses = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
    cnf = Cnf.from_clauses(clauses)
    assert check_drat(cnf, parse_drat("1 0\n0\n"))
    # Deletion is by content: the order of literals, and repeated ones, do not matter.
    with pytest.raises(ProofError, match="step 2"):
        check_drat(cnf, parse_drat("d 2 1 2 0\n1 0\n0\n"))
    # Of a clause that stands twice one stays; unit clauses stay; what is not there is passed over.
    twice = Cnf.from_clauses([*clauses, [2, 1]])
    assert check_drat(twice, parse_drat("d 1 2 0\nd 1 -1 2 0\n1 0\nd 1 0\n0\n"))


def test_repeated_literals_and_tautologies_in_a_formula():
    cnf = Cnf.from_clauses([[1, 1], [-1, 2, 2], [-2, -2, -1], [3, -3]])
    assert check_drat(cnf, parse_drat("3 -3 0\n0\n"))
    assert theirs(cnf, "3 -3 0\n0\n")


def test_an_empty_clause_in_the_formula():
    assert check_drat(Cnf.from_clauses([[], [1]]), parse_drat("0\n"))


def test_a_check_can_be_given_up():
    cnf, _ = proven_boards()[3]
    row = next(clause for clause in cnf if len(clause) > 2)
    many = DratProof(
        np.tile(np.array(row, np.int32), 500_000),
        np.arange(0, len(row) * 500_000 + 1, len(row)),
        np.zeros(500_000, dtype=bool),
    )
    asked = []

    def should_stop():
        asked.append(None)
        return len(asked) == 2

    assert check_drat(cnf, many, should_stop) is False
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 2\n", 1),
        ("1 0\nx 0\n", 2),
        ("1 0\n\n1 -0 0\n", 3),
        ("1 0 2 0\n", 1),
        ("1  2 0\n", 1),
        ("d\n", 1),
        ("1 d 2 0\n", 1),
        ("1 0\n2 0\n3 0\n4", 4),
        ("+1 0\n", 1),
        ("1_0 0\n", 1),
        ("1.0 0\n", 1),
        ("01 0\n", 1),
        ("٣ 0\n", 1),
        ("1000000000 0\n", 1),
    ],
)
def test_text_that_is_not_a_proof_names_the_line(text, line):
    with pytest.raises(FormatError, match=f"line {line}: expected a clause"):
        parse_drat(text)


def test_only_text_is_parsed():
    with pytest.raises(InputTypeError, match="text"):
        parse_drat(b"0\n")


big_literals = st.integers(1, 2**29).flatmap(lambda v: st.sampled_from([v, -v]))


def binary(listed):
    """Write steps in the binary format, number by number."""
    data = bytearray()
    for deleted, clause in listed:
        data += b"d" if deleted else b"a"
        for literal in clause:
            code = 2 * abs(literal) + (literal < 0)
            while code > 127:
                data.append(code & 127 | 128)
                code >>= 7
            data.append(code)
        data.append(0)
    return bytes(data)


@given(st.lists(st.tuples(st.booleans(), st.lists(big_literals | literals, max_size=6))))
def test_binary_and_text_formats_agree(listed):
    proof = parse_binary_drat(binary(listed))
    text = text_of([("d " if deleted else "", clause) for deleted, clause in listed])
    assert str(proof) == text
    if all(abs(literal) < 10**9 for _, clause in listed for literal in clause):
        assert str(parse_drat(text)) == text


@given(st.binary(max_size=12) | st.lists(st.sampled_from([0, 97, 100, 2, 200]), max_size=9))
def test_damaged_binary_proofs_are_refused_or_read_as_they_stand(data):
    data = bytes(data)
    try:
        proof = parse_binary_drat(data)
    except ProofError:
        return
    ends = zip(proof.offsets[:-1].tolist(), proof.offsets[1:].tolist(), strict=True)
    clauses = [proof.literals[start:stop].tolist() for start, stop in ends]
    again = binary(zip(proof.deletes.tolist(), clauses, strict=True))
    assert len(again) <= len(data)
    assert str(parse_binary_drat(again)) == str(proof)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_cut_off_binary_proofs_are_refused(cut):
    data = binary([(False, [1, 200]), (True, [3, -4])])
    with pytest.raises(ProofError, match="cut off"):
        parse_binary_drat(data[:-cut])
