"""Finding embeddings."""

from __future__ import annotations

import random

import dimod

from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.embedding.candidates import LARGEST_SEED, METHODS, Method, Task, candidates
from qubo_queens.embedding.embedding import Embedding
from qubo_queens.embedding.topology import TopologyLike, as_topology
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError


def find_embedding(
    model: Model | dimod.BinaryQuadraticModel,
    topology: TopologyLike,
    *,
    method: Method = "auto",
    seed: int | None = None,
    time_limit: float = 60,
    tries: int = 4,
) -> Embedding | None:
    """Look for an embedding: a chain of qubits for each variable, so that all interactions exist.

    Of the embeddings found, that with the shortest longest chain is returned, of several the one
    with the fewest qubits. Each is checked (``Embedding.faults``) before it counts. Its ``method``
    says what was done.

    Args:
        model: The model, or any BQM. A ladder is known by its labels and its degree, so its bare
            BQM is as good as the model.
        topology: The chip, as for ``as_topology``: ``zephyr:15``, ``pegasus:16``, ...
        method: ``lattice`` lays a ``ladder`` model out by its rows and columns: on Zephyr and
            Pegasus by a construction, in milliseconds; where that does not fit, or the chip has
            faults, it is where minorminer starts. ``clique`` takes a complete graph of that many
            variables. ``minorminer`` searches from nothing. ``auto`` takes the construction if its
            chains are of at most 2 qubits, the complete graph if a fifth of all pairs interact
            and it fits (up to 40 variables it also searches for about 2 seconds), and else the best
            of all that apply.
        seed: The seed of the searches, 0..2**31 - 1; by default another one each time.
        time_limit: Seconds after which searches end, give or take 5. Ctrl-C ends them as well: what
            has been found by then is returned.
        tries: How many searches, at least 1.

    Returns:
        The embedding, or None if none was found, which does not prove that there is none.

    Raises:
        InputError: If an argument is out of range, or the method does not apply to the model or
            to the chip.
        MissingPackageError: If the ``cloud`` extra is not installed.
        SolverError: If minorminer ends without an answer.
    """
    if method not in METHODS:
        raise InputError(f"method {shown(method)} is unknown; choose one of {', '.join(METHODS)}")
    positive_number(time_limit, "time_limit")
    int_in_range(tries, "tries", 1, 10**6)
    if seed is None:
        seed = random.randrange(LARGEST_SEED)
    int_in_range(seed, "seed", 0, LARGEST_SEED)
    task = Task(_bqm(model), as_topology(topology), seed, time_limit, tries)
    _check_method(method, task)
    best: Embedding | None = None
    try:
        for found in candidates(task, method):
            best = _better(best, found)
    except KeyboardInterrupt:
        if best is None:
            raise
    return best


def _bqm(model: object) -> dimod.BinaryQuadraticModel:
    if isinstance(model, Model):
        return model.bqm
    if isinstance(model, dimod.BinaryQuadraticModel):
        return model
    raise InputTypeError(
        f"find_embedding needs a Model or a BQM, not {type(model).__name__}; "
        "make one with build(instance, encoding='ladder')"
    )


def _check_method(method: Method, task: Task) -> None:
    name = shown(task.topology.name, 100)
    if method == "lattice" and task.board is None and task.edges:
        raise InputError(
            "method lattice lays cells and chain bits out on the chip, which this model has not; "
            "take encoding ladder or another method"
        )
    if method == "lattice" and task.topology.family is None:
        raise InputError(
            f"method lattice does not apply to {name}: where its qubits lie is not known; "
            "state its 'topology' in the file, or take method minorminer"
        )
    if method == "clique" and not task.has_cliques:
        raise InputError(
            f"method clique does not apply to {name}: complete graphs are known for pegasus, "
            "chimera, and zephyr with tiles of at most 4 qubits; take method minorminer"
        )


def _better(best: Embedding | None, found: Embedding | None) -> Embedding | None:
    """Return the embedding with the shorter longest chain, then the one with fewer qubits."""
    if best is None or found is None:
        return best or found
    ahead = (found.longest_chain, found.num_qubits) < (best.longest_chain, best.num_qubits)
    return found if ahead else best
