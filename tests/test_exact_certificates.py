"""Certificates: those that are found are right, and the checker believes no others."""

import json
import subprocess
import sys
import textwrap
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import completions
from strategies import instances

from qubo_queens import Instance, reduce
from qubo_queens.errors import ProofError
from qubo_queens.exact import diagonal_accounting, line_weights
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.diagonal_accounting import _sums_of_squares, find_diagonal_accounting
from qubo_queens.exact.line_weights import find_line_weights
from qubo_queens.generate import blocked, excluded_diagonals, planted

CONTRADICTORY = Instance(
    8,
    [(0, 0), (3, 3), (0, 5), (2, 1)],
    blocked=[(2, 1)],
    excluded_sums=[5],
    excluded_differences=[7],
)
WALLED = Instance(5, blocked=[(2, c) for c in range(5)])
LEFT = [[0], [1, 3], [1, 3, 4], [1, 2]]  # the columns of rows 0 to 3; each queen forces the next
CHAIN = Instance(8, blocked=[(r, c) for r, c in np.ndindex(4, 8) if c not in LEFT[r]])
CORNER = Instance(6, [(0, 0)])
STEPPED = excluded_diagonals(8, 8, seed=362, planted=False)
PROBED = excluded_diagonals(8, 8, seed=128, planted=False)
PLAIN = excluded_diagonals(8, 6, seed=2, planted=False)

PROVEN = {
    "contradiction": (CONTRADICTORY, reduce(CONTRADICTORY).certificate),
    "small board, 2": (Instance(2), reduce(2).certificate),
    "small board, 3": (Instance(3), reduce(3).certificate),
    "empty line": (WALLED, reduce(WALLED).certificate),
    "chain": (CHAIN, reduce(CHAIN).certificate),
    "probing": (CORNER, reduce(CORNER, "probe").certificate),
    "weights": (PLAIN, find_line_weights(reduce(PLAIN))),
    "weights after steps": (STEPPED, find_line_weights(reduce(STEPPED))),
    "accounting": (PLAIN, find_diagonal_accounting(reduce(PLAIN))),
    "accounting after steps": (STEPPED, find_diagonal_accounting(reduce(STEPPED))),
    "accounting after probes": (PROBED, find_diagonal_accounting(reduce(PROBED, "probe"))),
}


def data_of(certificate):
    """Return a certificate as it comes back from a file."""
    return json.loads(json.dumps(certificate.to_dict()))


def fresh(name):
    instance, certificate = PROVEN[name]
    return instance, data_of(certificate)


def changed(instance, **values):
    """Return an instance with other values for some of its fields."""
    fields = ("n", "queens", "blocked", "excluded_sums", "excluded_differences")
    return Instance(**{field: getattr(instance, field) for field in fields} | values)


@cache
def is_feasible(instance):
    return next(completions(instance), None) is not None


def refused(instance, data, message=None):
    with pytest.raises(ProofError, match=message):
        check_certificate(instance, data)


# What is found is right


@pytest.mark.parametrize("name", PROVEN)
def test_every_kind_is_accepted_as_data(name):
    instance, data = fresh(name)
    check_certificate(instance, data)
    assert not is_feasible(instance)


def test_the_examples_are_of_every_kind():
    kinds = {certificate.kind for _, certificate in PROVEN.values()}
    assert kinds == {
        "contradiction",
        "small board",
        "empty line",
        "line weights",
        "diagonal accounting",
    }
    steps = [step for name in PROVEN for step in fresh(name)[1].get("steps", [])]
    assert any("forced" in step for step in steps)
    assert any(step.get("then") for step in steps)


@settings(max_examples=200)
@given(instances(min_n=4, max_n=7, max_queens=2), st.sampled_from(["lines", "propagate", "probe"]))
def test_nothing_is_proven_that_has_a_solution(instance, mode):
    reduction = reduce(instance, mode)
    assume(reduction.certificate is None)
    for find in (find_line_weights, find_diagonal_accounting):
        if certificate := find(reduction):
            check_certificate(instance, data_of(certificate))
            assert not is_feasible(instance)


@pytest.mark.parametrize("n", [8, 10, 13, 16, 20, 24])
def test_planted_boards_are_never_refuted(n):
    for seed in range(4 if n < 16 else 2):
        for instance in (
            planted(n, n // 4, seed=seed),
            planted(n, n // 2, seed=seed),
            blocked(n, n * n * 3 // 4, seed=seed),
            excluded_diagonals(n, n, seed=seed),
            excluded_diagonals(n, 2 * n - 2, seed=seed),
        ):
            for mode in ("lines", "propagate"):
                reduction = reduce(instance, mode)
                assert find_line_weights(reduction) is None
                assert find_diagonal_accounting(reduction) is None


@pytest.mark.parametrize(("n", "m", "seed"), [(10, 8, 4), (12, 10, 0), (14, 12, 2), (16, 14, 4)])
def test_infeasible_boards_that_accounting_refutes(n, m, seed):
    reduction = reduce(excluded_diagonals(n, m, seed=seed, planted=False))
    assert find_line_weights(reduction) is None
    check_certificate(reduction.instance, data_of(find_diagonal_accounting(reduction)))


@pytest.mark.parametrize(("n", "seeds"), [(12, range(40)), (16, range(20))])
def test_infeasible_boards_that_weights_refute(n, seeds):
    refuted = 0
    for seed in seeds:
        reduction = reduce(blocked(n, int(n * n * 0.72), seed=seed, planted=False))
        if reduction.certificate is None and (certificate := find_line_weights(reduction)):
            check_certificate(reduction.instance, data_of(certificate))
            refuted += 1
    assert refuted


def test_boards_with_nothing_to_place_are_left_to_others():
    """No queen is missing, or none can be placed: both are left to others."""
    complete = Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])
    for instance in (complete, Instance(4, blocked=np.ndindex(4, 4))):
        reduction = reduce(instance, "lines")
        assert find_line_weights(reduction) is None
        assert find_diagonal_accounting(reduction) is None


# The accounts, against all choices


diagonals = st.sets(st.integers(-9, 9), min_size=1, max_size=9)


@settings(max_examples=250)
@given(diagonals, st.data())
def test_reachable_halves_are_those_of_some_choice(values, data):
    number = data.draw(st.integers(1, len(values)))
    total = data.draw(st.integers(-20, 20))
    most = data.draw(st.integers(-3, 120))
    halves = {
        sum((v * v - v) // 2 for v in chosen)
        for chosen in combinations(values, number)
        if sum(chosen) == total
    }
    expected = {half for half in halves if half <= most}
    assert (
        diagonal_accounting._reachable(sorted(values), number, total, most, lambda: False)
        == expected
    )


@settings(max_examples=250)
@given(diagonals, st.integers(-40, 40), st.data())
def test_sums_of_squares_are_those_of_some_choice(values, shift, data):
    values = {value + shift for value in values}
    number = data.draw(st.integers(1, len(values)))
    total = data.draw(st.integers(-20, 20)) + number * shift
    squares = {
        sum(v * v for v in chosen)
        for chosen in combinations(values, number)
        if sum(chosen) == total
    }
    most = data.draw(st.integers(0, 400) | st.sampled_from([*squares, 0])) + shift * shift
    expected = {square for square in squares if square <= most}
    assert _sums_of_squares(values, number, total, most) == expected


def test_accounting_can_be_stopped():
    assert find_diagonal_accounting(reduce(PLAIN), lambda: True) is None


def test_accounting_leaves_out_what_is_too_large(monkeypatch):
    monkeypatch.setattr(diagonal_accounting, "_reachable", None)
    assert find_diagonal_accounting(reduce(33)) is None
    assert find_diagonal_accounting(reduce(PLAIN), most_bits=1000) is None
    assert find_diagonal_accounting(reduce(planted(200, 185, seed=1), "lines")) is None


def test_weights_leave_out_what_is_too_large(monkeypatch):
    monkeypatch.setattr(line_weights, "MOST_CELLS", 10)
    monkeypatch.setattr(line_weights, "_relaxed", None)
    assert find_line_weights(reduce(PLAIN)) is None


@pytest.mark.parametrize(
    ("optimum", "value"), [(np.inf, None), (0.0, 0.0), (0.0, 1.0), (0.0, 1e-9), (8.0, 0.25)]
)
def test_weights_that_prove_nothing_are_not_returned(optimum, value, monkeypatch):
    def relaxed(of_cell, num_lines):
        return optimum, None if value is None else np.full(num_lines, value)

    monkeypatch.setattr(line_weights, "_relaxed", relaxed)
    assert find_line_weights(reduce(PLAIN)) is None


# Reasons


REASONS = {
    "contradiction": "prescribed queens (0, 0), (0, 5) attack each other on row 0; ",
    "small board, 2": "2 non-attacking queens do not fit on a 2 x 2 board",
    "small board, 3": "3 non-attacking queens do not fit on a 3 x 3 board",
    "empty line": "row 2 has no free cell and no prescribed queen",
    "chain": " is the only free cell of ",
    "probing": " forced queens later, leave row 5 without a free cell; ",
    "weights": " lines can be given weights of ",
    "weights after steps": " is the only free cell of ",
    "accounting": "no 8 of the free diagonals r + c = k and 8 of the free diagonals r - c = d ",
    "accounting after steps": " is the only free cell of ",
    "accounting after probes": "; then no ",
}


@pytest.mark.parametrize("name", PROVEN)
def test_reasons_name_what_they_are_about_and_stay_short(name):
    reason = PROVEN[name][1].reason
    assert REASONS[name] in reason
    assert 20 < len(reason) < 600
    assert "\n" not in reason


# What is no proof is refused


@pytest.mark.parametrize("name", PROVEN)
def test_certificates_are_about_their_instance(name):
    _, data = fresh(name)
    for other in (Instance(1), Instance(4), Instance(8), planted(8, 3, seed=1)):
        refused(other, data)


@pytest.mark.parametrize("name", PROVEN)
def test_missing_and_strange_values(name):
    instance, data = fresh(name)
    for key in data.keys() - {"kind"}:
        refused(instance, {k: v for k, v in data.items() if k != key} | {key: None})
        without = {k: v for k, v in data.items() if k != key}
        refused(instance, without, "malformed")
        for value in (7, True, "row", [None], {"a": 1}, [[]], [{}], 1.5):
            if data[key] != value:
                refused(instance, data | {key: value})


@pytest.mark.parametrize(
    "kind", [None, "", "Empty line", 3, True, ["empty line"], {}, "exhaustive search"]
)
def test_unknown_kinds(kind):
    refused(WALLED, fresh("empty line")[1] | {"kind": kind}, "kind .* is unknown; known: contra")
    refused(WALLED, {}, "kind None is unknown")


@pytest.mark.parametrize(
    "found",
    [
        {"kind": "attack", "line": "row 0", "cells": [[0, 0], [2, 1]]},
        {"kind": "attack", "line": "row 0", "cells": [[0, 0], [0, 6]]},
        {"kind": "attack", "line": "row 0", "cells": [[0, 0]]},
        {"kind": "attack", "line": "row 0", "cells": [[0, 0], [0, 0]]},
        {"kind": "attack", "line": "row 0", "cells": []},
        {"kind": "blocked", "line": "cell (0, 0)", "cells": [[0, 0]]},
        {"kind": "excluded", "line": "r + c = 6", "cells": [[3, 3]]},
        {"kind": "excluded", "line": "r + c = 6", "cells": []},
    ],
)
def test_contradictions_that_are_none(found):
    _, data = fresh("contradiction")
    refused(CONTRADICTORY, data | {"contradictions": [found]})
    refused(CONTRADICTORY, data | {"contradictions": [*data["contradictions"], found]})


def test_contradictions_need_their_queens_and_walls():
    _, data = fresh("contradiction")
    queens = CONTRADICTORY.queens
    for cell in queens:
        fewer = [queen for queen in queens if queen != cell]
        refused(changed(CONTRADICTORY, queens=fewer), data, "not all prescribed")
    refused(changed(CONTRADICTORY, blocked=[]), data, "not a forbidden cell")
    refused(changed(CONTRADICTORY, excluded_sums=[]), data, "not a forbidden cell")
    refused(CONTRADICTORY, data | {"contradictions": []}, "no contradiction is listed")


@pytest.mark.parametrize("name", ["small board, 2", "small board, 3"])
def test_larger_boards_are_not_small(name):
    refused(Instance(4), fresh(name)[1], "n = 4 is not small")
    refused(Instance(1), fresh(name)[1], "are a solution")


def test_an_empty_line_that_is_not_empty():
    _, data = fresh("empty line")
    refused(changed(WALLED, blocked=WALLED.blocked[1:]), data, r"row 2 keeps the free cell \(2, 0")
    for line, message in {
        ("row", 1): "keeps the free cell ",
        ("column", 2): "keeps the free cell ",
        ("sum", 2): "sum 2 need not have a queen",
        ("difference", 0): "need not have a queen",
        ("row", 5): "is not on the board",
        ("row", -1): "is not on the board",
        ("row", 1.5): "is not on the board",
        ("Row", 2): "need not have a queen",
    }.items():
        refused(WALLED, data | {"line": list(line)}, message)


STEPS = [name for name, (_, certificate) in PROVEN.items() if getattr(certificate, "steps", ())]


@pytest.mark.parametrize("name", STEPS)
def test_steps_have_to_hold(name):
    instance, data = fresh(name)
    steps = data["steps"]
    refused(instance, data | {"steps": [*steps, steps[0]]})  # its cell is no longer free
    for at, step in enumerate(steps):
        key = "forced" if "forced" in step else "dropped"
        row, column = step[key]
        for cell in (
            [row, (column + 1) % instance.n],
            [row, -1],
            [row],
            [row, None],
            [[row], column],
        ):
            refused(instance, data | {"steps": [*steps[:at], step | {key: cell}, *steps[at + 1 :]]})
    forced = [step for step in steps if "forced" in step]
    for step in forced:
        wrong = step | {"line": ["sum", sum(step["forced"])]}
        refused(instance, data | {"steps": [wrong]}, "need not have a queen")


def test_steps_have_to_come_in_order():
    instance, data = fresh("chain")
    steps = data["steps"]
    assert [step["forced"] for step in steps] == [[0, 0], [1, 3], [2, 1]]
    for order in permutations(steps):
        if list(order) != steps:
            refused(instance, data | {"steps": order}, "is not the only free cell of")
    for number in range(3):
        for some in combinations(steps, number):
            refused(instance, data | {"steps": some})


def test_a_dropped_cell_needs_its_trail_and_its_empty_line():
    instance, data = fresh("probing")
    at, step = next((at, s) for at, s in enumerate(data["steps"]) if s.get("then"))
    before = data["steps"][:at]
    for wrong in (
        step | {"then": []},
        step | {"then": step["then"] * 2},
        step | {"then": step["then"][::-1]} if len(step["then"]) > 1 else step | {"then": [{}]},
        step | {"empty": ["difference", 0]},
        step | {"empty": step["then"][0]["line"]},
        step | {"dropped": [0, 0]},
    ):
        refused(instance, data | {"steps": [*before, wrong]})
    early = step | {"then": step["then"][:-1]}
    refused(instance, data | {"steps": [*before, early]}, "is dropped, but .* keeps a free cell")


def test_cells_are_not_dropped_without_a_reason():
    drops = [{"dropped": [0, c], "then": [], "empty": ["row", 1]} for c in range(8)]
    data = {"kind": "empty line", "steps": drops, "line": ["row", 0]}
    refused(Instance(8), data, r"cell \(0, 0\) is dropped, but row 1 keeps a free cell")


def test_weights_have_to_suffice():
    instance, data = fresh("weights")
    weighed, cover = data["weights"], data["cover"]
    for at, (kind, index, weight) in enumerate(weighed):
        rest = weighed[:at] + weighed[at + 1 :]
        refused(instance, data | {"weights": [*weighed, weighed[at]]}, "two weights")
        for wrong in (-weight, float(weight), True, str(weight), None, weight + 10**9):
            refused(instance, data | {"weights": [*rest, [kind, index, wrong]]})
        refused(instance, data | {"weights": [*rest, ["Row", index, weight]]}, "no line is a 'Row'")
    for wrong in (cover + 1, 0, -cover, True, float(cover), str(cover), [cover], 10**30):
        refused(instance, data | {"cover": wrong})
    total = sum(weight for _, _, weight in weighed)
    assert total < 8 * cover
    kind, index, weight = weighed[-1]
    heavier = [*weighed[:-1], [kind, index, weight + 8 * cover - total]]
    refused(instance, data | {"weights": heavier}, f"a total of {8 * cover} suffices")


def test_negative_weights_lower_no_total():
    """Rows alone weigh what the queens need; a line without cells must not make up for it."""
    rows = [["row", index, 1] for index in range(8)]
    for kind, index in (("sum", 99), ("sum", 0), ("row", 8), ("difference", -7)):
        data = {"kind": "line weights", "steps": [], "cover": 1}
        weighed = [*rows, [kind, index, -1]]
        refused(Instance(8), data | {"weights": weighed}, "weight -1 is not a number >= 0")
    refused(Instance(8), data | {"weights": rows}, "a total of 8 suffices for 8 x 1")


def test_a_lowered_weight_leaves_some_cell_uncovered():
    """The weights of a minimal proof: whichever is lowered, it does not hold any more."""
    instance, data = fresh("weights")
    messages = []
    for at, (kind, index, weight) in enumerate(data["weights"]):
        lowered = [*data["weights"][:at], [kind, index, weight - 1], *data["weights"][at + 1 :]]
        try:
            check_certificate(instance, data | {"weights": lowered})
        except ProofError as error:
            messages.append(str(error))
    assert len(messages) >= len(data["weights"]) // 2
    assert all("weigh only" in message for message in messages)


def test_accounting_that_can_be_met():
    _, data = fresh("accounting")
    refused(Instance(8), data, "are possible")
    feasible = planted(8, 2, seed=1)
    refused(feasible, data, "are possible")
    for seed in range(20):
        refused(excluded_diagonals(8, 8, seed=seed), data, "are possible")


def test_accounts_without_a_missing_queen_or_without_end():
    _, data = fresh("accounting")
    refused(Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)]), data, "no queen is missing")
    refused(Instance(1, [(0, 0)]), data, "no queen is missing")
    refused(Instance(200), data, "200 queens are too many")
    refused(Instance(10**7), data, "10,000,000 queens are too many")
    refused(planted(400, 385, seed=1), data, "too many to be checked")


# Fuzz: whatever is accepted, there is no solution; and there is no other error than ProofError

NUMBERS = (0, 1, 2, 3, 5, -1, 8, 10**20, 0.0, 1.0, 2.5, float("inf"), float("nan"))
WORDS = ("", "row", "column", "sum", "difference", "forced", "attack", "blocked")
leaves = st.sampled_from([None, True, False, *NUMBERS, *WORDS])
STEP_KEYS = ("forced", "line", "dropped", "then", "empty")
keys = st.sampled_from(["steps", "weights", "cover", "contradictions", "kind", "cells", *STEP_KEYS])
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
kinds = st.sampled_from(
    ["contradiction", "small board", "empty line", "line weights", "diagonal accounting"]
)


def places(value, path=()):
    """Yield the paths to all values within a value."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield (*path, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*path, key))


@st.composite
def mutants(draw):
    """Draw the data of a right certificate, and spoil it up to three times."""
    instance, data = fresh(draw(st.sampled_from(list(PROVEN))))
    for _ in range(draw(st.integers(0, 3))):
        if not data:
            break
        *path, last = draw(st.sampled_from(list(places(data))))
        parent = data
        for key in path:
            parent = parent[key]
        how = draw(st.sampled_from(["replace", "delete", "nudge", "swap", "repeat"]))
        if how == "delete":
            del parent[last]
        elif how == "nudge" and type(parent[last]) is int:
            parent[last] += draw(st.sampled_from([-2, -1, 1, 2]))
        elif isinstance(parent, list) and how == "swap":
            other = draw(st.integers(0, len(parent) - 1))
            parent[last], parent[other] = parent[other], parent[last]
        elif isinstance(parent, list) and how == "repeat":
            parent.append(parent[last])
        else:
            parent[last] = draw(junk)
    return instance, data


@st.composite
def relaxed(draw, instance):
    """Draw an instance that demands less in one or two places, or more in another."""
    for field in draw(
        st.lists(
            st.sampled_from(["queens", "blocked", "excluded_sums", "excluded_differences"]),
            max_size=2,
        )
    ):
        values = getattr(instance, field)
        if values:
            at = draw(st.integers(0, len(values) - 1))
            instance = changed(instance, **{field: values[:at] + values[at + 1 :]})
    return instance


def is_right_to_accept(instance, data):
    """Tell whether a verdict of the checker is right; one of refusal always is."""
    try:
        check_certificate(instance, data)
    except ProofError:
        return True
    return not is_feasible(instance)


@settings(max_examples=800)
@given(st.data())
def test_spoilt_certificates_prove_nothing_wrong(data):
    instance, certificate = data.draw(mutants())
    assert is_right_to_accept(data.draw(relaxed(instance)), certificate)


@settings(max_examples=300)
@given(instances(min_n=1, max_n=6), mutants())
def test_certificates_of_other_boards_prove_nothing_wrong(instance, spoilt):
    assert is_right_to_accept(instance, spoilt[1])


@settings(max_examples=300)
@given(instances(max_n=6), kinds, st.dictionaries(keys, junk, max_size=5))
def test_no_data_makes_another_error(instance, kind, data):
    assert is_right_to_accept(instance, data | {"kind": kind})


@settings(max_examples=200)
@given(instances(min_n=4, max_n=6, max_queens=2), st.data())
def test_no_weights_refute_a_feasible_board(instance, data):
    n = instance.n
    lines = st.tuples(
        st.sampled_from(["row", "column", "sum", "difference"]), st.integers(-n, 2 * n)
    )
    drawn = data.draw(st.dictionaries(lines, st.integers(0, 3), max_size=4 * n))
    weighed = [[kind, index, weight] for (kind, index), weight in drawn.items()]
    cover = data.draw(st.integers(1, 3))
    certificate = {"kind": "line weights", "steps": [], "weights": weighed, "cover": cover}
    assert is_right_to_accept(instance, certificate)


def test_a_program_that_ends_waits_for_a_linear_program_that_was_left():
    """Also where a daemon thread left it; the solver would take the process down with it."""
    script = textwrap.dedent(
        """
        import threading
        from qubo_queens import reduce
        from qubo_queens.generate import corner_packed
        from qubo_queens.exact.line_weights import find_line_weights

        board = reduce(corner_packed(64, 23, seed=0))
        asked = []
        def stop():
            asked.append(1)
            return len(asked) > 1
        thread = threading.Thread(target=find_line_weights, args=(board, stop), daemon=True)
        thread.start()
        thread.join()
        left = [other for other in threading.enumerate() if other.name == "linear program"]
        assert all(not other.daemon for other in left)
        print("ended with", len(left), "left")
        """
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("ended with")
