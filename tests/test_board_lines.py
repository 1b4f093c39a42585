"""The geometry against plain loops over coordinates."""

import numpy as np
import pytest
from oracles import LINE_NAMES, all_cells, cells_on_lines

from qubo_queens.board.lines import Kind, Line, course, indices, line_index, lines_through

SIZES = range(1, 10)


@pytest.mark.parametrize("n", SIZES)
def test_every_line_runs_over_its_cells(n):
    expected = cells_on_lines(n)
    declared = [Line(kind, index) for kind in Kind for index in indices(kind, n)]
    assert {(str(line.kind), line.index) for line in declared} == set(expected)
    for line in declared:
        way = course(line, n)
        cells = [
            (way.row + t * way.row_step, way.column + t * way.column_step)
            for t in range(way.length)
        ]
        assert sorted(cells) == expected[str(line.kind), line.index]


@pytest.mark.parametrize("n", SIZES)
def test_lines_through_a_cell_are_those_that_hold_it(n):
    lines = cells_on_lines(n)
    for cell in all_cells(n):
        holding = {key for key, cells in lines.items() if cell in cells}
        assert {(str(line.kind), line.index) for line in lines_through(cell)} == holding


@pytest.mark.parametrize("kind", Kind)
def test_line_index_takes_arrays(kind):
    rows, columns = np.array(all_cells(5)).T
    single = [line_index(kind, row, column) for row, column in all_cells(5)]
    assert line_index(kind, rows, columns).tolist() == single


@pytest.mark.parametrize("n", SIZES)
def test_two_cells_share_at_most_one_line(n):
    for one in all_cells(n):
        for other in all_cells(n):
            if one != other:
                assert len(set(lines_through(one)) & set(lines_through(other))) <= 1


def test_lines_are_named_by_their_formulas():
    names = {kind: str(Line(Kind(kind), -2)) for kind in LINE_NAMES}
    assert names == {kind: name.format(-2) for kind, name in LINE_NAMES.items()}
