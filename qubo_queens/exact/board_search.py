"""Exhaustive search of what a reduction leaves open: all solutions, or a refutation.

The search tree is the proof that there is no solution. It is too large to be a certificate; for a
proof file, the search runs again and writes the choices that it refutes as clauses.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from qubo_queens.board.certificate import Certificate, Contradictory
from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import BoolArray, Cell, IntArray, Kind, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import counted
from qubo_queens.errors import InputError, ProofError
from qubo_queens.exact.clauses.drat import ClausalProof, DratProof, check_drat
from qubo_queens.exact.clauses.formulations import FREE_CELLS, free_cell_cnf
from qubo_queens.interrupt import interrupt_flag

if TYPE_CHECKING:  # loads Numba
    from qubo_queens.kernels.bitboard import BitBoard
    from qubo_queens.kernels.exhaustive import Tree
    from qubo_queens.kernels.jit import UInt64Array

MAX_OPEN_ROWS = 1000
"""The free cells are kept at each depth: with so many rows, 128 MB of bits."""

Keep: TypeAlias = Callable[[IntArray, IntArray], BoolArray]
"""Returns which of N free cells may be used, from their rows and columns, all of shape (N,)."""

_NO_LIMIT = 1 << 62
_SLICE_S = 0.01
_FIRST_SLICE = 1000
_TRAIL_SIZE = 1 << 16


@dataclass(frozen=True)
class Exhausted(Certificate):
    """A search went through all boards. The tree is the proof; a proof file has it as clauses.

    >>> print(Exhausted(1234).reason)
    an exhaustive search found no solution (1,234 nodes)
    """

    kind = "exhaustive search"
    checkable = False
    nodes: int

    @property
    def reason(self) -> str:
        """The size of the search."""
        return f"an exhaustive search found no solution ({counted(self.nodes, 'node')})"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict: the kind and the number of nodes."""
        return {**super().to_dict(), "nodes": self.nodes}


class BoardSearch:
    """A depth-first search for all completions, which can be stopped and continued anywhere.

    It branches on the row or column with the fewest free cells. Which solutions are found, and in
    which order, depends on the reduction alone.

    Attributes:
        reduction: The board that is searched.
        batch: How many of the latest solutions are remembered.
        rows: The numbers of the m open rows.
        nodes: The number of nodes of the search tree visited so far.
        found: The number of solutions found so far; all are different.
        exhausted: Whether the search has ended: there are no solutions but those found.
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
        """Set up the search; the first one in a process loads or compiles its kernel.

        Args:
            reduction: The board, in any mode but ``none``.
            keep: Selects the free cells that may be used; by default all.
            batch: How many of the latest solutions to remember, at least 1.
            refute: Whether to note refuted choices, for :meth:`take_paths`; the search then does
                not rely on what the reduction has proven.
            wide: Whether to treat a board of up to 64 open lines like a larger one.
        """
        if reduction.mode == "none":
            raise InputError("a board reduced with mode 'none' cannot be searched; use 'lines'")
        self.reduction, self.batch = reduction, batch
        self.rows = reduction.open_lines(Kind.ROW)
        self._columns = reduction.open_lines(Kind.COLUMN)
        self.nodes = self.found = 0
        self.exhausted = reduction.infeasible and not refute
        self._tree: Tree | None = None
        self._slice = _FIRST_SLICE
        if self.exhausted or not len(self.rows):
            return
        most = max(len(self.rows), len(self._columns))
        if most > MAX_OPEN_ROWS:
            raise InputError(
                f"exhaustive search takes up to {MAX_OPEN_ROWS:,} open rows, not {most:,}; "
                "prescribe more queens, or look for one solution with solve"
            )
        with interrupt_flag() as interrupted:  # the compiler would lose a Ctrl-C
            self._make_arrays(keep, most if refute else 0, wide)
            self.advance(0)
        if interrupted():
            raise KeyboardInterrupt

    def _make_arrays(self, keep: Keep | None, refuted_rows: int, wide: bool) -> None:
        """Make the arrays of the kernel; one word has the bits of 64 open rows or columns."""
        from qubo_queens.kernels import bitboard, exhaustive  # loads Numba

        words = -(-max(len(self.rows), len(self._columns)) // bitboard.WORD)
        self._wide = True if wide or words > 1 else None
        self._tree = _new_tree(len(self.rows), len(self._columns), words, self.batch)
        rows, columns = self.reduction.free_arrays
        if keep is not None:
            kept = keep(rows, columns)
            rows, columns = rows[kept], columns[kept]
        # Bit j of the words free[0, i] is the cell in the i-th open row and j-th open column.
        row, column = np.searchsorted(self.rows, rows), np.searchsorted(self._columns, columns)
        np.bitwise_or.at(self._tree.free[0], (row, column >> bitboard.LOG_WORD), _bit(column))
        self._board = self._make_board(words)
        self._trail = None
        if refuted_rows:
            numbers = np.empty(max(_TRAIL_SIZE, 4 * refuted_rows), np.int32)
            self._trail = exhaustive.Trail(numbers, np.zeros(1, np.int64))

    def _make_board(self, words: int) -> BitBoard:
        from qubo_queens.kernels.bitboard import LOG_WORD, BitBoard, attack_table

        n = self.reduction.instance.n
        # at[c + n - 1] has the bit of open column c; n - 1 places before and after are empty, so
        # that columns hit by diagonals can be looked up without checking the edges of the board.
        places, positions = self._columns + (n - 1), np.arange(len(self._columns))
        at = np.zeros((3 * n - 2, words), np.uint64)
        at[places, positions >> LOG_WORD] = _bit(positions)
        if self._wide:
            return BitBoard(self.rows, places, at, np.empty((0, 0, 0), np.uint64))
        return BitBoard(self.rows, places, at, attack_table(self.rows, places, at))

    @property
    def work_of_a_node(self) -> int:
        """The number of words that hold the free cells, a measure of the cost of a node."""
        return 1 if self._tree is None else int(self._tree.free[0].size)

    def advance(self, max_nodes: int, max_solutions: int = 1) -> None:
        """Continue for so many more nodes (at least 0) or solutions (at least 1), or to the end."""
        if self._tree is None:  # without an open row there is one completion, with nothing to add
            self.found, self.exhausted = int(not self.reduction.infeasible), True
            return
        from qubo_queens.kernels import exhaustive as kernel

        kernel.advance(self._board, self._tree, max_nodes, max_solutions, self._wide, self._trail)
        at = self._tree.at
        self.nodes, self.found = int(at[kernel.NODES]), int(at[kernel.FOUND])
        self.exhausted = bool(at[kernel.DEPTH] < 0)

    def advance_slice(self, max_solutions: int | None = None) -> None:
        """Continue for about 10 ms, or for so many more solutions, or to the end."""
        started, before = time.perf_counter(), self.nodes
        self.advance(self._slice, _NO_LIMIT if max_solutions is None else max_solutions)
        seconds = time.perf_counter() - started
        if seconds > 2 * _SLICE_S:
            self._slice = max(1, self._slice // 2)
        elif seconds < _SLICE_S / 2 and self.nodes - before == self._slice:
            self._slice *= 2

    def run(self, should_stop: Callable[[], bool], max_solutions: int | None = None) -> None:
        """Continue for so many more solutions, or to the end, or until stopped.

        `should_stop` is called before each slice of about 10 ms.
        """
        last = _NO_LIMIT if max_solutions is None else self.found + max_solutions
        while not self.exhausted and self.found < last and not should_stop():
            self.advance_slice(last - self.found)

    def columns(self, count: int = 1) -> IntArray:
        """Return the latest `count` solutions, in the order in which they were found.

        The result has the column of the queen in each row, of shape (count, n). `count` is in
        0..min(found, batch).
        """
        boards = np.empty((count, self.reduction.instance.n), dtype=np.int64)
        rows, columns = coordinates(self.reduction.queens)
        boards[:, rows] = columns
        if self._tree is not None:  # solution f is in row f % batch, by numbers of open columns
            latest = np.arange(self.found - count, self.found) % self.batch
            boards[:, self.rows] = self._columns[self._tree.boards[latest]]
        return boards

    def placement(self) -> Placement:
        """Return the latest solution, prescribed and forced queens included."""
        if not self.found:
            raise InputError("the search has not found a solution yet; see BoardSearch.found")
        return Placement.from_columns(self.columns()[0])

    def take_paths(self) -> Iterator[tuple[Cell, ...]]:
        """Yield the paths of choices refuted since the last call, and forget them."""
        assert self._trail is not None
        size = int(self._trail.size[0])
        # A path is its length, followed by its cells as row * num_columns + column.
        numbers = self._trail.numbers[:size]
        row, column = np.divmod(numbers, len(self._columns))
        known = row < len(self.rows)  # where a length stands, row and column have no meaning
        rows = self.rows[np.where(known, row, 0)].tolist()
        columns = self._columns[column].tolist()
        self._trail.size[0] = 0
        start = 0
        lengths = numbers.tolist()
        while start < size:
            end = start + 1 + lengths[start]
            yield tuple(zip(rows[start + 1 : end], columns[start + 1 : end], strict=True))
            start = end


def _bit(positions: IntArray) -> UInt64Array:
    """Return words with one bit each: that of the position within its word."""
    from qubo_queens.kernels.bitboard import LAST_BIT, ONE_BIT

    return ONE_BIT << (positions & LAST_BIT).astype(np.uint64)


def _new_tree(num_rows: int, num_columns: int, words: int, batch: int) -> Tree:
    """Return a tree of which only the root is set up, without free cells."""
    from qubo_queens.kernels.bitboard import LOG_WORD
    from qubo_queens.kernels.exhaustive import FRESH, Tree

    depths = num_rows + 1
    sets = np.zeros((3, depths, words), np.uint64)  # rows, columns and untried cells, by depth
    for lines, count in zip(sets, (num_rows, num_columns), strict=False):
        positions = np.arange(count)
        np.bitwise_or.at(lines[0], positions >> LOG_WORD, _bit(positions))
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


class ProofStep(NamedTuple):
    """A step of a refutation.

    Attributes:
        kind: Whether a clause is added, or one that was added is deleted, being implied by now.
        cells: The clause: not all of these cells have a queen.
    """

    kind: Literal["add", "delete"]
    cells: tuple[Cell, ...]


def refutation(reduction: Reduction, should_stop: Callable[[], bool]) -> Iterator[ProofStep]:
    """Refute a board by search, as a proof by reverse unit propagation (RUP).

    The premises are clauses about the free cells: each open row and column has a queen, and of two
    attacking cells one has none. Queens that the search places on the only cell of a line follow
    from them by unit propagation, so only its choices are written: a clause says that a path of
    choices leads nowhere. Each one follows from the premises and the clauses before it that are
    not deleted.

    `should_stop` is called about every 10 ms. Steps are yielded while the search goes on. The proof
    is complete if the last one adds the empty clause; otherwise the search was stopped.
    """
    if isinstance(reduction.certificate, Contradictory):
        raise InputError(f"there is no board to refute: {reduction.reason}")
    if not reduction.is_open[Kind.ROW].any():
        raise ProofError("there is nothing to refute: the board is complete")
    search = BoardSearch(reduction, refute=True)
    pending: list[tuple[Cell, ...]] = []
    while not search.exhausted and not should_stop():
        search.advance_slice(1)
        if search.found:
            raise ProofError("there is nothing to refute: the search found a solution")
        for path in search.take_paths():
            yield ProofStep("add", path)
            while pending and len(pending[-1]) > len(path):  # these are continuations of `path`
                yield ProofStep("delete", pending.pop())
            pending.append(path)
    if search.exhausted:
        yield ProofStep("add", ())


def prove_by_clauses(instance: Instance, should_stop: Callable[[], bool]) -> ClausalProof | None:
    """Search an infeasible board without contradictions, and return the refutation, checked.

    The result is None if it was stopped before that.
    """
    cnf = free_cell_cnf(instance)
    reduction = reduce(instance, "lines")  # forced queens follow from the clauses by themselves
    number = {cell: variable for variable, cell in enumerate(reduction.free_cells, 1)}
    literals, lengths, deletes = array("i"), array("q", [0]), array("b")
    for step in refutation(reduction, should_stop):
        literals.extend([-number[cell] for cell in step.cells])
        lengths.append(len(step.cells))
        deletes.append(step.kind == "delete")
    if lengths[-1] or len(lengths) == 1:
        return None  # it was stopped before the empty clause
    proof = DratProof(
        np.array(literals, dtype=np.int32),
        np.cumsum(np.array(lengths, dtype=np.int64)),
        np.array(deletes, dtype=np.bool_),
    )
    return ClausalProof(FREE_CELLS, cnf, proof) if check_drat(cnf, proof, should_stop) else None
