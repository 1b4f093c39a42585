"""Binary quadratic models prepared for a kernel: as a board, or by their couplings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import dimod
import numpy as np

from qubo_queens.board.lines import FloatArray
from qubo_queens.encodings.model import BitArray
from qubo_queens.errors import InputError
from qubo_queens.kernels.flip_couplings import anneal_couplings, effective_fields
from qubo_queens.kernels.jit import Int32Array, Int64Array
from qubo_queens.kernels.rng import RandomState, state_of_read
from qubo_queens.samplers.annealers.interface import FreeQueens
from qubo_queens.samplers.annealers.recognise import (
    Coefficients,
    RecognisedBoard,
    binary_coefficients,
)
from qubo_queens.samplers.annealers.run import Run
from qubo_queens.samplers.annealers.schedule import Schedule
from qubo_queens.samplers.annealers.task import BoardTask, Task

BETAS_WITHOUT_ENERGY = (0.1, 1.0)
"""The default betas if all energies are equal; any would do."""

_SWEEPS = 1000
_TOLERANCE = 1e-9
"""An energy reaches a target if it exceeds it by at most this part of the largest coefficient."""

_ROUNDING = 2.0**-40
"""Coefficients below this part of the largest energy change are regarded as rounding errors."""


class BqmTask(NamedTuple):
    """A BQM prepared for a kernel.

    Attributes:
        task: The task, of the board if it is that of a board.
        bits: Returns the values of the variables of a run, in their order.
        reason: Why it is sampled by its couplings; None if it is sampled by line counts.
    """

    task: Task
    bits: Callable[[Run], BitArray]
    reason: str | None = None


def board_bqm_task(found: RecognisedBoard, task: BoardTask) -> BqmTask:
    """Return the BQM of a board as the task of that board, moved as by ``found.moved()``."""
    rows, columns = found.moved()
    width = int(columns.max(initial=0)) + 1
    places = rows * width + columns

    def bits(run: Run) -> BitArray:
        queen_rows, queen_columns = task.queens(run)
        return np.isin(places, queen_rows * width + queen_columns).astype(np.int8)

    return BqmTask(task, bits)


class CouplingTask(Task):
    """A BQM that is annealed by its couplings."""

    kernel = "adjacency"
    unit = 1.0

    def __init__(self, bqm: dimod.BinaryQuadraticModel, initial: BitArray | None) -> None:
        found = binary_coefficients(bqm)
        self.offset = energy_of_zeros(bqm)
        self._lists = neighbours(found)
        self._betas = default_beta_range(found)
        self._initial = initial
        largest = max(np.abs(part).max(initial=0.0) for part in (found.field, found.coupling))
        self._tolerance = _TOLERANCE * float(largest)

    def begin(self, seed: int, number: int) -> CouplingRun:
        """Return the read of that number."""
        rng = state_of_read(np.uint64(seed), np.uint64(number))
        bits = None if self._initial is None else self._initial[number % len(self._initial)]
        return CouplingRun(self._lists, bits, rng)

    def rehearse(self) -> None:
        """Make a sweep of a single variable."""
        lists = neighbours(binary_coefficients(dimod.BinaryQuadraticModel({0: 1.0}, {}, "BINARY")))
        run = CouplingRun(lists, None, state_of_read(np.uint64(0), np.uint64(0)))
        run.advance(np.ones(1), -math.inf, np.empty(0))

    def default_schedule(self, number: int) -> Schedule:
        """Return the schedule between the betas of ``default_beta_range``."""
        return Schedule(*self._betas, _SWEEPS, "geometric")

    def relative(self, target_energy: float) -> float:
        """Return the target in units of ``Run.energy``, with a tolerance for rounding."""
        return super().relative(target_energy) + self._tolerance

    def bits(self, run: Run) -> BitArray:
        """Return the values of the variables, in their order."""
        assert isinstance(run, CouplingRun)
        return run.bits


class CouplingRun(Run):
    """A read by couplings; its energy is relative to the sample of zeros."""

    def __init__(self, lists: Neighbours, bits: BitArray | None, rng: RandomState) -> None:
        self._lists = lists
        self._rng = rng
        size = len(lists.field)
        if bits is None:
            seed = int(rng[0] >> np.uint64(1))
            bits = np.random.default_rng(seed).integers(0, 2, size, dtype=np.int8)
        self.bits = bits.astype(np.int8)
        self._effective = effective_fields(*lists, self.bits)
        both = self._effective + lists.field  # over set bits: couplings and biases, each twice
        self.energy = float(both @ self.bits) / 2

    def advance(self, betas: FloatArray, target: float, trace: FloatArray) -> int:
        """Make sweeps; see :class:`Run`."""
        start, neighbour, coupling, _ = self._lists
        state = self._effective, self.bits, self.energy
        self.energy, made = anneal_couplings(
            start, neighbour, coupling, *state, betas, target, self._rng, trace
        )
        trace[made - 1 : made] = self.energy  # also if the target cut the sweep short
        return made


class Neighbours(NamedTuple):
    """The coefficients of a BQM by variable, for ``anneal_couplings``, and its linear biases."""

    start: Int64Array
    neighbour: Int32Array
    coupling: FloatArray
    field: FloatArray


def neighbours(found: Coefficients) -> Neighbours:
    """Return the neighbours of each variable of a BQM."""
    size = len(found.field)
    source = np.concatenate([found.first, found.second])
    order = np.argsort(source, kind="stable")
    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=size), out=start[1:])
    return Neighbours(
        start,
        np.concatenate([found.second, found.first])[order],
        np.concatenate([found.coupling, found.coupling])[order],
        found.field,
    )


def default_beta_range(found: Coefficients) -> tuple[float, float]:
    """Return the first and the last beta of the default schedule.

    The first is ``log(2) / D``: the largest change D of the energy by one flip is accepted with
    probability 1/2. With biases f and couplings J over 0 and 1, D is the largest of
    ``|f_i + sum of the positive J_ij|`` and ``|f_i + sum of the negative J_ij|``. The last is
    ``log(100) / d``: the smallest change d above 0 is accepted with probability 1/100. Finding the
    smallest change is a subset sum problem; the smallest nonzero ``|f_i|`` or ``|J_ij|`` is used
    instead. ``dwave.samplers.SimulatedAnnealingSampler`` does the same, with a further factor for
    the number of variables. If all coefficients are 0, the result is `BETAS_WITHOUT_ENERGY`.
    """
    field, first, second, coupling = found
    largest = 0.0
    with np.errstate(over="ignore"):
        for part in (np.maximum(coupling, 0.0), np.minimum(coupling, 0.0)):
            reach = field.copy()
            for end in (first, second):
                reach += np.bincount(end, part, len(field))
            largest = max(largest, float(np.abs(reach).max(initial=0.0)))
    largest = min(largest, np.finfo(np.float64).max)
    sizes = np.abs(np.concatenate([field, coupling]))
    smallest = float(sizes[sizes > _ROUNDING * largest].min(initial=math.inf))
    if largest == 0 or smallest == math.inf:
        return BETAS_WITHOUT_ENERGY
    # A floor keeps the quotients finite.
    floor = 1e-300
    return math.log(2) / max(largest, floor), math.log(100) / max(smallest, floor)


def initial_queens(found: RecognisedBoard, initial: BitArray | None) -> list[FreeQueens | None]:
    """Return the queens of samples on the translated board; one None without samples.

    The samples are 0 and 1, of shape (samples, cells). The queens are in row-major order.
    """
    rows, columns = found.moved()
    order = np.lexsort((columns, rows))
    samples = () if initial is None else initial[:, order] == 1
    return [(rows[order][bits], columns[order][bits]) for bits in samples] or [None]


def energy_of_zeros(bqm: dimod.BinaryQuadraticModel) -> float:
    """Return the energy of the sample in which every variable is 0 (-1 in a SPIN model)."""
    if not math.isfinite(bqm.offset):
        raise InputError(f"the offset of the model must be finite, not {bqm.offset}")
    if bqm.vartype is dimod.BINARY:
        return float(bqm.offset)
    vectors = bqm.to_numpy_vectors(bqm.variables)
    return float(bqm.offset - vectors.linear_biases.sum() + vectors.quadratic.biases.sum())
