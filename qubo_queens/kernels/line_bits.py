"""Sets of small numbers as the bits of 64-bit words: how many there are, and the smallest one.

Both are one instruction in compiled code; without compilation they are plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from qubo_queens.kernels.board import Int32Array, Int64Array
from qubo_queens.kernels.jit import inlined, kernel

BitArray: TypeAlias = npt.NDArray[np.uint64]

WORD, LOG_WORD, LAST_BIT = 64, 6, 63
"""The number of bits in a word, its logarithm, and the position of the last one.

Shifting by the second and masking with the third is division by the first; the compiler knows that
only of numbers without a sign.
"""

NO_BIT, ONE_BIT = np.uint64(0), np.uint64(1)


def popcount(word: np.uint64) -> int:
    """Return how many bits of `word` are set."""
    return int(word).bit_count()


def lowest(word: np.uint64) -> int:
    """Return the position of the lowest bit of `word` that is set; `word` is not 0."""
    number = int(word)
    return (number & -number).bit_length() - 1


def _instruction(emit: Callable[[Any, Any], Any]) -> Any:
    """Return the function from a word to an ``int64`` that `emit` writes as an instruction."""

    def typed(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.int64(types.uint64), generate

    return intrinsic(typed)


_ANY_AT_ZERO = ir.Constant(ir.IntType(1), 1)
"""Tells the instruction that its result for 0 does not matter."""

_popcount = _instruction(lambda builder, word: builder.ctpop(word))
_lowest = _instruction(lambda builder, word: builder.cttz(word, _ANY_AT_ZERO))

overload(popcount)(lambda word: lambda word: _popcount(word))
overload(lowest)(lambda word: lambda word: _lowest(word))


SOLVED = -1
"""What ``choose_line`` says if no row is left."""

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
        The number of its cells (`SOLVED` if no row is left), the line, and whether it is a
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
        return SOLVED, 0, False
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
