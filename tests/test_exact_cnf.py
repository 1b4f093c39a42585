"""Clauses: constraints against truth tables, and DIMACS text as others read it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.formula import CNF
from pysat.solvers import Cadical153
from strategies import instances

from qubo_queens import Instance
from qubo_queens.errors import FormatError, InputError, ModelTooLargeError, ProofError
from qubo_queens.exact.clauses import cnf as cnf_module
from qubo_queens.exact.clauses.cnf import AtMostOne, Cardinality, Cnf, ExactlyOne, to_cnf
from qubo_queens.exact.clauses.formulations import formulate
from qubo_queens.exact.proof_file import check_proof, read_header, write_header

literals = st.integers(1, 9).flatmap(lambda v: st.sampled_from([v, -v]))
clause_lists = st.lists(st.lists(literals, max_size=5), max_size=12)


def truth_table(cnf, size):
    """Return the assignments of the first variables that can be completed to a model."""
    with Cadical153(bootstrap_with=list(cnf)) as solver:
        return {
            bits
            for bits in product((0, 1), repeat=size)
            if solver.solve([v if bit else -v for v, bit in enumerate(bits, 1)])
        }


def expected(size, allowed):
    return {bits for bits in product((0, 1), repeat=size) if sum(bits) in allowed}


@pytest.mark.parametrize("pairwise", [0, 3, 100])
@pytest.mark.parametrize("size", range(1, 8))
def test_at_most_one_and_exactly_one(monkeypatch, pairwise, size):
    monkeypatch.setattr(cnf_module, "PAIRWISE_UP_TO", pairwise)
    variables = np.arange(1, size + 1)
    at_most = to_cnf([AtMostOne("", variables)], size)
    exactly = to_cnf([ExactlyOne("", variables)], size)
    assert truth_table(at_most, size) == expected(size, {0, 1})
    assert truth_table(exactly, size) == expected(size, {1})
    assert (at_most.num_variables == size) == (size <= max(pairwise, 1))


@pytest.mark.parametrize("size", range(7))
def test_counts(size):
    for number in range(size + 2):
        cnf = to_cnf([Cardinality("", np.arange(1, size + 1), number)], size)
        assert truth_table(cnf, size) == expected(size, {number})


def test_auxiliary_variables_of_constraints_are_apart():
    variables = np.arange(1, 7)
    cnf = to_cnf([Cardinality("", variables, 2), Cardinality("", variables, 3)], 6)
    assert truth_table(cnf, 6) == set()


def test_long_lines_take_a_linear_number_of_clauses():
    cnf = to_cnf([AtMostOne("", np.arange(1, 1001))], 1000)
    assert len(cnf) == 3 * 1000 - 4
    assert cnf.num_variables == 1999


def test_too_many_literals_are_refused(monkeypatch):
    monkeypatch.setattr(cnf_module, "MAX_LITERALS", 1000)
    with pytest.raises(ModelTooLargeError, match="more than 1,000 literals"):
        formulate(8, "cell-attack").to_cnf()


@given(clause_lists, st.integers(0, 12))
def test_dimacs_text_is_read_alike_by_others(clauses, num_variables):
    cnf = Cnf.from_clauses(clauses, num_variables)
    assert list(cnf) == clauses
    comments = ["a remark", "", "p cnf 1 1"]
    text = cnf.to_dimacs(comments)
    assert f"\np cnf {cnf.num_variables} {len(clauses)}\n" in text
    theirs = CNF(from_string=text)
    assert [line.rstrip() for line in theirs.comments] == ["c a remark", "c", "c p cnf 1 1"]
    assert theirs.clauses == clauses
    assert theirs.nv == max((abs(v) for clause in clauses for v in clause), default=0)


def test_clauses_of_an_encoding_are_read_alike_by_others():
    cnf = formulate(4, "cell-attack").to_cnf()
    theirs = CNF(from_string=cnf.to_dimacs(["hello"]))
    assert theirs.clauses == list(cnf)
    assert theirs.nv == cnf.num_variables


@given(instances(), st.sampled_from(["cell", "row"]))
def test_header_carries_the_instance(instance, name):
    comments = ["something else", write_header(instance, name)]
    text = Cnf.from_clauses([]).to_dimacs(comments)
    found = [line.removeprefix("c ") for line in text.splitlines() if line.startswith("c ")]
    assert read_header(found) == (instance, name)


@pytest.mark.parametrize(
    "comments",
    [
        [],
        ["hello"],
        ["qubo-queens {}"],
        ["qubo-queens nonsense"],
        ["qubo-queens []"],
        ['qubo-queens {"formulation": 3, "instance": {"n": 4}}'],
        ['qubo-queens {"formulation": "cell", "instance": {"m": 4}}'],
        ['qubo-queens {"formulation": "cell", "instance": 4}'],
    ],
)
def test_headers_that_do_not_state_an_instance(comments):
    with pytest.raises(FormatError):
        read_header(comments)


def test_header_is_one_line_that_a_person_can_read():
    line = write_header(Instance(4, [(0, 1)]), "cell")
    assert line == (
        'qubo-queens {"formulation": "cell", "instance": {"n": 4, "queens": [[0, 1]], '
        '"blocked": [], "excluded_sums": [], "excluded_differences": []}}'
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c only\n",
        "p cnf 2\n",
        "p cnf x 1\n1 0\n",
        "p cnf 2 1\n1 2\n",
        "c x\np cnf 2 2\n1 0\n1 b 0\n",
        "p cnf 2 1\n1 -0\n",
        "p cnf 2 1\n1 0 2 0\n",
        "p cnf 2 2\n1 0\n",
        "p cnf 2 0\n1 0\n",
        "p cnf 2 1\n3 0\n",
        "p cnf 2 1\nd 1 0\n",
        "p cnf 2 1\n99999999999 0\n",
    ],
)
@pytest.mark.parametrize("with_header", [False, True])
def test_what_is_not_dimacs_is_refused(text, with_header, tmp_path):
    """Also with a header about an instance of two clauses."""
    header = f"c {write_header(Instance(1), 'row')}\n" if with_header else ""
    (tmp_path / "proof").write_text("0\n", encoding="utf-8")
    (tmp_path / "proof.cnf").write_text(header + text, encoding="utf-8")
    with pytest.raises(ProofError if with_header else FormatError):
        check_proof(tmp_path / "proof")


@pytest.mark.parametrize("comment", ["two\nlines", "one\n", "a\rb"])
def test_comments_are_single_lines(comment):
    with pytest.raises(InputError, match="one line"):
        Cnf.from_clauses([]).to_dimacs([comment])


@pytest.mark.parametrize("literal", [0, 2**31, -(2**31)])
def test_literals_out_of_range_are_refused(literal):
    with pytest.raises(InputError, match="literal"):
        Cnf.from_clauses([[1, literal]])
