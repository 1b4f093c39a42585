"""The formulations: models are the completions, whatever is prescribed."""

from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_cells, attacks, completions, free_cells
from pysat.solvers import Cadical153
from strategies import instances

from qubo_queens import Instance, verify
from qubo_queens.errors import InputError, ModelTooLargeError
from qubo_queens.exact.clauses.cnf import (
    AtMostOne,
    Cardinality,
    ExactlyOne,
    Fixed,
    InOrder,
    NotBoth,
)
from qubo_queens.exact.clauses.formulations import FORMULATIONS, formulate, free_cell_cnf

UNLABELLED = ["cell", "cell-attack", "row"]
ATTACKING = {
    "row": Instance(5, [(2, 0), (2, 3)]),
    "column": Instance(5, [(0, 3), (4, 3)]),
    "sum diagonal": Instance(5, [(0, 4), (3, 1)]),
    "difference diagonal": Instance(5, [(0, 1), (3, 4)]),
    "blocked": Instance(5, [(1, 1)], blocked=[(1, 1)]),
    "excluded sum": Instance(5, [(1, 1)], excluded_sums=[2]),
    "excluded difference": Instance(5, [(1, 3)], excluded_differences=[-2]),
    "more queens than rows": Instance(2, [(0, 0), (0, 1), (1, 0), (1, 1)]),
    "four in a row": Instance(4, [(0, 0), (0, 1), (0, 2), (0, 3)]),
}


def models(cnf, num_variables):
    """Return the models of a formula, restricted to its first variables, each once."""
    found = []
    with Cadical153() as solver:
        for clause in cnf:
            solver.add_clause(clause)
        while solver.solve():
            true = {v for v in solver.get_model() or [] if 0 < v <= num_variables}
            found.append(true)
            solver.add_clause([-v if v in true else v for v in range(1, num_variables + 1)])
    return found


def holds(constraint, true):
    """Judge a constraint by its meaning."""
    match constraint:
        case Fixed(variables=variables, value=value):
            return all((v in true) == value for v in variables.tolist())
        case AtMostOne(variables=variables):
            return len(true & set(variables.tolist())) <= 1
        case ExactlyOne(variables=variables):
            return len(true & set(variables.tolist())) == 1
        case Cardinality(variables=variables, number=number):
            return len(true & set(variables.tolist())) == number
        case NotBoth(first=first, second=second):
            pairs = zip(first.tolist(), second.tolist(), strict=True)
            return not any(a in true and b in true for a, b in pairs)
        case InOrder(first=first, second=second):
            (one,), (other,) = (
                [row for row, places in enumerate(group.tolist()) if true & set(places)]
                for group in (first, second)
            )
            return one < other


def boards(formulation, found):
    return sorted(formulation.decode(true).columns for true in found)


@pytest.mark.parametrize("name", UNLABELLED)
@given(instance=instances(max_n=5))
def test_models_are_the_completions(name, instance):
    formulation = formulate(instance, name)
    found = models(formulation.to_cnf(), formulation.num_variables)
    assert boards(formulation, found) == list(completions(instance))


@given(instances(max_n=4, max_queens=3))
def test_labelled_models_are_the_completions_in_each_order_of_the_rest(instance):
    formulation = formulate(instance, "labelled")
    found = models(formulation.to_cnf(), formulation.num_variables)
    answers = list(completions(instance))
    assert sorted(set(boards(formulation, found))) == answers
    if answers:
        assert len(found) == len(answers) * factorial(instance.n - len(instance.queens))
    else:
        assert not found


@given(instances(max_n=5, max_queens=3))
def test_ordered_labels_leave_one_model_of_each_board(instance):
    formulation = formulate(instance, "labelled")
    found = models(formulation.to_cnf(break_symmetry=True), formulation.num_variables)
    assert boards(formulation, found) == list(completions(instance))
    for true in found:
        assert all(holds(constraint, true) for constraint in formulation.symmetry_breaking)


@pytest.mark.parametrize("name", FORMULATIONS)
@given(data=st.data())
def test_every_declared_constraint_holds_for_solutions_and_one_fails_otherwise(name, data):
    instance = data.draw(instances(max_n=4, max_queens=2))
    formulation = formulate(instance, name)
    variables = range(1, formulation.num_variables + 1)
    true = data.draw(st.sets(st.sampled_from(variables), max_size=5))
    if data.draw(st.booleans()):
        true = set(
            data.draw(st.sampled_from(models(formulation.to_cnf(), len(variables)) or [true]))
        )
    valid = all(holds(constraint, true) for constraint in formulation.constraints)
    placement = formulation.decode(true)
    once = len(placement) == len(true)
    labels = [formulation.meaning(v)[0] for v in sorted(true)]
    if name == "labelled":
        asked = list(enumerate(instance.queens))
        once = once and labels == list(range(formulation.num_labels))
        once = once and set(asked) <= {formulation.meaning(v) for v in true}
    assert valid == bool(verify(instance, placement) and once)


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize("what", ATTACKING)
def test_contradictory_prescriptions_have_no_model(name, what):
    formulation = formulate(ATTACKING[what], name)
    assert models(formulation.to_cnf(), formulation.num_variables) == []


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 0), (3, 0)])
def test_smallest_boards(name, n, number):
    formulation = formulate(n, name)
    assert len(models(formulation.to_cnf(), formulation.num_variables)) == number


@pytest.mark.parametrize("name", FORMULATIONS)
def test_contradictions_are_those_of_declared_constraints(name):
    """Every board with the prescribed queens breaks a constraint that can be named."""
    instance = Instance(4, [(1, 0), (1, 2)])
    formulation = formulate(instance, name)
    assert all(constraint.name for constraint in formulation.constraints)
    names = [constraint.name for constraint in formulation.constraints]
    assert len(names) == len(set(names))


def test_meanings_of_variables():
    assert formulate(3, "cell").meaning(6) == (1, 2)
    assert formulate(3, "row").meaning(6) == (1, 2)
    labelled = formulate(3, "labelled")
    assert labelled.num_variables == 27
    assert labelled.meaning(15) == (1, (1, 2))


def test_decode_passes_over_auxiliary_variables():
    assert formulate(2, "cell").decode([1, 4, 17]).cells == ((0, 0), (1, 1))


@given(instances(max_n=6))
def test_free_cell_clauses_are_those_of_the_definition(instance):
    cells = free_cells(instance, "lines")
    number = {cell: i for i, cell in enumerate(cells, 1)}
    expected = [[]] if instance.contradictions() else []
    for axis in (0, 1):
        done = {queen[axis] for queen in instance.queens}
        expected += [
            [number[cell] for cell in cells if cell[axis] == line]
            for line in range(instance.n)
            if line not in done
        ]
    pairs = {(-number[a], -number[b]) for a in cells for b in cells if a < b and attacks(a, b)}
    cnf = free_cell_cnf(instance)
    found = list(cnf)
    assert found[: len(expected)] == expected
    assert len(found) == len(expected) + len(pairs)
    assert {tuple(clause) for clause in found[len(expected) :]} == pairs
    assert cnf.num_variables == len(cells)


@given(instances(max_n=6))
def test_models_of_free_cell_clauses_are_the_completions(instance):
    cells = free_cells(instance, "lines")
    found = models(free_cell_cnf(instance), len(cells))
    boards = sorted(sorted([*instance.queens, *(cells[v - 1] for v in true)]) for true in found)
    assert boards == [list(enumerate(columns)) for columns in completions(instance)]


@pytest.mark.parametrize(
    ("name", "n"), [("cell", 10**6), ("cell-attack", 2000), ("labelled", 40), ("row", 1000)]
)
def test_what_would_not_fit_is_refused_at_once(name, n):
    with pytest.raises(ModelTooLargeError, match="literals"):
        formulate(n, name)


def test_free_cell_clauses_that_would_not_fit_are_refused():
    with pytest.raises(ModelTooLargeError, match="literals"):
        free_cell_cnf(300)


@pytest.mark.parametrize("name", ["cells", "ladder", "free-cells", "", None, ["cell"]])
def test_unknown_names_are_refused(name):
    with pytest.raises(
        InputError, match=r"as clauses; choose one of cell, cell-attack, labelled, row$"
    ):
        formulate(4, name)


def test_every_cell_has_a_variable_whatever_is_prescribed():
    instance = Instance(4, [(0, 1)], blocked=[(3, 3)])
    formulation = formulate(instance, "cell")
    assert [formulation.meaning(v) for v in range(1, 17)] == all_cells(4)
