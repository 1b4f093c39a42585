"""prove(): right on every board, by every stage, and quiet when it is stopped."""

import json
import signal
import subprocess
import sys
import textwrap
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from oracles import all_cells, attacks, completions, is_forbidden, settled, solves
from pysat.solvers import Cadical153
from strategies import instances

from qubo_queens import Instance, Placement, Status, prove
from qubo_queens.board.certificate import EmptyLine
from qubo_queens.errors import InputError, InputTypeError, MismatchError, ProofError
from qubo_queens.exact import board_search, stages
from qubo_queens.exact import prove as prove_module
from qubo_queens.exact.board_search import BoardSearch, Exhausted
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.clauses import cadical
from qubo_queens.exact.clauses.cadical import Unsatisfiable
from qubo_queens.exact.clauses.formulations import FORMULATIONS
from qubo_queens.exact.diagonal_accounting import DiagonalAccounting
from qubo_queens.generate import blocked, excluded_diagonals, planted, random_partial

OTHERS = list(FORMULATIONS)
MIXED = {
    board["name"]: board
    for board in json.loads(Path(__file__).with_name("mixed.json").read_text("utf-8"))
}


def of_mixed(name):
    board = MIXED[name]
    return Instance(
        board["n"],
        board["queens"],
        blocked=board["blocked"],
        excluded_sums=board["excluded_sums"],
        excluded_differences=board["excluded_diffs"],
    )


HARD = of_mixed("corner_n48_k17_unsat")
SHORT_CHAIN = Instance(8, [(0, 0), (1, 2), (2, 4)])


@pytest.fixture
def only_search(monkeypatch):
    """Leave no proof but the search, which takes ages for HARD."""
    monkeypatch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
    monkeypatch.setattr(stages, "find_line_weights", lambda *_: None)


def sat_says(instance):
    """Ask a SAT solver, in the plainest encoding: a variable for each cell of the board."""
    n = instance.n
    variable = {cell: at for at, cell in enumerate(all_cells(n), 1)}
    with Cadical153() as solver:
        for i in range(n):
            solver.add_clause([variable[i, j] for j in range(n)])
            solver.add_clause([variable[j, i] for j in range(n)])
        for one, other in combinations(variable, 2):
            if attacks(one, other):
                solver.add_clause([-variable[one], -variable[other]])
        for cell in variable:
            if is_forbidden(instance, cell):
                solver.add_clause([-variable[cell]])
        for cell in instance.queens:
            solver.add_clause([variable[cell]])
        return solver.solve()


def confirm(result, instance):
    """Confirm what goes with an answer, and return whether the instance is feasible."""
    assert result.instance == instance
    assert result.answered_by
    assert json.loads(json.dumps(result.to_dict()))["status"] == result.status
    assert str(result).startswith(result.status)
    if result.status is Status.FEASIBLE:
        assert result.certificate is None
        assert result.reason is None
        assert result.verification.valid
        assert solves(instance, result.placement.cells)
        return True
    assert result.status is Status.INFEASIBLE
    assert result.placement is None
    assert 0 < len(result.reason) < 800
    assert result.certificate.reason in result.reason
    if isinstance(result.certificate, Exhausted):
        assert result.nodes == result.certificate.nodes
    elif isinstance(result.certificate, Unsatisfiable):
        assert result.encoding == result.certificate.encoding
    else:
        check_certificate(instance, json.loads(json.dumps(result.certificate.to_dict())))
    return False


def is_feasible(instance):
    return next(completions(instance), None) is not None


# Right on every board


@settings(max_examples=300)
@given(instances())
def test_agrees_with_brute_force(instance):
    assert confirm(prove(instance), instance) == is_feasible(instance)


@settings(max_examples=120)
@given(instances(min_n=5, max_n=7, max_queens=2))
def test_search_alone_agrees_with_brute_force(instance):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "CHEAP_CELLS", 0)
        patch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
        patch.setattr(stages, "find_line_weights", lambda *_: None)
        patch.setattr(stages, "SHORT_SEARCH", 3)
        assert confirm(prove(instance), instance) == is_feasible(instance)


@settings(max_examples=60)
@given(instances(min_n=5, max_n=7, max_queens=2))
def test_certificates_without_search_agree_with_brute_force(instance):
    """Where neither probing nor search comes first, more is left to line weights."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "CHEAP_CELLS", 0)
        patch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
        patch.setattr(stages, "SHORT_SEARCH", 0)
        assert confirm(prove(instance), instance) == is_feasible(instance)


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=12)
@given(instance=instances(max_n=5))
def test_formulations_agree_with_brute_force(name, instance):
    result = prove(instance, encoding=name)
    assert result.answered_by == "CaDiCaL"
    assert confirm(result, instance) == is_feasible(instance)


GENERATED = {
    "partial": lambda n, seed: random_partial(n, 2 + n // 5, seed=seed),
    "partial, many": lambda n, seed: random_partial(n, n // 2, seed=seed),
    "planted": lambda n, seed: planted(n, n // 3, seed=seed),
    "excluded": lambda n, seed: excluded_diagonals(n, n - 1, seed=seed, planted=False),
    "blocked": lambda n, seed: blocked(n, n * n * 2 // 3, seed=seed, planted=False),
}


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("n", [7, 8])
def test_seeded_boards_agree_with_brute_force(name, n):
    for seed in range(12):
        instance = GENERATED[name](n, seed)
        assert confirm(prove(instance), instance) == is_feasible(instance), seed


@pytest.mark.parametrize("name", GENERATED)
def test_seeded_boards_agree_with_a_sat_solver(name):
    answers = set()
    for n, seed in [(10, 0), (10, 1), (11, 2), (12, 3), (14, 4), (16, 5), (20, 6), (24, 7)]:
        n = min(n, 16) if name == "excluded" else n  # the solver takes minutes for larger ones
        instance = GENERATED[name](n, seed)
        answer = confirm(prove(instance), instance)
        assert answer == sat_says(instance), (n, seed)
        answers.add(answer)
    assert answers == ({True} if name == "planted" else {True, False})


@pytest.mark.parametrize("name", MIXED)
def test_mixed_boards(name):
    assert confirm(prove(of_mixed(name)), of_mixed(name)) == MIXED[name]["feasible"]


@pytest.mark.parametrize("name", OTHERS)
def test_formulations_agree_on_mixed_boards(name):
    names = ["edge_n1", "edge_n3", "edge_attack_diag", "nauck1850_n8", "edge_full_n12"]
    names += ["edge_row_blocked", "diag_n10_d6_unsat_diagonal_accounting"]
    for mixed in names:
        instance = of_mixed(mixed)
        assert confirm(prove(instance, encoding=name), instance) == MIXED[mixed]["feasible"]


def test_open_rows_that_lie_far_apart_cost_no_more_than_others(monkeypatch):
    """The sums of a few far diagonals are as large as those of many: they are left to the rest."""
    monkeypatch.setattr("qubo_queens.exact.diagonal_accounting._reachable", None)
    for n, k in [(64, 48), (128, 112), (1000, 990)]:
        instance = planted(n, k, seed=3)
        assert confirm(prove(instance), instance)


# The stages


STAGES = {
    "contradiction": (Instance(6, [(0, 0), (3, 3)]), "reduction"),
    "small board": (Instance(3), "reduction"),
    "empty line": (SHORT_CHAIN, "reduction"),
    "diagonal accounting": (
        of_mixed("diag_n10_d6_unsat_diagonal_accounting"),
        "diagonal accounting",
    ),
    "line weights": (of_mixed("diag_n14_d11_unsat_lp_weights"), "line weights"),
    "exhaustive search": (of_mixed("blocked_n24_unsat"), "exhaustive search"),
}


@pytest.mark.parametrize("kind", STAGES)
def test_every_stage_answers(kind, monkeypatch):
    instance, answered_by = STAGES[kind]
    if kind == "line weights":
        monkeypatch.setattr(stages, "find_diagonal_accounting", lambda *_: None)
        monkeypatch.setattr(stages, "SHORT_SEARCH", 10)
    result = prove(instance)
    assert not confirm(result, instance)
    assert (result.certificate.kind, result.answered_by) == (kind, answered_by)


def test_a_hard_board_is_proven_by_a_certificate():
    result = prove(HARD)
    assert not confirm(result, HARD)
    assert result.answered_by == "diagonal accounting"
    assert result.nodes >= 200_000


def test_boards_too_large_to_search_are_unknown():
    result = prove(1001)
    assert result.status is Status.UNKNOWN
    assert "1,001 open rows are too many for proofs, which take up to 1,000" in result.reason
    assert "stopped" not in result.reason


def test_a_wrong_certificate_is_not_believed(monkeypatch):
    lie = DiagonalAccounting((), 8, 56, 0, 560)
    monkeypatch.setattr(stages, "find_diagonal_accounting", lambda *_: lie)
    with pytest.raises(ProofError, match="possible"):
        prove(8)


def test_a_wrong_board_is_not_believed(monkeypatch):
    monkeypatch.setattr(BoardSearch, "placement", lambda _: Placement.from_columns(range(8)))
    with pytest.raises(MismatchError):
        prove(8)


# Cases that people have met


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize(
    ("n", "queens", "line"),
    [
        (4, [(0, 0), (1, 1)], "r - c = 0"),
        (5, [(0, 4), (3, 1)], "r + c = 4"),
        (5, [(2, 0), (2, 3)], "row 2"),
        (5, [(0, 3), (4, 3)], "column 3"),
    ],
    ids=["U25-difference", "U25-sum", "U25-row", "U25-column"],
)
def test_attacking_prescriptions(name, n, queens, line):
    instance = Instance(n, queens)
    result = prove(instance, encoding=name)
    assert not confirm(result, instance)
    pair = ", ".join(map(str, queens))
    assert f"queens {pair} attack each other on {line}" in result.reason


@pytest.mark.parametrize("name", FORMULATIONS)
def test_u25_queens_on_forbidden_cells(name):
    for forbidden in (
        {"blocked": [(1, 3)]},
        {"excluded_sums": [4]},
        {"excluded_differences": [-2]},
    ):
        instance = Instance(5, [(1, 3)], **forbidden)
        result = prove(instance, encoding=name)
        assert not confirm(result, instance)
        assert "prescribed queen (1, 3) stands on" in result.reason


@pytest.mark.parametrize(
    ("n", "queens"),
    [(4, [(0, 0)]), (6, [(0, 0)]), (3, [(0, 0)]), (8, [(0, 0), (7, 1)])],
    ids=["U27-n4", "U27-n6", "U27-n3", "U27-n8"],
)
@pytest.mark.parametrize("name", FORMULATIONS)
def test_hopeless_prescriptions(n, queens, name):
    instance = Instance(n, queens)
    assert not confirm(prove(instance, encoding=name), instance)


@pytest.mark.parametrize(
    ("instance", "line"),
    [
        pytest.param(Instance(4, blocked=all_cells(4)), "row 0", id="U36-all-blocked"),
        pytest.param(
            Instance(7, blocked=[(4, c) for c in range(7)]), "row 4", id="U36-blocked-row"
        ),
        pytest.param(
            Instance(7, blocked=[(r, 2) for r in range(7)]), "column 2", id="U36-blocked-column"
        ),
        pytest.param(
            Instance(5, excluded_differences=[-4, -3, -2, -1, 0]), "row 0", id="U36-excluded"
        ),
        pytest.param(
            Instance(8, [(0, 2), (2, 5), (4, 1)], blocked=[(6, 0), (6, 4), (6, 6), (6, 7)]),
            "row 6",
            id="U36-attacked",
        ),
    ],
)
def test_an_emptied_line_is_named(instance, line):
    result = prove(instance)
    assert not confirm(result, instance)
    assert result.reason == f"{line} has no free cell and no prescribed queen"


def test_u36_a_line_that_forced_queens_empty():
    left = {0: [0], 1: [2], 2: [4], 3: [0, 2]}  # the queens of rows 0 and 1 leave none in row 3
    walls = [(r, c) for r, columns in left.items() for c in range(6) if c not in columns]
    instance = Instance(6, blocked=walls)
    assert settled(instance, "propagate") is None
    result = prove(instance)
    assert not confirm(result, instance)
    assert isinstance(result.certificate, EmptyLine)
    assert "(0, 0) is the only free cell of row 0" in result.reason
    assert result.reason.endswith("has no free cell and no queen")


def test_u36_nothing_is_left_to_decide():
    instance = Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])
    result = prove(instance)
    assert confirm(result, instance)
    assert result.nodes == 0


@pytest.mark.parametrize("name", FORMULATIONS)
def test_u40_excluded_diagonals_around_one_solution(name):
    instance = Instance(
        8,
        excluded_sums=[0, 1, 2, 9, 10, 13, 14],
        excluded_differences=[-7, -6, -3, 1, 2, 6, 7],
    )
    result = prove(instance, encoding=name)
    assert confirm(result, instance)
    assert result.placement.columns == (5, 2, 6, 3, 0, 7, 1, 4)
    one_less = Instance(
        8,
        blocked=[(0, 5)],
        excluded_sums=instance.excluded_sums,
        excluded_differences=instance.excluded_differences,
    )
    assert not confirm(prove(one_less, encoding=name), one_less)


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize("n", [1, 2, 3], ids="U70-n{}".format)
def test_smallest_boards(n, name):
    assert confirm(prove(n, encoding=name), Instance(n)) == (n == 1)


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize(
    ("n", "error"),
    [
        pytest.param(0, InputError, id="U70-0"),
        pytest.param(-4, InputError, id="U70--4"),
        pytest.param(True, InputTypeError, id="U70-True"),
        pytest.param(4.0, InputTypeError, id="U70-4.0"),
        pytest.param("8", InputTypeError, id="U70-'8'"),
    ],
)
def test_what_is_no_size_is_refused(n, error, name):
    with pytest.raises(error):
        prove(n, encoding=name)


# Refused before any work


@pytest.fixture
def no_work(monkeypatch):
    for name in ("reduce", "prove_reduction", "decide_encoding"):
        monkeypatch.setattr(prove_module, name, None)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (
            {"encoding": "cells"},
            InputError,
            "encoding 'cells' cannot be written as clauses; choose one of cell, cell-attack",
        ),
        ({"encoding": "ladder"}, InputError, "encoding 'ladder' cannot be written as clauses"),
        ({"encoding": ["cell"]}, InputError, "cannot be written as clauses"),
        ({"time_limit": 0}, InputError, "time_limit must be finite and above 0, not 0"),
        ({"time_limit": -1.5}, InputError, "above 0, not -1.5"),
        ({"time_limit": float("nan")}, InputError, "finite"),
        ({"time_limit": float("inf")}, InputError, "finite"),
        ({"time_limit": True}, InputTypeError, "time_limit must be a number"),
        ({"time_limit": "3"}, InputTypeError, "time_limit must be a number"),
        ({"proof": 3}, InputTypeError, "a path is needed"),
        ({"proof": "no/such/folder/proof"}, InputError, "its folder does not exist"),
        ({"proof": "a\0b"}, InputError, "cannot write"),
        ({"proof": "folder"}, InputError, "cannot write 'folder': it is no regular file"),
        ({"proof": "clauses"}, InputError, "clauses.cnf': it is no regular file"),
        ({"proof": "file/proof"}, InputError, "its folder does not exist"),
        ({"proof": ""}, InputError, "cannot write"),
        ({"proof": "x" * 300}, InputError, "cannot write"),
    ],
)
@pytest.mark.parametrize("name", [None, "row"])
def test_bad_values_are_refused_before_any_work(
    values, error, message, name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("clauses.cnf").mkdir()
    Path("file").write_text("old", encoding="utf-8")
    with pytest.raises(error, match=message):
        prove(8, **{"encoding": name, **values})


# Stopped


def assert_quiet(result, folder):
    assert result.status is Status.UNKNOWN
    assert (result.answered_by, result.placement, result.certificate) == (None, None, None)
    assert result.proof is None
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("only_search")
@pytest.mark.parametrize("name", [None, "cell-attack", "row"])
def test_a_time_limit_gives_unknown(name, tmp_path):
    proof = tmp_path / "proof"
    result = prove(HARD, encoding=name, time_limit=0.05, proof=proof)
    assert_quiet(result, tmp_path)
    assert result.reason.startswith("time limit of 0.05 s reached: ")
    assert name is None or f"clauses of encoding {name}" in result.reason


@pytest.mark.usefixtures("only_search")
def test_a_time_limit_skips_the_stages_that_are_left(monkeypatch):
    monkeypatch.setattr(BoardSearch, "run", None)
    result = prove(HARD, time_limit=1e-9)
    assert result.status is Status.UNKNOWN
    assert result.reason.startswith("time limit of 1e-09 s reached: stopped before")


def test_what_is_seen_at_once_needs_no_time():
    assert prove(Instance(6, [(0, 0), (3, 3)]), time_limit=1e-9).status is Status.INFEASIBLE


def interrupt(after, then):
    """Return a function that calls another, and presses Ctrl-C in a certain call."""
    calls = []

    def function(*arguments, **options):
        calls.append(arguments)
        if len(calls) == after:
            signal.raise_signal(signal.SIGINT)
        assert len(calls) <= after + 1, "work goes on after Ctrl-C"
        return then(*arguments, **options)

    return function


@pytest.mark.usefixtures("only_search")
def test_ctrl_c_in_a_search_gives_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(BoardSearch, "advance_slice", interrupt(3, BoardSearch.advance_slice))
    result = prove(HARD, proof=tmp_path / "proof")
    assert_quiet(result, tmp_path)
    assert result.reason.startswith("interrupted: stopped after ")
    assert result.nodes > 200_000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_a_solver_gives_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(cadical.time, "sleep", interrupt(3, lambda seconds: None))
    result = prove(HARD, encoding="row", proof=tmp_path / "proof")
    assert_quiet(result, tmp_path)
    assert result.reason.startswith("interrupted: CaDiCaL was stopped on the ")


@pytest.mark.parametrize("stage", ["probe", "find_diagonal_accounting", "find_line_weights"])
def test_ctrl_c_in_a_stage_ends_the_search(stage, tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "SHORT_SEARCH", 0)
    monkeypatch.setattr(stages, "CHEAP_CELLS", 10**6)
    monkeypatch.setattr(BoardSearch, "run", lambda *_, **__: None)
    unchanged = {"probe": lambda reduction, _: reduction}.get(stage, lambda *_: None)
    for name in ("find_diagonal_accounting", "find_line_weights"):
        monkeypatch.setattr(stages, name, lambda *_: None)
    monkeypatch.setattr(stages, "probe", lambda reduction, _: reduction)
    monkeypatch.setattr(stages, stage, interrupt(1, unchanged))
    result = prove(HARD, proof=tmp_path / "proof")
    assert_quiet(result, tmp_path)
    assert result.reason.startswith("interrupted: ")


@pytest.mark.parametrize("where", ["refutation", "check_drat"])
def test_ctrl_c_while_a_proof_is_written_leaves_the_verdict(where, tmp_path, monkeypatch):
    original = getattr(board_search, where)
    monkeypatch.setattr(board_search, where, interrupt(1, original))
    instance = of_mixed("blocked_n24_unsat")
    if where == "check_drat":  # it would be done before it asks
        monkeypatch.setattr(board_search, where, interrupt(1, lambda *_: False))
    result = prove(instance, proof=tmp_path / "proof")
    assert not confirm(result, instance)
    assert result.proof is None
    assert list(tmp_path.iterdir()) == []
    assert result.reason.endswith(
        "no proof was written: interrupted before it was complete and checked"
    )


def test_a_verdict_is_not_lost_where_its_clauses_are_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr("qubo_queens.exact.clauses.formulations.MAX_LITERALS", 100)
    instance = of_mixed("blocked_n24_unsat")
    result = prove(instance, proof=tmp_path / "proof")
    assert not confirm(result, instance)
    assert result.proof is None
    assert list(tmp_path.iterdir()) == []
    assert "no proof was written: the clauses over the " in result.reason


@pytest.mark.parametrize("encoding", ["", "row"])
def test_ctrl_c_from_outside_ends_a_process_in_order(encoding, tmp_path):
    script = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        import test_exact_prove as test
        from qubo_queens.exact.clauses import cadical
        def loud(function):
            said = []
            def call(*arguments, **options):
                if not said:
                    said.append(print("at work", flush=True))
                return function(*arguments, **options)
            return call
        test.stages.find_diagonal_accounting = test.stages.find_line_weights = lambda *_: None
        test.BoardSearch.advance_slice = loud(test.BoardSearch.advance_slice)
        cadical.CadicalRun.poll = loud(cadical.CadicalRun.poll)
        result = test.prove(test.HARD, encoding=sys.argv[3] or None, proof=sys.argv[2])
        print(result.status, result.reason)
        """
    )
    folder = tmp_path / "proofs"
    folder.mkdir()
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", script, here, str(folder / "proof"), encoding]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "at work\n"
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate()
    assert child.returncode == 0
    assert said.startswith("unknown interrupted: ")
    assert list(folder.iterdir()) == []
