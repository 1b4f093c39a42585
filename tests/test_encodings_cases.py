"""Cases that every encoding has to get right, and what it refuses."""

import math
import random
import tracemalloc
from contextlib import suppress
from itertools import permutations, product

import dimod
import pytest
from oracles import attacks

from qubo_queens import Instance, Placement, build, solve, verify
from qubo_queens.board.violation import LineViolation, QueenOnBlockedCell
from qubo_queens.encodings import forecast as forecast_module
from qubo_queens.encodings.registry import get_encoding, list_encodings
from qubo_queens.errors import QueensError

ENCODINGS = list_encodings()
SOLUTION = Placement.from_columns([1, 3, 0, 2])
FURTHER = {
    encoding: strength.keyword
    for encoding in ENCODINGS
    for strength in get_encoding(encoding).takes_strengths[2:]
}
"""A strength that is neither that of rows and columns nor that of diagonals."""


def strengths_of(encoding):
    """Return the keywords of the strengths that an encoding takes."""
    return [strength.keyword for strength in get_encoding(encoding).takes_strengths]


every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
every_mode = pytest.mark.parametrize("mode", ["none", "lines", "propagate", "probe"])


def case(name):
    """Run a test for every encoding under the name of a case."""
    return pytest.mark.parametrize("encoding", ENCODINGS, ids=f"{name}-{{}}".format)


# Energies


@case("U08")
def test_conflicts_are_named_by_the_formula_of_their_diagonal(encoding):
    queens = [(0, 3), (3, 0)]
    if encoding == "row-domain-wall":  # states boards with one queen in each row
        queens += [(1, 0), (2, 0)]
    model = build(4, encoding)
    violations = model.violations(model.encode(Placement(4, queens)))
    dicts = [(v, v.to_dict()) for v in violations]
    named = [v for v, d in dicts if d["cells"] == [[0, 3], [3, 0]] and d["line"] != "4 queens"]
    assert any(v.to_dict()["index"] == 3 or "!=" in v.to_dict()["line"] for v in named)
    assert all("r + c = 3" in str(v) for v in named)


@case("U09")
def test_the_offset_is_kept(encoding):
    model = build(4, encoding, row_column_strength=6, diagonal_strength=12)
    sample = model.encode(SOLUTION)
    assert model.energy(sample) == model.bqm.energy(sample) == 0
    # without a queen: 8 lines, 4 queens missing, or 4 variables without a value; the domain walls
    # then say column 0 in every row
    expected = {"cell-attack": 16, "row": 4, "labelled": 4, "row-domain-wall": 6 * 6}
    zeros = model.energy("0" * model.num_variables)
    assert model.bqm.offset == model.offset == zeros
    assert zeros == expected.get(encoding, 48) or encoding not in (*expected, "cell", "cell-slack")
    for columns in permutations(range(4)):
        board = Placement.from_columns(columns)
        energy = model.bqm.energy(model.encode(board))
        assert (energy == 0) == verify(4, board).valid
        assert energy >= 0


def on_a_diagonal(count, encoding):
    """Return a board with so many queens on r - c = 1 at n = 4, and no other diagonal pairs."""
    if encoding != "row-domain-wall":
        return Placement(4, [(r + 1, r) for r in range(count)])
    for columns in product(range(4), repeat=4):
        queens = list(enumerate(columns))
        attacking = [
            (one, other)
            for i, one in enumerate(queens)
            for other in queens[:i]
            if attacks(one, other) and one[1] != other[1]
        ]
        on_line = [cell for cell in queens if cell[0] - cell[1] == 1]
        if len(on_line) == count and len(attacking) == count * (count - 1) // 2:
            return Placement.from_columns(columns)
    raise AssertionError(count)


@pytest.mark.parametrize("strength", [1, 2, 7, 0.25])
@case("U12")
def test_at_most_one_costs_nothing_below_two(encoding, strength):
    model = build(4, encoding, diagonal_strength=strength)
    costs = {"cell-slack": [0, 0, 1, 4], "ladder": [0, 0, 1, 2]}.get(encoding, [0, 0, 1, 3])
    for count, cost in enumerate(costs):
        sample = model.encode(on_a_diagonal(count, encoding))
        assert model.energies(sample)["diagonal"] == cost * strength
        named = [v for v in model.violations(sample) if "r - c = 1" in str(v)]
        assert bool(named) is (count > 1)


@case("U15")
def test_a_diagonal_pair_counts_once(encoding):
    model = build(4, encoding, row_column_strength=1, diagonal_strength=1)
    missing = {"row_column": 4}
    if encoding == "cell-attack":
        missing = {"row_column": 0, "count": (2 - 4) ** 2}
    if encoding in ("row", "labelled"):
        missing = {"row_column": 0, "one_hot": 2}
    boards = [Placement(4, [(0, 0), (1, 1)]), Placement(4, [(0, 3), (1, 2)])]
    if encoding == "row-domain-wall":
        boards = [Placement.from_columns([0, 1, 3, 0]), Placement.from_columns([3, 2, 0, 3])]
        missing = {"row_column": 1, "wall": 0}
    for board in boards:  # a pair on r - c, and one on r + c
        sample = model.encode(board)
        assert model.energies(sample) == {"diagonal": 1, "forbidden": 0, **missing}
        assert model.bqm.energy(sample) == 1 + sum(missing.values())


@case("U18")
def test_labels_are_injective_and_name_their_cells(encoding):
    model = build(12, encoding)
    assert len(set(model.variables)) == len(model.variables) == model.num_variables
    assert len({str(label) for label in model.variables}) == model.num_variables
    cells = [label[-2:] for label in model.variables if encoding == "labelled" or len(label) == 2]
    assert all(0 <= r < 12 and 0 <= c < 12 for r, c in cells)
    assert len(set(cells)) == {"row-domain-wall": 12 * 11}.get(encoding, 144)


# Samples


@case("U23")
@pytest.mark.parametrize("vartype", ["BINARY", "SPIN", dimod.BINARY, dimod.SPIN])
def test_both_vartypes_give_one_board_and_energy(encoding, vartype):
    model = build(4, encoding)
    sample = model.encode(SOLUTION, vartype)
    bqm = model.bqm.change_vartype(vartype, inplace=False)
    assert model.decode(sample) == SOLUTION
    assert model.energy(sample) == bqm.energy(sample) == 0
    first = dimod.SampleSet.from_samples_bqm(sample, bqm).first
    assert model.decode(first.sample) == SOLUTION


@case("U23")
@pytest.mark.parametrize("value", [2, -2, 0.5, float("nan"), None, "1"])
def test_other_values_are_refused(encoding, value):
    model = build(4, encoding)
    label = model.variables[-1]
    message = rf"variable \({', '.join(map(str, label))}\) has the value .*; expected 0 or 1"
    for question in (model.decode, model.energy, model.energies, model.violations):
        with pytest.raises(ValueError, match=message) as caught:
            question({**model.encode(SOLUTION), label: value})
        assert isinstance(caught.value, QueensError)


@case("U23")
def test_bits_and_spins_must_not_be_mixed(encoding):
    model = build(4, encoding)
    sample = model.encode(SOLUTION)
    label = next(label for label, bit in sample.items() if bit == 0)
    with pytest.raises(ValueError, match=r"mixes 0 \(BINARY\) and -1 \(SPIN\)"):
        model.decode({**sample, label: -1})
    with pytest.raises(ValueError, match="vartype 'QUBIT' is unknown"):
        model.encode(SOLUTION, "QUBIT")


@case("U37")
def test_a_missing_variable_is_named(encoding):
    model = build(4, encoding)
    for label in model.variables:
        sample = {**model.encode(SOLUTION)}
        del sample[label]
        with pytest.raises(KeyError) as caught:
            model.decode(sample)
        assert str(caught.value).startswith(f"the sample has no value for variable {label}; ")
        assert str(model.num_variables) in str(caught.value)


@case("U58")
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_a_sample_does_not_matter(encoding, seed):
    model = build(4, encoding)
    items = list(model.encode(SOLUTION).items())
    random.Random(seed).shuffle(items)
    assert model.decode(dict(items)) == SOLUTION
    assert model.energy(dict(items)) == model.bqm.energy(dict(items)) == 0


@every_encoding
@pytest.mark.parametrize("change", [-1, 1])
def test_bit_strings_of_another_length_are_refused(encoding, change):
    model = build(4, encoding)
    size = model.num_variables
    with pytest.raises(ValueError, match=f"expected {size} characters 0 or 1, .* {size + change}"):
        model.decode("0" * (size + change))


@every_encoding
def test_samples_may_repeat_what_is_fixed_and_not_contradict_it(encoding):
    model = build(Instance(4, [(0, 1)]), encoding, reduce="lines")
    fixed = {(0, 1): 1, (0, 0): 0, (1, 1): 0, (3, 1): 0, (1, 0): 0}
    if encoding == "labelled":
        fixed = {(0, 0, 1): 1, (0, 0, 0): 0, (1, 1, 1): 0, (3, 0, 1): 0}
    if encoding == "row-domain-wall":
        fixed = {(0, 1): 1, (0, 2): 0, (0, 3): 0}
    sample = model.encode(SOLUTION)
    assert not set(fixed) & set(sample)
    assert model.decode({**sample, **fixed}) == SOLUTION
    spins = {label: 2 * bit - 1 for label, bit in {**sample, **fixed}.items()}
    assert model.decode(spins) == SOLUTION
    for label, bit in fixed.items():
        with pytest.raises(ValueError, match=f"which the model has fixed to {bit}") as caught:
            model.decode({**sample, label: 1 - bit})
        assert str(label) in str(caught.value)


def test_prescribed_queens_have_the_first_labels():
    model = build(Instance(4, [(3, 2), (2, 0)]), "labelled")
    assert len(model.reduction.forced) == 2
    places = {0: (2, 0), 1: (3, 2), 2: (0, 1), 3: (1, 3)}
    assert model.decode({(label, *cell): 1 for label, cell in places.items()}) == SOLUTION
    with pytest.raises(ValueError, match=r"0 for \(1, 3, 2\), which the model has fixed to 1"):
        model.decode({(1, 3, 2): 0})


@every_encoding
@pytest.mark.parametrize("label", ["s", (9, 9), (0, 9, 9), (-1, 0), (7, 0, 1), (0,), 5, None, ()])
def test_unknown_labels_are_refused(encoding, label):
    model = build(Instance(4, [(0, 1)]), encoding, reduce="none")
    with pytest.raises(ValueError, match="the sample has an unknown variable"):
        model.decode({**model.encode(SOLUTION), label: 0})


# Boards without a choice


@every_encoding
@every_mode
@pytest.mark.parametrize("columns", [[0], [1, 3, 0, 2]])
def test_a_complete_prescription_is_a_model(encoding, mode, columns):
    board = Placement.from_columns(columns)
    model = build(Instance(board.n, board), encoding, reduce=mode)
    sample = model.encode(board)
    assert model.decode(sample) == board
    assert model.energy(sample) == model.bqm.energy(sample) == model.num_violated(sample) == 0
    if mode != "none":
        assert (model.num_variables, model.bqm.num_variables, model.bqm.offset) == (0, 0, 0)
        assert model.decode("") == model.decode({}) == board


@every_encoding
@every_mode
@pytest.mark.parametrize("diagonal", [{"excluded_sums": [1]}, {"excluded_differences": [-1]}])
def test_a_queen_on_an_excluded_diagonal_is_a_violation(encoding, mode, diagonal):
    model = build(Instance(4, SOLUTION, **diagonal), encoding, reduce=mode, row_column_strength=3)
    sample = model.encode(SOLUTION)
    assert model.energy(sample) == model.bqm.energy(sample) == 3
    assert model.energies(sample)["forbidden"] == 3
    line = "r + c = 1" if "excluded_sums" in diagonal else "r - c = -1"
    (violation,) = model.violations(sample)
    assert isinstance(violation, LineViolation)
    assert (str(violation.line), violation.cells) == (line, ((0, 1),))


@every_encoding
@every_mode
def test_a_queen_on_a_blocked_cell_is_a_violation(encoding, mode):
    model = build(Instance(4, SOLUTION, blocked=[(2, 0)]), encoding, reduce=mode)
    sample = model.encode(SOLUTION)
    assert model.energy(sample) == model.strengths.row_column
    assert model.violations(sample) == (QueenOnBlockedCell((2, 0)),)


# What is refused


@pytest.mark.parametrize(
    ("a", "b", "wall"), [(1, 1, 3), (1, 1, 1), (2, 1, 4), (1, 2, 5), (0.5, 0.25, 1), (5, 1, 0.1)]
)
def test_walls_that_would_pay_when_broken_are_refused(a, b, wall):
    with pytest.raises(ValueError, match="wall_strength") as caught:
        build(
            4,
            "row-domain-wall",
            row_column_strength=a,
            diagonal_strength=b,
            wall_strength=wall,
        )
    assert f"must be above {a + 2 * b}," in str(caught.value)
    assert f"and {6 * max(a, b)} is the default" in str(caught.value)
    assert isinstance(caught.value, QueensError)


def test_an_accepted_wall_leaves_a_gap():
    """Sums of decimal fractions round: what is refused is what leaves no gap."""
    gaps = []
    for a, b in product([0.1, 0.2, 0.3, 0.7], repeat=2):
        wall = a + 2 * b
        for _ in range(4):
            wall = math.nextafter(wall, math.inf)
            given = {"row_column_strength": a, "diagonal_strength": b, "wall_strength": wall}
            with suppress(ValueError):
                gaps.append(build(4, "row-domain-wall", **given).gap)
    assert len(gaps) >= 32
    assert min(gaps) > 0


@pytest.mark.parametrize(("a", "b"), [(1, 1), (3, 1), (1, 3), (0.1, 0.7), (0.1, 0.1), (1e-3, 1e3)])
def test_the_default_wall_is_6_times_the_larger_strength(a, b):
    model = build(4, "row-domain-wall", row_column_strength=a, diagonal_strength=b)
    assert model.strengths.of("wall") == 6 * max(a, b)
    assert model.gap == pytest.approx(min(a, b))


@pytest.mark.parametrize("encoding", FURTHER)
@pytest.mark.parametrize(
    ("strength", "error"),
    [
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (0, ValueError),
        (-1, ValueError),
        (1e308, ValueError),
        (10**400, ValueError),
        (1e-200, ValueError),
        (True, TypeError),
        ("1", TypeError),
        ([1], TypeError),
    ],
    ids=lambda value: str(value)[:12],
)
def test_wrong_strengths_are_refused(encoding, strength, error):
    with pytest.raises(error, match=f"^{FURTHER[encoding]}") as caught:
        build(4, encoding, **{FURTHER[encoding]: strength})
    assert isinstance(caught.value, QueensError)


@every_encoding
@pytest.mark.parametrize("name", [*sorted(set(FURTHER.values())), "chain_strength"])
def test_strengths_of_other_encodings_are_refused(encoding, name):
    known = ["row_column_strength", "diagonal_strength"]
    known += [FURTHER[encoding]] if encoding in FURTHER else []
    assert strengths_of(encoding) == known
    if name not in known:
        for value in (1, float("nan")):
            with pytest.raises(TypeError, match=name) as caught:
                build(4, encoding, **{name: value})
            assert ", ".join(known) in str(caught.value)


@pytest.mark.parametrize("encoding", ENCODINGS[1:])  # cell has one family in each coupling
@pytest.mark.parametrize(("a", "b"), [(1e-17, 1), (1, 1e-10), (1e17, 1), (1e-100, 1e290)])
def test_strengths_that_would_be_lost_in_rounding_are_refused(encoding, a, b):
    with pytest.raises(ValueError, match="times apart"):
        build(3, encoding, row_column_strength=a, diagonal_strength=b)


@pytest.mark.parametrize(
    "instance",
    [
        Instance(1, blocked=[(0, 0)]),
        Instance(2, [(0, 0), (0, 1)]),
        Instance(4, excluded_sums=range(7)),
    ],
    ids=str,
)
@every_encoding
def test_infeasible_boards_with_nothing_to_decide_are_answered(encoding, instance):
    result = solve(instance, encoding=encoding)
    assert result.status == "infeasible"
    assert result.certificate is not None


@pytest.mark.parametrize("sampler", ["auto", "neal", "tabu", "flip", "steepest-descent"])
@every_encoding
@every_mode
def test_one_row_needs_no_sampler(encoding, mode, sampler):
    result = solve(1, encoding=encoding, sampler=sampler, reduce=mode, num_reads=5)
    assert (result.status, result.energy) == ("feasible", 0)


@every_encoding
@pytest.mark.parametrize("name", ["bqm", "variables", "offset", "decode", "energy", "encode"])
def test_what_does_not_fit_in_memory_is_refused_everywhere(encoding, name):
    model = build(10**6, encoding)
    if (encoding, name) == ("cell", "offset"):
        assert model.offset == 2 * 10**6
        return
    argument = Placement(10**6, [(0, 0)]) if name == "encode" else "0"
    with pytest.raises(MemoryError, match="this machine has") as caught:
        getattr(model, name)(argument)  # a method, or a property that refuses
    assert isinstance(caught.value, QueensError)


@every_encoding
def test_a_default_may_be_asked_for(encoding):
    every = dict.fromkeys(name for each in ENCODINGS for name in strengths_of(each))
    assert build(4, encoding, **every).strengths == build(4, encoding).strengths
    with pytest.raises(TypeError, match="chain_strength"):
        build(4, encoding, chain_strength=None)
    asked = build(4, encoding, **dict.fromkeys(strengths_of(encoding)))
    assert asked.strengths == build(4, encoding).strengths


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "cell"])
def test_only_cell_can_leave_the_diagonals_out(encoding):
    with pytest.raises(ValueError, match=f"encoding {encoding} takes no relaxation, only cell"):
        build(4, encoding, relaxation="rooks", diagonal_strength=0)
    with pytest.raises(ValueError, match=r"allowed only together with relaxation='rooks'"):
        build(4, encoding, diagonal_strength=0)


@every_encoding
def test_a_model_too_large_is_refused_before_anything_is_allocated(encoding, monkeypatch):
    monkeypatch.setattr(forecast_module, "_physical_memory", lambda: 50_000_000)
    model = build({"ladder": 200, "labelled": 12}.get(encoding, 100), encoding)
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=r"variables, .* and this machine has 50\.0 MB"):
            _ = model.bqm
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000
    assert f"the {encoding} model for n={model.instance.n} has {model.forecast}"


# Solving


@every_encoding
@pytest.mark.parametrize("sampler", ["auto", "flip"])
@pytest.mark.parametrize(
    "problem", [4, 5, 6, Instance(6, [(0, 1)], blocked=[(5, 5)]), Instance(4, SOLUTION)], ids=str
)
def test_solve_gives_a_verified_board(encoding, sampler, problem):
    result = solve(problem, encoding=encoding, sampler=sampler, seed=1)
    assert result.status == "feasible"
    assert verify(problem, result.placement)


@every_encoding
@pytest.mark.parametrize("sampler", ["auto", "flip"])
@pytest.mark.parametrize(
    "instance",
    [
        Instance(4, [(0, 0), (1, 1)]),
        Instance(4, [(0, 1)], blocked=[(0, 1)]),
        Instance(4, SOLUTION, excluded_sums=[1]),
        Instance(4, [(0, 1), (0, 2)]),
    ],
    ids=str,
)
def test_solve_calls_contradictions_infeasible(encoding, sampler, instance):
    result = solve(instance, encoding=encoding, sampler=sampler, seed=1)
    assert result.status == "infeasible"
    assert result.placement is None or not verify(instance, result.placement)


@every_encoding
def test_a_model_without_reduction_can_be_solved_by_flip(encoding):
    model = build(Instance(5, [(0, 1)], blocked=[(4, 4)]), encoding, reduce="none")
    result = solve(model, sampler="flip", seed=1, num_reads=500)
    assert result.status == "feasible"
    assert verify(model.instance, result.placement)
