"""Penalties: squares of sums, and products of two, on literals that are affine in the variables.

A literal is a bit, its complement, a fixed queen (the constant 1), or a difference of two bits: row
i of an integer matrix F, so that the literals are y = F z with z = (bits, 1). The constant 1 is the
last literal. A family of penalties is an integer quadratic form in y, and the whole energy
``z' (sum of weight * F' Q F) z``; what is fixed ends up in linear terms and in the offset.
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
import scipy  # loads scipy.sparse when it is first asked for: `cell` and the command line need none

from qubo_queens.board.lines import Cell, IntArray, Kind, Line, coordinates, indices
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.board.violation import Sense, Violation
from qubo_queens.encodings.groups import exact_dtype
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.encodings.sample import Sample
from qubo_queens.encodings.strengths import Strengths

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


class PenaltyModel(Model):
    """A model whose energy is a weighted sum of squares and products of literals.

    An encoding says what its literals and its penalties are, and which constraint each of these
    belongs to.
    """

    @classmethod
    def settled(cls, strengths: Strengths) -> Strengths:
        """Return the strengths; here families meet in one coefficient.

        Raises:
            InputError: If two are so far apart that the smaller is lost there.
        """
        strengths.check_ratio()
        return strengths

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

    def energies(self, sample: Sample) -> dict[str, float]:
        """Return the energy by family, and ``forbidden``.

        The last is A for each prescribed queen on a blocked cell or an excluded diagonal.
        """
        values = self._values(sample)[None, :]
        found: dict[str, float] = {
            family: self.strengths.of(family) * int(penalties.energies(values)[0])
            for family, penalties in self.penalties.items()
        }
        return {**found, "forbidden": self._forbidden_energy}

    def sample_energies(self, bits: BitArray) -> npt.NDArray[np.float64]:
        """Return the energy of each row of `bits`, from the penalties: the BQM is not asked."""
        self._check_memory()
        values = self.literals.values(bits)
        total = np.full(len(bits), float(self._forbidden_energy))
        for family, penalties in self.penalties.items():
            total += float(self.strengths.of(family)) * penalties.energies(values)
        return total

    def violations(self, sample: Sample) -> tuple[Violation, ...]:
        """Return the declared constraints that a sample violates.

        Lines are judged by the board, in the same words as by the verifier; statements, and
        auxiliary bits that disagree with a board that is right there, by the penalties.
        """
        told = list(self._on_lines(self.decode(sample)))
        on_lines = {_line_of(violation) for violation in told}
        values = self._values(sample)
        amounts = np.zeros(len(self.constraints))
        for family in self.penalties.values():
            amounts += family.amounts(values, len(amounts))
        cells, attacks = self._at_fault(values)
        for number in np.flatnonzero(amounts > 0).tolist():
            constraint, amount = self.constraints[number], int(amounts[number])
            if constraint.statement is not None:
                told.append(
                    Violation.of_statement(
                        constraint.statement, amount, cells[number], attack=number in attacks
                    )
                )
            elif constraint.line is not None and constraint.line not in on_lines:
                told.append(Violation.of_auxiliaries(constraint.line, amount))
        return tuple(told)

    def _on_lines(self, placement: Placement) -> Iterator[Violation]:
        """Yield the violations of declared constraints on lines and on forbidden cells."""
        senses = {each.line: each.sense for each in self.constraints if each.line is not None}
        for violation in self.placement_violations(placement):
            line = _line_of(violation)
            if line is None or violation.sense is Sense.NONE:
                # what is forbidden costs energy, whether or not its line is declared
                yield violation
            elif (sense := senses.get(line)) is not None and not sense.allows(violation.count):
                yield replace(violation, sense=sense)

    def _values(self, sample: Sample) -> IntArray:
        """Return the values of the literals in a sample."""
        self._check_memory()
        ones = frozenset(self._ones(sample))
        bits = np.array([[label in ones for label in self.variables]], np.int8)
        values: IntArray = self.literals.values(bits.reshape(1, -1))[0]
        return values

    def _at_fault(self, values: IntArray) -> tuple[defaultdict[int, set[Cell]], set[int]]:
        """Return the queens in violated constraints, and those of these that are about pairs."""
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
        """For each family of lines, the number of the constraint on each; -1 where is none."""
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
        """Return the number of interactions, for which the form has to be made."""
        return int(_couplings(self._form).nnz)

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


def _line_of(violation: Violation) -> Line | None:
    """Return the line that a violation is about; None if it is about a cell."""
    return None if violation.index is None else Line(Kind(violation.kind), violation.index)
