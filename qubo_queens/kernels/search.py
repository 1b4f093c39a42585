"""Exhaustive depth-first search for placements, on sets of free cells as bits.

The search branches on the row or column with the fewest free cells: lines without a cell end a
branch, lines with one force a queen. Diagonals only attack. Rows and columns are positions among
the m open rows and the k open columns, in words of 64 columns (or rows).

The columns are counted 64 at a time, in three bit planes: those with a free cell in one row at
least, in two, and in three. So only columns with less than three cells are preferred to rows, which
is enough: the search spends its time deep down, where lines are short.

A slice of the search ends anywhere: all there is to know is in the arrays.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.kernels.bits import (
    LAST_BIT,
    LOG_WORD,
    NO_BIT,
    ONE_BIT,
    BitArray,
    lowest,
    popcount,
)
from qubo_queens.kernels.board import Int32Array, Int64Array
from qubo_queens.kernels.jit import inlined, kernel

FlagArray: TypeAlias = npt.NDArray[np.bool_]

DEPTH, FRESH, NODES, FOUND = 0, 1, 2, 3
"""In ``Tree.at``: the depth of the node under way, -1 at the end; whether it is new; counters."""

_SOLVED = -1
_MANY = 1 << 30


class Board(NamedTuple):
    """The open lines.

    Attributes:
        row: The number of each open row, of shape (m,).
        column: Where the number of each open column stands in `at`, of shape (k,).
        at: The open columns with a number, as a set with at most one element; of shape
            (3n - 2, words) for the numbers -(n - 1)..2n - 2, so that a diagonal may leave the
            board.
        attacked: For a queen on a row and a column, the columns of the cells that it attacks in
            another row; of shape (m, k, m). Only boards of one word have it: their searches run
            a third faster with it.
    """

    row: Int64Array
    column: Int64Array
    at: BitArray
    attacked: BitArray


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
def attacked_word(
    row_number: Int64Array,
    column_place: Int64Array,
    at: BitArray,
    row: int,
    column: int,
    other: int,
    word: int,
) -> np.uint64:
    """Return one word of the columns that a queen attacks in another row."""
    middle = column_place[column]
    shift = row_number[other] - row_number[row]
    columns: np.uint64 = at[middle, word] | at[middle + shift, word] | at[middle - shift, word]
    return columns


@kernel
def attack_table(row_number: Int64Array, column_place: Int64Array, at: BitArray) -> BitArray:
    """Return ``Board.attacked`` for a board of one word, whose other parts are given."""
    num_rows, num_columns = len(row_number), len(column_place)
    attacked = np.empty((num_rows, num_columns, num_rows), np.uint64)
    for row in range(num_rows):
        for column in range(num_columns):
            for other in range(num_rows):
                attacked[row, column, other] = attacked_word(
                    row_number, column_place, at, row, column, other, 0
                )
    return attacked


@inlined
def choose_line(
    free: BitArray,
    rows: BitArray,
    columns: BitArray,
    sizes: Int32Array,
    depth: int,
    words: int,
) -> tuple[int, int, bool]:
    """Find the row or column with the fewest free cells.

    Returns:
        The number of its cells (`_SOLVED` if no row is left), the line, and whether it is a
        column. If that number is 0, the line means nothing.
    """
    row_size, shortest = _MANY, 0
    column_size, narrowest = _MANY, 0
    for word in range(words):
        once, twice, more = NO_BIT, NO_BIT, NO_BIT
        for part in range(words):
            left = rows[depth, part]
            while left != NO_BIT:
                row = (part << LOG_WORD) + lowest(left)
                left &= left - ONE_BIT
                cells = free[depth, row, word]
                more |= twice & cells
                twice |= once & cells
                once |= cells
                size = popcount(cells)
                if word > 0:
                    size += sizes[row]
                if word < words - 1:
                    sizes[row] = size
                elif size < row_size:
                    row_size, shortest = size, row
        if columns[depth, word] & ~once != NO_BIT:
            column_size = 0
        elif column_size > 1 and once & ~twice != NO_BIT:
            column_size, narrowest = 1, (word << LOG_WORD) + lowest(once & ~twice)
        elif column_size > 2 and twice & ~more != NO_BIT:
            column_size, narrowest = 2, (word << LOG_WORD) + lowest(twice & ~more)
    if column_size < row_size:
        return column_size, narrowest, True
    if row_size == _MANY:
        return _SOLVED, 0, False
    return row_size, shortest, False


@inlined
def list_cells(
    free: BitArray,
    rows: BitArray,
    untried: BitArray,
    line: int,
    is_column: bool,
    depth: int,
    words: int,
) -> None:
    """Make all free cells of a line the untried ones at `depth`."""
    if not is_column:
        for word in range(words):
            untried[depth, word] = free[depth, line, word]
        return
    place = line >> LOG_WORD
    bit = np.uint64(line & LAST_BIT)
    for part in range(words):
        cells = NO_BIT
        left = rows[depth, part]
        while left != NO_BIT:
            row = lowest(left)
            left &= left - ONE_BIT
            in_row = (free[depth, (part << LOG_WORD) + row, place] >> bit) & ONE_BIT
            cells |= in_row << np.uint64(row)
        untried[depth, part] = cells


@inlined
def next_untried(untried: BitArray, depth: int, words: int) -> int:
    """Return the first untried cell at `depth`, which then is tried; -1 if there is none."""
    for word in range(words):
        cells = untried[depth, word]
        if cells != NO_BIT:
            untried[depth, word] = cells & (cells - ONE_BIT)
            return (word << LOG_WORD) + lowest(cells)
    return -1


@inlined
def place(
    attacked: BitArray,
    free: BitArray,
    rows: BitArray,
    columns: BitArray,
    row: int,
    column: int,
    depth: int,
) -> None:
    """Set up the board one deeper: with a queen on a cell, and without all that it attacks.

    Sets are of one word.
    """
    left = rows[depth, 0] & ~(ONE_BIT << np.uint64(row))
    rows[depth + 1, 0] = left
    columns[depth + 1, 0] = columns[depth, 0] & ~(ONE_BIT << np.uint64(column))
    while left != NO_BIT:
        other = lowest(left)
        left &= left - ONE_BIT
        free[depth + 1, other, 0] = free[depth, other, 0] & ~attacked[row, column, other]


@inlined
def place_wide(
    board: Board,
    free: BitArray,
    rows: BitArray,
    columns: BitArray,
    row: int,
    column: int,
    depth: int,
    words: int,
) -> None:
    """Do what ``place`` does, with sets of any number of words."""
    for word in range(words):
        rows[depth + 1, word] = rows[depth, word]
        columns[depth + 1, word] = columns[depth, word]
    rows[depth + 1, row >> LOG_WORD] &= ~(ONE_BIT << np.uint64(row & LAST_BIT))
    columns[depth + 1, column >> LOG_WORD] &= ~(ONE_BIT << np.uint64(column & LAST_BIT))
    for part in range(words):
        left = rows[depth + 1, part]
        while left != NO_BIT:
            other = (part << LOG_WORD) + lowest(left)
            left &= left - ONE_BIT
            for word in range(words):
                hit = attacked_word(board.row, board.column, board.at, row, column, other, word)
                free[depth + 1, other, word] = free[depth, other, word] & ~hit


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
            if count == _SOLVED:
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
