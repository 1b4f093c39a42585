"""The symmetries of the square, against the geometry of points and against each other."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import all_cells, cells_on_lines, completions
from strategies import boards, instances

from qubo_queens import Instance, Placement
from qubo_queens.board.lines import Kind, Line
from qubo_queens.board.symmetry import Symmetry, are_smallest, num_fixed, symmetries

# What each does to a point (x to the right, y up) around the centre of the board.
MATRICES = {
    Symmetry.IDENTITY: ((1, 0), (0, 1)),
    Symmetry.QUARTER_TURN: ((0, 1), (-1, 0)),
    Symmetry.HALF_TURN: ((-1, 0), (0, -1)),
    Symmetry.THREE_QUARTER_TURN: ((0, -1), (1, 0)),
    Symmetry.LEFT_RIGHT: ((-1, 0), (0, 1)),
    Symmetry.TOP_BOTTOM: ((1, 0), (0, -1)),
    Symmetry.MAIN_DIAGONAL: ((0, -1), (-1, 0)),
    Symmetry.OTHER_DIAGONAL: ((0, 1), (1, 0)),
}
RECTANGLE = {
    Symmetry.IDENTITY,
    Symmetry.HALF_TURN,
    Symmetry.LEFT_RIGHT,
    Symmetry.TOP_BOTTOM,
}

every_symmetry = pytest.mark.parametrize("symmetry", list(Symmetry), ids=lambda s: s.name)


def moved(symmetry, cell, n):
    """The image of a cell by coordinates around the centre, in half cells."""
    row, column = cell
    x, y = 2 * column - (n - 1), (n - 1) - 2 * row
    (a, b), (c, d) = MATRICES[symmetry]
    x, y = a * x + b * y, c * x + d * y
    return ((n - 1) - y) // 2, (x + (n - 1)) // 2


@every_symmetry
def test_cells_and_lines_move_as_points_do(symmetry):
    for n in (1, 2, 5):
        assert all(symmetry.cell(cell, n) == moved(symmetry, cell, n) for cell in all_cells(n))
        lines = cells_on_lines(n)
        for (kind, index), cells in lines.items():
            image = symmetry.line(Line(Kind(kind), index), n)
            assert sorted(lines[image.kind, image.index]) == sorted(
                moved(symmetry, cell, n) for cell in cells
            )


def test_all_eight_are_there_and_closed_under_composition():
    images = {s: tuple(s.cell(cell, 4) for cell in all_cells(4)) for s in Symmetry}
    assert len(set(images.values())) == 8
    for one, other in product(Symmetry, repeat=2):
        both = tuple(other.cell(cell, 4) for cell in images[one])
        assert both in images.values()


@given(boards(), st.sampled_from(Symmetry))
def test_placements_and_instances_move_cell_by_cell(board, symmetry):
    instance, placement = board
    n = instance.n
    expected = {moved(symmetry, cell, n) for cell in placement}
    assert set(symmetry.placement(placement)) == expected
    image = symmetry.instance(instance)
    assert set(image.queens) == {moved(symmetry, cell, n) for cell in instance.queens}
    assert set(image.blocked) == {moved(symmetry, cell, n) for cell in instance.blocked}
    assert symmetry.keeps(instance) == (image == instance)


@given(instances(max_n=5), st.sampled_from(Symmetry))
def test_solutions_of_the_image_are_the_images_of_the_solutions(instance, symmetry):
    images = {
        symmetry.placement(Placement.from_columns(columns)) for columns in completions(instance)
    }
    expected = set(map(Placement.from_columns, completions(symmetry.instance(instance))))
    assert images == expected


@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=1)))
def test_arrays_of_boards_move_as_placements_do(listed):
    columns = np.array(listed)
    for symmetry in Symmetry:
        images = symmetry.boards(columns).tolist()
        placements = [symmetry.placement(Placement.from_columns(board)) for board in listed]
        assert images == [list(placement.columns) for placement in placements]
        fixed = sum(image == list(board) for image, board in zip(images, listed, strict=True))
        assert num_fixed(symmetry, columns) == fixed
    smallest = [
        all(list(board) <= s.boards(np.array([board]))[0].tolist() for s in Symmetry)
        for board in listed
    ]
    assert are_smallest(tuple(Symmetry), columns).tolist() == smallest


def test_what_is_prescribed_and_excluded_breaks_symmetries():
    assert symmetries(Instance(8)) == tuple(Symmetry)
    assert symmetries(Instance(8, [(0, 1)])) == (Symmetry.IDENTITY,)
    assert set(symmetries(Instance(8, [(0, 0)]))) == {Symmetry.IDENTITY, Symmetry.MAIN_DIAGONAL}
    assert set(symmetries(Instance(5, [(2, 2)]))) == set(Symmetry)
    assert set(symmetries(Instance(5, blocked=[(2, 1), (2, 3)]))) == RECTANGLE
    assert set(symmetries(Instance(5, excluded_sums=[4], excluded_differences=[0]))) == set(
        Symmetry
    )
    assert Symmetry.LEFT_RIGHT not in symmetries(Instance(5, excluded_sums=[4]))
