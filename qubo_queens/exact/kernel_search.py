"""The search kernel with its arrays: what a reduction leaves open, as bits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from qubo_queens.board.lines import BoolArray, Cell, IntArray, Kind
from qubo_queens.board.reduction import Reduction
from qubo_queens.interrupt import interrupt_flag
from qubo_queens.kernels.bitboard import (
    LAST_BIT,
    LOG_WORD,
    ONE_BIT,
    WORD,
    BitBoard,
    attack_table,
)
from qubo_queens.kernels.exhaustive import DEPTH, FOUND, FRESH, NODES, Trail, Tree, advance
from qubo_queens.kernels.jit import UInt64Array

Keep: TypeAlias = Callable[[IntArray, IntArray], BoolArray]
"""Tells which of some cells may be used, given their rows and their columns."""

SLICE_S = 0.01
"""About how long a slice takes."""

_FIRST_SLICE = 1000
_TRAIL_SIZE = 1 << 16


class KernelSearch:
    """A depth-first search on a board with at least one open row, in slices.

    Attributes:
        rows: The numbers of the m open rows.
        columns: The numbers of the k open columns.
    """

    def __init__(
        self,
        reduction: Reduction,
        *,
        keep: Keep | None = None,
        batch: int = 1,
        refute: bool = False,
        wide: bool = False,
    ) -> None:
        """Set up the search; the first one in a process loads or compiles the kernel.

        Args:
            reduction: The board; the lines of its queens are closed.
            keep: If given, tells which of the N free cells may be used: gets their rows and their
                columns, each of shape (N,), and returns an array of that shape.
            batch: How many solutions are remembered, at least 1.
            refute: Whether to note refuted choices.
            wide: Whether to treat a board of up to 64 open lines like a larger one.

        Raises:
            KeyboardInterrupt: If Ctrl-C came while the kernel was compiled.
        """
        self.rows = reduction.open_lines(Kind.ROW)
        self.columns = reduction.open_lines(Kind.COLUMN)
        open_rows = max(len(self.rows), len(self.columns))
        words = -(-open_rows // WORD)
        self._wide = True if wide or words > 1 else None
        self._tree = _tree(len(self.rows), len(self.columns), words, batch)
        self._set_free_cells(reduction, keep)
        size = max(_TRAIL_SIZE, 4 * open_rows) if refute else 0
        self._trail = Trail(np.empty(size, np.int32), np.zeros(1, np.int64)) if refute else None
        self._slice = _FIRST_SLICE
        with interrupt_flag() as interrupted:  # the compiler would lose a Ctrl-C
            self._board = self._make_board(reduction.instance.n, words)
            self.advance(0, 1)
        if interrupted():
            raise KeyboardInterrupt

    def _make_board(self, n: int, words: int) -> BitBoard:
        places, positions = self.columns + (n - 1), np.arange(len(self.columns))
        at = np.zeros((3 * n - 2, words), np.uint64)
        at[places, positions >> LOG_WORD] = _bit(positions)
        if self._wide:
            return BitBoard(self.rows, places, at, np.empty((0, 0, 0), np.uint64))
        return BitBoard(self.rows, places, at, attack_table(self.rows, places, at))

    def _set_free_cells(self, reduction: Reduction, keep: Keep | None) -> None:
        rows, columns = reduction.free_arrays
        if keep is not None:
            kept = keep(rows, columns)
            rows, columns = rows[kept], columns[kept]
        row, column = np.searchsorted(self.rows, rows), np.searchsorted(self.columns, columns)
        np.bitwise_or.at(self._tree.free[0], (row, column >> LOG_WORD), _bit(column))

    @property
    def board_words(self) -> int:
        """How many words the free cells of the board take."""
        return int(self._tree.free[0].size)

    @property
    def nodes(self) -> int:
        """How many nodes of the search tree have been looked at."""
        return int(self._tree.at[NODES])

    @property
    def found(self) -> int:
        """How many solutions have been found."""
        return int(self._tree.at[FOUND])

    @property
    def ended(self) -> bool:
        """Whether the search is over."""
        return bool(self._tree.at[DEPTH] < 0)

    def advance(self, max_nodes: int, max_solutions: int) -> None:
        """Search on, until so many more nodes or solutions, or to the end."""
        advance(self._board, self._tree, max_nodes, max_solutions, self._wide, self._trail)

    def advance_slice(self, max_solutions: int) -> None:
        """Search on for about 10 ms, or until so many more solutions, or to the end."""
        started, before = time.perf_counter(), self.nodes
        self.advance(self._slice, max_solutions)
        seconds = time.perf_counter() - started
        if seconds > 2 * SLICE_S:
            self._slice = max(1, self._slice // 2)
        elif seconds < SLICE_S / 2 and self.nodes - before == self._slice:
            self._slice *= 2

    def solutions(self, count: int) -> IntArray:
        """Return the solutions found last, in the order in which they were found.

        Args:
            count: How many, in 0..min(found, batch).

        Returns:
            The column of the queen in each open row, of shape (count, m).
        """
        boards = self._tree.boards
        return self.columns[boards[np.arange(self.found - count, self.found) % len(boards)]]

    def take_paths(self) -> Iterator[tuple[Cell, ...]]:
        """Yield the refuted paths of choices noted since the last call, and forget them."""
        assert self._trail is not None
        size = int(self._trail.size[0])
        numbers = self._trail.numbers[:size]
        row, column = np.divmod(numbers, len(self.columns))
        known = row < len(self.rows)  # where there is a length, the numbers mean nothing
        rows = self.rows[np.where(known, row, 0)].tolist()
        columns = self.columns[column].tolist()
        self._trail.size[0] = 0
        start = 0
        lengths = numbers.tolist()
        while start < size:
            end = start + 1 + lengths[start]
            yield tuple(zip(rows[start + 1 : end], columns[start + 1 : end], strict=True))
            start = end


def _bit(positions: IntArray) -> UInt64Array:
    """Return words with one bit, of which only the place within the word counts."""
    return ONE_BIT << (positions & LAST_BIT).astype(np.uint64)


def _all_bits(count: int, words: int) -> UInt64Array:
    """Return the set of all numbers below `count`."""
    positions = np.arange(count)
    bits = np.zeros(words, np.uint64)
    np.bitwise_or.at(bits, positions >> LOG_WORD, _bit(positions))
    return bits


def _tree(num_rows: int, num_columns: int, words: int, batch: int) -> Tree:
    """Return a tree of which only the root is set up, without free cells."""
    depths = num_rows + 1
    sets = np.zeros((3, depths, words), np.uint64)
    sets[0, 0], sets[1, 0] = _all_bits(num_rows, words), _all_bits(num_columns, words)
    at = np.zeros(4, np.int64)
    at[FRESH] = 1
    return Tree(
        free=np.zeros((depths, num_rows, words), np.uint64),
        rows=sets[0],
        columns=sets[1],
        untried=sets[2],
        line=np.zeros(depths, np.int32),
        is_column=np.zeros(depths, np.bool_),
        is_choice=np.zeros(depths, np.bool_),
        queen=np.zeros((depths, 2), np.int32),
        sizes=np.zeros(num_rows, np.int32),
        at=at,
        boards=np.zeros((batch, num_rows), np.int32),
    )
