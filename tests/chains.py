"""Plain sequential Metropolis without random numbers, and reads by a kernel that a test chooses.

The states of a model of N variables are numbered 0..2^N-1: bit i is the variable ``variables[i]``,
so the order of bits is row-major, the order in which the kernels visit the cells.
"""

from dataclasses import replace

import numpy as np
from scipy.stats import chisquare

from qubo_queens.kernels.flip_cells import Cells
from qubo_queens.kernels.rng import random_state
from qubo_queens.samplers.annealers.flip import LineTask, begin_run
from qubo_queens.samplers.annealers.line_board import LineBoard
from qubo_queens.samplers.annealers.recognise import recognise

NO_TRACE = np.empty(0)
KERNELS = ("lines", "cells", "recognised")
"""The grid, the list of free cells, and the list that is made from a BQM, with its field."""


class ExactChain:
    """What single-flip Metropolis in the order of the variables does to any distribution."""

    def __init__(self, bqm):
        self.size = bqm.num_variables
        bits = np.arange(2**self.size)[:, None] >> np.arange(self.size) & 1
        self.energies = bqm.energies((bits.astype(np.int8), list(bqm.variables)))

    def boltzmann(self, beta):
        weights = np.exp(-beta * (self.energies - self.energies.min()))
        return weights / weights.sum()

    def after_sweep(self, chances, beta):
        """Return the distributions after a sweep, given those before it as columns."""
        chances = chances.copy()
        for bit in range(self.size):
            # The two values of the variable are the middle axis.
            off, on = np.moveaxis(self.energies.reshape(-1, 2, 2**bit), 1, 0)[..., None]
            up, down = _accepted(beta * (on - off)), _accepted(beta * (off - on))
            view = chances.reshape(-1, 2, 2**bit, chances.shape[1])
            was_off, was_on = view[:, 0].copy(), view[:, 1].copy()
            view[:, 0] = was_off * (1 - up) + was_on * down
            view[:, 1] = was_on * (1 - down) + was_off * up
        return chances

    def after(self, state, betas):
        """Return the distribution after sweeps that begin in one state."""
        chances = np.zeros((2**self.size, 1))
        chances[state] = 1
        for beta in betas:
            chances = self.after_sweep(chances, beta)
        return chances[:, 0]

    def sweeps_to_forget(self, beta, distance=0.01):
        """Return after how many sweeps every start gives the Boltzmann distribution.

        Up to a total variation `distance`; the number is a power of two. For up to 10 variables.
        """
        matrix, sweeps = self.after_sweep(np.eye(2**self.size), beta), 1
        goal = self.boltzmann(beta)[:, None]
        while np.abs(matrix - goal).sum(axis=0).max() / 2 > distance:
            matrix, sweeps = matrix @ matrix, 2 * sweeps
            assert sweeps <= 2**12, "the chain hardly mixes"
        return sweeps


def _accepted(cost):
    return np.exp(-np.maximum(cost, 0))


def board_for(model, kernel):
    """Return the board of a model to be swept by one of `KERNELS`, and its unit of energy."""
    if kernel == "recognised":
        found = recognise(model.bqm)
        return LineBoard.of_recognised(found), found.unit
    task = LineTask.of_model(model, [])
    return replace(task.board, cells=_cells(model, task.board.grid, kernel)), task.unit


def _cells(model, grid, kernel):
    if kernel == "lines":
        return None
    rows, columns = model.reduction.free_arrays
    places = np.searchsorted(grid.rows, rows), np.searchsorted(grid.columns, columns)
    lines = (*places, rows + columns, rows - columns + model.instance.n - 1)
    return Cells(*(line.astype(np.int32) for line in lines), np.zeros(len(rows), np.int64))


class Chain:
    """Reads of a model by one kernel, told by state numbers; all of them share a generator."""

    def __init__(self, model, kernel, seed, start=0):
        self._board, self._unit = board_for(model, kernel)
        self._rows, self._columns = model.reduction.free_arrays
        # A recognised board lies in the corner.
        corner = (self._rows.min(), self._columns.min()) if kernel == "recognised" else (0, 0)
        self._rows, self._columns = self._rows - corner[0], self._columns - corner[1]
        self._n = model.instance.n
        self._values = np.zeros(self._n**2, np.int64)
        self._values[self._rows * self._n + self._columns] = 1 << np.arange(len(self._rows))
        self._rng = random_state(np.uint64(seed))
        self.restart(start)

    def restart(self, state):
        chosen = state >> np.arange(len(self._rows)) & 1 == 1
        queens = self._rows[chosen], self._columns[chosen]
        self.run = begin_run(self._board, self._rng, queens)

    def sweep(self, betas):
        self.run.advance(np.asarray(betas) * self._unit, -np.inf, NO_TRACE)

    @property
    def state(self):
        rows, columns = self.run.queens()
        return int(self._values[rows * self._n + columns].sum())


def p_value(counts, expected):
    """Return the p-value of counts, with all rare outcomes taken together."""
    assert not np.any(counts[expected == 0]), "an impossible outcome"
    rare = expected < 5
    pooled = counts[rare].sum(), expected[rare].sum()
    counts, expected = counts[~rare], expected[~rare]
    if pooled[1] >= 5:
        counts, expected = np.append(counts, pooled[0]), np.append(expected, pooled[1])
    else:
        counts[-1] += pooled[0]
        expected[-1] += pooled[1]
    if len(counts) == 1:
        return 1.0
    return chisquare(counts, expected * (counts.sum() / expected.sum())).pvalue
