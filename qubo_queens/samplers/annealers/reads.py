"""What our own annealers return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dimod
import numpy as np

from qubo_queens.board.lines import IntArray, coordinates
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduction import Reduction
from qubo_queens.encodings.model import Model
from qubo_queens.samplers.annealers.schedule import FloatArray


def merged(reduction: Reduction, queens: tuple[IntArray, IntArray]) -> Placement:
    """Return the board of free queens, in row-major order, and those of the reduction."""
    rows, columns = queens
    if reduction.queens:
        given_rows, given_columns = coordinates(reduction.queens)
        # Merged in the order of rows, which spares a sort where a row has one queen.
        before = np.searchsorted(rows, given_rows)
        rows = np.insert(rows, before, given_rows)
        columns = np.insert(columns, before, given_columns)
    return Placement.from_arrays(rows, columns, reduction.instance.n)


@dataclass(frozen=True, eq=False)
class Reads:
    """The reads of one call, in their order.

    Attributes:
        model: What was sampled.
        queens: For each read, the rows and columns of the queens on free cells.
        energies: The energy of each read, of shape (reads,).
        num_sweeps: The number of sweeps that each read made, of shape (reads,).
        traces: The energy of each read after every `trace_interval` sweeps; empty unless asked for.
        info: The `kernel` that was used (``lines``, ``cells``, ``adjacency`` or ``swap``), the
            `beta_range` and `num_sweeps` of the first read, the `seed`, and the `timing` in
            nanoseconds.
    """

    model: Model
    queens: Sequence[tuple[IntArray, IntArray]]
    energies: FloatArray
    num_sweeps: IntArray
    traces: Sequence[FloatArray]
    info: dict[str, Any]

    def __len__(self) -> int:
        """Return the number of reads."""
        return len(self.queens)

    def __iter__(self) -> Iterator[Placement]:
        """Iterate over the boards."""
        return map(self.placement, range(len(self)))

    def __repr__(self) -> str:
        lowest = self.energies[self.best_index]
        return f"<Reads: {len(self)}, lowest energy {lowest:g}, {self.info['kernel']} kernel>"

    @property
    def best_index(self) -> int:
        """The number of the read with the lowest energy, the first one of several."""
        return int(np.argmin(self.energies))

    def placement(self, number: int) -> Placement:
        """Return the board of a read, prescribed and forced queens merged in."""
        return merged(self.model.reduction, self.queens[number])

    @cached_property
    def best_placement(self) -> Placement:
        """The board of the read with the lowest energy."""
        return self.placement(self.best_index)

    def sampleset(self) -> dimod.SampleSet:
        """Return the reads as a sample set, vartype BINARY, labelled by cells.

        A value for each variable is written out, which costs seconds and gigabytes for boards of
        some thousand rows.
        """
        rows, columns = self.model.reduction.free_arrays
        n = self.model.instance.n
        places = rows * n + columns  # ascending
        samples = np.zeros((len(self), len(places)), dtype=np.int8)
        for sample, (row, column) in zip(samples, self.queens, strict=True):
            sample[np.searchsorted(places, row * n + column)] = 1
        sampleset: dimod.SampleSet = dimod.SampleSet.from_samples(
            (samples, list(self.model.variables)),
            vartype=dimod.BINARY,
            energy=self.energies,
            info={**self.info, "traces": [trace.tolist() for trace in self.traces]},
            num_sweeps=self.num_sweeps,
            sort_labels=False,
        )
        return sampleset
