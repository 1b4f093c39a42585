"""``find_embedding``, and the methods that it tries."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args

import dimod

from qubo_queens.checks import int_in_range, positive_number, shown
from qubo_queens.embedding.embedding import Chains, Embedding, pruned
from qubo_queens.embedding.labels import BoardLabels, board_labels
from qubo_queens.embedding.minor_search import GRACE_S, search, starts
from qubo_queens.embedding.pegasus import pegasus_chains, pegasus_shifts
from qubo_queens.embedding.topology import Topology, TopologyLike, cloud_package
from qubo_queens.embedding.zephyr import zephyr_chains, zephyr_shifts
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError

Method = Literal["auto", "lattice", "clique", "minorminer"]
METHODS: tuple[Method, ...] = get_args(Method)

LARGEST_SEED = 2**31 - 1

_LARGEST_DEGREE = 8
"""The largest number of interactions of a variable of a ladder model."""

_LARGEST_CLIQUE_TILE = 4
"""The largest tile size of Zephyr for which minorminer has embeddings of complete graphs."""

_SHORT = 2
"""Searches do not find embeddings with a longest chain shorter than this."""

_DENSE = 0.2
"""From this share of interacting pairs on, a complete graph is better than a long search."""

_FEW = 40
"""Up to this many variables, a short search may be better than a complete graph."""

_SHORT_SEARCH_S = 2.0
_SHORT_GRACE_S = 0.5

_MOST_LAYOUTS = 400
"""How many positions of the layout are tried on a chip, to avoid its faults."""


def find_embedding(
    model: Model | dimod.BinaryQuadraticModel,
    topology: TopologyLike,
    *,
    method: Method = "auto",
    seed: int | None = None,
    time_limit: float = 60,
    tries: int = 4,
) -> Embedding | None:
    """Find an embedding: a chain of qubits for each variable, with a coupler for each interaction.

    Of several embeddings the one with the shortest longest chain is returned, and among these the
    one with the fewest qubits. Each embedding is checked (``Embedding.faults``) before it counts.
    Its ``method`` says how it was found.

    >>> from qubo_queens import build
    >>> model = build(8, "ladder")
    >>> embedding = find_embedding(model, "zephyr:4")
    >>> print(embedding)
    300 variables on 439 qubits of zephyr:4, longest chain 2, mean 1.46 (lattice)
    >>> embedding.faults(model)
    ()

    Args:
        model: The model, or any BQM. Ladder models are recognised by their labels and degrees, so
            the BQM of one is treated like the model.
        topology: The chip, as for :meth:`Topology.of`: ``zephyr:15``, ``pegasus:16``, a file,
            ``DWaveSampler().properties``, or a :class:`Topology`.
        method: ``lattice`` lays a ladder model out along the rows and columns of a Zephyr or
            Pegasus chip by a construction that takes milliseconds; where it does not fit, or the
            chip has faults, the layout is the start of a search by minorminer. ``clique`` takes
            an embedding of the complete graph with that many variables. ``minorminer`` searches
            without a start. ``auto`` takes the layout if its chains have at most 2 qubits, else
            the complete graph if it fits and a fifth of all pairs interact (up to 40 variables
            also the result of a search of about 2 seconds), else the best of all methods.
        seed: The seed of the searches, 0..2**31 - 1; by default a random one.
        time_limit: The time after which searches end, in seconds; they may take up to 5 s longer.
            Ctrl-C ends them as well, and the best embedding so far is returned.
        tries: The number of searches, at least 1.

    Returns:
        The embedding, or None if none was found. This does not prove that none exists.

    Raises:
        InputError: If an argument is out of range, or the method does not apply to the model or
            the chip.
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
    wanted = _Wanted(_bqm(model), Topology.of(topology), seed, time_limit, tries)
    _check_method(method, wanted)
    best: Embedding | None = None
    try:
        for found in candidates(wanted, method):
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


def _check_method(method: Method, wanted: _Wanted) -> None:
    name = shown(wanted.topology.name, 100)
    if method == "lattice" and wanted.board is None and wanted.edges:
        raise InputError(
            "method lattice lays out cells and chain bits, and this model has other variables; "
            "take encoding ladder or another method"
        )
    if method == "lattice" and wanted.topology.type is None:
        raise InputError(
            f"method lattice does not apply to {name}: where its qubits lie is not known; "
            "state its 'topology' in the file, or take method minorminer"
        )
    if method == "clique" and not wanted.has_cliques:
        raise InputError(
            f"method clique does not apply to {name}: complete graphs are known for pegasus, "
            "chimera, and zephyr with tiles of at most 4 qubits; take method minorminer"
        )


def _better(best: Embedding | None, found: Embedding | None) -> Embedding | None:
    """Return the embedding with the shorter longest chain; if equal, with fewer qubits."""
    if best is None or found is None:
        return best or found
    ahead = (found.longest_chain, found.num_qubits) < (best.longest_chain, best.num_qubits)
    return found if ahead else best


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What to embed on which chip, with the limits of the searches."""

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
        """Where the variables lie on the board; None if the model is not a ladder model."""
        if max(self.bqm.degrees(array=True), default=0) > _LARGEST_DEGREE:
            return None
        found = board_labels(self.bqm.variables)
        return found if found and found.spans else None

    @property
    def has_cliques(self) -> bool:
        """Whether embeddings of complete graphs are known for the chip."""
        type_, tile = self.topology.type, self.topology.tile
        return type_ is not None and (type_ != "zephyr" or tile <= _LARGEST_CLIQUE_TILE)

    @property
    def density(self) -> float:
        """The share of the pairs of variables that interact, for at least two variables."""
        variables = self.bqm.num_variables
        return 2 * len(self.edges) / (variables * (variables - 1))

    @property
    def left(self) -> float:
        """The time left, in seconds."""
        return self.started + self.time_limit - time.perf_counter()

    def num_lost(self, chains: Chains) -> int:
        """Return how many interactions have no coupler: a quick test before the whole check."""
        near = self.topology.graph.adj
        return sum(
            not any(b in near[a] for a in chains[first] for b in chains[second])
            for first, second in self.edges
        )

    def finished(self, method: str, chains: Chains) -> Embedding | None:
        """Return the embedding with these chains, pruned; None if it is not valid.

        Variables without interactions get a qubit that is not used.
        """
        used = {qubit for chain in chains.values() for qubit in chain}
        spare = (qubit for qubit in self.topology.graph if qubit not in used)
        whole = {v: tuple(chains.get(v) or islice(spare, 1)) for v in self.bqm.variables}
        name = self.topology.name
        if not all(whole.values()) or Embedding(whole, name, method, 0.0).faults(
            self.edges, self.topology
        ):
            return None
        kept = pruned(whole, self.edges, self.topology.graph)
        return Embedding(kept, name, method, time.perf_counter() - self.started)


def candidates(wanted: _Wanted, method: Method) -> Iterator[Embedding | None]:
    """Yield embeddings, those found fastest first; None for each attempt that failed."""
    if wanted.bqm.num_variables > len(wanted.topology.graph):
        return
    if not wanted.edges:
        yield wanted.finished("single qubits", {})
        return
    if not wanted.topology.graph.number_of_edges():
        return
    begins: list[Chains] = []
    if method in ("auto", "lattice") and wanted.board is not None:
        found, layout = _laid_out(wanted, wanted.board)
        yield found
        if found is not None and (method == "lattice" or found.longest_chain <= _SHORT):
            return
        begins = starts(wanted.board, wanted.topology, layout)
    if method in ("auto", "clique") and wanted.has_cliques:
        found = _clique(wanted)
        yield found
        if method == "auto" and found is not None and wanted.density >= _DENSE:
            if wanted.bqm.num_variables <= _FEW:
                yield _searched(wanted, {}, 0, _SHORT_SEARCH_S, _SHORT_GRACE_S)
            return
    if method != "clique":
        for number in range(wanted.tries):
            if wanted.left <= 0:
                return
            yield _searched(wanted, begins[number % len(begins)] if begins else {}, number)


def _laid_out(wanted: _Wanted, board: BoardLabels) -> tuple[Embedding | None, Chains | None]:
    """Return the first layout that is an embedding, and the layout with the fewest lost couplers.

    On a chip with faults the layout is tried at many positions.
    """
    closest: Chains | None = None
    least = 0
    for chains in islice(_layouts(board, wanted.topology), _MOST_LAYOUTS):
        lost = wanted.num_lost(chains)
        if not lost and (found := wanted.finished("lattice", chains)):
            return found, chains
        if closest is None or lost < least:
            closest, least = chains, lost
        if wanted.left < 0:
            break
    return None, closest


def _layouts(board: BoardLabels, topology: Topology) -> Iterator[Chains]:
    """Yield the layouts of the ladder on a chip, at all positions on the chip.

    Qubits that are not on the chip are left out, so chains may be empty or not be connected.
    """
    graph = topology.graph
    for shift in zephyr_shifts(board, topology):
        yield _on_chip(zephyr_chains(board, topology, shift), graph)
    for place in pegasus_shifts(board, topology):
        yield _on_chip(pegasus_chains(board, topology, place), graph)


def _on_chip(chains: Chains, graph: Any) -> Chains:
    return {
        label: tuple(dict.fromkeys(qubit for qubit in chain if qubit in graph))
        for label, chain in chains.items()
    }


def _clique(wanted: _Wanted) -> Embedding | None:
    """Return chains of which any two have a coupler; None if the chip is too small."""
    find = cloud_package("minorminer.busclique").find_clique_embedding
    labels = list(wanted.bqm.variables)
    # On some chips minorminer 0.2.22 does not return if at most 2t variables are requested.
    number = max(len(labels), 2 * wanted.topology.tile + 1)
    found = find(number, wanted.topology.graph, seed=wanted.seed, use_cache=False)
    if not found:
        return None
    return wanted.finished("clique", {label: tuple(found[k]) for k, label in enumerate(labels)})


def _searched(
    wanted: _Wanted, begin: Chains, number: int, most: float | None = None, grace: float = GRACE_S
) -> Embedding | None:
    """Return what minorminer finds with the `number`-th seed, in at most `most` seconds."""
    seed = (wanted.seed + number) % (LARGEST_SEED + 1)
    seconds = wanted.left if most is None else min(most, wanted.left)
    if seconds <= 0:
        return None
    chains = search(wanted.edges, wanted.topology.graph, begin, seed, seconds, grace)
    name = "lattice + minorminer" if begin else "minorminer"
    return wanted.finished(name, chains) if chains else None
