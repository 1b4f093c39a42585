"""The variable of a row: in which of its free columns does its queen stand?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qubo_queens.board.lines import IntArray, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.checks import as_int, counted, shown
from qubo_queens.errors import InputTypeError, MissingVariableError, SampleError


@dataclass(frozen=True, eq=False)
class RowDomains:
    """The columns among which each row without a queen can choose.

    A row with a prescribed or forced queen is decided, in every mode of ``reduce``. Case k of
    another row is its k-th free column, counted from 0 and from the left. The cases of all rows
    stand one row after the other, which is the row-major order of their cells.

    Attributes:
        reduction: Where they come from.
        rows: The m rows that have a choice, sorted; shape (m,).
        starts: Where the cases of each of these rows begin, and how many cases there are in all;
            shape (m + 1,).
        cells: The rows and the columns of all N cases, each of shape (N,).
        empty: The rows that need a queen and have no free column for it. No completion exists
            if there is one.
    """

    reduction: Reduction
    rows: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)
    cells: tuple[IntArray, IntArray] = field(repr=False)
    empty: tuple[int, ...] = ()

    @classmethod
    def of(cls, reduction: Reduction) -> RowDomains:
        """List the free columns of the rows without a queen."""
        n = reduction.instance.n
        needs_queen = np.ones(n, dtype=np.bool_)
        needs_queen[coordinates(reduction.queens)[0]] = False
        rows, columns = reduction.free_arrays
        # With reduce="none" also rows with a prescribed queen have free cells.
        open_cells = needs_queen[rows]
        rows, columns = rows[open_cells], columns[open_cells]
        sizes = np.bincount(rows, minlength=n)
        starts = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
        empty = np.flatnonzero(needs_queen & (sizes == 0))
        return cls(reduction, np.flatnonzero(sizes), starts, (rows, columns), tuple(empty.tolist()))

    def placement(self, cases: Mapping[Any, Any]) -> Placement:
        """Return the board on which each row has its queen in the chosen column.

        Args:
            cases: For each of ``rows`` the number of its case, from 0.

        Returns:
            These queens, the prescribed and the forced ones. The rows in ``empty`` have none.

        Raises:
            InputTypeError: If `cases` is not a mapping.
            MissingVariableError: If a row has no case.
            SampleError: If a case is not one of its row, or a row is not in ``rows``.
        """
        if not isinstance(cases, Mapping):
            raise InputTypeError(
                f"a sample is a mapping from rows to cases, not {type(cases).__name__} "
                "(of a SampleSet, take sampleset.first.sample)"
            )
        queens = list(self.reduction.queens)
        rows, columns = self.rows.tolist(), self.cells[1]
        for at, row in enumerate(rows):
            if row not in cases:
                raise MissingVariableError(
                    f"the sample has no case for row {row}; it needs all "
                    f"{counted(len(rows), 'row')} of the model"
                )
            start, stop = self.starts[at : at + 2].tolist()
            queens.append((row, int(columns[start + _case(cases[row], row, stop - start)])))
        if len(cases) > len(rows):
            foreign = next(label for label in cases if label not in set(rows))
            raise SampleError(f"the sample has an unknown variable {shown(foreign)}")
        return Placement(self.reduction.instance.n, queens)


def _case(value: object, row: int, size: int) -> int:
    """Return the case of a row as a plain integer."""
    try:
        case = as_int(value, "case")
    except InputTypeError:
        case = -1
    if not 0 <= case < size:
        raise SampleError(
            f"row {row} has the case {shown(value)}; expected an integer in 0..{size - 1}, one "
            "for each free column"
        )
    return case
