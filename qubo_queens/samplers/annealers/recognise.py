"""Recognise a cell model by its coefficients, wherever the BQM comes from.

The energy of a cell model follows from the numbers of queens on the lines, in far less time than
from its couplings. This needs no ``Model``: labels and coefficients tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import dimod
import numpy as np

from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    Cell,
    IntArray,
    Kind,
    coordinates,
    line_index,
)
from qubo_queens.checks import counted, shown
from qubo_queens.errors import InputError
from qubo_queens.samplers.annealers.adjacency import Vectors, binary_vectors
from qubo_queens.samplers.annealers.schedule import FloatArray
from qubo_queens.samplers.annealers.units import in_units

LARGEST_NUMBER = 10**7
"""The largest number of a row or column; what counts queens on lines is as long as that."""


@dataclass(frozen=True, eq=False)
class LineModel:
    """A model whose couplings are those of queens on common lines.

    A sample with queens Q has the energy ``offset + unit * (straight * P + diagonal * D +
    sum of (field - straight) over Q)``, where P and D count the pairs of Q on a common row or
    column and on a common diagonal, and `offset` is the energy of the sample without queens.

    Attributes:
        rows, columns: The cells, in the order of ``bqm.variables``, each of shape (N,).
        straight: 2A, twice the weight of a row or column, in 1..2^20 units.
        diagonal: B, the weight of a pair on a diagonal, in 0..2^20 units.
        unit: The largest common divisor of the coefficients: an energy above 0.
        field: What a queen on each cell costs besides its lines, in -2^20..2^21 units, of shape
            (N,). It is 0 unless prescribed queens, which are no variables, attack the cell.
    """

    rows: IntArray
    columns: IntArray
    straight: int
    diagonal: int
    unit: float
    field: IntArray

    def moved(self) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the cells, moved so that both begin at 0."""
        if not len(self.rows):
            return self.rows, self.columns
        return self.rows - self.rows.min(), self.columns - self.columns.min()


@dataclass(frozen=True)
class Refusal:
    """Why a model is not a :class:`LineModel`, in a sentence."""

    reason: str


def recognise(bqm: dimod.BinaryQuadraticModel) -> LineModel | Refusal:
    """Tell whether a model has exactly the couplings of a cell model.

    - Labels are pairs ``(row, column)`` of plain integers in 0..10^7.
    - Any two cells on a common row or column have the same coupling ``2A > 0``, any two on a
      common diagonal the same ``B >= 0``, and there are no others (of weight 0: as if absent).
    - ``2A``, ``B`` and the linear biases are multiples of a common unit, up to 2^20 times.

    Couplings are compared exactly. Linear biases are sums: where rounding is in the way, as in
    ``0.2 * 3 != 0.6``, the nearest multiples are taken if they are within 2^-48 of the largest
    coefficient; the energies then agree up to rounding of that size. So ``B / 2A = 0.7 / 0.2``
    counts as 7/2. A SPIN model is converted, which is exact for weights such as 1.5; the rounding
    of others, such as 0.1, grows with the length of lines and may be too large to recognise it.

    Where no two cells share a row or column, 2A cannot be told and any would do, since the field
    makes up for it: the largest absolute linear bias is taken (which is 2A if no queen attacks
    the cells), or 1 if all are 0. Where no two share a diagonal, B is 0. So a model without
    couplings is recognised if its labels are cells, one without variables as well.

    Args:
        bqm: Any model, which is not changed.

    Returns:
        The structure, or why there is none; also for coefficients that are not finite.
    """
    try:
        rows, columns = _cells(bqm)
        vectors = binary_vectors(bqm)
        straight, diagonal = _weights(vectors, rows, columns)
        straight = straight or float(np.abs(vectors.field).max(initial=0.0)) or 1.0
        unit, multiples = in_units(np.concatenate([[straight, diagonal], vectors.field]))
    except InputError as refused:
        return Refusal(str(refused))
    two_a, b = multiples[:2].tolist()
    return LineModel(rows, columns, two_a, b, unit, multiples[2:] + two_a)


def _cells(bqm: dimod.BinaryQuadraticModel) -> tuple[IntArray, IntArray]:
    """Return the rows and columns of the labels.

    Raises:
        InputError: If a label is no cell.
    """
    labels = list(bqm.variables)
    for label in labels:
        if not (
            type(label) is tuple
            and len(label) == 2
            and type(label[0]) is type(label[1]) is int
            and 0 <= label[0] <= LARGEST_NUMBER
            and 0 <= label[1] <= LARGEST_NUMBER
        ):
            raise InputError(
                f"label {shown(label)} is not a pair (row, column) of integers "
                f"in 0..{LARGEST_NUMBER}"
            )
    return coordinates(cast(list[Cell], labels))


def _weights(vectors: Vectors, rows: IntArray, columns: IntArray) -> tuple[float, float]:
    """Return 2A and B, 0 for those that no pair of cells tells.

    No two cells share two lines, so the couplings are complete if they are as many as the pairs.

    Raises:
        InputError: If the couplings are not those of queens on common lines.
    """
    first, second, coupling = vectors.first, vectors.second, vectors.coupling
    if not coupling.all():
        present = coupling != 0
        first, second, coupling = first[present], second[present], coupling[present]
    down, across = rows[first] - rows[second], columns[first] - columns[second]
    on_straight = (down == 0) | (across == 0)
    on_diagonal = np.abs(down) == np.abs(across)
    lost = np.flatnonzero(~(on_straight | on_diagonal))
    if len(lost):
        ends = first[lost[0]], second[lost[0]]
        one, other = ((int(rows[end]), int(columns[end])) for end in ends)
        raise InputError(f"cells {one} and {other} are coupled but share no line")
    straight = _weight(coupling[on_straight], _num_pairs(ROW_COLUMN, rows, columns), "straight")
    diagonals = coupling[on_diagonal]
    if not len(diagonals):
        return straight, 0.0
    return straight, _weight(diagonals, _num_pairs(DIAGONAL, rows, columns), "diagonal")


def _num_pairs(kinds: tuple[Kind, Kind], rows: IntArray, columns: IntArray) -> int:
    """Return how many pairs of cells share a line of some families."""
    pairs = 0
    for kind in kinds:
        _, counts = np.unique(line_index(kind, rows, columns), return_counts=True)
        pairs += int((counts * (counts - 1) // 2).sum())
    return pairs


def _weight(coupling: FloatArray, pairs: int, name: str) -> float:
    """Return the one weight of all pairs of cells on common lines, 0 if there are none.

    Raises:
        InputError: If not all pairs are coupled, or not all alike, or the weight is negative.
    """
    if len(coupling) != pairs:
        raise InputError(
            f"{counted(pairs, 'pair')} of cells on common {name} lines but "
            f"{counted(len(coupling), 'coupling')}"
        )
    if not pairs:
        return 0.0
    weight = float(coupling[0])
    if weight < 0:
        raise InputError(f"the couplings on {name} lines are negative: {weight}")
    if not (coupling == weight).all():
        other = float(coupling[coupling != weight][0])
        raise InputError(f"the couplings on {name} lines differ: {weight} and {other}")
    return weight
