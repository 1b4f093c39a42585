"""The sums of the lines as a constrained quadratic model: a binary variable for each free cell."""

from __future__ import annotations

from collections.abc import Iterator

import dimod

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.lines import ROW_COLUMN, Cell, Kind
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.board.sizes import sizes
from qubo_queens.encodings.forecast import check_memory, readable_bytes
from qubo_queens.encodings.groups import line_groups

_BYTES_PER_CELL = 600
"""Peak memory for a cell: its label, and its term in four constraints (measured)."""


def build_cqm(
    instance: InstanceLike, *, reduce: Mode = "propagate"
) -> dimod.ConstrainedQuadraticModel:
    """Write an instance as a constrained quadratic model, without an objective.

    There is a binary variable for each free cell, labelled ``(row, column)`` as in the encoding
    ``cell``, so ``build(instance, reduce=reduce).decode(sample)`` is the board of a sample. A
    sample is feasible exactly if that board is a solution.

    Each row and column has the constraint that its cells sum up to 1, each diagonal that they sum
    up to at most 1, labelled with the name of the line: ``row 3``, ``r + c = 4``, ``r - c = -1``.
    Constraints that no sample can violate are left out. If a line has f prescribed and forced
    queens, the right-hand side is 1 - f. A diagonal with such queens may have no further ones: its
    constraint is an equality, which is equivalent for sums that are at least 0.
    ``dimod.cqm_to_bqm`` accepts an equality also where it cannot hold (f > 1); the least energy of
    the BQM is then above 0.

    A contradiction is a constraint that no sample satisfies, possibly one without variables such
    as ``0 == -1``: f > 1 queens on a line, a row without a free cell, an excluded diagonal with
    queens, and for a prescribed queen on a blocked cell the constraint ``cell (row, column)``.
    Then ``check_feasible`` is false for every sample, the empty one included.

    >>> cqm = build_cqm(4)
    >>> len(cqm.variables), len(cqm.constraints)
    (16, 18)

    Args:
        instance: The instance, or n for the plain board.
        reduce: What to decide beforehand, as in ``build``.

    Raises:
        InputError: If the mode is unknown.
        ModelTooLargeError: If the model would not fit in the memory of this machine.
    """
    reduction = reduce_instance(instance, reduce)
    size = sizes(reduction)
    peak = size.cells * _BYTES_PER_CELL
    in_words = f"{size.cells:,} variables (about {readable_bytes(peak)} while building)"
    check_memory("constrained", reduction.instance.n, in_words, peak)
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.add_variables(dimod.BINARY, reduction.free_cells)
    for label, cells, sense, bound in _constraints(reduction):
        terms = [(cell, 1) for cell in cells]
        cqm.add_constraint_from_iterable(terms, sense, rhs=bound, label=label)
    return cqm


def _constraints(reduction: Reduction) -> Iterator[tuple[str, list[Cell], str, int]]:
    """Yield the label, the free cells, the sense and the right-hand side of each constraint."""
    instance = reduction.instance
    free_cells = reduction.free_cells
    for kind in Kind:
        excluded = frozenset(instance.excluded(kind))
        for line, free, fixed in line_groups(reduction, kind):
            bound = (0 if line.index in excluded else 1) - len(fixed)
            is_equality = kind in ROW_COLUMN or bound <= 0
            # The sum of the cells can be 0 .. len(free).
            idle = len(free) == bound == 0 if is_equality else len(free) <= bound
            if not idle:
                cells = [free_cells[at] for at in free.tolist()]
                yield str(line), cells, "==" if is_equality else "<=", bound
    for cell in sorted(set(instance.blocked).intersection(instance.queens)):
        yield f"cell {cell}", [], "==", -1
