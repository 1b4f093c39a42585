"""Exhaustive depth-first search for placements, on sets of free cells as bits.

The search branches on the row or column with the fewest free cells: lines without a cell end a
branch, lines with one force a queen. Diagonals only attack.

A slice of the search ends anywhere: all there is to know is in the arrays.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.board import Int32Array, Int64Array
from qubo_queens.kernels.jit import inlined, kernel
from qubo_queens.kernels.line_bits import (
    NO_BIT,
    SOLVED,
    BitArray,
    Board,
    choose_line,
    list_cells,
    next_untried,
    place,
    place_wide,
)

FlagArray: TypeAlias = npt.NDArray[np.bool_]

DEPTH, FRESH, NODES, FOUND = 0, 1, 2, 3
"""In ``Tree.at``: the depth of the node under way, -1 at the end; whether it is new; counters."""


class Tree(NamedTuple):
    """Where a search stands: the nodes from the root to the one under way.

    Attributes:
        free: The free cells of each row, at each depth; of shape (m + 1, m, words).
        rows: The rows without a queen, at each depth; of shape (m + 1, words).
        columns: The columns without a queen, likewise.
        untried: The cells of the branching line that are still to be tried, likewise.
        line: The branching line at each depth, of shape (m + 1,).
        is_column: Whether that is a column, of shape (m + 1,).
        is_choice: Whether it had two or more cells, of shape (m + 1,).
        queen: The row and the column of the queen placed at each depth, of shape (m + 1, 2).
        sizes: Scratch: the number of free cells of each row so far, of shape (m,).
        at: Numbers: `DEPTH`, `FRESH`, `NODES` so far, `FOUND` so far.
        boards: The column of each row in the solutions found last: number f from 0 on is in row
            ``f % len(boards)``. Of shape (b, m), b at least 1.
    """

    free: BitArray
    rows: BitArray
    columns: BitArray
    untried: BitArray
    line: Int32Array
    is_column: FlagArray
    is_choice: FlagArray
    queen: Int32Array
    sizes: Int32Array
    at: Int64Array
    boards: Int32Array


class Trail(NamedTuple):
    """A buffer for refuted choices.

    Attributes:
        numbers: For each of them how many cells follow, and these cells: a row times the number
            of columns, plus a column. Room for m + 2 numbers at least.
        size: How many numbers are in use, of shape (1,). Whoever empties the buffer sets it to 0.
    """

    numbers: Int32Array
    size: Int64Array


@inlined
def record(
    trail: Trail, queen: Int32Array, is_choice: FlagArray, num_columns: int, depth: int
) -> None:
    """Note that the choices from the root down to `depth`, this included, are refuted."""
    numbers = trail.numbers
    start = trail.size[0]
    end = start + 1
    for node in range(depth + 1):
        if is_choice[node]:
            numbers[end] = queen[node, 0] * num_columns + queen[node, 1]
            end += 1
    numbers[start] = end - start - 1
    trail.size[0] = end


@kernel
def advance(
    board: Board,
    tree: Tree,
    max_nodes: int,
    max_solutions: int,
    wide: bool | None,
    trail: Trail | None,
) -> None:
    """Search on.

    Args:
        board: The open lines.
        tree: Where the search stands, which is updated. Depth -1 means that it has ended.
        max_nodes: Stop before a node if so many were looked at in this call, at least 0.
        max_solutions: Stop after so many solutions in this call, at least 1.
        wide: None if a set is one word, which makes for faster code; else True.
        trail: If given, gets each choice that was refuted and was not the last one of its line,
            as the path of choices that leads there. Queens that are forced, being on a line with
            a single cell, are left out. The search also stops while the buffer is too full.
    """
    words = 1
    if wide is not None:  # settled by the type of the argument, before anything is compiled
        words = tree.rows.shape[1]
    free, rows, columns, untried = tree.free, tree.rows, tree.columns, tree.untried
    lines, is_column, is_choice, queen = tree.line, tree.is_column, tree.is_choice, tree.queen
    sizes, boards, attacked, num_rows = tree.sizes, tree.boards, board.attacked, len(board.row)
    depth, fresh, nodes, found = tree.at[DEPTH], tree.at[FRESH] == 1, tree.at[NODES], tree.at[FOUND]
    last_node, last_found = nodes + max_nodes, found + max_solutions
    while depth >= 0:
        if trail is not None and trail.size[0] + num_rows + 1 > len(trail.numbers):
            break
        if fresh:
            if nodes >= last_node:
                break
            nodes += 1
            count, line, upright = choose_line(free, rows, columns, sizes, depth, words)
            if count == SOLVED:
                slot = found % len(boards)
                for node in range(depth):
                    boards[slot, queen[node, 0]] = queen[node, 1]
                found += 1
                fresh = False
                depth -= 1
                if found >= last_found:
                    break
                continue
            if count > 0:
                lines[depth] = line
                is_column[depth] = upright
                is_choice[depth] = count > 1
                list_cells(free, rows, untried, line, upright, depth, words)
                fresh = False
            else:
                for word in range(words):
                    untried[depth, word] = NO_BIT
        cell = next_untried(untried, depth, words)
        if cell >= 0:
            if is_column[depth]:
                row, column = cell, int(lines[depth])
            else:
                row, column = int(lines[depth]), cell
            queen[depth, 0] = row
            queen[depth, 1] = column
            if wide is None:
                place(attacked, free, rows, columns, row, column, depth)
            else:
                place_wide(board, free, rows, columns, row, column, depth, words)
            depth += 1
            fresh = True
            continue
        depth -= 1
        fresh = False
        if trail is not None and depth >= 0:
            waiting = NO_BIT
            for word in range(words):
                waiting |= untried[depth, word]
            if waiting != NO_BIT:
                record(trail, queen, is_choice, len(board.column), depth)
    tree.at[DEPTH], tree.at[FRESH] = depth, 1 if fresh else 0
    tree.at[NODES], tree.at[FOUND] = nodes, found
