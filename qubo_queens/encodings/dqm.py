"""The row formulation as a discrete quadratic model: a variable for each row.

``E = A * pairs of queens in one column + B * pairs of queens on one diagonal``. The variables allow
one queen in each row, so n different columns are all columns. On the plain board there are n
variables, n^2 cases and n(n-1)(7n-2)/6 interactions of cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.lines import (
    DIAGONAL,
    Kind,
    coordinates,
    line_counts,
    line_index,
    position,
)
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode
from qubo_queens.board.sizes import sizes
from qubo_queens.checks import positive_number
from qubo_queens.encodings.forecast import check_memory, readable_bytes
from qubo_queens.encodings.groups import RowDomains, couplings
from qubo_queens.encodings.strengths import Strengths
from qubo_queens.errors import InputError

_PEAK, _PEAK_OF_CASES = 80, 250
"""Peak memory of a build in bytes, for each interaction and for each case (measured)."""


class DiscreteRowModel(dimod.DiscreteQuadraticModel):
    """A discrete quadratic model with the board of each sample.

    >>> build_dqm(4).decode({0: 1, 1: 3, 2: 0, 3: 2}).columns
    (1, 3, 0, 2)

    Attributes:
        domains: The free columns of each row: case k of a row is the k-th of them. None for a
            model that does not come from ``build_dqm`` but from a file.
    """

    domains: RowDomains | None = None

    def __repr__(self) -> str:
        if self.domains is None:
            return "<DiscreteRowModel without domains>"
        n, cases = self.domains.reduction.instance.n, int(self.domains.starts[-1])
        return f"<DiscreteRowModel: n={n}, {len(self.domains.rows)} rows, {cases} cases>"

    def decode(self, sample: Mapping[Any, Any]) -> Placement:
        """Return the board of a sample: its queens, the prescribed and the forced ones.

        Args:
            sample: A mapping from each row that is a variable to the number of its case.

        Raises:
            InputError: If the model comes from a file.
            InputTypeError: If `sample` is not a mapping.
            MissingVariableError: If a row has no case.
            SampleError: If a case is not one of its row, or a label is unknown.
        """
        if self.domains is None:
            raise InputError(
                "this model comes from a file, which does not say which columns its cases are; "
                "use decode of the model that build_dqm returns for the same instance"
            )
        return self.domains.placement(sample)

    def copy(self) -> DiscreteRowModel:
        """Return a copy."""
        new: DiscreteRowModel = super().copy()  # type: ignore[no-untyped-call]
        new.domains = self.domains
        return new


def build_dqm(
    instance: InstanceLike,
    *,
    reduce: Mode = "propagate",
    row_column_strength: float = 1,
    diagonal_strength: float = 1,
) -> DiscreteRowModel:
    """Write an instance as a discrete quadratic model.

    There is a variable for each row without a prescribed or forced queen; its label is the row,
    an ``int``. Case k of a row is its k-th free column, counted from 0 and from the left; on the
    plain board the case is the column. ``dqm.decode(sample)`` is the board of a sample. The energy
    of a sample is that of the whole board, offset included: 0 exactly on solutions, and at least
    the smaller strength elsewhere.

    >>> build_dqm(4)
    <DiscreteRowModel: n=4, 4 rows, 16 cases>

    A prescribed queen on a forbidden cell, each further queen prescribed in its row, and a row
    without a free column add `row_column_strength` to the offset: then no sample has energy 0. A
    row without a free column has no variable, since a variable has at least one case.

    Args:
        instance: The instance, or n for the plain board.
        reduce: What to decide beforehand, as in ``build``. With ``none`` the rows of prescribed
            queens are decided as well.
        row_column_strength: A, the weight of each pair of queens in one column.
        diagonal_strength: B, the weight of each pair of queens on one diagonal.

    Raises:
        InputError: If the mode is unknown or a strength is not finite and above 0.
        InputTypeError: If a strength is not a number.
        ModelTooLargeError: If the model would not fit in the memory of this machine.
    """
    reduction = reduce_instance(instance, reduce)
    n = reduction.instance.n
    positive_number(diagonal_strength, "diagonal_strength")
    given = {"row_column": row_column_strength, "diagonal": diagonal_strength}
    strengths = Strengths.checked(n, given)
    size = sizes(reduction)
    pairs = size.row_column_pairs // 2 + size.diagonal_pairs  # about half are pairs in a column
    peak = _PEAK_OF_CASES * size.cells + _PEAK * pairs
    in_words = f"{size.cells:,} cases (about {readable_bytes(peak)} while building)"
    check_memory("discrete", n, in_words, peak)
    domains = RowDomains.of(reduction)
    weights = _weights(strengths)
    rows, columns = domains.cells
    first, second, weight = couplings(
        [(line_index(kind, rows, columns), weights[kind]) for kind in weights]
    )
    dqm: DiscreteRowModel = DiscreteRowModel.from_numpy_vectors(  # type: ignore[no-untyped-call]
        domains.starts[:-1],
        _linear(domains, weights),
        (first, second, weight.astype(np.float64)),
        labels=domains.rows.tolist(),
        offset=_offset(domains, strengths),
    )
    dqm.domains = domains
    return dqm


def _weights(strengths: Strengths) -> dict[Kind, float]:
    """Return the weight of two queens on one line, for each kind of line but rows."""
    return {Kind.COLUMN: strengths.row_column, **dict.fromkeys(DIAGONAL, strengths.diagonal)}


def _linear(domains: RowDomains, weights: Mapping[Kind, float]) -> npt.NDArray[np.float64]:
    """Return for each case the energy of attacks by queens; only ``reduce="none"`` leaves some."""
    n = domains.reduction.instance.n
    rows, columns = domains.cells
    queens = line_counts(*coordinates(domains.reduction.queens), n)
    bias = np.zeros(len(rows))
    for kind, weight in weights.items():
        bias += float(weight) * queens[kind][position(kind, rows, columns, n)]
    return bias


def _offset(domains: RowDomains, strengths: Strengths) -> float:
    """Return the energy of the prescribed and forced queens, and of rows without a choice."""
    instance, queens = domains.reduction.instance, domains.reduction.queens
    counts = line_counts(*coordinates(queens), instance.n)
    pairs = {kind: int(count @ (count - 1)) // 2 for kind, count in counts.items()}
    again = len(queens) - int(np.count_nonzero(counts[Kind.ROW]))
    wrong = again + len(instance.forbidden_queens()) + len(domains.empty)
    attacks = sum(weight * pairs[kind] for kind, weight in _weights(strengths).items())
    return float(strengths.row_column * wrong + attacks)
