"""An embedding: a chain of qubits for each variable of a model."""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from qubo_queens.checks import shown
from qubo_queens.embedding.topology import as_topology
from qubo_queens.errors import InputError
from qubo_queens.formats.atomic import write_atomic
from qubo_queens.formats.faults import file_faults

Chains: TypeAlias = dict[Any, tuple[int, ...]]
"""Variable label -> the qubits that stand for it."""


@dataclass(frozen=True)
class Embedding(Mapping[Any, tuple[int, ...]]):
    """Which qubits stand for which variable.

    As a mapping it is label -> chain, the form that ``dwave.embedding`` and
    ``FixedEmbeddingComposite`` take.

    Attributes:
        chains: Label -> qubits, in the order of the model's variables.
        topology: The name of the chip, such as ``zephyr:15``.
        method: How it was found.
        seconds: How long that took.
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
            f"{len(self):,} variables on {self.num_qubits:,} qubits of {self.topology}, "
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

    def verify(self, edges: Iterable[tuple[Any, Any]], graph: Any = None) -> tuple[str, ...]:
        """Return what is wrong with the embedding; nothing if it is valid.

        The check starts from the chains and the two lists of pairs alone: chains are not empty,
        disjoint, made of qubits of the chip and connected, and every interaction has a coupler.

        Args:
            edges: The interactions of the model: ``bqm.quadratic``.
            graph: The chip as a ``networkx.Graph``; by default the ideal graph of that name.
        """
        chip = as_topology(self.topology).graph if graph is None else graph
        near = {q: set(chip[q]) for chain in self.chains.values() for q in chain if q in chip}
        return tuple(_faults(self.chains, edges, near))

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
            chains = {_label(label): _chain(chain) for label, chain in data["chains"]}
            if len(chains) != len(data["chains"]):
                raise InputError("an embedding has two chains for one label")
            return cls(chains, str(data["topology"]), str(data["method"]), float(data["seconds"]))
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                "an embedding is an object with topology, method, seconds and chains "
                f"([label, qubits] pairs), not {shown(data)}"
            ) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the embedding to a JSON file, which is there in full or not at all.

        Raises:
            InputError: If the file cannot be written.
        """
        write_atomic(path, (json.dumps(self.to_dict()) + "\n").encode())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Embedding:
        """Read what :meth:`write` wrote.

        Raises:
            InputError: If the file cannot be read or holds no embedding.
        """
        with file_faults("read", path), open(path, encoding="utf-8") as file:  # noqa: PTH123
            try:
                data = json.load(file)
            except (ValueError, RecursionError) as error:
                raise InputError(f"no JSON: {shown(str(error))}") from None
        return cls.from_dict(data)


def _faults(
    chains: Mapping[Any, tuple[int, ...]],
    edges: Iterable[tuple[Any, Any]],
    near: Mapping[int, set[int]],
) -> Iterator[str]:
    owner: dict[int, Any] = {}
    for label, chain in chains.items():
        if not chain:
            yield f"the chain of {label} is empty"
        for qubit in chain:
            if qubit not in near:
                yield f"the chain of {label} has qubit {qubit}, which the chip has not"
            elif qubit in owner:
                yield f"qubit {qubit} is in the chains of {owner[qubit]} and {label}"
            owner.setdefault(qubit, label)
        if chain and not _is_connected(chain, near):
            yield f"the chain of {label} is not connected"
    for first, second in edges:
        if first not in chains or second not in chains:
            yield f"a variable of the interaction {first}, {second} has no chain"
        elif not any(near.get(q, set()).intersection(chains[second]) for q in chains[first]):
            yield f"no coupler joins the chains of {first} and {second}"


def _is_connected(chain: tuple[int, ...], near: Mapping[int, set[int]]) -> bool:
    left = set(chain)
    todo = deque([left.pop()])
    while todo:
        reached = left.intersection(near.get(todo.popleft(), ()))
        left -= reached
        todo += reached
    return not left


def _plain(label: Any) -> Any:
    return [_plain(part) for part in label] if isinstance(label, tuple) else label


def _label(found: Any) -> Any:
    return tuple(_label(part) for part in found) if isinstance(found, list) else found


def _chain(found: Any) -> tuple[int, ...]:
    chain = tuple(found)
    if not all(type(qubit) is int for qubit in chain):
        raise InputError(f"a chain is a list of integers, not {shown(found)}")
    return chain
