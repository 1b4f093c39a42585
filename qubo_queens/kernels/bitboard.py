"""A board for the exhaustive search: sets of free cells, rows and columns as 64-bit words.

Bit b of word w stands for the position ``64 w + b``. A search on at most 64 rows and columns needs
one word for each set. The arrays that the functions take are those of ``exhaustive.Tree``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from qubo_queens.kernels.jit import Int32Array, Int64Array, UInt64Array, inlined, kernel

WORD, LOG_WORD, LAST_BIT = 64, 6, 63
"""The number of bits in a word, its logarithm, and the position of the last bit.

``k >> LOG_WORD`` and ``k & LAST_BIT`` are the quotient and the remainder of ``k / WORD``. The
compiler makes this replacement by itself only for unsigned integers.
"""

NO_BIT, ONE_BIT = np.uint64(0), np.uint64(1)

SOLVED = -1
"""The result of ``choose_line`` if no row is left."""

_MANY = 1 << 30


def popcount(word: np.uint64) -> int:
    """Return how many bits of `word` are set: one instruction in compiled code."""
    return int(word).bit_count()


def lowest(word: np.uint64) -> int:
    """Return the position of the lowest set bit of `word`, which is not 0: one instruction too."""
    number = int(word)
    return (number & -number).bit_length() - 1


def _instruction(emit: Callable[[Any, Any], Any]) -> Any:
    """Return a compiled function from a word to an ``int64``, for which `emit` emits LLVM code."""

    def typed(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.int64(types.uint64), generate

    return intrinsic(typed)


_ANY_AT_ZERO = ir.Constant(ir.IntType(1), 1)
"""Declares to LLVM that the result for 0 is undefined."""

_popcount = _instruction(lambda builder, word: builder.ctpop(word))
_lowest = _instruction(lambda builder, word: builder.cttz(word, _ANY_AT_ZERO))

overload(popcount)(lambda word: lambda word: _popcount(word))
overload(lowest)(lambda word: lambda word: _lowest(word))


class BitBoard(NamedTuple):
    """The m open rows and k open columns of an n x n board.

    Attributes:
        row: The number of each open row, of shape (m,).
        column: The index into `at` of each open column, its number plus n - 1; of shape (k,).
        at: For each column number -(n - 1) to 2n - 2 the set of open columns with that number: the
            position of one column, or nothing. Numbers outside 0..n-1 are those that a diagonal
            reaches beyond the board. Of shape (3n - 2, words).
        attacked: For a queen at (row, column), the columns of the cells that it attacks in each
            other row: ``attacked[row, column, other]`` is one word. Of shape (m, k, m); empty
            if sets have several words. Searches run a third faster with this table.
    """

    row: Int64Array
    column: Int64Array
    at: UInt64Array
    attacked: UInt64Array


@inlined
def attacked_word(
    row_number: Int64Array,
    column_index: Int64Array,
    at: UInt64Array,
    row: int,
    column: int,
    other: int,
    word: int,
) -> np.uint64:
    """Return one word of the set of columns that a queen attacks in another row."""
    # In a row at distance `shift` a queen attacks its own column and the columns `shift` to the
    # left and to the right; `at` is indexed by column number plus n - 1.
    middle = column_index[column]
    shift = row_number[other] - row_number[row]
    columns: np.uint64 = at[middle, word] | at[middle + shift, word] | at[middle - shift, word]
    return columns


@kernel
def attack_table(row_number: Int64Array, column_index: Int64Array, at: UInt64Array) -> UInt64Array:
    """Return ``BitBoard.attacked``, of shape (m, k, m), for a board of one word."""
    num_rows, num_columns = len(row_number), len(column_index)
    attacked = np.empty((num_rows, num_columns, num_rows), np.uint64)
    for row in range(num_rows):
        for column in range(num_columns):
            for other in range(num_rows):
                attacked[row, column, other] = attacked_word(
                    row_number, column_index, at, row, column, other, 0
                )
    return attacked


@inlined
def choose_line(
    free: UInt64Array,
    rows: UInt64Array,
    columns: UInt64Array,
    sizes: Int32Array,
    depth: int,
    words: int,
) -> tuple[int, int, bool]:
    """Find the row or column with the fewest free cells.

    Returns:
        The number of its free cells (`SOLVED` if no row is left), its position, and whether it is
        a column. If the number is 0, the position is meaningless.
    """
    row_size, shortest = _MANY, 0
    column_size, narrowest = _MANY, 0
    for word in range(words):
        # The columns of this word that have a free cell in at least one, two and three rows.
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
        return SOLVED, 0, False
    return row_size, shortest, False


@inlined
def list_cells(
    free: UInt64Array,
    rows: UInt64Array,
    untried: UInt64Array,
    line: int,
    is_column: bool,
    depth: int,
    words: int,
) -> None:
    """Set the untried cells at `depth` to all free cells of a line.

    For a row these are column positions, for a column row positions.
    """
    if not is_column:
        for word in range(words):
            untried[depth, word] = free[depth, line, word]
        return
    # Collect bit `line` of each row: one bit of a word of `free` for each row in `rows`.
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
def next_untried(untried: UInt64Array, depth: int, words: int) -> int:
    """Remove the first untried cell at `depth` and return it; -1 if there is none."""
    for word in range(words):
        cells = untried[depth, word]
        if cells != NO_BIT:
            untried[depth, word] = cells & (cells - ONE_BIT)
            return (word << LOG_WORD) + lowest(cells)
    return -1


@inlined
def place(
    attacked: UInt64Array,
    free: UInt64Array,
    rows: UInt64Array,
    columns: UInt64Array,
    row: int,
    column: int,
    depth: int,
) -> None:
    """Set up the board at ``depth + 1``: with a queen on a cell, and without the attacked cells.

    For sets of one word.
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
    board: BitBoard,
    free: UInt64Array,
    rows: UInt64Array,
    columns: UInt64Array,
    row: int,
    column: int,
    depth: int,
    words: int,
) -> None:
    """Do the same as ``place``, for sets of any number of words."""
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
