"""Models whose energy is a weighted sum of squares and products of literals.

A literal is a bit, its complement, a fixed queen (the constant 1), or a difference of two bits. The
literals are y = F z with z = (bits, 1) and an integer matrix F; the last literal is the constant 1.
The penalties of one family are an integer quadratic form y' Q y, and the energy is
``z' (sum of weight * F' Q F) z``. Fixed queens contribute linear terms and a constant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import dimod
import numpy as np
import numpy.typing as npt
import scipy  # loads scipy.sparse on first use, which `cell` and the command line do not need

from qubo_queens.board.lines import Cell, IntArray, Kind, coordinates, indices
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.board.sizes import sizes
from qubo_queens.board.violation import (
    AttackingPairs,
    LineViolation,
    MissedStatement,
    Sense,
    Violation,
    WrongAuxiliaries,
)
from qubo_queens.encodings.groups import exact_dtype
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.sample import BitArray
from qubo_queens.encodings.strengths import Strengths
from qubo_queens.errors import InputError, ModelTooLargeError

Matrix: TypeAlias = "scipy.sparse.csr_array[Any, Any]"

_LARGEST_RATIO = 10**9
"""Bound on the ratio of two strengths: n^2 times that fits in a double for any BQM in memory."""

_COUNTED_CELLS = 10_000
"""Boards with up to so many free cells are built where an encoding has no formula for its size."""


class Literals(NamedTuple):
    """The literals of a model.

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
        """Return literals by the entries of F; those at the end may have no cells."""
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
    """The penalties of one family; owners are the numbers of their constraints.

    The squares are ``(sums @ y)^2``, shape (squares, literals). The products are given by their two
    literals, each of shape (products,).
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

        This is the sum of the absolute values of its sums, plus its products.
        """
        squares = np.bincount(self.square_owners, np.abs(self.sums @ values), num_constraints)
        hits = values[self.first] * values[self.second]
        found: IntArray = squares + np.bincount(self.product_owners, hits, num_constraints)
        return found

    def in_squares(self, values: IntArray) -> Iterator[tuple[int, int]]:
        """Yield pairs of a constraint and a literal in one of its squares that is not 0."""
        broken = np.flatnonzero(self.sums @ values)
        rows, literals = self.sums[broken].nonzero()
        yield from zip(self.square_owners[broken][rows].tolist(), literals.tolist(), strict=True)

    def in_products(self, values: IntArray) -> Iterator[tuple[int, int]]:
        """Yield pairs of a constraint and a literal in one of its products that is not 0."""
        hit = np.flatnonzero(values[self.first] * values[self.second])
        for side in (self.first, self.second):
            yield from zip(self.product_owners[hit].tolist(), side[hit].tolist(), strict=True)

    def form(self, forms: Matrix) -> Matrix:
        """Return the integer quadratic form in (bits, 1), as an upper triangle."""
        sums = self.sums @ forms
        both = sums.T @ sums + forms.T @ self.products @ forms
        return scipy.sparse.csr_array(scipy.sparse.triu(both) + scipy.sparse.tril(both, -1).T)


class Penalties:
    """Collects the penalties of a model, by family."""

    def __init__(self, literals: Literals, families: Sequence[str]) -> None:
        self._size = len(literals.cells)
        self._families = families
        self._blocks = defaultdict[str, list[tuple[IntArray, IntArray, int]]](list)
        self._products = defaultdict[str, list[tuple[IntArray, IntArray, IntArray]]](list)

    def square(
        self,
        family: str,
        constraint: int,
        literals: npt.ArrayLike,
        coefficients: Sequence[int] | None = None,
        constant: int = 0,
    ) -> None:
        """Add squares of ``sum of coefficient * literal + constant``, all of one constraint.

        The literals are given by their numbers, shape (squares, literals in each); all squares have
        the same coefficients, by default 1.
        """
        block = np.asarray(literals, np.int64)
        given = [1] * block.shape[1] if coefficients is None else coefficients
        constants = np.full((len(block), 1), self._size - 1)
        self._blocks[family].append(
            (np.hstack((block, constants)), np.array([*given, constant]), constraint)
        )

    def product(
        self, family: str, constraints: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike
    ) -> None:
        """Add products of two literals each; arguments are numbers, or arrays of one shape."""
        ones, others, owners = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(part, np.int64)) for part in (first, second, constraints))
        )
        self._products[family].append((ones, others, owners))

    def collected(self) -> dict[str, Family]:
        """Return what has been added."""
        return {family: self._family(family) for family in self._families}

    def _family(self, family: str) -> Family:
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


class PenaltyModel(Model):
    """A model whose energy is a weighted sum of squares and products of literals.

    An encoding defines ``literals`` and ``penalties``, and the constraint that each penalty belongs
    to. With ``_labels``, ``_decode``, ``encode`` and ``fixed_value`` it is complete:
    energies, violations and the BQM follow from the penalties. For encodings with a bit for each
    cell, :class:`qubo_queens.encodings.cell_bits.CellPenaltyModel` has these four as well.
    """

    @classmethod
    def check_strengths(cls, strengths: Strengths) -> None:
        """Refuse strengths so far apart that the smaller is lost in sums of the two."""
        small, large = strengths.least, max(weight for _, weight in strengths.weights)
        if large > small * _LARGEST_RATIO:
            raise InputError(
                f"strengths {small} and {large} are more than {_LARGEST_RATIO:,} times apart: the "
                "smaller would be lost in rounding"
            )

    @property
    def gap(self) -> float:
        """The smallest strength: a bound where all squares and products are whole and >= 0."""
        return self.strengths.least

    @cached_property
    @abstractmethod
    def literals(self) -> Literals:
        """The literals."""

    @cached_property
    @abstractmethod
    def penalties(self) -> dict[str, Family]:
        """The penalties by family; their constraints are numbered as in ``constraints``."""

    @property
    def offset(self) -> float:
        """The energy of the sample with only zeros."""
        self._check_memory()
        return float(self.sample_energies(np.zeros((1, self.num_variables), np.int8))[0])

    def _energies(self, bits: BitArray) -> dict[str, float]:
        """Return the energy by family, and ``forbidden``."""
        values = self._values(bits)[None, :]
        found: dict[str, float] = {
            family: self.strengths.of(family) * int(penalties.energies(values)[0])
            for family, penalties in self.penalties.items()
        }
        return {**found, "forbidden": self._forbidden_energy}

    def _energies_of_samples(self, bits: BitArray) -> npt.NDArray[np.float64]:
        """Return the energy of each row of `bits`, from the penalties and not from the BQM."""
        self._check_memory()
        values = self.literals.values(bits)
        total = np.full(len(bits), float(self._forbidden_energy))
        for family, penalties in self.penalties.items():
            total += float(self.strengths.of(family)) * penalties.energies(values)
        return total

    def _violations(self, bits: BitArray) -> tuple[Violation, ...]:
        """Return the violated constraints.

        Lines are judged by the board, as by the verifier. Statements are judged by the penalties,
        and so are auxiliary bits of lines that have a right number of queens.
        """
        found: list[Violation] = list(self._on_lines(self._decode(bits)))
        on_lines = {each.line for each in found if isinstance(each, LineViolation)}
        values = self._values(bits)
        amounts = np.zeros(len(self.constraints))
        for family in self.penalties.values():
            amounts += family.amounts(values, len(amounts))
        cells, attacks = self._at_fault(values)
        for number in np.flatnonzero(amounts > 0).tolist():
            constraint, amount = self.constraints[number], int(amounts[number])
            if constraint.statement is not None:
                statement_type = AttackingPairs if number in attacks else MissedStatement
                at = tuple(sorted(cells[number]))
                found.append(statement_type(constraint.statement, amount, at))
            elif constraint.line is not None and constraint.line not in on_lines:
                found.append(WrongAuxiliaries(constraint.line, amount))
        return tuple(found)

    def _on_lines(self, placement: Placement) -> Iterator[Violation]:
        """Yield the violations of declared constraints on lines and on forbidden cells."""
        senses = {each.line: each.sense for each in self.constraints if each.line is not None}
        for violation in self.placement_violations(placement):
            if not isinstance(violation, LineViolation) or violation.sense is Sense.NONE:
                # forbidden queens cost energy, whether or not their line is declared
                yield violation
            elif (sense := senses.get(violation.line)) and not sense.allows(violation.count):
                yield replace(violation, sense=sense)

    def _values(self, bits: BitArray) -> IntArray:
        """Return the values of the literals, of shape (literals,)."""
        self._check_memory()
        values: IntArray = self.literals.values(bits[None, :])[0]
        return values

    def _at_fault(self, values: IntArray) -> tuple[defaultdict[int, set[Cell]], set[int]]:
        """Return the queens in each violated constraint, and the constraints on pairs."""
        pairs = [each for family in self.penalties.values() for each in family.in_products(values)]
        sums = [each for family in self.penalties.values() for each in family.in_squares(values)]
        cells = defaultdict(set)
        for constraint, literal in sums + pairs:
            row, column = self.literals.cells[literal].tolist()
            if row >= 0 and values[literal] > 0:
                cells[constraint].add((row, column))
        return cells, {constraint for constraint, _ in pairs}

    @cached_property
    def _numbers(self) -> dict[Kind, IntArray]:
        """For each kind of line, the number of the constraint on each line, or -1."""
        n = self.instance.n
        numbers = {kind: np.full(len(indices(kind, n)), -1) for kind in Kind}
        for number, constraint in enumerate(self.constraints):
            if (line := constraint.line) is not None:
                numbers[line.kind][line.index - indices(line.kind, n)[0]] = number
        return numbers

    @property
    def _forbidden_energy(self) -> float:
        return self.strengths.of("forbidden") * self._num_forbidden

    @cached_property
    def _form(self) -> Matrix:
        """The energy without ``forbidden`` as a quadratic form in (bits, 1), upper triangle."""
        size = self.literals.forms.shape[1]
        total: Matrix = scipy.sparse.csr_array((size, size), dtype=np.float64)
        for family, penalties in self.penalties.items():
            total = total + float(self.strengths.of(family)) * penalties.form(self.literals.forms)
        return total

    def _count_couplings(self) -> int:
        """Return the number of interactions, from the quadratic form."""
        return int(_couplings(self._form).nnz)

    def _size(self) -> tuple[int, int, bool]:
        """Count the variables and the interactions; encodings with formulas override this."""
        num_cells = sizes(self.reduction).cells
        if num_cells > _COUNTED_CELLS:
            raise ModelTooLargeError(
                f"encoding {self.encoding} has no formula for its size, and is counted for boards "
                f"of up to {_COUNTED_CELLS:,} free cells, not {num_cells:,}; define _size in "
                f"{type(self).__name__}"
            )
        return len(self._labels()), self._count_couplings(), True

    def _make_bqm(self) -> dimod.BinaryQuadraticModel:
        """Write the form as biases, couplings and offset."""
        self._check_memory()
        form, size = self._form, self._form.shape[0] - 1
        couplings = _couplings(form)
        del self._form  # as large as the BQM
        linear = form.diagonal()[:size] + form[:size, [size]].toarray().ravel()
        first, second = couplings.nonzero()
        dtype = np.result_type(exact_dtype(linear), exact_dtype(couplings.data))
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            linear.astype(dtype),
            (first.astype(np.int32), second.astype(np.int32), couplings.data.astype(dtype)),
            float(form[size, size]) + self._forbidden_energy,
            dimod.BINARY,
            variable_order=self.variables,
        )


def _couplings(form: Matrix) -> Matrix:
    """Return the couplings in a form, as a strictly upper triangle with sorted indices."""
    size = form.shape[0] - 1
    found: Matrix = scipy.sparse.csr_array(scipy.sparse.triu(form[:size, :size], 1))
    found.eliminate_zeros()  # what cancels out is left out
    found.sort_indices()
    return found
