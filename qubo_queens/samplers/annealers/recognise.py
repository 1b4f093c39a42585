"""Is a binary quadratic model (BQM) that of a board? Then line counts give its energies.

The energy of a cell model follows from the numbers of queens on the lines, in far less time than
from its couplings. ``recognise`` finds such models by their labels and coefficients alone, wherever
the BQM comes from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, cast

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import (
    DIAGONAL,
    ROW_COLUMN,
    Cell,
    FloatArray,
    IntArray,
    Kind,
    coordinates,
    line_index,
)
from qubo_queens.checks import counted, shown
from qubo_queens.errors import InputError

LARGEST_NUMBER = 10**7
"""The largest number of a row or column; the arrays of line counts have about this length."""

LARGEST_MULTIPLE = 2**20
"""The largest coefficient in units, so that energies of boards are far within 64 bits."""

_ROUNDING = 2.0**-48
"""The largest error of a multiple of the unit, relative to the largest coefficient."""


@dataclass(frozen=True, eq=False)
class RecognisedBoard:
    """The cells and the weights of a BQM whose couplings are those of queens on common lines.

    A sample with queens Q has the energy ``offset + unit * (straight * P + diagonal * D +
    sum of (field - straight) over Q)``. P is the number of pairs of Q on a common row or column, D
    that of pairs on a common diagonal, and `offset` the energy of the sample without queens.

    Attributes:
        rows, columns: The cells, in the order of ``bqm.variables``, each of shape (N,).
        straight: 2A, twice the weight of a row or column, in 1..2^20 units.
        diagonal: B, the weight of a pair on a diagonal, in 0..2^20 units.
        unit: The largest common divisor of the coefficients: an energy above 0.
        field: The energy of a queen on each cell besides its lines, in -2^20..2^21 units, of shape
            (N,). It is 0 unless prescribed queens, which are not variables, attack the cell.
    """

    rows: IntArray
    columns: IntArray
    straight: int
    diagonal: int
    unit: float
    field: IntArray

    def moved(self) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of the cells, translated so that both begin at 0."""
        if not len(self.rows):
            return self.rows, self.columns
        return self.rows - self.rows.min(), self.columns - self.columns.min()


@dataclass(frozen=True)
class Refusal:
    """Why a BQM is not that of a board, in a sentence."""

    reason: str


class Coefficients(NamedTuple):
    """The coefficients of a BQM over 0 and 1, for N variables numbered as in ``bqm.variables``.

    Attributes:
        field: The linear biases, of shape (N,).
        first, second: The two variables of each of the M couplings, of shape (M,).
        coupling: The weight of each coupling, of shape (M,).
    """

    field: FloatArray
    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    coupling: FloatArray


def recognise(bqm: dimod.BinaryQuadraticModel) -> RecognisedBoard | Refusal:
    """Return the board of a BQM with exactly the couplings of a cell model, or why it has none.

    - Labels are pairs ``(row, column)`` of plain integers in 0..10^7.
    - Any two cells on a common row or column have the same coupling ``2A > 0``, any two on a
      common diagonal the same coupling ``B >= 0``, and there are no other couplings. A coupling
      of weight 0 counts as absent.
    - ``2A``, ``B`` and the linear biases are multiples of a common unit, up to 2^20 times.

    Couplings are compared exactly. Linear biases are sums and may be rounded, as in
    ``0.2 * 3 != 0.6``: the nearest multiples are taken if they are within 2^-48 of the largest
    coefficient, and energies then agree up to rounding of that size. So ``B / 2A = 0.7 / 0.2``
    counts as 7/2. A SPIN model is converted. This is exact for weights such as 1.5. For others,
    such as 0.1, the rounding grows with the length of lines and may be too large.

    If no two cells share a row or column, 2A is not determined, and any value is right, since
    `field` compensates for it: the largest absolute linear bias is taken (which is 2A if no queen
    attacks the cells), or 1 if all are 0. If no two cells share a diagonal, B is 0. So a BQM
    without couplings is recognised if its labels are cells, and also one without variables.
    """
    try:
        rows, columns = _cells(bqm)
        found = binary_coefficients(bqm)
        straight, diagonal = _weights(found, rows, columns)
        straight = straight or float(np.abs(found.field).max(initial=0.0)) or 1.0
        unit, multiples = in_units(np.concatenate([[straight, diagonal], found.field]))
    except InputError as refused:
        return Refusal(str(refused))
    two_a, b = multiples[:2].tolist()
    return RecognisedBoard(rows, columns, two_a, b, unit, multiples[2:] + two_a)


def _cells(bqm: dimod.BinaryQuadraticModel) -> tuple[IntArray, IntArray]:
    """Return the rows and columns of the labels."""
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


def _weights(found: Coefficients, rows: IntArray, columns: IntArray) -> tuple[float, float]:
    """Return 2A and B; 0 for a weight that no pair of cells determines.

    No two cells share two lines, so all pairs are coupled if there are as many couplings as pairs.
    """
    first, second, coupling = found.first, found.second, found.coupling
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
    """Return how many pairs of cells share a line of two kinds."""
    pairs = 0
    for kind in kinds:
        _, counts = np.unique(line_index(kind, rows, columns), return_counts=True)
        pairs += int((counts * (counts - 1) // 2).sum())
    return pairs


def _weight(coupling: FloatArray, pairs: int, name: str) -> float:
    """Return the common weight of all pairs of cells on common lines; 0 without such pairs."""
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


def in_units(values: FloatArray) -> tuple[float, IntArray]:
    """Return values as integer multiples of their largest common unit.

    Kernels count energies in this unit. It is the first value, which is above 0, divided by an
    integer. This is increased until all values are multiples, of absolute values up to 2^20; each
    time it at least doubles, so 20 steps are enough.
    """
    base = float(values[0])
    with np.errstate(over="ignore"):
        ratios = values / base
    largest = float(np.abs(ratios).max())
    per_base = 1
    while largest * per_base <= LARGEST_MULTIPLE:
        scaled = ratios * per_base
        multiples = np.rint(scaled)
        wrong = np.flatnonzero(np.abs(scaled - multiples) > _ROUNDING * largest * per_base)
        if not len(wrong):
            return base / per_base, multiples.astype(np.int64)
        ratio = Fraction(float(ratios[wrong[0]])).limit_denominator(LARGEST_MULTIPLE)
        larger = math.lcm(per_base, ratio.denominator)
        if larger == per_base:
            break
        per_base = larger
    raise InputError(
        f"the coefficients are not multiples of a common unit (up to {LARGEST_MULTIPLE} times)"
    )


def binary_coefficients(bqm: dimod.BinaryQuadraticModel) -> Coefficients:
    """Return the coefficients of `bqm` over 0 and 1, in 64-bit floats; the BQM is not changed.

    With ``s = 2x - 1``, ``h s`` is ``2h x`` and ``J s t`` is ``4J x y - 2J x - 2J y``, up to
    constants.
    """
    try:
        vectors = bqm.to_numpy_vectors(bqm.variables)
        field = vectors.linear_biases.astype(np.float64)
        coupling = vectors.quadratic.biases.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:  # a BQM can hold any objects
        raise InputError(f"every bias must be a finite real number: {error}") from error
    first, second = vectors.quadratic.row_indices, vectors.quadratic.col_indices
    if bqm.vartype is dimod.SPIN:
        with np.errstate(over="ignore", invalid="ignore"):  # reported below, with the variable
            for end in (first, second):
                field -= np.bincount(end, coupling, len(field))
            field, coupling = 2 * field, 4 * coupling
    found = Coefficients(
        field, first.astype(np.int32, copy=False), second.astype(np.int32, copy=False), coupling
    )
    _check_finite(found, bqm)
    return found


def _check_finite(found: Coefficients, bqm: dimod.BinaryQuadraticModel) -> None:
    """Refuse coefficients that are NaN or infinite."""
    field, first, second, coupling = found
    # A coupling of spins makes the linear biases wrong as well, so couplings are checked first.
    for at in np.flatnonzero(~np.isfinite(coupling))[:1]:
        labels = list(bqm.variables)
        one, other = labels[first[at]], labels[second[at]]
        raise InputError(
            f"the coupling of {shown(one)} and {shown(other)} is {bqm.get_quadratic(one, other)}; "
            "it must be finite, and far below 1e308"
        )
    for at in np.flatnonzero(~np.isfinite(field))[:1]:
        variable = list(bqm.variables)[at]
        raise InputError(
            f"the linear bias of {shown(variable)} is {bqm.get_linear(variable)}; "
            "it must be finite, and so must the sum with its couplings, far below 1e308"
        )
