"""A model: an instance written as binary variables, with what it declares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, TypeAlias

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import (
    Cell,
)
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.board.violation import Violation
from qubo_queens.encodings.constraints import Constraint, LineRules
from qubo_queens.encodings.forecast import LABEL_BYTES, Forecast, check_memory
from qubo_queens.encodings.sample import Label, Sample, VartypeLike, ones
from qubo_queens.encodings.strengths import Strengths
from qubo_queens.errors import InputError, InputTypeError

BitArray: TypeAlias = npt.NDArray[np.int8]
"""Samples as bits, of shape (reads, variables), columns in the order of ``Model.variables``."""


class Model(ABC):
    """An encoded instance.

    The energy of a sample is the energy of the whole board, prescribed queens included; it is 0
    exactly on what satisfies every declared constraint, whatever was fixed beforehand: the
    solutions, unless a relaxation leaves constraints out on purpose.

    Attributes:
        encoding: The name of the encoding.
        instance: The instance.
        reduction: Which cells are left to decide.
        strengths: The weights of the constraint families.
        ground_energy: The energy of every solution, with auxiliary bits at their best values, 0.
            If the instance has no solution, every sample has a larger energy (see ``gap``).
        default_strengths: The strengths that ``build`` takes, with their defaults; None for one
            that depends on the others.
        takes_relaxation: Whether the diagonals can be left out.
    """

    encoding: str
    ground_energy = 0
    default_strengths: ClassVar[Mapping[str, float | None]]
    takes_relaxation: ClassVar[bool] = False

    @property
    def neal_schedule(self):
        from types import SimpleNamespace as S

        T = {
            "cell": ((2, 8), 300),
            "cell-attack": ((2, 12), 300),
            "cell-slack": ((2, 6), 1000),
            "row": ((3, 12), 300),
            "row-domain-wall": ((2, 8), 1000),
            "labelled": ((3, 12), 300),
            "ladder": ((3.5, 6), 3000),
        }
        a, b = T[self.encoding]
        return S(beta_range=a, num_sweeps=b)

    def __init__(self, reduction: Reduction, strengths: Strengths) -> None:
        self.instance = reduction.instance
        self.reduction = reduction
        self.strengths = strengths

    def __repr__(self) -> str:
        about = "" if self.forecast.exact else "about "
        return (
            f"<Model {self.encoding}: n={self.instance.n}, {about}{self.num_variables} variables, "
            f"{about}{self.num_interactions} interactions>"
        )

    @cached_property
    def bqm(self) -> dimod.BinaryQuadraticModel:
        """The binary quadratic model, vartype BINARY, made on first access.

        Raises:
            ModelTooLargeError: If it would not fit in the memory of this machine.
        """
        return self._make_bqm()

    @classmethod
    def settled(cls, strengths: Strengths) -> Strengths:
        """Return the strengths with those filled in that depend on others.

        Raises:
            InputError: If they do not go together.
        """
        return strengths

    @cached_property
    def variables(self) -> tuple[Label, ...]:
        """The labels, in the order of ``bqm.variables``.

        Raises:
            ModelTooLargeError: If they alone would not fit in the memory of this machine.
        """
        self._check_labels()
        return self._labels()

    def _check_labels(self) -> None:
        """Refuse a model so large that not even its labels fit in memory."""
        size = self.forecast
        check_memory(self.encoding, self.instance.n, str(size), LABEL_BYTES * size.variables)

    @abstractmethod
    def _labels(self) -> tuple[Label, ...]:
        """Return the labels of the variables."""

    @property
    @abstractmethod
    def gap(self) -> float:
        """A proven lower bound, above 0, on the energy of every sample that is no ground state."""

    @cached_property
    def forecast(self) -> Forecast:
        """The size of the BQM, known without making it."""
        size, plain = self._size(), self.reduction.untouched
        return Forecast(
            self.encoding, self.instance.n, *size, *(self._plain_extremes() if plain else ())
        )

    @abstractmethod
    def _size(self) -> tuple[int, int, bool]:
        """Return the numbers of variables and interactions, and whether they are exact."""

    @abstractmethod
    def _plain_extremes(self) -> tuple[int, float]:
        """Return the largest degree and the largest coefficient, for the plain board."""

    @property
    def num_variables(self) -> int:
        """The number of variables (see ``forecast``)."""
        return self.forecast.variables

    @property
    def num_interactions(self) -> int:
        """The number of interactions (see ``forecast``)."""
        return self.forecast.interactions

    @property
    @abstractmethod
    def offset(self) -> float:
        """The energy of the sample with only zeros: the constant term of the BQM."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the model demands; nothing is declared that it leaves out.

        Here on lines: on rows and columns exactly one queen, on diagonals of two and more cells at
        most one, on excluded diagonals none (with ``relaxation="rooks"`` no diagonal but those).
        Encodings that demand something else say so.
        """
        return self._rules.constraints

    @cached_property
    def _rules(self) -> LineRules:
        return LineRules(self.instance, diagonals=bool(self.strengths.diagonal))

    @abstractmethod
    def _make_bqm(self) -> dimod.BinaryQuadraticModel:
        """Build the binary quadratic model."""

    def _check_memory(self) -> None:
        """Refuse a model that would not fit, before anything is allocated.

        Raises:
            ModelTooLargeError: If it would not fit in the memory of this machine.
        """
        size = self.forecast
        check_memory(self.encoding, self.instance.n, str(size), size.peak_bytes)

    @abstractmethod
    def decode(self, sample: Sample) -> Placement:
        """Return the board of a sample, prescribed queens merged in.

        Args:
            sample: A mapping from every label to 0/1 or -1/+1 (any order), or a string of 0 and
                1 in the order of ``variables``.

        Raises:
            MissingVariableError: If a variable has no value; the message names the cell.
            SampleError: If a value is neither a bit nor a spin, a label is unknown, or the
                sample contradicts a prescribed queen.
        """

    @abstractmethod
    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> Mapping[Label, int]:
        """Return the sample of a board, auxiliary bits at values of least energy.

        Args:
            placement: A board with all prescribed queens, and no queen on a cell that the model
                has fixed to 0.
            vartype: ``BINARY`` for 0/1, ``SPIN`` for -1/+1, or the same from dimod.

        Raises:
            InputError: If the model cannot state that board.
        """

    def placement_energies(self, placement: Placement) -> dict[str, float]:
        """Return the energy of a board by family, auxiliary bits at values of least energy.

        Args:
            placement: A board that the model can state (see :meth:`encode`).

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If it has another size than the instance, or the model cannot state it.
        """
        return self.energies(self.encode(placement))

    def _own(self, placement: Placement) -> Placement:
        """Return `placement` if it is one and as large as the instance.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If it has another size.
        """
        if not isinstance(placement, Placement):
            raise InputTypeError(f"expected a Placement, not {type(placement).__name__}")
        if placement.n != self.instance.n:
            raise InputError(f"the placement has n={placement.n}, the model n={self.instance.n}")
        return placement

    def _ones(self, sample: Sample) -> list[Label]:
        """Return the variables that are 1 (or +1) in a sample; errors as in :meth:`decode`."""
        return ones(sample, self.variables, self._fixed_value)

    @abstractmethod
    def _fixed_value(self, label: object) -> int | None:
        """Return the value that the model has fixed a label to, None if it does not know it."""

    def _statable(self, placement: Placement) -> frozenset[Cell]:
        """Return the queens of a board; errors as in :meth:`encode`."""
        self._own(placement)
        self._check_labels()
        return stated_queens(placement, self.reduction)

    @cached_property
    def _queens(self) -> frozenset[Cell]:
        """The prescribed and the forced queens."""
        return frozenset(self.reduction.queens)

    @cached_property
    def _num_forbidden(self) -> int:
        """How many prescribed queens stand on a forbidden cell."""
        return len(self.instance.forbidden_queens())

    @abstractmethod
    def sample_energies(self, bits: BitArray) -> npt.NDArray[np.float64]:
        """Return the energy of each of many samples at once.

        Args:
            bits: 0 and 1, of shape (reads, variables), columns in the order of ``variables``.

        Returns:
            The energies, of shape (reads,).
        """

    @abstractmethod
    def energies(self, sample: Sample) -> dict[str, float]:
        """Return the energy of a sample by family; the values add up to ``energy(sample)``."""

    def energy(self, sample: Sample) -> float:
        """Return the energy of a sample, without the BQM (exact for integer weights)."""
        return sum(self.energies(sample).values())

    @abstractmethod
    def violations(self, sample: Sample) -> tuple[Violation, ...]:
        """Return the declared constraints that a sample violates, with counts and cells.

        There are none exactly if the energy is 0.
        """

    def num_violated(self, sample: Sample) -> int:
        """Return how many declared constraints a sample violates."""
        return len(self.violations(sample))

    def placement_violations(self, placement: Placement) -> tuple[Violation, ...]:
        """Return the lines whose constraints a board violates, whatever the encoding declares.

        A prescribed queen on a blocked cell counts as one more: it costs energy as well.

        Args:
            placement: A board with all prescribed queens and no queen on a forbidden cell but
                those. What a model has fixed is not looked at again: that is the verifier's part.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If it has another size than the instance.
        """
        return self._rules.violations(self._own(placement))


def stated_queens(placement: Placement, reduction: Reduction) -> frozenset[Cell]:
    """Return the queens of a board if they agree with what a reduction has fixed.

    Raises:
        InputError: If a fixed queen is missing, or one stands on a cell that is fixed to 0.
    """
    queens, fixed = frozenset(placement), frozenset(reduction.queens)
    missing = sorted(fixed - queens)
    if missing:
        raise InputError(_missing(missing[0], reduction))
    lost = sorted(queens.difference(reduction.free_cells, fixed))
    if lost:
        raise InputError(
            f"queen {lost[0]} stands on a cell that the model has fixed to 0; "
            "build it with reduce='none' to state any board with the prescribed queens"
        )
    return queens


def _missing(cell: Cell, reduction: Reduction) -> str:
    """Word that a placement has no queen on a cell that the model has fixed to 1."""
    if cell in reduction.instance.queens:
        return f"the placement lacks the prescribed queen {cell}"
    return (
        f"the placement lacks queen {cell}, which every solution has and the model has fixed "
        "to 1; build it with reduce='lines' to state boards without it"
    )
