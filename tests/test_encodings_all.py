"""What holds for every encoding, against the formulas written again in ``formulas``."""

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from formulas import attacking, energies, labels, left_over, on_lines, plain_size, weights_of
from ground import line_cost
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import forbidden_queens, solves
from strategies import instances, modes, states

from qubo_queens import Instance, Placement, build, forecast
from qubo_queens.board.violation import AttackingPairs, MissedStatement
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.generate import planted, random_placement

ENCODINGS = list_encodings()
FURTHER = {"cell-attack": "count", "row": "one_hot", "labelled": "one_hot"}

fewer = settings(max_examples=30)
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)


@st.composite
def strengths(draw, encoding):
    """Draw strengths of an encoding: its defaults, unequal and non-integer ones."""
    if draw(st.booleans()):
        return {}
    weights = st.sampled_from([1, 2, 3, 5, 0.75, 1.5, 0.1, 0.7])
    given_ = {"row_column_strength": draw(weights), "diagonal_strength": draw(weights)}
    if encoding in FURTHER:
        given_[f"{FURTHER[encoding]}_strength"] = draw(weights)
    if encoding == "row-domain-wall" and draw(st.booleans()):
        walls = given_["row_column_strength"] + 2 * given_["diagonal_strength"]
        given_["wall_strength"] = walls + draw(weights)
    return given_


@st.composite
def models(draw, encoding, min_n=1, max_n=5):
    """Draw a model of an instance of any kind, in any mode, with any strengths."""
    instance = draw(instances(min_n, max_n))
    return build(instance, encoding, reduce=draw(modes), **draw(strengths(encoding)))


@st.composite
def boards_of(draw, model):
    """Draw a board that a model can state, None if there is none."""
    n, (fixed, free) = model.instance.n, left_over(model)
    if model.encoding == "row-domain-wall":
        rows = [[cell for cell in fixed if cell[0] == row] for row in range(n)]
        rows = [row or [cell for cell in free if cell[0] == r] for r, row in enumerate(rows)]
        if any(not row for row in rows) or len({row for row, _ in fixed}) < len(fixed):
            return None
        return Placement(n, {draw(st.sampled_from(row)) for row in rows} | set(fixed))
    largest = max(n - len(fixed), 0) if model.encoding == "labelled" else 2 * n
    chosen = draw(st.sets(st.sampled_from(free), max_size=largest)) if free else set()
    return Placement(n, {*chosen, *fixed})


def fixed_and_free(model):
    """Return the fixed queens in the order of their labels, and the free cells."""
    fixed, free = left_over(model)
    prescribed = model.instance.queens
    return (*prescribed, *(cell for cell in fixed if cell not in prescribed)), free


def as_bits(model, samples):
    """Return samples as an array."""
    bits = [[sample[variable] for variable in model.variables] for sample in samples]
    return np.array(bits, np.int8).reshape(len(samples), len(model.variables))


def close(number):
    """Allow for rounding."""
    return pytest.approx(number, rel=1e-9, abs=1e-9)


@every_encoding
@given(data=st.data())
def test_every_way_to_an_energy_is_the_formula(encoding, data):
    model = data.draw(models(encoding))
    sample = data.draw(states(model))
    by_family = energies(model, *fixed_and_free(model), weights_of(model), sample)
    expected = close(sum(by_family.values()))
    spins = {variable: 2 * value - 1 for variable, value in sample.items()}
    assert model.energies(sample) == close(by_family)
    assert model.energies(spins) == model.energies(sample)
    assert sum(model.energies(sample).values()) == model.energy(sample) == expected
    assert model.bqm.energy(sample) == model.bqm.spin.energy(spins) == expected
    zeros = dict.fromkeys(sample, 0)
    found = model.sample_energies(as_bits(model, [sample, zeros]))
    assert found.tolist() == [expected, close(model.energy(zeros))]
    assert model.offset == close(model.bqm.offset) == close(model.energy(zeros))


@every_encoding
@given(data=st.data())
def test_energies_are_0_without_violations_and_above_the_gap_with_some(encoding, data):
    model = data.draw(models(encoding))
    sample = data.draw(states(model) | st.just(dict.fromkeys(model.variables, 0)))
    energy, violations = model.energy(sample), model.violations(sample)
    assert (abs(energy) < 1e-9) is (not violations)
    assert model.num_violated(sample) == len(violations)
    assert len({(v.to_dict()["line"], type(v)) for v in violations}) == len(violations)
    assert not violations or energy >= model.gap * (1 - 1e-9) > 0
    if not violations:
        assert solves(model.instance, model.decode(sample).cells)


def broken_statements(model, sample):
    """Return the amount of each broken statement about the values of variables, by its wording."""
    fixed, _ = fixed_and_free(model)
    ones = [label for label, bit in sample.items() if bit]
    names = {"labelled": ("Q_{} is on one cell", "R_{} != R_{}", "C_{} != C_{}")}.get(
        model.encoding, ("C_{} has one value", "", "C_{} != C_{}")
    )
    values = [(row, (row, column)) for row, column in fixed]
    values += [(label[0], label) for label in ones]
    if model.encoding == "labelled":
        values = [*enumerate(fixed), *((label[0], label[1:]) for label in ones)]
    amounts = Counter()
    size = max(model.instance.n, len(fixed)) if model.encoding == "labelled" else model.instance.n
    counts = Counter(variable for variable, _ in values)
    for variable in range(size):
        amounts[names[0].format(variable)] += abs(counts[variable] - 1)
    for (i, (r, c)), (j, (s, t)) in combinations(sorted(values), 2):
        distance = f"|C_{i} - C_{j}| != {j - i}"
        if model.encoding == "labelled":
            distance = f"|R_{i} - R_{j}| != |C_{i} - C_{j}|"
            amounts[names[1].format(i, j)] += i != j and r == s
        amounts[names[2].format(i, j)] += i != j and c == t
        amounts[distance] += i != j and abs(r - s) == abs(c - t)
    return {statement: amount for statement, amount in amounts.items() if amount}


@pytest.mark.parametrize("encoding", ["row", "labelled", "row-domain-wall"])
@given(data=st.data())
def test_broken_statements_are_named_with_their_amounts(encoding, data):
    model = data.draw(models(encoding))
    if encoding == "row-domain-wall":
        board = data.draw(boards_of(model))
        if board is None:
            return
        sample = model.encode(board)
        bits = {cell: 1 for cell in board if cell not in model.reduction.queens}
    else:
        sample = bits = data.draw(states(model))
    found = model.violations(sample)
    missed = {v.statement: v.amount for v in found if isinstance(v, MissedStatement)}
    attacks = {v.statement: v.pairs for v in found if isinstance(v, AttackingPairs)}
    statements = [v for v in found if isinstance(v, MissedStatement | AttackingPairs)]
    assert len(missed | attacks) == len(statements)
    assert missed | attacks == broken_statements(model, bits)


@every_encoding
@fewer
@given(data=st.data())
def test_labels_are_plain_integers_in_one_order(encoding, data):
    model = data.draw(models(encoding))
    expected = labels(model, *fixed_and_free(model))
    assert list(model.bqm.variables) == list(model.variables) == expected
    for label in model.bqm.variables:
        assert type(label) is tuple
        assert {type(number) for number in label} == {int}


@every_encoding
@fewer
@given(data=st.data())
def test_the_order_of_the_input_changes_nothing(encoding, data):
    instance = data.draw(instances(max_n=4))
    mode = data.draw(modes)
    other = Instance(
        instance.n,
        data.draw(st.permutations(instance.queens)),
        blocked=data.draw(st.permutations(instance.blocked)),
        excluded_sums=reversed(instance.excluded_sums),
        excluded_differences=reversed(instance.excluded_differences),
    )
    one, two = (build(each, encoding, reduce=mode) for each in (instance, other))
    assert one.variables == two.variables
    assert list(one.bqm.linear.items()) == list(two.bqm.linear.items())
    assert list(one.bqm.quadratic.items()) == list(two.bqm.quadratic.items())


def test_the_hash_seed_changes_nothing():
    code = (
        "from qubo_queens import Instance, build\n"
        "from qubo_queens.encodings.registry import list_encodings\n"
        "given = Instance(5, {(2, 2), (0, 1)}, blocked={(1, 0), (4, 3)}, excluded_sums={7, 1})\n"
        "for e in list_encodings():\n"
        "    for mode in ('none', 'lines', 'propagate', 'probe'):\n"
        "        bqm = build(given, e, reduce=mode).bqm\n"
        "        print(list(bqm.linear.items()), list(bqm.quadratic.items()), bqm.offset)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 4 * len(ENCODINGS)


# Sizes


def extremes(bqm):
    """Return the largest degree and the largest absolute coefficient."""
    linear, (first, second, couplings), *_ = bqm.to_numpy_vectors()
    degrees = np.bincount(np.concatenate((first, second)), minlength=1)
    assert couplings.all()
    return degrees.max(), np.abs(np.concatenate((linear, couplings))).max(initial=0)


@pytest.mark.parametrize("n", range(1, 21))
@pytest.mark.parametrize("encoding", [e for e in ENCODINGS if e != "row-domain-wall"])
def test_plain_boards_have_the_stated_sizes(encoding, n):
    if n > 1:
        variables, interactions = plain_size(encoding, n)
        assert n > 6 or attacking(n) == n * (n - 1) * (5 * n - 1) // 3
    else:
        variables, interactions = 1, 0
    size = forecast(n, encoding)
    assert (size.variables, size.interactions, size.exact) == (variables, interactions, True)
    assert encoding != "ladder" or size.largest_degree == {1: 0, 2: 4}.get(n, 8)
    if encoding == "labelled" and n > 8:
        return
    bqm = build(n, encoding).bqm
    assert (bqm.num_variables, bqm.num_interactions) == (variables, interactions)
    assert (size.largest_degree, size.largest_coefficient) == extremes(bqm)
    assert size.bytes == bqm.nbytes()


@every_encoding
@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize(("a", "b", "further"), [(1, 9, 2), (9, 1, 2), (0.75, 2.5, 40), (2, 1, 40)])
def test_plain_boards_have_the_stated_extremes_with_any_strengths(encoding, n, a, b, further):
    given_ = {"row_column_strength": a, "diagonal_strength": b}
    if encoding in FURTHER:
        given_[f"{FURTHER[encoding]}_strength"] = further
    model = build(n, encoding, **given_)
    size = model.forecast
    known = encoding != "row-domain-wall"  # found in the model by forecast(), see below
    expected = extremes(model.bqm) if known else (None, None)
    assert (size.largest_degree, size.largest_coefficient) == expected
    assert size.interactions == model.bqm.num_interactions


def wall_couplings(n, a, b):
    """Count the pairs of bits whose coupling is not 0: differences of bits, multiplied out."""
    weight = [{0: a, distance: b, -distance: b} for distance in range(n)]
    count = n * max(0, n - 2)
    for distance in range(1, n):
        for shift in range(2 - n, n - 1):
            w = weight[distance].get
            second_difference = 2 * w(shift, 0) - w(shift - 1, 0) - w(shift + 1, 0)
            count += (n - distance) * (n - 1 - abs(shift)) * (second_difference != 0)
    return count


@pytest.mark.parametrize("n", [*range(1, 15), 20])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 1), (1, 2), (4, 1), (0.5, 0.25), (3, 7)])
def test_domain_walls_have_the_stated_sizes(n, a, b):
    model = build(n, "row-domain-wall", row_column_strength=a, diagonal_strength=b)
    size, bqm = model.forecast, model.bqm
    assert (size.variables, size.interactions) == (n * (n - 1), wall_couplings(n, a, b))
    assert (bqm.num_variables, bqm.num_interactions) == (size.variables, size.interactions)
    assert size.exact
    asked = forecast(n, "row-domain-wall")
    default = extremes(build(n, "row-domain-wall").bqm)
    assert (asked.largest_degree, asked.largest_coefficient) == default


def test_the_size_of_a_large_plain_board_of_domain_walls_is_exact():
    size = forecast(300, "row-domain-wall")
    assert (size.variables, size.interactions) == (300 * 299, wall_couplings(300, 1, 1))
    assert size.exact
    assert size.largest_degree is size.largest_coefficient is None


@every_encoding
@fewer
@given(data=st.data())
def test_forecasts_with_any_strengths_and_cells_fixed(encoding, data):
    model = data.draw(models(encoding))
    size, bqm = model.forecast, model.bqm
    assert (size.variables, size.interactions) == (bqm.num_variables, bqm.num_interactions)
    assert (size.exact, size.bytes) == (True, bqm.nbytes())
    if model.reduction.untouched and encoding != "row-domain-wall":
        assert (size.largest_degree, close(size.largest_coefficient)) == extremes(bqm)
    asked = forecast(model.instance, encoding, reduce=model.reduction.mode)
    default = build(model.instance, encoding, reduce=model.reduction.mode)
    assert (asked.largest_degree, close(asked.largest_coefficient)) == extremes(default.bqm)


# Boards


@every_encoding
@fewer
@given(data=st.data(), vartype=st.sampled_from(["BINARY", "SPIN"]))
def test_encode_is_undone_by_decode(encoding, data, vartype):
    model = data.draw(models(encoding))
    board = data.draw(boards_of(model))
    if board is not None:
        sample = model.encode(board, vartype)
        assert model.decode(sample) == board
        assert list(sample) == list(model.variables)
        assert set(sample.values()) <= ({0, 1} if vartype == "BINARY" else {-1, 1})
        assert sum(model.placement_energies(board).values()) == model.energy(sample)


@pytest.mark.parametrize("encoding", ["cell-slack", "ladder"])
@fewer
@given(data=st.data())
def test_encode_takes_the_best_auxiliaries(encoding, data):
    model = data.draw(models(encoding))
    board = model.decode(data.draw(states(model)))
    fixed, free = left_over(model)
    lines = {
        line: sum(cell in set(board) for cell in cells)
        for line, (cells, _) in on_lines(fixed, free).items()
    }
    missing = sum(
        (kind, index) not in lines for kind in ("row", "column") for index in range(board.n)
    )
    best = sum(line_cost(model, line, count) for line, count in lines.items())
    forbidden = len(forbidden_queens(model.instance)) + missing
    expected = best + forbidden * weights_of(model)["row_column"]
    assert model.energy(model.encode(board)) == close(expected)


@every_encoding
@pytest.mark.parametrize("n", range(4, 21))
def test_random_solutions_have_energy_0(encoding, n):
    board = random_placement(n, seed=n)
    plain = n < 9 or encoding not in ("labelled", "cell-attack")  # these grow fast
    for num_queens in (0, n // 3, n) if plain else (n // 2, n):
        model = build(planted(n, num_queens, seed=n), encoding)
        bits, spins = model.encode(board), model.encode(board, "SPIN")
        text = "".join(map(str, bits.values()))
        for sample in (bits, spins, text, dict(reversed(bits.items()))):
            assert model.decode(sample) == board
            assert model.energy(sample) == model.num_violated(sample) == 0
        assert model.bqm.energy(bits) == model.sample_energies(as_bits(model, [bits]))[0] == 0


@every_encoding
@fewer
@given(data=st.data())
def test_reductions_keep_the_energies_of_boards(encoding, data):
    instance, given_ = data.draw(instances()), data.draw(strengths(encoding))
    whole = build(instance, encoding, reduce="none", **given_)
    reduced = build(instance, encoding, reduce=data.draw(modes), **given_)
    board = data.draw(boards_of(reduced))
    if board is None:
        return
    found, expected = reduced.placement_energies(board), whole.placement_energies(board)
    assert found == close(expected)
    one, other = whole.violations(whole.encode(board)), reduced.violations(reduced.encode(board))
    assert set(one) == set(other)
