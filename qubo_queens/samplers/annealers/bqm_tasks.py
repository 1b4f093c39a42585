"""Any binary quadratic model made ready for a kernel."""

from __future__ import annotations

import math
from abc import abstractmethod

import dimod
import numpy as np

from qubo_queens.encodings.model import BitArray
from qubo_queens.errors import InputError
from qubo_queens.kernels.adjacency import anneal_adjacency, effective_fields
from qubo_queens.kernels.rng import RandomState, state_of_read
from qubo_queens.samplers.annealers.adjacency import (
    Adjacency,
    adjacency,
    binary_vectors,
    default_beta_range,
)
from qubo_queens.samplers.annealers.recognise import LineModel
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import FloatArray, Schedule
from qubo_queens.samplers.annealers.task import BoardTask, FreeQueens, Task

_SWEEPS = 1000
_TOLERANCE = 1e-9
"""By how much of the largest coefficient an energy may be above a target that it reached."""


class BqmTask(Task):
    """A model made ready for a kernel.

    Attributes:
        reason: Why its couplings had to be used, None if line counts do.
    """

    reason: str | None = None

    @abstractmethod
    def bits(self, run: Run) -> BitArray:
        """Return the values of the variables, in their order."""


class BoardBqmTask(BqmTask):
    """A recognised model, annealed as a board.

    Args:
        model: Its cells.
        task: The same as a board, moved into the corner as ``moved`` does it.
    """

    def __init__(self, model: LineModel, task: BoardTask) -> None:
        rows, columns = model.moved()
        self._width = int(columns.max(initial=0)) + 1
        self._places = rows * self._width + columns
        self._task = task
        self.kernel = task.kernel
        self.unit = task.unit
        self.offset = task.offset

    def begin(self, seed: int, number: int) -> Run:
        """Return the read of that number."""
        return self._task.begin(seed, number)

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule for what the board looks like, in units of 1 / energy."""
        return self._task.default_schedule(number)

    def rehearse(self) -> None:
        """Run the kernels of the board once."""
        self._task.rehearse()

    def relative(self, target_energy: float) -> float:
        """Return the energy that a run is to reach, as it counts energies."""
        return self._task.relative(target_energy)

    def bits(self, run: Run) -> BitArray:
        """Return the values of the variables, in their order."""
        rows, columns = self._task.queens(run)
        return np.isin(self._places, rows * self._width + columns).astype(np.int8)


def initial_queens(model: LineModel, initial: BitArray | None) -> list[FreeQueens]:
    """Return the queens of samples, in row-major order on the moved board."""
    rows, columns = model.moved()
    order = np.lexsort((columns, rows))
    samples = () if initial is None else initial[:, order] == 1
    return [(rows[order][bits], columns[order][bits]) for bits in samples]


class CouplingTask(BqmTask):
    """A model that is annealed by its couplings."""

    kernel = "adjacency"
    unit = 1.0

    def __init__(
        self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None, reason: str
    ) -> None:
        vectors = binary_vectors(bqm)
        self.reason = reason
        self.offset = energy_of_zeros(bqm)
        self._lists = adjacency(vectors)
        self._betas = default_beta_range(vectors)
        self._initial = initial
        largest = max(np.abs(part).max(initial=0.0) for part in (vectors.field, vectors.coupling))
        self._tolerance = _TOLERANCE * float(largest)

    def begin(self, seed: int, number: int) -> CouplingRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        bits = None if self._initial is None else self._initial[number % len(self._initial)]
        return CouplingRun(self._lists, bits, rng)

    def rehearse(self) -> None:
        """Make a sweep of a single variable."""
        lists = adjacency(binary_vectors(dimod.BinaryQuadraticModel({0: 1.0}, {}, "BINARY")))
        run = CouplingRun(lists, None, state_of_read(np.uint64(0), np.uint64(0)))
        run.advance(np.ones(1), -math.inf, np.empty(0))

    def default_schedule(self, number: int) -> Schedule:
        """Return a schedule from where most flips are accepted to where few are."""
        return Schedule(*self._betas, _SWEEPS, "geometric")

    def relative(self, target_energy: float) -> float:
        """Return the energy that a run is to reach, with room for rounding."""
        return super().relative(target_energy) + self._tolerance

    def bits(self, run: Run) -> BitArray:
        """Return the values of the variables, in their order."""
        assert isinstance(run, CouplingRun)
        return run.bits


class CouplingRun(Run):
    """A read by couplings; its energy is relative to the state of zeros."""

    def __init__(self, lists: Adjacency, bits: BitArray | None, rng: RandomState) -> None:
        self._lists = lists
        self._rng = rng
        size = len(lists.field)
        if bits is None:
            seed = int(rng[0] >> np.uint64(1))
            bits = np.random.default_rng(seed).integers(0, 2, size, dtype=np.int8)
        self.bits = bits.astype(np.int8)
        self._effective = effective_fields(*lists, self.bits)
        both = self._effective + lists.field  # counts each coupling twice, and each bias
        self.energy = float(both @ self.bits) / 2

    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make sweeps; see :class:`Run`."""
        lists = self._lists
        self.energy, made = anneal_adjacency(
            lists.start,
            lists.neighbour,
            lists.coupling,
            self._effective,
            self.bits,
            self.energy,
            betas,
            target,
            self._rng,
            trace,
        )
        trace[made - 1 : made] = self.energy  # also if the target cut the sweep short
        return made


def energy_of_zeros(bqm: dimod.BinaryQuadraticModel) -> float:
    """Return the energy of the sample in which every variable is 0 (-1 in a SPIN model).

    Raises:
        InputError: If the offset is not finite.
    """
    if not math.isfinite(bqm.offset):
        raise InputError(f"the offset of the model must be finite, not {bqm.offset}")
    if bqm.vartype is dimod.BINARY:
        return float(bqm.offset)
    found = bqm.to_numpy_vectors(bqm.variables)
    return float(bqm.offset - found.linear_biases.sum() + found.quadratic.biases.sum())
