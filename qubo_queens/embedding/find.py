"""Finding embeddings."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args

import dimod

from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.embedding.embedding import Chains, Embedding
from qubo_queens.embedding.geometry import BoardLabels, board_labels
from qubo_queens.embedding.lattice import placements, starts
from qubo_queens.embedding.minorminer import search
from qubo_queens.embedding.prune import prune
from qubo_queens.embedding.topology import Topology, as_topology, cloud_package
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError

Method = Literal["auto", "lattice", "clique", "minorminer"]
METHODS: tuple[Method, ...] = get_args(Method)

_LARGEST_SEED = 2**31 - 1
_LARGEST_CLIQUE_TILE = 4
"""The largest tile size of Zephyr that minorminer knows cliques for."""

_LARGEST_DEGREE = 8
"""The most interactions that a variable of a ladder has."""

_SHORT = 2
"""The length of chains that no search is going to shorten."""

_DENSE = 0.2
"""The share of pairs that interact from which on a complete graph is better than a search."""

_MOST_PLACEMENTS = 400
"""How many placements are looked at: on a chip with faults one is looked for that avoids them."""


def find_embedding(
    model: Model | dimod.BinaryQuadraticModel,
    topology: Topology | str | os.PathLike[str],
    *,
    method: Method = "auto",
    seed: int | None = None,
    time_limit: float = 60,
    tries: int = 4,
) -> Embedding | None:
    """Look for an embedding: a chain of qubits for each variable, so that all interactions exist.

    Of the embeddings found, that with the shortest longest chain is returned, of several the one
    with the fewest qubits. Each is checked (``Embedding.verify``) before it counts.

    Args:
        model: The model, or any BQM.
        topology: The chip, as for ``as_topology``: ``zephyr:15``, ``pegasus:16``, ...
        method: ``lattice`` places a ``ladder`` model by its rows and columns: on Zephyr and Pegasus
            by a construction, in milliseconds; where that does not fit, or the chip has faults, it
            is where minorminer starts. ``clique`` takes a complete graph of that many variables.
            ``minorminer`` searches from nothing. ``auto`` takes the construction if its
            chains are of at most 2 qubits, the complete graph if a fifth of all pairs interact
            and it fits, and else the best of all that apply.
        seed: The seed of the searches, 0..2**31 - 1; by default another one each time.
        time_limit: Seconds after which searches end, give or take 5. Ctrl-C ends them as well: what
            has been found by then is returned.
        tries: How many searches, at least 1.

    Returns:
        The embedding, or None if none was found, which does not prove that there is none.

    Raises:
        InputError: If an argument is out of range, or the method does not apply.
        SolverUnavailableError: If the ``cloud`` extra is not installed.
    """
    if method not in METHODS:
        raise InputError(f"method {shown(method)} is unknown; choose one of {', '.join(METHODS)}")
    positive_number(time_limit, "time_limit")
    int_in_range(tries, "tries", 1, 10**6)
    if seed is None:
        seed = random.randrange(_LARGEST_SEED)
    int_in_range(seed, "seed", 0, _LARGEST_SEED)
    task = _Task(_bqm(model), as_topology(topology), seed, time_limit, tries)
    if method == "lattice" and task.board is None:
        raise InputError(
            "method lattice places cells and chain bits on the chip, which this model has not; "
            "take encoding ladder or another method"
        )
    best: Embedding | None = None
    try:
        for name, chains in _candidates(task, method):
            best = _better(best, task.finished(name, chains))
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


@dataclass(frozen=True, eq=False)
class _Task:
    """What is to be embedded where, and how long that may take."""

    bqm: dimod.BinaryQuadraticModel
    topology: Topology
    seed: int
    time_limit: float
    tries: int
    started: float = field(default_factory=time.perf_counter)

    @cached_property
    def edges(self) -> list[tuple[Any, Any]]:
        return list(self.bqm.quadratic)

    @cached_property
    def board(self) -> BoardLabels | None:
        """Where the variables lie; None for a model that is no ladder."""
        if max(self.bqm.degrees(array=True), default=0) > _LARGEST_DEGREE:
            return None
        found = board_labels(self.bqm.variables)
        return found if found and found.spans else None

    @property
    def density(self) -> float:
        """The share of the pairs of variables that interact; there are at least two variables."""
        variables = self.bqm.num_variables
        return 2 * len(self.edges) / (variables * (variables - 1))

    @property
    def left(self) -> float:
        """The seconds left."""
        return self.started + self.time_limit - time.perf_counter()

    def faults(self, chains: Chains) -> int:
        """Return how much is wrong with such chains."""
        found = Embedding(chains, self.topology.name, "", 0.0)
        return len(found.verify(self.edges, self.topology.graph))

    def finished(self, method: str, chains: Chains) -> Embedding | None:
        """Return the embedding of such chains, in the order of the variables; None if it is none.

        Variables without interactions get a qubit that is left over.
        """
        used = {qubit for chain in chains.values() for qubit in chain}
        spare = (qubit for qubit in self.topology.graph if qubit not in used)
        whole = {v: tuple(chains.get(v) or islice(spare, 1)) for v in self.bqm.variables}
        if self.faults(whole):
            return None
        pruned = prune(whole, self.edges, self.topology.graph)
        seconds = time.perf_counter() - self.started
        return Embedding(pruned, self.topology.name, method, seconds)


def _candidates(task: _Task, method: Method) -> Iterator[tuple[str, Chains]]:
    """Yield chains, not all of which need to be embeddings."""
    if task.bqm.num_variables > len(task.topology.graph):
        return
    if not task.edges:
        yield method, {}
        return
    begins: list[Chains] = []
    if method in ("auto", "lattice") and task.board is not None:
        nearest, faults = _nearest_placement(task, task.board)
        if nearest is not None and not faults:
            yield "lattice", nearest
            if method == "lattice" or max(map(len, nearest.values())) <= _SHORT:
                return
        begins = starts(task.board, task.topology, nearest)
    if method in ("auto", "clique"):
        clique = _clique(task)
        yield "clique", clique
        if method == "auto" and clique and task.density >= _DENSE:
            return
    if method != "clique":
        name = "lattice + minorminer" if begins else "minorminer"
        yield from ((name, chains) for chains in _searches(task, begins or [{}]))


def _nearest_placement(task: _Task, board: BoardLabels) -> tuple[Chains | None, int]:
    """Return the placement with the fewest faults, and their number."""
    best: tuple[Chains | None, int] = (None, 0)
    for number, chains in enumerate(placements(board, task.topology)):
        faults = task.faults(chains)
        if best[0] is None or faults < best[1]:
            best = chains, faults
        if not best[1] or number >= _MOST_PLACEMENTS or task.left < 0:
            break
    return best


def _clique(task: _Task) -> Chains:
    """Return chains each of which meets each other; none if the chip is too small for that."""
    topology = task.topology
    is_zephyr = topology.family == "zephyr"
    if topology.family is None or (is_zephyr and topology.tile > _LARGEST_CLIQUE_TILE):
        return {}
    find = cloud_package("minorminer.busclique").find_clique_embedding
    labels = list(task.bqm.variables)
    # Asked for no more than 2t variables, minorminer 0.2.22 does not return on some chips.
    number = max(len(labels), 2 * topology.tile + 1)
    found = find(number, topology.graph, seed=task.seed, use_cache=False)
    return {label: tuple(found[k]) for k, label in enumerate(labels)} if found else {}


def _searches(task: _Task, begins: list[Chains]) -> Iterator[Chains]:
    """Yield what minorminer finds, from one start and one seed after the other."""
    for number in range(task.tries):
        if task.left <= 0:
            return
        seed = (task.seed + number) % (_LARGEST_SEED + 1)
        begin = begins[number % len(begins)]
        yield search(task.edges, task.topology.graph, begin, seed, task.left)


def _better(best: Embedding | None, found: Embedding | None) -> Embedding | None:
    """Return the embedding with the shorter longest chain, then the one with fewer qubits."""
    if best is None or found is None:
        return best or found
    ahead = (found.longest_chain, found.num_qubits) < (best.longest_chain, best.num_qubits)
    return replace(found if ahead else best, seconds=found.seconds)
