"""The public names as users write them, with the types that mypy must find.

mypy checks this file with the package (``files`` in pyproject.toml); test_docstrings.py runs it.
"""

from __future__ import annotations

from typing import Any, assert_type

import dimod
import numpy as np
import numpy.typing as npt
from dimod.core.sampler import Sampler

from qubo_queens import (
    Embedding,
    FlipSampler,
    Instance,
    Model,
    Placement,
    Status,
    build,
    build_cqm,
    build_dqm,
    count,
    find_embedding,
    forecast,
    generate,
    get_sampler,
    list_encodings,
    prove,
    read_instance,
    read_instances,
    reduce,
    solutions,
    solve,
    solve_many,
    verify,
    write_instance,
)
from qubo_queens.board.instance import Contradiction
from qubo_queens.board.lines import Cell
from qubo_queens.board.reduction import Reduction
from qubo_queens.board.verify import Verification
from qubo_queens.encodings.dqm import DiscreteRowModel
from qubo_queens.encodings.forecast import Forecast
from qubo_queens.exact.count import Count
from qubo_queens.exact.prove import ProofResult
from qubo_queens.solving.result import SolveResult


def boards() -> None:
    """Instances, their files, and what is known of a board."""
    instance = Instance(8, [(3, 3), (4, 1)], blocked=[(0, 0)], excluded_sums=[5])
    assert_type(instance.queens, tuple[Cell, ...])
    assert_type(instance.contradictions(), tuple[Contradiction, ...])
    assert_type(read_instance("Q..\n...\n...\n"), Instance)
    assert_type(read_instances("4 1 2 4 3\n", base=1), list[Instance])
    assert_type(write_instance(instance), str)
    assert_type(generate.planted(8, 3, seed=1), Instance)
    assert_type(reduce(instance), Reduction)
    placement = Placement.from_columns([1, 3, 0, 2])
    assert_type(placement.cells, tuple[Cell, ...])
    assert_type(verify(4, placement), Verification)


def models() -> None:
    """Models, their samples and their siblings."""
    assert_type(list_encodings(), list[str])
    model = build(Instance(4, [(0, 1)]), "row", diagonal_strength=2)
    assert_type(model, Model)
    assert_type(model.bqm, dimod.BinaryQuadraticModel)
    sample = dict.fromkeys(model.variables, 0)
    assert_type(model.energies(sample), dict[str, float])
    bits = np.zeros((2, model.num_variables), np.int8)
    assert_type(model.sample_energies(bits), npt.NDArray[np.float64])
    assert_type(model.num_violated(sample), int)
    assert_type(forecast(1000), Forecast)
    assert_type(build_cqm(4), dimod.ConstrainedQuadraticModel)
    assert_type(build_dqm(4), DiscreteRowModel)
    assert_type(find_embedding(build(2), "chimera:2", seed=1), Embedding | None)


def answers() -> None:
    """Answers of ``solve``, ``prove``, ``count`` and ``solutions``."""
    result = solve(8, sampler=FlipSampler(), seed=1, num_reads=20, time_limit=10, num_sweeps=100)
    assert_type(result, SolveResult)
    assert_type(result.status, Status)
    assert_type(result.placement, Placement | None)
    assert_type(result.to_dict(), dict[str, Any])
    for each in solve_many([Instance(4), 5], seed=1):
        assert_type(each, SolveResult)
    assert_type(get_sampler("neal"), Sampler)
    assert_type(prove(Instance(4, [(0, 0)])), ProofResult)
    assert_type(count(6, up_to_symmetry=True), Count)
    for board in solutions(6, 2):
        assert_type(board, Placement)


for example in (boards, models, answers):
    example()
