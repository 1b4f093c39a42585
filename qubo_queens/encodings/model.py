"""The base class of encodings: an instance written as binary variables.

A new encoding is one class and one call of ``register_encoding``. It defines

- ``encoding``, its name, and ``takes_strengths``, the strengths that it takes;
- ``_labels``: the labels of the variables, tuples of plain integers, in an order that depends only
  on the instance and the mode of reduction;
- ``_make_bqm``, ``offset`` and ``_energies_of_samples``: the energy, written three times, which the
  tests compare. The energy is 0 exactly on what satisfies every declared constraint;
- ``gap``: a proven lower bound on all other energies. The proof belongs in the docstring of the
  module;
- ``_energies`` and ``_violations`` of one sample, and ``constraints`` where the model demands
  something else than the lines of the board do;
- ``_decode``, ``encode`` and ``fixed_value``: from bits to boards and back;
- ``_size``: the numbers of variables and interactions, without building the model. Where a formula
  for the plain board is known, ``_plain_extremes`` as well;
- ``neal_schedule`` and ``build_memory``, if the defaults do not suit.

Most encodings are a sum of squares and products, and define much less: see
:class:`qubo_queens.encodings.penalties.PenaltyModel`. The shortest complete example is in
:mod:`qubo_queens.encodings.registry`. ``qubo_queens.testing.check_encoding(cls)`` checks a class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple

import dimod
import numpy as np
import numpy.typing as npt

from qubo_queens.board.lines import Cell
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.board.violation import Violation
from qubo_queens.encodings.constraints import Constraint, LineRules
from qubo_queens.encodings.forecast import LABEL_BYTES, BuildMemory, Forecast, check_memory
from qubo_queens.encodings.sample import BitArray as BitArray
from qubo_queens.encodings.sample import (
    Label,
    Sample,
    Samples,
    VartypeLike,
    bits_of_sample,
    bits_of_samples,
)
from qubo_queens.encodings.strengths import Strength, Strengths
from qubo_queens.errors import Argument, InputError, InputTypeError, Remedy


class NealSchedule(NamedTuple):
    """How ``neal`` anneals the models of an encoding unless the caller says otherwise.

    Inverse temperatures are in units of 1 / ``row_column`` strength.
    """

    beta_range: tuple[float, float]
    num_sweeps: int


class Model(ABC):
    """An encoded instance.

    The energy of a sample is the energy of the whole board, prescribed queens included. It is 0
    exactly on what satisfies every declared constraint, in every mode of reduction: the solutions,
    unless a relaxation leaves constraints out on purpose.

    A sample is a mapping from every label to its value (in any order), a string of 0 and 1, an
    array of shape (variables,), or a ``dimod.SampleSet`` with one row. Values are 0/1 or -1/+1;
    strings and arrays are in the order of ``variables``. Methods that take a sample raise

    - ``MissingVariableError`` if a variable has no value,
    - ``SampleError`` if a value is neither a bit nor a spin, the length is wrong, a label is
      unknown, or the sample contradicts what the model has fixed,
    - ``InputTypeError`` if it has another form.

    >>> from qubo_queens import Placement, build
    >>> model = build(4)
    >>> sample = model.encode(Placement.from_columns([1, 3, 0, 2]))
    >>> model.energy(sample), model.violations(sample)
    (0, ())
    >>> model.decode("0100000110000010").columns
    (1, 3, 0, 2)

    Attributes:
        encoding: The name of the encoding.
        instance: The instance.
        reduction: Which cells are left to decide.
        strengths: The weights of the penalties.
        solution_energy: The energy of every solution, with auxiliary bits at their best values: 0.
            If the instance has no solution, every sample has a larger energy (see ``gap``).
        takes_strengths: The strengths that ``build`` takes, ``row_column`` and ``diagonal`` among
            them.
        takes_relaxation: Whether the diagonals can be left out.
        neal_schedule: How ``neal`` anneals these models by default.
        build_memory: How much memory the making of the BQM takes.
    """

    encoding: ClassVar[str]
    solution_energy: ClassVar[int] = 0
    takes_strengths: ClassVar[tuple[Strength, ...]]
    takes_relaxation: ClassVar[bool] = False
    neal_schedule: ClassVar[NealSchedule] = NealSchedule((2, 8), 1000)
    build_memory: ClassVar[BuildMemory] = BuildMemory()

    def __init__(self, reduction: Reduction, strengths: Strengths) -> None:
        self.check_strengths(strengths)
        self.instance = reduction.instance
        self.reduction = reduction
        self.strengths = strengths

    def __repr__(self) -> str:
        about = "" if self.forecast.exact else "about "
        return (
            f"<Model {self.encoding}: n={self.instance.n}, {about}{self.num_variables} variables, "
            f"{about}{self.num_interactions} interactions>"
        )

    @classmethod  # noqa: B027 - most encodings have nothing to check
    def check_strengths(cls, strengths: Strengths) -> None:
        """Refuse strengths that do not go together."""

    # Variables and size

    @cached_property
    def variables(self) -> tuple[Label, ...]:
        """The labels, in the order of ``bqm.variables``.

        Raises:
            ModelTooLargeError: If they alone would not fit in the memory of this machine.
        """
        self._check_labels()
        return self._labels()

    @abstractmethod
    def _labels(self) -> tuple[Label, ...]:
        """Return the labels of the variables."""

    @abstractmethod
    def fixed_value(self, label: object) -> int | None:
        """Return the value that the model has fixed a label to, None if it does not know it."""

    @cached_property
    def forecast(self) -> Forecast:
        """The size of the BQM, known without making it."""
        plain = self._plain_extremes() if self.reduction.untouched else None
        facts = (*self._size(), *(plain or (None, None)), self.build_memory)
        return Forecast(self.encoding, self.instance.n, *facts)

    @abstractmethod
    def _size(self) -> tuple[int, int, bool]:
        """Return the numbers of variables and interactions, and whether they are exact."""

    def _plain_extremes(self) -> tuple[int, float] | None:
        """Return the largest degree and the largest coefficient of the plain board, if known."""
        return None

    @property
    def num_variables(self) -> int:
        """The number of variables (see ``forecast``)."""
        return self.forecast.variables

    @property
    def num_interactions(self) -> int:
        """The number of interactions (see ``forecast``)."""
        return self.forecast.interactions

    def _check_labels(self) -> None:
        """Refuse a model so large that not even its labels fit in memory."""
        size = self.forecast
        check_memory(self.encoding, self.instance.n, str(size), LABEL_BYTES * size.variables)

    def _check_memory(self) -> None:
        """Refuse a model that would not fit, before anything is allocated."""
        size = self.forecast
        check_memory(self.encoding, self.instance.n, str(size), size.peak_bytes)

    # The energy

    @cached_property
    def bqm(self) -> dimod.BinaryQuadraticModel:
        """The binary quadratic model, vartype BINARY, made on first access.

        Raises:
            ModelTooLargeError: If it would not fit in the memory of this machine.
        """
        return self._make_bqm()

    @abstractmethod
    def _make_bqm(self) -> dimod.BinaryQuadraticModel:
        """Build the binary quadratic model."""

    @property
    @abstractmethod
    def offset(self) -> float:
        """The energy of the sample with only zeros: the constant term of the BQM."""

    @property
    @abstractmethod
    def gap(self) -> float:
        """A proven lower bound, above 0, on the energy of every sample that is not a solution."""

    def energy(self, sample: Sample) -> float:
        """Return the energy of one sample, without the BQM (exact for integer weights)."""
        return sum(self.energies(sample).values())

    def energies(self, sample: Sample) -> dict[str, float]:
        """Return the energy of one sample by family; the values add up to ``energy(sample)``.

        The family ``forbidden`` is for prescribed queens on blocked cells and excluded diagonals.
        """
        return self._energies(bits_of_sample(sample, self))

    @abstractmethod
    def _energies(self, bits: BitArray) -> dict[str, float]:
        """Return the energy by family of bits of shape (variables,)."""

    def sample_energies(self, samples: Samples) -> npt.NDArray[np.float64]:
        """Return the energy of each of many samples, without the BQM.

        >>> from qubo_queens import build
        >>> build(4).sample_energies(-np.ones((2, 16), np.int8)).tolist()
        [8.0, 8.0]

        Args:
            samples: An array of shape (reads, variables), columns in the order of ``variables``, a
                ``dimod.SampleSet``, or a list of samples. The values of an array or sample set
                are all 0/1, or all -1/+1.

        Returns:
            The energies, of shape (reads,).
        """
        return self._energies_of_samples(bits_of_samples(samples, self))

    @abstractmethod
    def _energies_of_samples(self, bits: BitArray) -> npt.NDArray[np.float64]:
        """Return the energy of each row of bits of shape (reads, variables)."""

    def placement_energies(self, placement: Placement) -> dict[str, float]:
        """Return the energy of a board by family, auxiliary bits at values of least energy.

        Args:
            placement: A board that the model can state (see :meth:`encode`).

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If it has another size than the instance, or the model cannot state it.
        """
        return self.energies(self.encode(placement))

    # Boards

    def decode(self, sample: Sample) -> Placement:
        """Return the board of one sample, prescribed queens included."""
        return self._decode(bits_of_sample(sample, self))

    @abstractmethod
    def _decode(self, bits: BitArray) -> Placement:
        """Return the board of bits of shape (variables,)."""

    @abstractmethod
    def encode(self, placement: Placement, vartype: VartypeLike = "BINARY") -> Mapping[Label, int]:
        """Return the sample of a board, auxiliary bits at values of least energy.

        Args:
            placement: A board with all prescribed queens, and no queen on a cell that the model
                has fixed to 0.
            vartype: ``BINARY`` for 0/1, ``SPIN`` for -1/+1, or the same from dimod.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If the model cannot state that board.
        """

    def _checked_placement(self, placement: Placement) -> Placement:
        """Return `placement` if it is one and as large as the instance."""
        if not isinstance(placement, Placement):
            raise InputTypeError(f"expected a Placement, not {type(placement).__name__}")
        if placement.n != self.instance.n:
            raise InputError(f"the placement has n={placement.n}, the model n={self.instance.n}")
        return placement

    def _stated_queens(self, placement: Placement) -> frozenset[Cell]:
        """Return the queens of a board if they agree with what the model has fixed."""
        self._checked_placement(placement)
        self._check_labels()
        queens = frozenset(placement)
        missing = sorted(self._fixed_queens - queens)
        if missing and missing[0] in self.instance.queens:
            raise InputError(f"the placement lacks the prescribed queen {missing[0]}")
        if missing:
            raise InputError(
                f"the placement lacks queen {missing[0]}, which every solution has and the model "
                "has fixed to 1",
                Remedy("; build it with ", Argument("reduce", "lines"), " to state such boards"),
            )
        lost = sorted(queens.difference(self.reduction.free_cells, self._fixed_queens))
        if lost:
            reduce, boards = Argument("reduce", "none"), "any board with the prescribed queens"
            raise InputError(
                f"queen {lost[0]} stands on a cell that the model has fixed to 0",
                Remedy("; build it with ", reduce, f" to state {boards}"),
            )
        return queens

    @cached_property
    def _fixed_queens(self) -> frozenset[Cell]:
        """The prescribed and the forced queens."""
        return frozenset(self.reduction.queens)

    @cached_property
    def _num_forbidden(self) -> int:
        """How many prescribed queens stand on a forbidden cell."""
        return len(self.instance.forbidden_queens())

    # Constraints

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The declared constraints: all that the model demands, and nothing else.

        By default these are on lines: on rows and columns exactly one queen, on diagonals of two
        and more cells at most one, on excluded diagonals none (with ``relaxation="rooks"`` no
        diagonal but those).
        """
        return self._rules.constraints

    @cached_property
    def _rules(self) -> LineRules:
        return LineRules(self.instance, diagonals=bool(self.strengths.diagonal))

    def violations(self, sample: Sample) -> tuple[Violation, ...]:
        """Return the declared constraints that one sample violates.

        There are none exactly if the energy is 0.
        """
        return self._violations(bits_of_sample(sample, self))

    @abstractmethod
    def _violations(self, bits: BitArray) -> tuple[Violation, ...]:
        """Return the violations by bits of shape (variables,)."""

    def num_violated(self, sample: Sample) -> int:
        """Return how many declared constraints one sample violates."""
        return len(self.violations(sample))

    def placement_violations(self, placement: Placement) -> tuple[Violation, ...]:
        """Return the lines whose constraints a board violates, whatever the encoding declares.

        A prescribed queen on a blocked cell counts as one more: it costs energy as well.

        Args:
            placement: A board with all prescribed queens and no queen on a forbidden cell but
                those. What a model has fixed is not checked again: the verifier does that.

        Raises:
            InputTypeError: If it is not a placement.
            InputError: If it has another size than the instance.
        """
        return self._rules.violations(self._checked_placement(placement))
