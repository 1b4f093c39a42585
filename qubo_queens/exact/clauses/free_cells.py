"""The clauses over the free cells of an instance: what refutations by search are about."""

from __future__ import annotations

import numpy as np

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.lines import ROW_COLUMN, IntArray, Kind, position
from qubo_queens.board.reduce import reduce
from qubo_queens.board.reduction import Reduction
from qubo_queens.errors import ModelTooLargeError
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.formulations import MAX_LITERALS


def free_cell_cnf(instance: InstanceLike) -> Cnf:
    """Return the clauses over the free cells of ``reduce(instance, "lines")``.

    Variable i + 1 stands for a queen on the i-th free cell in row-major order. There is a clause
    for each open row and then for each open column, of its free cells; then one for each two free
    cells on a line: of all rows, columns, sum diagonals and difference diagonals in turn. If the
    prescribed queens contradict each other there is an empty clause in front.

    Raises:
        ModelTooLargeError: If there are more than ``MAX_LITERALS`` literals.
    """
    reduction = reduce(instance, "lines")
    rows, columns = reduction.free_arrays
    groups = [_Group(reduction, kind, rows, columns) for kind in Kind]
    num_literals = 2 * len(rows) + 2 * sum(int(group.later.sum()) for group in groups)
    if num_literals > MAX_LITERALS:
        raise ModelTooLargeError(
            f"the clauses over the {len(rows):,} free cells have {num_literals:,} literals, more "
            f"than the {MAX_LITERALS:,} that are allowed; take a smaller board, or prescribe more"
        )
    contradicted = [0] if reduction.instance.contradictions() else []
    literals, lengths = [], [np.array(contradicted, dtype=np.int64)]
    for group in groups[: len(ROW_COLUMN)]:
        literals.append(group.order + 1)
        lengths.append(group.counts[reduction.is_open[group.kind]])
    for group in groups:
        literals.append(-1 - group.pairs())
        lengths.append(np.full(len(literals[-1]) // 2, 2))
    offsets = np.concatenate([[0], *lengths]).cumsum()
    return Cnf(len(rows), np.concatenate(literals).astype(np.int32), offsets)


class _Group:
    """The free cells, ordered by their lines of one family.

    Attributes:
        kind: The family.
        counts: How many free cells there are on each line, by position.
        order: The numbers of the free cells, line by line.
        later: For each place in that order, how many cells of the same line come later.
    """

    def __init__(self, reduction: Reduction, kind: Kind, rows: IntArray, columns: IntArray) -> None:
        at = position(kind, rows, columns, reduction.instance.n)
        self.kind = kind
        self.counts = np.bincount(at, minlength=len(reduction.is_open[kind]))
        self.order = np.argsort(at, kind="stable")
        ends = np.repeat(self.counts.cumsum(), self.counts)
        self.later = ends - np.arange(len(self.order)) - 1

    def pairs(self) -> IntArray:
        """Return every two cells that share a line, one pair after the other."""
        place = np.repeat(np.arange(len(self.order)), self.later)
        begin = np.repeat(self.later.cumsum() - self.later, self.later)
        partner = place + 1 + np.arange(len(place)) - begin
        return np.stack((self.order[place], self.order[partner]), axis=1).reshape(-1)
