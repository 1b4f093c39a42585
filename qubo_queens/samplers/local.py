"""The samplers that run on this machine, and the parameters with which they suit these models."""

from __future__ import annotations

from typing import Any

from qubo_queens.encodings.model import Model
from qubo_queens.samplers.annealers.interface import PARAMETERS
from qubo_queens.samplers.entry import SamplerEntry


def _neal_defaults(model: Model, time_limit: float | None) -> dict[str, Any]:
    """Return the schedule of the encoding; its betas are in units of 1 / row_column strength.

    The sampler's own range of betas starts far too hot for these energies.
    """
    schedule, unit = model.neal_schedule, model.strengths.row_column
    hot, cold = schedule.beta_range
    return {"beta_range": (hot / unit, cold / unit), "num_sweeps": schedule.num_sweeps}


def _tabu_defaults(model: Model, time_limit: float | None) -> dict[str, Any]:
    """Stop at energy 0, and give each read time to get there.

    The sampler compares its threshold with energies without the offset. Its timeout, in
    milliseconds, has to grow with the square of the number of variables (2 s at n = 100); it is
    kept within the time limit.
    """
    timeout = max(20, model.num_variables**2 // 50_000)
    if time_limit is not None:
        timeout = max(1, min(timeout, int(1000 * time_limit)))
    return {"energy_threshold": -model.offset, "timeout": timeout}


def _tabu_reads(model: Model) -> int:
    """Return how many reads fit in about ten seconds, at least 10."""
    return max(10, 10_000 // int(_tabu_defaults(model, None)["timeout"]))


def _annealing_reads(model: Model) -> int:
    """Return about a million variables' worth of reads, within 100 to 10,000."""
    return min(10_000, max(100, 1_000_000 // max(1, model.num_variables)))


ENTRIES = (
    SamplerEntry(
        name="flip",
        target="qubo_queens.samplers.annealers.flip:FlipSampler",
        description="our single-flip annealer by line counts; for boards of any kind and size",
        package="qubo-queens",
        accepts=("board", "bqm"),
        parameters=tuple(PARAMETERS),
        default_reads=_annealing_reads,
    ),
    SamplerEntry(
        name="swap",
        target="qubo_queens.samplers.annealers.swap:SwapSampler",
        description="our annealer over permutations; for the largest boards and completions",
        package="qubo-queens",
        accepts=("board",),
        parameters=tuple(PARAMETERS),
        default_reads=lambda model: min(1000, _annealing_reads(model)),  # failed reads take long
    ),
    SamplerEntry(
        name="neal",
        target="neal:SimulatedAnnealingSampler",
        description="simulated annealing",
        package="dwave-neal",
        parameters=(
            *("num_reads", "num_sweeps", "num_sweeps_per_beta", "beta_range"),
            *("beta_schedule_type", "beta_schedule", "seed", "initial_states"),
            *("initial_states_generator", "interrupt_function", "randomize_order"),
            "proposal_acceptance_criteria",
        ),
        defaults=_neal_defaults,
        default_reads=_annealing_reads,
    ),
    SamplerEntry(
        name="tabu",
        target="dwave.samplers:TabuSampler",
        description="tabu search; a read ends after `timeout` milliseconds, so a seed repeats it "
        "only roughly",
        package="dwave-samplers",
        parameters=(
            *("num_reads", "timeout", "tenure", "energy_threshold", "num_restarts", "seed"),
            *("initial_states", "initial_states_generator", "coefficient_z_first"),
            *("coefficient_z_restart", "lower_bound_z"),
        ),
        defaults=_tabu_defaults,
        default_reads=_tabu_reads,
    ),
    SamplerEntry(
        name="steepest-descent",
        target="dwave.samplers:SteepestDescentSampler",
        description="steepest descent from random states; fast, and often stuck",
        package="dwave-samplers",
        parameters=(
            *("num_reads", "seed", "initial_states", "initial_states_generator"),
            "large_sparse_opt",
        ),
        default_reads=_annealing_reads,
    ),
)
