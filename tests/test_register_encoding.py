"""An encoding defined here, and brought by a package: one class and one registration."""

import json
import os
import subprocess
import sys
from functools import cached_property
from itertools import combinations
from pathlib import Path

import dimod
import pytest

from qubo_queens import Instance, Model, build, forecast, list_encodings, register_encoding
from qubo_queens.board.lines import ROW_COLUMN
from qubo_queens.encodings import registry
from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.cell_bits import CellPenaltyModel
from qubo_queens.encodings.constraints import Constraint
from qubo_queens.encodings.penalties import Penalties
from qubo_queens.encodings.registry import get_encoding, strengths_by_name
from qubo_queens.encodings.strengths import Rule, Strength, rows_columns_diagonals
from qubo_queens.errors import InputError, ParameterError
from qubo_queens.testing import check_encoding

PAIR = Rule(lambda strengths: 2 * strengths.row_column, "twice the row-column strength")


class Toy(CellPenaltyModel):
    """Rows and columns as sums, diagonals as pairs, and the number of queens once more."""

    encoding = "toy"
    takes_strengths = (
        *rows_columns_diagonals(1, 2),
        Strength("total", PAIR, "the number of queens"),
    )

    @cached_property
    def constraints(self):
        return (*super().constraints, Constraint(None, statement=f"{self.instance.n} queens"))

    @cached_property
    def penalties(self):
        penalties = Penalties(self.literals, ("row_column", "diagonal", "total"))
        for kind, constraint, line in self._lines():
            queens = self._literals_on(line)
            if kind in ROW_COLUMN:
                penalties.square("row_column", constraint, [queens], constant=-1)
            for pair in () if kind in ROW_COLUMN else combinations(queens, 2):
                penalties.product("diagonal", constraint, *pair)
        everyone = [range(len(self.literals.cells) - 1)]
        penalties.square("total", len(self.constraints) - 1, everyone, constant=-self.instance.n)
        return penalties.collected()


@pytest.fixture
def toy(monkeypatch):
    """Register the encoding for one test."""
    monkeypatch.setattr(registry, "_registered", {})
    return register_encoding(Toy)


def test_a_class_needs_no_registration():
    check_encoding(Toy)
    assert repr(build(5, Toy)).startswith("<Model toy: n=5, 25 variables, ")
    assert forecast(5, Toy).variables == 25


def test_a_registered_encoding_is_known_by_name(toy):
    assert toy is Toy
    assert list_encodings()[-1] == "toy"
    assert get_encoding("toy") is Toy
    model = build(Instance(5, [(0, 1)]), "toy", total_strength=3)
    assert isinstance(model, Model)
    assert type(model) is Toy
    assert dict(model.strengths.weights) == {"row_column": 1, "diagonal": 2, "total": 3}
    assert dict(build(5, "toy", row_column_strength=7).strengths.weights)["total"] == 14
    assert model.neal_schedule == Model.neal_schedule
    size = forecast(6, "toy")
    bqm = build(6, "toy").bqm
    assert (size.variables, size.interactions) == bqm.shape
    assert size.largest_degree == max(bqm.degrees().values())
    check_encoding("toy")


def test_its_strength_is_its_own(toy):
    assert [encoding for encoding, _ in strengths_by_name()["total_strength"]] == ["toy"]
    with pytest.raises(ParameterError, match="encoding cell has no total_strength"):
        build(4, total_strength=2)
    assert build(4, total_strength=None).encoding == "cell"
    with pytest.raises(InputError, match="total_strength must be finite and above 0"):
        build(4, "toy", total_strength=-1)


def test_large_boards_need_a_formula_for_the_size():
    with pytest.raises(MemoryError, match=r"no formula for its size.*define _size in Toy"):
        _ = build(1000, Toy).forecast


class Nameless(CellModel):
    encoding = "no name"


class Taken(CellModel):
    pass


class Unweighted(CellModel):
    encoding = "unweighted"
    takes_strengths = (Strength("row_column", 1, "rows and columns"),)


class Twice(CellModel):
    encoding = "twice"
    takes_strengths = rows_columns_diagonals() * 2


class Misnamed(CellModel):
    encoding = "misnamed"
    takes_strengths = (*rows_columns_diagonals(), Strength("a-b", 1, "something"))


class Incomplete(Model):
    encoding = "incomplete"


@pytest.mark.parametrize(
    ("thing", "error", "message"),
    [
        (5, TypeError, "an encoding is a subclass of Model, not 5"),
        (int, TypeError, "an encoding is a subclass of Model, not <class 'int'>"),
        (
            Incomplete,
            TypeError,
            "Incomplete lacks takes_strengths, _decode, .*see Model",
        ),
        (Nameless, ValueError, "'no name' is not a name for an encoding"),
        (Taken, ValueError, "encoding 'cell' exists already; choose another name"),
        (Unweighted, TypeError, r"Unweighted\.takes_strengths must be .* row_column and diagonal"),
        (Twice, TypeError, "each family once"),
        (Misnamed, ValueError, "'a-b' is not a name for a family"),
    ],
)
def test_what_cannot_be_registered_is_refused(thing, error, message):
    with pytest.raises(error, match=message):
        register_encoding(thing)
    assert list_encodings() == list(registry._BUILT_IN)


def test_a_name_is_registered_once(toy):
    with pytest.raises(InputError, match="encoding 'toy' exists already"):
        register_encoding(type("Other", (Toy,), {}))


# Packages


@pytest.fixture
def package(tmp_path):
    """Write a package with this encoding and broken ones; returns how to run Python with it."""
    source = Path(__file__).read_text(encoding="utf-8")
    body = source[source.index("PAIR = ") : source.index("@pytest.fixture")]
    imports = source[source.index("from functools") : source.index("PAIR = ")]
    imports = "\n".join(line for line in imports.splitlines() if "pytest" not in line)
    (tmp_path / "toy_queens.py").write_text(
        f"{imports}\n{body}\nregister_encoding(Toy)\nnot_a_class = 5\n", encoding="utf-8"
    )
    info = tmp_path / "toy_queens-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-queens\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[qubo_queens.encodings]\n"
        "toy = toy_queens:Toy\n"
        "broken = toy_queens_that_is_not_there:Broken\n"
        "nonsense = toy_queens:not_a_class\n"
        "alias = toy_queens:Toy\n"
        "cell = toy_queens:Toy\n"
    )

    def run_python(*arguments):
        paths = [str(tmp_path), str(Path(registry.__file__).parents[2])]
        return subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run_python


def test_an_entry_point_is_listed_and_loaded_on_use(package):
    code = """
import sys
from qubo_queens import list_encodings
names = list_encodings()
assert names[-4:] == ["alias", "broken", "nonsense", "toy"], names
assert not {"toy_queens", "numpy", "dimod"}.intersection(sys.modules)

from qubo_queens import build, forecast
from qubo_queens.encodings.registry import get_encoding, strengths_by_name
from qubo_queens.errors import InputError, InputTypeError

assert "qubo_queens.encodings.cell" not in sys.modules
assert build(4).encoding == "cell" and type(build(4)).__module__ == "qubo_queens.encodings.cell"
assert "toy_queens" not in sys.modules
model = build(5, "toy", total_strength=3)
assert model.encoding == "toy" and forecast(5, "toy").variables == 25
assert list(strengths_by_name())[-1] == "total_strength"
for name in ("broken", "nonsense", "alias"):
    try:
        build(4, name)
    except (InputError, InputTypeError) as error:
        print(error)
"""
    done = package("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "encoding 'broken' (toy_queens_that_is_not_there:Broken, package toy-queens) cannot be "
        "loaded: ModuleNotFoundError: No module named 'toy_queens_that_is_not_there'",
        "encoding 'nonsense' (toy_queens:not_a_class, package toy-queens) cannot be loaded: "
        "InputTypeError: an encoding is a subclass of Model, not 5",
        "encoding 'alias' (toy_queens:Toy, package toy-queens) cannot be loaded: "
        "InputError: it is encoding 'toy'; the names must be equal",
    ]


def test_an_entry_point_works_on_the_command_line(package, tmp_path):
    run = ("-m", "qubo_queens")
    built = package(*run, "build", "5", "--encoding", "toy", "--total-strength", "3", "-o", "x.bqm")
    assert built.returncode == 0, built.stderr
    with (tmp_path / "x.bqm").open("rb") as file:
        bqm = dimod.BinaryQuadraticModel.from_file(file)
    expected = build(5, Toy, total_strength=3).bqm
    assert bqm == expected
    size = package(*run, "forecast", "5", "--encoding", "toy", "--json")
    assert json.loads(size.stdout)["interactions"] == expected.num_interactions, size.stderr
    words = " ".join(package(*run, "build", "--help").stdout.split())
    assert (
        "--total-strength NUMBER The weight of the number of queens; by default twice the "
        "row-column strength (toy)." in words
    )
    failed = package(*run, "build", "5", "--encoding", "broken", "-o", "y.bqm")
    assert failed.returncode == 2
    assert "cannot be loaded: ModuleNotFoundError" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
