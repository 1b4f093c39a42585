"""The chains of the board kernels against plain sequential Metropolis, computed exactly.

The exact side knows the coefficients of the BQM only. Kernels pass over proposals without drawing
for each, so only distributions can be compared, not single reads.
"""

import numpy as np
import pytest
from chains import KERNELS, Chain, ExactChain, p_value

from qubo_queens import Instance, build

SURELY_WRONG = 1e-4
"""Below this p-value a test fails; seeds are fixed, so a right kernel passes always or never."""

STRENGTHS = [(1, 2), (1, 1), (2, 3)]
HEATS = [((1, 2), 0.3), ((1, 2), 1.2), ((1, 1), 0.5), ((1, 1), 1.5), ((2, 3), 0.2)]
BLOCKED = {0: (0, 2, 4), 1: (1, 2, 3), 2: (0, 2, 3), 3: (1, 3, 4), 4: (0, 2, 3)}
FEW_FREE = Instance(5, blocked=[(row, column) for row in BLOCKED for column in BLOCKED[row]])
ATTACKED = Instance(3, [(0, 1)])
ATTACKED_ROWS = Instance(4, [(1, 0), (2, 3)], blocked=[(0, 0), (0, 3), (3, 1), (3, 2)])
LOST_DIAGONALS = Instance(4, excluded_sums=[1, 6], excluded_differences=[0])

kernels = pytest.mark.parametrize("kernel", KERNELS)


def model_of(instance, strengths=(1, 2), mode="lines"):
    row_column, diagonal = strengths
    options = {} if diagonal else {"relaxation": "rooks"}
    return build(
        instance,
        row_column_strength=row_column,
        diagonal_strength=diagonal,
        reduce=mode,
        **options,
    )


def assert_same_steps(model, kernel, start, betas, reads):
    """Compare where reads of a few sweeps end with where exact chains end."""
    chances = ExactChain(model.bqm).after(start, betas)
    chain = Chain(model, kernel, seed=start)
    counts = np.zeros(len(chances))
    for _ in range(reads):
        chain.restart(start)
        chain.sweep(betas)
        counts[chain.state] += 1
    assert p_value(counts, reads * chances) > SURELY_WRONG


@kernels
@pytest.mark.parametrize(("strengths", "beta"), HEATS[1:4])
def test_one_sweep_of_two_rows_from_every_state(kernel, strengths, beta):
    model = model_of(2, strengths)
    for start in range(16):
        assert_same_steps(model, kernel, start, [beta], reads=600)


@kernels
@pytest.mark.parametrize("betas", [[0.6], [0.1, 1.5, 0.4]])
@pytest.mark.parametrize(
    ("instance", "strengths", "mode"),
    [
        (3, (1, 2), "lines"),
        (4, (2, 3), "lines"),
        (3, (1, 0), "lines"),
        (FEW_FREE, (1, 1), "lines"),
        (ATTACKED, (1, 2), "none"),
        (ATTACKED_ROWS, (2, 3), "none"),
        (ATTACKED_ROWS, (1, 1), "none"),
        (Instance(5, [(0, 1)]), (1, 1), "lines"),
        (LOST_DIAGONALS, (1, 2), "lines"),
    ],
    ids=["3", "4", "rooks", "blocked", "fixed", "fixed and blocked", "again", "lines", "excluded"],
)
def test_a_few_sweeps_from_some_states(kernel, betas, instance, strengths, mode):
    model = model_of(instance, strengths, mode)
    size = min(model.num_variables, 16)
    for start in np.random.default_rng(size).integers(0, 2**size, 3).tolist():
        assert_same_steps(model, kernel, start, betas, reads=700)


@kernels
@pytest.mark.parametrize(("strengths", "beta"), HEATS)
@pytest.mark.parametrize("instance", [2, 3, FEW_FREE], ids=["2", "3", "blocked"])
def test_a_long_chain_has_the_boltzmann_distribution(kernel, strengths, beta, instance):
    model = model_of(instance, strengths)
    exact = ExactChain(model.bqm)
    weights = exact.boltzmann(beta)
    assert np.allclose(exact.after_sweep(weights[:, None], beta)[:, 0], weights)
    betas = np.full(exact.sweeps_to_forget(beta), beta)
    chain, counts = Chain(model, kernel, seed=7), np.zeros(len(weights))
    for _ in range(1500):
        chain.sweep(betas)
        counts[chain.state] += 1
    assert p_value(counts, 1500 * weights) > SURELY_WRONG


@kernels
@pytest.mark.parametrize("beta", [0.25, 0.8])
def test_a_long_chain_on_four_rows_has_the_boltzmann_distribution_of_energies(kernel, beta):
    model = model_of(4)
    exact = ExactChain(model.bqm)
    weights, betas = exact.boltzmann(beta), np.full(32, beta)
    for start in (0, 2**16 - 1):  # far from equilibrium, and yet forgotten between samples
        assert np.abs(exact.after(start, betas) - weights).sum() / 2 < 0.02
    chain, visits = Chain(model, kernel, seed=3), np.zeros(len(weights))
    for _ in range(4000):
        chain.sweep(betas)
        visits[chain.state] += 1
    energies, level = np.unique(exact.energies, return_inverse=True)
    counts, expected = (np.bincount(level, w, len(energies)) for w in (visits, 4000 * weights))
    assert p_value(counts, expected) > SURELY_WRONG
    for cells in (range(4), (0, 3, 12, 15), (0, 5, 10, 15), (5, 6, 9, 10)):
        queens = sum(np.arange(2**16) >> cell & 1 for cell in cells)
        counts, expected = (np.bincount(queens, w, 5) for w in (visits, 4000 * weights))
        assert p_value(counts, expected) > SURELY_WRONG


@kernels
@pytest.mark.parametrize("strengths", [*STRENGTHS, (1, 0)])
@pytest.mark.parametrize(
    ("instance", "mode"), [(1, "lines"), (5, "lines"), (FEW_FREE, "lines"), (ATTACKED, "none")]
)
def test_at_beta_zero_a_sweep_flips_every_free_cell(kernel, strengths, instance, mode):
    model = model_of(instance, strengths, mode)
    everywhere = 2**model.num_variables - 1
    for start in (0, everywhere, 0b10110 & everywhere):
        chain = Chain(model, kernel, seed=1, start=start)
        for _ in range(3):
            before = chain.state
            chain.sweep([0.0])
            assert chain.state == everywhere ^ before


@kernels
def test_without_heat_the_energy_never_rises(kernel):
    chain = Chain(model_of(8), kernel, seed=1)
    energies = [chain.run.energy]
    for _ in range(200):
        chain.sweep([1e9])
        energies.append(chain.run.energy)
    assert energies == sorted(energies, reverse=True)


@kernels
def test_changes_beyond_the_tabulated_ones_have_their_probability(kernel):
    model = model_of(2, (3, 40))  # 3 units for a row or column, 20 for a diagonal
    for start in range(0, 16, 5):
        assert_same_steps(model, kernel, start, [0.02], reads=1000)
