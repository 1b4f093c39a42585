"""Penalties: squares of sums, and products of two, on literals that are affine in the variables.

A literal is a bit, its complement, a fixed queen (the constant 1), or a difference of two bits: row
i of an integer matrix F, so that the literals are y = F z with z = (bits, 1). The constant 1 is the
last literal. A family of penalties is an integer quadratic form in y, and the whole energy
``z' (sum of weight * F' Q F) z``; what is fixed ends up in linear terms and in the offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.sparse when it is first asked for: `cell` and the command line need none

from qubo_queens.board.lines import IntArray, coordinates
from qubo_queens.board.reduction import Reduction

Matrix: TypeAlias = "scipy.sparse.csr_array[Any, Any]"


class Literals(NamedTuple):
    """What the literals are.

    Attributes:
        forms: The matrix F, shape (literals, variables + 1), the constant in the last column and,
            as a literal, in the last row.
        cells: The row and the column of each literal that is a queen on a cell, shape
            (literals, 2); -1 for all others.
    """

    forms: Matrix
    cells: IntArray

    @classmethod
    def of_cells(cls, reduction: Reduction, num_auxiliary: int = 0) -> Literals:
        """Return the bits of the free cells, auxiliary bits and the fixed queens."""
        free = np.stack(reduction.free_arrays, axis=1)
        bits = np.concatenate((free, np.full((num_auxiliary, 2), -1)))
        return cls.of_bits(bits, np.stack(coordinates(reduction.queens), axis=1))

    @classmethod
    def of_bits(cls, bits: IntArray, fixed: IntArray) -> Literals:
        """Return all bits and then the fixed queens, each given by its cell, shape (number, 2)."""
        columns = np.concatenate((np.arange(len(bits)), np.full(len(fixed) + 1, len(bits))))
        entries = np.ones_like(columns), (np.arange(len(columns)), columns)
        return cls.of_forms(entries, len(bits), np.concatenate((bits, fixed)))

    @classmethod
    def of_forms(
        cls, entries: tuple[IntArray, tuple[IntArray, IntArray]], num_bits: int, cells: IntArray
    ) -> Literals:
        """Return literals by the entries (data, (rows, columns)) of F, the constant included.

        `cells` may leave out literals at the end that are not queens.
        """
        data, (rows, columns) = entries
        size = int(rows.max()) + 1
        forms = scipy.sparse.csr_array((data, (rows, columns)), (size, num_bits + 1))
        nowhere = np.full((size - len(cells), 2), -1)
        return cls(forms, np.concatenate((cells, nowhere)))

    def values(self, bits: npt.NDArray[Any]) -> IntArray:
        """Return the values of the literals for samples of shape (reads, variables)."""
        ones = np.ones((len(bits), 1), np.int64)
        values: IntArray = (self.forms @ np.concatenate((bits, ones), axis=1).T).T
        return values


@dataclass(frozen=True, eq=False)
class Family:
    """The penalties of one family.

    Attributes:
        sums: ``(sums @ y)^2`` are the squares, shape (squares, literals).
        square_owners: The number of the constraint that each square belongs to.
        first: The first literal of each product.
        second: The second one.
        product_owners: The number of the constraint that each product belongs to.
    """

    sums: Matrix
    square_owners: IntArray
    first: IntArray
    second: IntArray
    product_owners: IntArray

    @cached_property
    def products(self) -> Matrix:
        """The matrix C with ``y' C y`` the sum of all products."""
        where, size = (self.first, self.second), self.sums.shape[1]
        return scipy.sparse.csr_array((np.ones(len(self.first), np.int64), where), (size, size))

    def energies(self, values: IntArray) -> IntArray:
        """Return the penalties at strength 1 for values of the literals (samples, literals)."""
        squares = ((self.sums @ values.T) ** 2).sum(axis=0)
        found: IntArray = squares + ((self.products @ values.T).T * values).sum(axis=1)
        return found

    def amounts(self, values: IntArray, num_constraints: int) -> IntArray:
        """Return by how much each constraint is violated, for values of the literals.

        That is what the sums of its squares are off, plus its products.
        """
        squares = np.bincount(self.square_owners, np.abs(self.sums @ values), num_constraints)
        hits = values[self.first] * values[self.second]
        found: IntArray = squares + np.bincount(self.product_owners, hits, num_constraints)
        return found

    def in_squares(self, values: IntArray) -> Iterator[tuple[int, int]]:
        """Yield constraints and the literals in squares of theirs that are not 0."""
        broken = np.flatnonzero(self.sums @ values)
        rows, literals = self.sums[broken].nonzero()
        yield from zip(self.square_owners[broken][rows].tolist(), literals.tolist(), strict=True)

    def in_products(self, values: IntArray) -> Iterator[tuple[int, int]]:
        """Yield constraints and the literals in products of theirs that are not 0."""
        hit = np.flatnonzero(values[self.first] * values[self.second])
        for side in (self.first, self.second):
            yield from zip(self.product_owners[hit].tolist(), side[hit].tolist(), strict=True)

    def form(self, forms: Matrix) -> Matrix:
        """Return the integer quadratic form in (bits, 1), as an upper triangle."""
        sums = self.sums @ forms
        both = sums.T @ sums + forms.T @ self.products @ forms
        return scipy.sparse.csr_array(scipy.sparse.triu(both) + scipy.sparse.tril(both, -1).T)


class Penalties:
    """Collects the penalties of a model, by family.

    Args:
        literals: The literals.
        families: The names of the families; each has a strength.
    """

    def __init__(self, literals: Literals, families: Sequence[str]) -> None:
        self._size = len(literals.cells)
        self._blocks: dict[str, list[tuple[IntArray, IntArray, int]]] = {f: [] for f in families}
        self._products: dict[str, list[tuple[IntArray, IntArray, IntArray]]] = {
            family: [] for family in families
        }

    def square(
        self,
        family: str,
        constraint: int,
        literals: npt.ArrayLike,
        coefficients: Sequence[int] | None = None,
        constant: int = 0,
    ) -> None:
        """Add squares of ``sum of coefficient * literal + constant``, all of one constraint.

        Args:
            family: The family.
            constraint: The number of the constraint.
            literals: Which literals, shape (squares, literals in each).
            coefficients: Their coefficients, as many as literals in each; by default 1.
            constant: Is added to each sum.
        """
        block = np.asarray(literals, np.int64)
        given = [1] * block.shape[1] if coefficients is None else coefficients
        constants = np.full((len(block), 1), self._size - 1)
        self._blocks[family].append(
            (np.hstack((block, constants)), np.array([*given, constant]), constraint)
        )

    def product(
        self, family: str, constraints: npt.ArrayLike, first: IntArray, second: IntArray
    ) -> None:
        """Add products of two literals each; `constraints` has one number, or one for each."""
        owners = np.broadcast_to(np.asarray(constraints, np.int64), first.shape)
        self._products[family].append((first, second, owners))

    def collected(self) -> dict[str, Family]:
        """Return what has been added."""
        return {family: self._collected(family) for family in self._blocks}

    def _collected(self, family: str) -> Family:
        rows, columns, data, owners, start = [], [], [], [], 0
        for literals, coefficients, constraint in self._blocks[family]:
            number, width = literals.shape
            rows.append(np.repeat(np.arange(start, start + number), width))
            columns.append(literals.ravel())
            data.append(np.tile(coefficients, number))
            owners.append(np.full(number, constraint))
            start += number
        where = (_joined(rows), _joined(columns))
        sums = scipy.sparse.csr_array((_joined(data), where), (start, self._size))
        sums.eliminate_zeros()
        parts = self._products[family]
        first, second, product_owners = (_joined([part[at] for part in parts]) for at in range(3))
        return Family(sums, _joined(owners), first, second, product_owners)


def _joined(parts: Sequence[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
