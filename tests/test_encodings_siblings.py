"""Models of other shapes: constrained, discrete and nonlinear, against brute force."""

import subprocess
import sys
from collections import Counter
from itertools import permutations, product

import dimod
import numpy as np
import pytest
from dwave.optimization.model import Model as NonlinearModel
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import (
    LINE_NAMES,
    attacks,
    cells_on_lines,
    completions,
    energy_histogram,
    forbidden_queens,
    is_forbidden,
    solves,
)
from strategies import instances, integer_strengths, modes

from qubo_queens import (
    Instance,
    Placement,
    build,
    build_cqm,
    build_dqm,
    build_nl,
    decode_nl,
    reduce,
    verify,
)
from qubo_queens.encodings.groups import RowDomains
from qubo_queens.errors import (
    InputError,
    InputTypeError,
    MissingPackageError,
    MissingVariableError,
    ModelTooLargeError,
    SampleError,
)

SOLUTIONS = {1: 1, 2: 0, 3: 0, 4: 2, 5: 10}

PRESCRIBED = [
    Instance(4, [(0, 1)]),
    Instance(5, [(2, 2)], blocked=[(0, 1), (4, 3)]),
    Instance(5, excluded_sums=[4], excluded_differences=[0, 1]),
    Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)]),
    Instance(4, blocked=[(0, c) for c in range(4)]),
    Instance(4, excluded_sums=range(7)),
]
CONTRADICTORY = [
    Instance(4, [(0, 0), (0, 1)]),
    Instance(4, [(0, 1), (2, 1)]),
    Instance(4, [(0, 0), (1, 1)]),
    Instance(4, [(0, 1)], blocked=[(0, 1)]),
    Instance(4, [(0, 1)], excluded_sums=[1]),
    Instance(4, [(0, 1)], excluded_differences=[-1]),
    Instance(1, [(0, 0)], blocked=[(0, 0)]),
    Instance(2, [(0, 0), (0, 1), (1, 0), (1, 1)]),
]
ALL_MODES = ["none", "lines", "propagate", "probe"]
cases = pytest.mark.parametrize("instance", PRESCRIBED + CONTRADICTORY, ids=str)
every_mode = pytest.mark.parametrize("mode", ALL_MODES)


def boards(instance):
    """Return the solutions as sets of cells, by brute force."""
    return {tuple(enumerate(columns)) for columns in completions(instance)}


# Constrained models


@given(instances(max_n=6), modes)
def test_solutions_are_feasible_samples_of_the_cqm(instance, mode):
    cqm, model = build_cqm(instance, reduce=mode), build(instance, reduce=mode)
    assert list(cqm.variables) == list(model.variables)
    for solution in boards(instance):
        assert cqm.check_feasible(model.encode(Placement(instance.n, solution)))


@given(st.data(), instances(max_n=6), modes)
def test_feasible_samples_of_the_cqm_are_valid_boards(data, instance, mode):
    cqm = build_cqm(instance, reduce=mode)
    chosen = data.draw(st.sets(st.sampled_from(cqm.variables))) if cqm.variables else set()
    sample = {cell: int(cell in chosen) for cell in cqm.variables}
    board = build(instance, reduce=mode).decode(sample)
    assert cqm.check_feasible(sample) == solves(instance, board.cells)


@pytest.mark.parametrize("n", range(1, 5))
def test_feasible_samples_of_the_whole_cqm_are_the_solutions(n):
    found = dimod.ExactCQMSolver().sample_cqm(build_cqm(n)).filter(lambda read: read.is_feasible)
    decoded = {build(n).decode(sample).cells for sample in found.samples()}
    assert decoded == boards(Instance(n))
    assert len(found) == SOLUTIONS[n]


@cases
@every_mode
def test_all_samples_of_the_cqm_are_told_right(instance, mode):
    cqm, model = build_cqm(instance, reduce=mode), build(instance, reduce=mode)
    if len(cqm.variables) > 12:  # beyond enumeration: hypothesis looks at these
        cqm.fix_variables(dict.fromkeys(list(cqm.variables)[12:], 0))
    found = set()
    for bits in product((0, 1), repeat=len(cqm.variables)):
        sample = dict(zip(cqm.variables, bits, strict=True))
        board = model.decode(dict.fromkeys(model.variables, 0) | sample).cells
        assert cqm.check_feasible(sample) == solves(instance, board)
        found |= {board} if solves(instance, board) else set()
    assert found <= boards(instance)


@pytest.mark.parametrize("n", range(1, 12))
def test_the_cqm_of_the_plain_board_has_a_constraint_for_each_line(n):
    cqm = build_cqm(n)
    lines = {
        LINE_NAMES[kind].format(index): cells
        for (kind, index), cells in cells_on_lines(n).items()
        if kind in ("row", "column") or len(cells) > 1
    }
    assert set(cqm.constraints) == set(lines)
    assert len(lines) == max(2, 6 * n - 6)
    for label, constraint in cqm.constraints.items():
        assert constraint.lhs.linear == dict.fromkeys(lines[label], 1)
        sense = "==" if label.startswith(("row", "column")) else "<="
        assert (constraint.sense.value, constraint.rhs) == (sense, 1)
        assert constraint.lhs.is_linear()
    assert cqm.objective.is_linear()
    assert not any(cqm.objective.linear.values())


@cases
@every_mode
def test_the_cqm_survives_a_file(instance, mode):
    cqm = build_cqm(instance, reduce=mode)
    with cqm.to_file() as file:
        again = dimod.ConstrainedQuadraticModel.from_file(file)
    assert again.is_equal(cqm)
    assert list(again.variables) == list(cqm.variables)
    assert set(again.constraints) == set(cqm.constraints)


@pytest.mark.parametrize(
    "instance",
    [Instance(1), Instance(2), Instance(3), Instance(4, [(0, 1), (1, 3)], blocked=[(2, 1)])]
    + [instance for instance in PRESCRIBED if instance.n == 4]
    + CONTRADICTORY,
    ids=str,
)
@every_mode
def test_the_cqm_becomes_a_bqm_with_ground_energy_0_exactly_if_there_is_a_solution(instance, mode):
    bqm, _ = dimod.cqm_to_bqm(build_cqm(instance, reduce=mode), lagrange_multiplier=1)
    found = energy_histogram(bqm)
    assert min(found) >= 0
    assert (min(found) == 0) is bool(boards(instance))


def test_contradictions_stay_in_the_cqm_by_name():
    def names(instance, mode="propagate"):
        cqm = build_cqm(instance, reduce=mode)
        return {
            label: (constraint.sense.value, constraint.rhs)
            for label, constraint in cqm.constraints.items()
            if not constraint.lhs.variables
        }

    assert names(Instance(4, [(0, 0), (1, 1)])) == {"r - c = 0": ("==", -1)}
    assert names(Instance(4, [(0, 1)], blocked=[(0, 1)])) == {"cell (0, 1)": ("==", -1)}
    assert names(Instance(4, [(0, 1)], excluded_sums=[1])) == {"r + c = 1": ("==", -1)}
    assert names(Instance(4, blocked=[(2, c) for c in range(4)])) == {"row 2": ("==", 1)}
    for instance in CONTRADICTORY:
        cqm = build_cqm(instance, reduce="lines")
        assert not cqm.check_feasible(dict.fromkeys(cqm.variables, 0))


# Discrete models


def dqm_energy(instance, queens, a, b):
    """Return the energy of queens, one in each row but for prescribed ones, from coordinates."""
    pairs = [(one, other) for one, other in product(queens, repeat=2) if one < other]
    columns = sum(c == t for (_, c), (_, t) in pairs)
    diagonals = sum(abs(r - s) == abs(c - t) for (r, c), (s, t) in pairs)
    rows = Counter(r for r, _ in queens)
    missed = sum(abs(rows[row] - 1) for row in range(instance.n))
    return a * (columns + missed + len(forbidden_queens(instance))) + b * diagonals


def all_energies(dqm):
    """Return every sample and its energy; dimod's exact solver leaves out the empty sample."""
    if not dqm.num_variables():
        return [({}, dqm.offset)]
    found = dimod.ExactDQMSolver().sample_dqm(dqm)
    return [(dict(read.sample), read.energy) for read in found.data()]


@settings(max_examples=50)
@given(instances(max_n=5), modes, integer_strengths)
def test_energies_of_the_dqm_are_those_of_the_board(instance, mode, strengths):
    a, b = strengths
    dqm = build_dqm(instance, reduce=mode, row_column_strength=a, diagonal_strength=b)
    found = set()
    for sample, energy in all_energies(dqm):
        board = dqm.decode(sample)
        assert energy == pytest.approx(dqm_energy(instance, board.cells, a, b))
        assert (energy == 0) == verify(instance, board).valid
        assert energy == 0 or energy >= min(a, b)
        if energy == 0:
            found.add(board.cells)
    assert found == boards(instance)


@pytest.mark.parametrize("n", range(1, 6))
def test_samples_of_energy_0_of_the_whole_dqm_are_the_solutions(n):
    energies = [energy for _, energy in all_energies(build_dqm(n))]
    assert len(energies) == n**n
    assert min(energies) >= 0
    assert energies.count(0) == SOLUTIONS[n]


@cases
@every_mode
def test_the_dqm_has_energy_0_exactly_if_there_is_a_solution(instance, mode):
    lowest = min(energy for _, energy in all_energies(build_dqm(instance, reduce=mode)))
    assert (lowest == 0) == bool(boards(instance))
    assert lowest >= 0


@pytest.mark.parametrize("n", range(1, 21))
def test_the_dqm_of_the_plain_board_has_its_closed_size(n):
    dqm = build_dqm(n)
    assert list(dqm.variables) == list(range(n))
    assert [dqm.num_cases(row) for row in dqm.variables] == [n] * n
    assert dqm.num_case_interactions() == n * (n - 1) * (7 * n - 2) // 6
    assert all(type(label) is int for label in dqm.variables)


def test_the_dqm_survives_a_file():
    dqm = build_dqm(Instance(6, [(0, 1)], blocked=[(3, 3)]), diagonal_strength=2)
    with dqm.to_file() as file:
        again = dimod.DiscreteQuadraticModel.from_file(file)
    assert list(again.variables) == list(dqm.variables)
    samples = np.zeros((1, dqm.num_variables()), dtype=int), list(dqm.variables)
    assert again.energies(samples) == dqm.energies(samples)


@given(instances(), modes)
def test_domains_are_the_free_columns_of_rows_without_a_queen(instance, mode):
    reduction = reduce(instance, mode)
    domains = RowDomains.of(reduction)
    with_queen = {row for row, _ in reduction.queens}
    open_cells = [cell for cell in reduction.free_cells if cell[0] not in with_queen]
    assert list(zip(*(part.tolist() for part in domains.cells), strict=True)) == open_cells
    for row in range(instance.n):
        free = [cell for cell in open_cells if cell[0] == row]
        assert (row in domains.rows) is bool(free)
        assert (row in domains.empty) is (not free and row not in with_queen)
    assert [open_cells[at][0] for at in domains.starts[:-1]] == domains.rows.tolist()
    assert domains.starts[-1] == len(domains.cells[0])


def test_cases_count_the_free_columns_from_the_left():
    instance = Instance(5, [(0, 0)], blocked=[(1, 2)])
    dqm = build_dqm(instance, reduce="lines")
    assert list(dqm.variables) == [1, 2, 3, 4]
    assert [dqm.num_cases(row) for row in dqm.variables] == [2, 3, 3, 3]
    board = dqm.copy().decode({1: 1, 2: 0, 3: 2, 4: np.int8(1)})
    assert board.cells == ((0, 0), (1, 4), (2, 1), (3, 4), (4, 2))


@pytest.mark.parametrize(
    ("sample", "error", "message"),
    [
        ({0: 1, 1: 3, 2: 0}, MissingVariableError, "no case for row 3"),
        ({0: 1, 1: 4, 2: 0, 3: 2}, SampleError, "row 1 has the case 4; expected .* 0..3"),
        ({0: 1, 1: -1, 2: 0, 3: 2}, SampleError, "row 1 has the case -1"),
        ({0: 1, 1: "a", 2: 0, 3: 2}, SampleError, "row 1 has the case 'a'"),
        ({0: 1, 1: 3, 2: 0, 3: 2, 4: 0}, SampleError, "unknown variable 4"),
        ([1, 3, 0, 2], InputTypeError, "mapping from rows to cases"),
    ],
)
def test_wrong_samples_of_the_dqm_are_refused(sample, error, message):
    with pytest.raises(error, match=message):
        build_dqm(4).decode(sample)


@pytest.mark.parametrize("strength", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["row_column_strength", "diagonal_strength"])
def test_wrong_strengths_of_the_dqm_are_refused(name, strength):
    with pytest.raises(InputError, match=f"{name} must be finite and above 0"):
        build_dqm(4, **{name: strength})


# Nonlinear models


def feasible_boards(instance, mode):
    """Return the boards of the feasible states of all states of a nonlinear model."""
    model = build_nl(instance, reduce=mode)
    (order,) = model.iter_decisions()
    states = list(permutations(range(order.shape()[0])))
    model.states.resize(len(states))
    for at, state in enumerate(states):
        order.set_state(at, state)
    found = set()
    with model.lock():
        for at in range(len(states)):
            board = decode_nl(instance, order.state(at), reduce=mode)
            assert model.feasible(at) == verify(instance, board).valid
            if model.feasible(at):
                found.add(board.cells)
    return found


@pytest.mark.parametrize("n", range(1, 7))
def test_feasible_permutations_are_the_solutions(n):
    assert feasible_boards(Instance(n), "propagate") == boards(Instance(n))


@cases
@every_mode
def test_feasible_states_are_the_completions(instance, mode):
    assert feasible_boards(instance, mode) == boards(instance)


@settings(max_examples=60)
@given(instances(max_n=5), modes)
def test_feasible_states_are_the_completions_of_any_instance(instance, mode):
    assert feasible_boards(instance, mode) == boards(instance)


@pytest.mark.parametrize("mode", ["lines", "propagate", "probe"])
def test_prescribed_queens_leave_a_shorter_permutation(mode):
    instance = Instance(8, [(0, 0), (3, 5)])
    (order,) = build_nl(instance, reduce=mode).iter_decisions()
    assert order.shape()[0] == 8 - len(reduce(instance, mode).queens)
    (order,) = build_nl(instance, reduce="none").iter_decisions()
    assert order.shape() == (8,)


def test_the_nonlinear_model_does_not_grow_in_symbols_and_survives_a_file():
    model = build_nl(200)
    assert model.num_symbols() == build_nl(5).num_symbols()
    assert model.objective is None
    with model.to_file() as file:
        again = NonlinearModel.from_file(file)
    assert again.num_constraints() == model.num_constraints() == 2


def test_the_state_of_the_plain_board_is_the_column_of_each_row():
    model = build_nl(4)
    (order,) = model.iter_decisions()
    model.states.resize(1)
    order.set_state(0, [1, 3, 0, 2])
    with model.lock():
        assert model.feasible(0)
        state = order.state(0)
    assert decode_nl(4, state) == Placement.from_columns(state.astype(int))


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [0, 1, 2, "a"]])
def test_wrong_states_of_the_nonlinear_model_are_refused(order):
    with pytest.raises(SampleError, match=r"not a permutation of 0\.\.3"):
        decode_nl(4, order)


def test_a_missing_package_is_told_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "dwave.optimization.mathematical", None)
    with pytest.raises(MissingPackageError, match=r"dwave-optimization.*qubo-queens\[cloud\]"):
        build_nl(4)


# All of them


@pytest.mark.parametrize("make", [build_cqm, build_dqm, build_nl])
def test_what_is_no_instance_or_mode_is_refused(make):
    with pytest.raises(InputError, match="reduce='some' is unknown"):
        make(4, reduce="some")
    with pytest.raises(InputError, match=r"outside 1\.\."):
        make(0)
    with pytest.raises(InputTypeError):
        make("4")


@pytest.mark.parametrize("make", [build_cqm, build_dqm])
def test_what_would_not_fit_is_refused_before_it_is_built(make):
    with pytest.raises(ModelTooLargeError, match="n=1000000"):
        make(10**6)


@given(instances(min_n=4, max_n=6))
def test_no_free_cell_of_the_models_is_forbidden(instance):
    for cell in build_cqm(instance, reduce="none").variables:
        assert not is_forbidden(instance, cell)
    for cell in build_cqm(instance, reduce="lines").variables:
        assert not any(attacks(cell, queen) for queen in instance.queens)


def test_constrained_and_discrete_models_load_no_sampler():
    script = (
        "import sys; from qubo_queens import build_cqm, build_dqm;"
        "build_cqm(4); build_dqm(4).decode({0: 1, 1: 3, 2: 0, 3: 2});"
        "heavy = {'numba', 'dwave', 'neal', 'pysat', 'openjij', 'matplotlib'};"
        "assert heavy.isdisjoint(sys.modules), heavy.intersection(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_discrete_model_from_a_file_says_what_it_does_not_know():
    dqm = build_dqm(4)
    with dqm.to_file() as file:
        again = type(dqm).from_file(file)
    assert again.num_variables() == again.copy().num_variables() == 4
    assert repr(dqm) == "<DiscreteRowModel: n=4, 4 rows, 16 cases>"
    assert repr(again) == "<DiscreteRowModel without domains>"
    with pytest.raises(InputError, match="which columns its cases are"):
        again.decode({0: 1, 1: 3, 2: 0, 3: 2})
