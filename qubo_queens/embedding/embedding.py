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
from qubo_queens.embedding.topology import TopologyLike, as_topology, cloud_package
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError
from qubo_queens.files import write_atomic
from qubo_queens.formats.json_object import read_json_file

Chains: TypeAlias = dict[Any, tuple[int, ...]]
"""Variable label -> the qubits that stand for it."""

_TOLD = {
    "MissingChainError": "{0} has no chain",
    "InvalidNodeError": "the chain of {0} has qubit {1}, which the chip has not",
    "DisconnectedChainError": "the chain of {0} is not connected",
    "ChainOverlapError": "qubit {0} is in the chains of {1} and {2}",
    "MissingEdgeError": "no coupler joins the chains of {0} and {1}",
}
"""The kinds of faults that ``diagnose_embedding`` knows, in words."""


@dataclass(frozen=True, eq=False)
class Embedding(Mapping[Any, tuple[int, ...]]):
    """Which qubits stand for which variable.

    As a mapping it is label -> chain, the form that ``dwave.embedding`` and
    ``FixedEmbeddingComposite`` take, and equal to any mapping with the same chains.

    Attributes:
        chains: Label -> qubits, in the order of the model's variables.
        topology: The name of the chip, such as ``zephyr:15``.
        method: How it was found: ``lattice``, ``clique``, ``minorminer``, ``lattice + minorminer``
            (a search that started from the layout), or ``single qubits`` (for a model without
            interactions).
        seconds: The time until it was found, from the start of ``find_embedding``.
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
        """How many qubits are used."""
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
        """How many chains there are of each length, by length."""
        return dict(sorted(Counter(map(len, self.chains.values())).items()))

    def faults(
        self,
        edges: Model | dimod.BinaryQuadraticModel | Iterable[tuple[Any, Any]],
        topology: TopologyLike | None = None,
    ) -> tuple[str, ...]:
        """Return what is wrong with the embedding; nothing if it is valid.

        The check starts from the chains and the two lists of pairs alone, by
        ``dwave.embedding.diagnose_embedding``: chains are not empty, disjoint, made of qubits of
        the chip and connected, and every interaction has a coupler.

        Args:
            edges: The model or its BQM; or only the interactions of it, ``bqm.quadratic``, which do
                not tell of variables without any.
            topology: The chip; by default the ideal one of that name.

        Raises:
            MissingPackageError: If the ``cloud`` extra is not installed.
            InputError: If there is no chip of that name.
        """
        chip = as_topology(self.topology if topology is None else topology)
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
            _told(kind.__name__, *about)
            for kind, *about in diagnose(self.chains, source, chip.graph)
        ]
        found += [
            f"the chain of {label} has a qubit twice"
            for label, chain in self.chains.items()
            if len(set(chain)) < len(chain)
        ]
        return (*found, *(f"{label} has a chain and is no variable" for label in foreign))

    def to_dict(self) -> dict[str, Any]:
        """Return the embedding as plain data for JSON: labels and chains as lists."""
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
        """Return the embedding that :meth:`to_dict` gave; lists in labels become tuples.

        Raises:
            InputError: If the data are of another form.
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
        """Write the embedding to a JSON file, which is there in full or not at all.

        Raises:
            InputError: If the file cannot be written, or JSON cannot hold a label.
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
        """Read what :meth:`write` wrote.

        Raises:
            InputError: If the file cannot be read or holds no embedding.
        """
        data = read_json_file(path)
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{shown(os.fspath(path), 100)}: {error}") from None


def _told(kind: str, *about: Any) -> str:
    if kind == "ChainOverlapError":  # the labels come from a set, in any order
        about = about[0], *sorted(map(str, about[1:]))
    return _TOLD[kind].format(*about)


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
