"""An embedding: a chain of qubits for each variable of a model."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import dimod

from qubo_queens.checks import counted, shown
from qubo_queens.embedding.topology import Topology, TopologyLike, cloud_package
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError
from qubo_queens.files import write_atomic
from qubo_queens.formats.json_object import read_json_file

Chains: TypeAlias = dict[Any, tuple[int, ...]]
"""Variable label -> the qubits that represent it."""

_FAULTS = {
    "MissingChainError": "{0} has no chain",
    "InvalidNodeError": "the chain of {0} has qubit {1}, which is not on the chip",
    "DisconnectedChainError": "the chain of {0} is not connected",
    "ChainOverlapError": "qubit {0} is in the chains of {1} and {2}",
    "MissingEdgeError": "no coupler joins the chains of {0} and {1}",
}
"""The faults that ``diagnose_embedding`` reports, in words."""


@dataclass(frozen=True, eq=False)
class Embedding(Mapping[Any, tuple[int, ...]]):
    """The qubits that represent each variable of a model.

    An embedding is a mapping label -> chain, the form that ``dwave.embedding`` and
    ``FixedEmbeddingComposite`` take. It is equal to any mapping with the same chains.

    >>> embedding = Embedding({"a": (0,), "b": (1, 2)}, "chimera:1", "by hand", 0.0)
    >>> embedding["b"], embedding.num_qubits, embedding.longest_chain
    ((1, 2), 3, 2)
    >>> embedding.faults([("a", "b")])
    ('the chain of b is not connected', 'no coupler joins the chains of a and b')
    >>> Embedding.from_dict(embedding.to_dict()) == embedding
    True

    Attributes:
        chains: Label -> qubits, in the order of the model's variables.
        topology: The name of the chip, such as ``zephyr:15``.
        method: How it was found: ``lattice``, ``clique``, ``minorminer``, ``lattice + minorminer``
            (a search that started from the layout), or ``single qubits`` (for a model without
            interactions).
        seconds: The time from the start of ``find_embedding`` until it was found.
    """

    chains: Chains = field(repr=False)
    topology: str
    method: str
    seconds: float

    def __getitem__(self, label: Any) -> tuple[int, ...]:
        return self.chains[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.chains)

    def __len__(self) -> int:
        return len(self.chains)

    def __str__(self) -> str:
        return (
            f"{counted(len(self), 'variable')} on {counted(self.num_qubits, 'qubit')} of "
            f"{self.topology}, "
            f"longest chain {self.longest_chain}, mean {self.mean_chain:.2f} ({self.method})"
        )

    @property
    def num_qubits(self) -> int:
        """The number of qubits used."""
        return sum(map(len, self.chains.values()))

    @property
    def longest_chain(self) -> int:
        """The length of the longest chain, 0 without variables."""
        return max(map(len, self.chains.values()), default=0)

    @property
    def mean_chain(self) -> float:
        """The mean length of the chains, 0 without variables."""
        return self.num_qubits / len(self.chains) if self.chains else 0.0

    @property
    def histogram(self) -> dict[int, int]:
        """The number of chains by length."""
        return dict(sorted(Counter(map(len, self.chains.values())).items()))

    def faults(
        self,
        edges: Model | dimod.BinaryQuadraticModel | Iterable[tuple[Any, Any]],
        topology: TopologyLike | None = None,
    ) -> tuple[str, ...]:
        """Return the faults of the embedding; empty if it is valid.

        The check uses the chains, the interactions and the couplers alone, with
        ``dwave.embedding.diagnose_embedding``: chains must be nonempty, disjoint, connected and
        made of qubits of the chip, and every interaction needs a coupler.

        Args:
            edges: The model or its BQM; or only its interactions, ``bqm.quadratic``, in which
                variables without interactions are missing.
            topology: The chip, as for :meth:`Topology.of`; by default the one that
                `Embedding.topology` names.

        Raises:
            MissingPackageError: If the ``cloud`` extra is not installed.
            InputError: If there is no chip of that name.
        """
        chip = Topology.of(self.topology if topology is None else topology)
        source, foreign = cloud_package("networkx").Graph(), []
        if isinstance(edges, Model | dimod.BinaryQuadraticModel):
            bqm = edges.bqm if isinstance(edges, Model) else edges
            source.add_nodes_from(bqm.variables)
            foreign = [label for label in self.chains if label not in source]
            edges = bqm.quadratic
        source.add_nodes_from(self.chains)
        source.add_edges_from(edges)
        diagnose = cloud_package("dwave.embedding").diagnose_embedding
        found = [
            _fault(kind.__name__, *about)
            for kind, *about in diagnose(self.chains, source, chip.graph)
        ]
        found += [
            f"the chain of {label} has a qubit twice"
            for label, chain in self.chains.items()
            if len(set(chain)) < len(chain)
        ]
        return (*found, *(f"{label} has a chain but is not a variable" for label in foreign))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serializable dict, with labels and chains as lists."""
        return {
            "topology": self.topology,
            "method": self.method,
            "seconds": self.seconds,
            "num_qubits": self.num_qubits,
            "longest_chain": self.longest_chain,
            "chains": [[_plain(label), list(chain)] for label, chain in self.chains.items()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Embedding:
        """Return the embedding of :meth:`to_dict`; lists in labels become tuples.

        Raises:
            InputError: If the data have another form.
        """
        try:
            pairs = [(_label(label), _chain(chain)) for label, chain in data["chains"]]
            chains = dict(pairs)
            facts = str(data["topology"]), str(data["method"]), float(data["seconds"])
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                "an embedding is an object with topology, method, seconds and chains "
                f"([label, qubits] pairs), not {shown(data)}"
            ) from None
        if len(chains) < len(pairs):
            [(label, number)] = Counter(label for label, _ in pairs).most_common(1)
            raise InputError(f"an embedding has one chain for each label, not {number} for {label}")
        return cls(chains, *facts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the embedding to a JSON file, completely or not at all.

        Raises:
            InputError: If the file cannot be written, or a label cannot be written as JSON.
        """
        try:
            text = json.dumps(self.to_dict(), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"this embedding cannot be written as JSON ({error}); "
                "labels are numbers, texts, or tuples of these, and qubits plain integers"
            ) from None
        write_atomic(path, (text + "\n").encode())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Embedding:
        """Read an embedding from a file of :meth:`write`.

        Raises:
            InputError: If the file cannot be read or is not an embedding.
        """
        data = read_json_file(path)
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{shown(os.fspath(path), 100)}: {error}") from None


def _fault(kind: str, *about: Any) -> str:
    if kind == "ChainOverlapError":  # the order of its labels is that of a set
        about = about[0], *sorted(map(str, about[1:]))
    return _FAULTS[kind].format(*about)


def _plain(label: Any) -> Any:
    return [_plain(part) for part in label] if isinstance(label, tuple) else label


def _label(found: Any) -> Any:
    if isinstance(found, list):
        return tuple(_label(part) for part in found)
    if not isinstance(found, str | int | float):
        raise InputError(f"a label is a number, a text, or a list of these, not {shown(found)}")
    return found


def _chain(found: Any) -> tuple[int, ...]:
    chain = tuple(found)
    if not all(type(qubit) is int for qubit in chain):
        raise InputError(f"a chain is a list of integers, not {shown(found)}")
    return chain


def pruned(chains: Chains, edges: Iterable[tuple[Any, Any]], graph: Any) -> Chains:
    """Return the chains of a valid embedding without unnecessary qubits.

    A qubit is unnecessary if it is an end of its chain, and the chain has a coupler to every
    neighbouring chain without it. Chains are shortened one after the other, so that later ones take
    the shorter ones before them into account.
    """
    neighbours: dict[Any, list[Any]] = {label: [] for label in chains}
    for first, second in edges:
        neighbours[first].append(second)
        neighbours[second].append(first)
    owner = {qubit: label for label, chain in chains.items() for qubit in chain}
    kept = {label: list(chain) for label, chain in chains.items()}
    for label, chain in kept.items():
        while (found := _unnecessary(chain, neighbours[label], owner, graph)) is not None:
            chain.remove(found)
            del owner[found]
    return {label: tuple(chain) for label, chain in kept.items()}


def _unnecessary(
    chain: list[int], neighbours: list[Any], owner: Mapping[int, Any], graph: Any
) -> int | None:
    """Return an unnecessary qubit of a chain, if there is one."""
    if len(chain) == 1:
        return None
    members = set(chain)
    reach = {qubit: {owner[q] for q in graph[qubit] if q in owner} for qubit in chain}
    for qubit in chain:
        is_end = len(members.intersection(graph[qubit])) == 1
        if is_end and all(
            any(label in reach[other] for other in chain if other != qubit) for label in neighbours
        ):
            return qubit
    return None
