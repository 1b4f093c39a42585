"""Models that are declared as penalties on literals; energies, violations and the BQM follow."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import dimod
import numpy as np
import numpy.typing as npt
import scipy

from qubo_queens.board.lines import Cell, IntArray, Kind, Line, indices
from qubo_queens.board.placement import Placement
from qubo_queens.board.violation import Sense, Violation
from qubo_queens.encodings.couplings import exact_dtype
from qubo_queens.encodings.model import BitArray, Model
from qubo_queens.encodings.penalties import Family, Literals, Matrix
from qubo_queens.encodings.sample import Sample
from qubo_queens.encodings.strengths import Strengths


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
