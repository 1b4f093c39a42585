"""Clauses: encodings against truth tables, and DIMACS text there and back."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.formula import CNF
from pysat.solvers import Cadical153
from strategies import instances

from qubo_queens import Instance
from qubo_queens.errors import FormatError, InputError, ModelTooLargeError
from qubo_queens.exact.clauses import cnf as cnf_module
from qubo_queens.exact.clauses.cnf import Cnf, constraints_to_cnf, to_cnf
from qubo_queens.exact.clauses.constraints import AtMostOne, Cardinality, ExactlyOne
from qubo_queens.exact.clauses.formulations import formulate
from qubo_queens.exact.proof_file import read_header, write_header

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
    at_most = constraints_to_cnf([AtMostOne("", variables)], size)
    exactly = constraints_to_cnf([ExactlyOne("", variables)], size)
    assert truth_table(at_most, size) == expected(size, {0, 1})
    assert truth_table(exactly, size) == expected(size, {1})
    assert (at_most.num_variables == size) == (size <= max(pairwise, 1))


@pytest.mark.parametrize("size", range(7))
def test_counts(size):
    for number in range(size + 2):
        cnf = constraints_to_cnf([Cardinality("", np.arange(1, size + 1), number)], size)
        assert truth_table(cnf, size) == expected(size, {number})


def test_auxiliary_variables_of_constraints_are_apart():
    variables = np.arange(1, 7)
    cnf = constraints_to_cnf([Cardinality("", variables, 2), Cardinality("", variables, 3)], 6)
    assert truth_table(cnf, 6) == set()


def test_long_lines_take_a_linear_number_of_clauses():
    cnf = constraints_to_cnf([AtMostOne("", np.arange(1, 1001))], 1000)
    assert len(cnf) == 3 * 1000 - 4
    assert cnf.num_variables == 1999


def test_too_many_literals_are_refused(monkeypatch):
    monkeypatch.setattr(cnf_module, "MAX_LITERALS", 1000)
    with pytest.raises(ModelTooLargeError, match="more than 1,000 literals"):
        to_cnf(formulate(8, "cell-attack"))


@given(clause_lists, st.integers(0, 12))
def test_dimacs_there_and_back(clauses, num_variables):
    cnf = Cnf.from_clauses(clauses, num_variables)
    assert list(cnf) == clauses
    comments = ["a remark", "", "p cnf 1 1"]
    again, found = Cnf.from_dimacs(cnf.to_dimacs(comments))
    assert found == comments
    assert list(again) == clauses
    assert again.num_variables == cnf.num_variables


def test_dimacs_text_is_read_alike_by_others():
    cnf = to_cnf(formulate(4, "cell-attack"))
    theirs = CNF(from_string=cnf.to_dimacs(["hello"]))
    assert theirs.clauses == list(cnf)
    assert theirs.nv == cnf.num_variables


@given(instances(), st.sampled_from(["cell-sums", "row"]))
def test_header_carries_the_instance(instance, name):
    text = formulate(1, "cell-sums")
    comments = ["something else", write_header(instance, name)]
    _, found = Cnf.from_dimacs(to_cnf(text).to_dimacs(comments))
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
        ['qubo-queens {"formulation": "cell-sums", "instance": {"m": 4}}'],
        ['qubo-queens {"formulation": "cell-sums", "instance": 4}'],
    ],
)
def test_headers_that_do_not_state_an_instance(comments):
    with pytest.raises(FormatError):
        read_header(comments)


def test_header_is_one_line_that_a_person_can_read():
    line = write_header(Instance(4, [(0, 1)]), "cell-sums")
    assert line == (
        'qubo-queens {"formulation": "cell-sums", "instance": {"n": 4, "queens": [[0, 1]], '
        '"blocked": [], "excluded_sums": [], "excluded_differences": []}}'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected 'p cnf"),
        ("c only\n", "line 2: expected 'p cnf"),
        ("p cnf 2\n", "line 1"),
        ("p cnf x 1\n1 0\n", "line 1"),
        ("p cnf 2 1\n1 2\n", "line 2: expected a clause"),
        ("c x\np cnf 2 2\n1 0\n1 b 0\n", "line 4"),
        ("p cnf 2 1\n1 -0\n", "line 2"),
        ("p cnf 2 1\n1 0 2 0\n", "line 2"),
        ("p cnf 2 2\n1 0\n", "announces 2 clauses, but there are 1"),
        ("p cnf 2 0\n1 0\n", "announces 0 clauses"),
        ("p cnf 2 1\n3 0\n", "variable 3 occurs"),
        ("p cnf 2 1\nd 1 0\n", "of a proof"),
        ("p cnf 2 1\n99999999999 0\n", "line 2"),
    ],
)
def test_what_is_not_dimacs_is_refused(text, message):
    with pytest.raises(FormatError, match=message):
        Cnf.from_dimacs(text)


@pytest.mark.parametrize("comment", ["two\nlines", "one\n", "a\rb"])
def test_comments_are_single_lines(comment):
    with pytest.raises(InputError, match="one line"):
        Cnf.from_clauses([]).to_dimacs([comment])


@pytest.mark.parametrize("literal", [0, 2**31, -(2**31)])
def test_literals_out_of_range_are_refused(literal):
    with pytest.raises(InputError, match="literal"):
        Cnf.from_clauses([[1, literal]])
