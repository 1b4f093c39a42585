"""Exhaustive depth-first search for solutions, on sets of free cells as bits.

The search branches on the row or column with the fewest free cells. A line without a free cell
ends a branch, and a line with one forces a queen. Diagonals only attack.

The search runs in slices. A slice can end at any node: the arrays hold the whole state.
"""

from __future__ import annotations

from typing import NamedTuple

from qubo_queens.kernels.bitboard import (
    NO_BIT,
    SOLVED,
    BitBoard,
    choose_line,
    list_cells,
    next_untried,
    place,
    place_wide,
)
from qubo_queens.kernels.jit import BoolArray, Int32Array, Int64Array, UInt64Array, inlined, kernel

DEPTH, FRESH, NODES, FOUND = 0, 1, 2, 3
"""In ``Tree.at``: the depth of the current node (-1 at the end), whether it is new, counters."""


class Tree(NamedTuple):
    """The state of a search: the nodes from the root to the current one, for m open rows.

    The first axis of most arrays is the depth, 0 to m. The last axis of `free`, `rows`, `columns`
    and `untried` is the word: bit b of word w stands for the position ``64 w + b``.

    Attributes:
        free: For each depth and row the columns of its free cells, of shape (m + 1, m, words).
        rows: For each depth the rows without a queen, of shape (m + 1, words).
        columns: For each depth the columns without a queen, of shape (m + 1, words).
        untried: For each depth the cells of the branching line that are still to be tried, by
            their position on that line; of shape (m + 1, words).
        line: The branching line at each depth, of shape (m + 1,).
        is_column: Whether that line is a column, of shape (m + 1,).
        is_choice: Whether it had two or more free cells, of shape (m + 1,).
        queen: The row and the column of the queen placed at each depth, of shape (m + 1, 2).
        sizes: Scratch space: the free cells of each row in the words so far, of shape (m,).
        at: The depth `DEPTH`, the flag `FRESH`, and the counters `NODES` and `FOUND`.
        boards: The column of each row in the latest solutions. Solution f, counted from 0, is
            ``boards[f % len(boards)]``. Of shape (b, m), b at least 1.
    """

    free: UInt64Array
    rows: UInt64Array
    columns: UInt64Array
    untried: UInt64Array
    line: Int32Array
    is_column: BoolArray
    is_choice: BoolArray
    queen: Int32Array
    sizes: Int32Array
    at: Int64Array
    boards: Int32Array


class Trail(NamedTuple):
    """A buffer for refuted choices.

    Attributes:
        numbers: For each refuted choice the number of cells on its path, then these cells, each
            as ``row * num_columns + column``. Room for at least m + 2 numbers.
        size: How many numbers are in use, of shape (1,). The reader of the buffer sets it to 0.
    """

    numbers: Int32Array
    size: Int64Array


@inlined
def record(
    trail: Trail, queen: Int32Array, is_choice: BoolArray, num_columns: int, depth: int
) -> None:
    """Record that the choices from the root to `depth`, inclusive, are refuted."""
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
    board: BitBoard,
    tree: Tree,
    max_nodes: int,
    max_solutions: int,
    wide: bool | None,
    trail: Trail | None,
) -> None:
    """Continue the search.

    Args:
        board: The open lines.
        tree: The state of the search; updated.
        max_nodes: Stop after this many nodes in this call, at least 0.
        max_solutions: Stop after this many solutions in this call, at least 1.
        wide: None if a set is one word, which compiles to faster code; else True.
        trail: If given, each choice that was refuted and was not the last one of its line is
            recorded here, as the path of choices that leads to it. Forced queens (on a line with
            a single free cell) are left out. The search also stops while the buffer is too full.
    """
    words = 1
    if wide is not None:  # resolved at compile time, by the type of the argument
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
