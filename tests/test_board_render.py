"""Boards as text and as pictures."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from strategies import boards

from qubo_queens import Placement
from qubo_queens.board.render import LARGEST_PICTURE, board_svg, board_text

SVG = "{http://www.w3.org/2000/svg}"


@given(boards())
def test_the_text_shows_each_cell(board):
    instance, placement = board
    lines = board_text(instance.n, placement, instance.blocked).split("\n")
    assert [len(line) for line in lines] == [instance.n] * instance.n
    for r, line in enumerate(lines):
        for c, mark in enumerate(line):
            expected = "*" if (r, c) in instance.blocked else "."
            assert mark == ("Q" if (r, c) in placement.cells else expected)


def test_a_placement_prints_its_board():
    assert str(Placement.from_columns([1, 3, 0, 2])) == ".Q..\n...Q\nQ...\n..Q."


@given(boards(max_n=6))
def test_the_picture_is_well_formed_and_shows_the_queens(board):
    instance, placement = board
    prescribed = set(instance.queens)
    picture = ET.fromstring(
        board_svg(instance.n, placement, prescribed=prescribed, blocked=instance.blocked)
    )
    assert picture.tag == f"{SVG}svg"
    queens = picture.findall(f"{SVG}path")
    assert len(queens) == len(placement)
    colours = {"given": set(), "found": set()}
    for cell, drawn in zip(placement, queens, strict=True):
        assert drawn.get("transform") == f"translate({24 * cell[1]},{24 * cell[0]})"
        colours["given" if cell in prescribed else "found"].add(drawn.get("fill"))
    assert colours["given"].isdisjoint(colours["found"])
    squares = len(picture.findall(f"{SVG}rect"))
    assert squares == 1 + instance.n**2 // 2 + len(instance.blocked)


def test_notebooks_get_a_picture_up_to_a_size():
    small, large = Placement(LARGEST_PICTURE, [(0, 0)]), Placement(LARGEST_PICTURE + 1, [(0, 0)])
    assert small._repr_html_().startswith('<div class="qubo-queens-board"><svg')
    ET.fromstring(small._repr_html_())
    assert large._repr_svg_() is None
    assert large._repr_html_() is None


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_boards_are_drawn(n):
    assert ET.fromstring(Placement(n)._repr_svg_()).tag.endswith("svg")
