"""Pictures of embeddings."""

import json
import sys

import pytest
from matplotlib.figure import Figure

from qubo_queens import Embedding, build, find_embedding
from qubo_queens.embedding.draw import draw_embedding
from qubo_queens.embedding.topology import Topology
from qubo_queens.errors import InputError, MissingPackageError

LADDER = find_embedding(build(4, "ladder"), "zephyr:2")


def legend(figure):
    [axes] = figure.axes
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_figure_has_each_family_and_each_qubit(tmp_path):
    figure = draw_embedding(LADDER)
    assert isinstance(figure, Figure)
    assert legend(figure) == ["cells", "rows", "columns", "sum diagonals", "difference diagonals"]
    [axes] = figure.axes
    dots = sum(
        len(group.get_offsets()) for group in axes.collections if group.get_label()[0] != "_"
    )
    assert dots == LADDER.num_qubits
    assert str(LADDER) == axes.get_title()


@pytest.mark.parametrize("chains", [{(0, 0): (0,), (1, 1): (1,)}, {"a": (0, 1)}])
def test_other_models_have_one_colour(chains):
    assert legend(draw_embedding(Embedding(chains, "zephyr:2", "by hand", 0))) == ["variables"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_chip_is_given_by_name_and_a_picture_written(tmp_path, ending):
    path = tmp_path / f"picture.{ending}"
    assert isinstance(draw_embedding(LADDER, path, "zephyr:2"), Figure)
    assert path.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")


def test_what_cannot_be_drawn_is_told(tmp_path, monkeypatch):
    couplers = tmp_path / "chip.json"
    couplers.write_text(json.dumps(list(Topology.of("zephyr:2").graph.edges)))
    with pytest.raises(InputError, match="has no known topology type"):
        draw_embedding(LADDER, topology=couplers)
    with pytest.raises(InputError, match="which is not on chimera:1"):
        draw_embedding(LADDER, topology="chimera:1")
    with pytest.raises(InputError, match=r"ends in none of \.pdf, \.png, \.svg"):
        draw_embedding(LADDER, tmp_path / "picture.txt")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    path = tmp_path / "picture.png"
    for asked in (None, path):
        with pytest.raises(MissingPackageError, match=r"pip install 'qubo-queens\[plot\]'"):
            draw_embedding(LADDER, asked)
    assert not path.exists()


def test_what_has_no_qubits_is_drawn_without_them():
    for chains in ({}, {(0, 0): ()}):
        [axes] = draw_embedding(Embedding(chains, "zephyr:2", "none", 0.0)).axes
        assert axes.get_legend() is None
