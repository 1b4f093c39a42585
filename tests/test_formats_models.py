"""Models as files: dimod must read back what was built."""

import dimod
import pytest

from qubo_queens.board.instance import Instance
from qubo_queens.encodings.build import build
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.formats.models import write_model


def read_back(path):
    with path.open("rb") as file:
        return dimod.BinaryQuadraticModel.from_file(file)


@pytest.mark.parametrize(
    "instance",
    [
        Instance(1),
        Instance(6),
        Instance(8, [(2, 2), (5, 3)]),
        Instance(8, [(0, 0), (1, 1)]),
        Instance(5, blocked=[(0, 0), (2, 3)], excluded_sums=[4]),
    ],
)
@pytest.mark.parametrize("reduce", ["none", "lines"])
def test_a_model_comes_back_equal(tmp_path, instance, reduce):
    model = build(instance, reduce=reduce, row_column_strength=1.5)
    path = tmp_path / "model.bqm"
    write_model(model, path)
    found = read_back(path)
    assert found == model.bqm
    assert list(found.variables) == list(model.variables)
    assert found.offset == model.bqm.offset
    assert found.vartype is dimod.BINARY


@pytest.mark.parametrize("n", [11, 12])
def test_u18_labels_stay_distinct_cells(tmp_path, n):
    path = tmp_path / "model"
    write_model(build(n), path, "bqm")
    labels = set(read_back(path).variables)
    assert labels == {(row, column) for row in range(n) for column in range(n)}


def test_wrong_arguments_are_named(tmp_path):
    model = build(4)
    with pytest.raises(InputError, match="model format 'lp' is unknown; choose one of bqm"):
        write_model(model, tmp_path / "model", "lp")
    with pytest.raises(InputTypeError, match="needs a Model, not BinaryQuadraticModel"):
        write_model(model.bqm, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_path_is_told_before_the_bqm_is_made(tmp_path):
    model = build(4)
    with pytest.raises(InputError, match="make its folder first"):
        write_model(model, tmp_path / "none" / "model")
    assert "bqm" not in vars(model)
