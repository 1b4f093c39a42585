"""What is tried to embed a model, in which order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args

import dimod

from qubo_queens.embedding.embedding import Chains, Embedding
from qubo_queens.embedding.geometry import BoardLabels, board_labels
from qubo_queens.embedding.lattice import layouts, starts
from qubo_queens.embedding.minor_search import GRACE_S, search
from qubo_queens.embedding.prune import prune
from qubo_queens.embedding.topology import Topology, cloud_package

Method = Literal["auto", "lattice", "clique", "minorminer"]
METHODS: tuple[Method, ...] = get_args(Method)

LARGEST_SEED = 2**31 - 1

_LARGEST_DEGREE = 8
"""The most interactions that a variable of a ladder has."""

_LARGEST_CLIQUE_TILE = 4
"""The largest tile size of Zephyr that minorminer knows cliques for."""

_SHORT = 2
"""The length of chains that no search is going to shorten."""

_DENSE = 0.2
"""The share of pairs that interact from which on a complete graph is better than a long search."""

_FEW = 40
"""Up to so many variables a short search may be better than a complete graph."""

_SHORT_SEARCH_S = 2.0
_SHORT_GRACE_S = 0.5

_MOST_LAYOUTS = 400
"""How many layouts are looked at: on a chip with faults one is looked for that avoids them."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be embedded where, and how long that may take."""

    bqm: dimod.BinaryQuadraticModel
    topology: Topology
    seed: int
    time_limit: float
    tries: int
    started: float = field(default_factory=time.perf_counter)

    @cached_property
    def edges(self) -> list[tuple[Any, Any]]:
        """The interactions."""
        return list(self.bqm.quadratic)

    @cached_property
    def board(self) -> BoardLabels | None:
        """Where the variables lie; None for a model that is no ladder."""
        if max(self.bqm.degrees(array=True), default=0) > _LARGEST_DEGREE:
            return None
        found = board_labels(self.bqm.variables)
        return found if found and found.spans else None

    @property
    def has_cliques(self) -> bool:
        """Whether embeddings of complete graphs are known for the chip."""
        family, tile = self.topology.family, self.topology.tile
        return family is not None and (family != "zephyr" or tile <= _LARGEST_CLIQUE_TILE)

    @property
    def density(self) -> float:
        """The share of the pairs of variables that interact; there are at least two variables."""
        variables = self.bqm.num_variables
        return 2 * len(self.edges) / (variables * (variables - 1))

    @property
    def left(self) -> float:
        """The seconds left."""
        return self.started + self.time_limit - time.perf_counter()

    def lost(self, chains: Chains) -> int:
        """Return how many interactions have no coupler: a quick look before the whole check."""
        near = self.topology.graph.adj
        return sum(
            not any(b in near[a] for a in chains[first] for b in chains[second])
            for first, second in self.edges
        )

    def finished(self, method: str, chains: Chains) -> Embedding | None:
        """Return the embedding of such chains, in the order of the variables; None if it is none.

        Variables without interactions get a qubit that is left over.
        """
        used = {qubit for chain in chains.values() for qubit in chain}
        spare = (qubit for qubit in self.topology.graph if qubit not in used)
        whole = {v: tuple(chains.get(v) or islice(spare, 1)) for v in self.bqm.variables}
        name = self.topology.name
        if not all(whole.values()) or Embedding(whole, name, method, 0.0).faults(
            self.edges, self.topology
        ):
            return None
        pruned = prune(whole, self.edges, self.topology.graph)
        return Embedding(pruned, name, method, time.perf_counter() - self.started)


def candidates(task: Task, method: Method) -> Iterator[Embedding | None]:
    """Yield embeddings, the cheap ones first; None for an attempt that failed."""
    if task.bqm.num_variables > len(task.topology.graph):
        return
    if not task.edges:
        yield task.finished("single qubits", {})
        return
    if not task.topology.graph.number_of_edges():
        return
    begins: list[Chains] = []
    if method in ("auto", "lattice") and task.board is not None:
        found, layout = _laid_out(task, task.board)
        yield found
        if found is not None and (method == "lattice" or found.longest_chain <= _SHORT):
            return
        begins = starts(task.board, task.topology, layout)
    if method in ("auto", "clique") and task.has_cliques:
        found = _clique(task)
        yield found
        if method == "auto" and found is not None and task.density >= _DENSE:
            if task.bqm.num_variables <= _FEW:
                yield _searched(task, {}, 0, _SHORT_SEARCH_S, _SHORT_GRACE_S)
            return
    if method != "clique":
        for number in range(task.tries):
            if task.left <= 0:
                return
            yield _searched(task, begins[number % len(begins)] if begins else {}, number)


def _laid_out(task: Task, board: BoardLabels) -> tuple[Embedding | None, Chains | None]:
    """Return the first layout that is an embedding, or else the one that has lost the least."""
    closest: Chains | None = None
    least = 0
    for chains in islice(layouts(board, task.topology), _MOST_LAYOUTS):
        lost = task.lost(chains)
        if not lost and (found := task.finished("lattice", chains)):
            return found, chains
        if closest is None or lost < least:
            closest, least = chains, lost
        if task.left < 0:
            break
    return None, closest


def _clique(task: Task) -> Embedding | None:
    """Return chains each of which meets each other; None if the chip is too small for that."""
    find = cloud_package("minorminer.busclique").find_clique_embedding
    labels = list(task.bqm.variables)
    # Asked for no more than 2t variables, minorminer 0.2.22 does not return on some chips.
    number = max(len(labels), 2 * task.topology.tile + 1)
    found = find(number, task.topology.graph, seed=task.seed, use_cache=False)
    if not found:
        return None
    return task.finished("clique", {label: tuple(found[k]) for k, label in enumerate(labels)})


def _searched(
    task: Task, begin: Chains, number: int, most: float | None = None, grace: float = GRACE_S
) -> Embedding | None:
    """Return what minorminer finds with the `number`-th seed, in at most so many seconds."""
    seed = (task.seed + number) % (LARGEST_SEED + 1)
    seconds = task.left if most is None else min(most, task.left)
    if seconds <= 0:
        return None
    chains = search(task.edges, task.topology.graph, begin, seed, seconds, grace)
    name = "lattice + minorminer" if begin else "minorminer"
    return task.finished(name, chains) if chains else None
