"""The graphs of quantum annealers: their qubits, and the couplers between them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from qubo_queens.checks import shown
from qubo_queens.errors import InputError, InputTypeError, MissingPackageError
from qubo_queens.formats.json_object import read_json_file

# Chips so far have at most 16 unit cells along a side, and tiles of size 4. Four times and twice
# as much are allowed for studies; the largest graphs then take seconds and gigabytes.
_TYPES = {
    "zephyr": (range(1, 65), range(1, 9)),
    "pegasus": (range(2, 65), range(0)),  # pegasus:1 has no qubits
    "chimera": (range(1, 65), range(1, 9)),
}
"""The numbers of unit cells along a side, and of parallel qubits in one; empty if it is fixed."""

_USUAL_TILE = 4

_NAME = re.compile(r"([a-z]+):([0-9]{1,9})(?::([0-9]{1,9}))?")
_WAYS = (
    "zephyr:M or zephyr:M:T, pegasus:M, chimera:M or chimera:M:T, such as zephyr:15, "
    "or a JSON file with couplers"
)

Pair: TypeAlias = tuple[int, int]


def cloud_package(name: str) -> Any:
    """Import a module that comes with the ``cloud`` extra."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"embeddings need {name}, which cannot be imported ({error}); "
            "install it with: pip install 'qubo-queens[cloud]'"
        ) from None


@dataclass(frozen=True)
class Topology:
    """A chip: an ideal graph, or the part of one that works. :meth:`of` makes one.

    >>> chip = Topology.of("zephyr:15")
    >>> chip.type, chip.size, chip.tile
    ('zephyr', 15, 4)
    >>> len(chip.graph), chip.graph.number_of_edges()
    (7440, 71736)

    Attributes:
        type: ``zephyr``, ``pegasus`` or ``chimera``; None for another graph.
        size: m, the number of unit cells along each side (0 if `type` is None).
        tile: t, the number of parallel qubits in a unit cell; 4 on every chip so far.
        name: Its name, such as ``zephyr:15``, the name of a file, or the chip ID of a solver.
        qubits: The qubits that work; None if all of them do.
        couplers: The couplers that work; None if all of them do.
    """

    type: str | None
    size: int
    tile: int
    name: str
    qubits: frozenset[int] | None = field(default=None, repr=False)
    couplers: frozenset[Pair] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, topology: TopologyLike) -> Topology:
        """Return the chip with a name, in a JSON file, or with the properties of a solver.

        >>> properties = {"couplers": [[0, 4], [0, 5]], "chip_id": "a corner",
        ...               "topology": {"type": "chimera", "shape": [1, 1, 4]}}
        >>> Topology.of(properties)
        Topology(type='chimera', size=1, tile=4, name='a corner')

        Args:
            topology: One of the following. A name: ``zephyr:15``, ``pegasus:16`` or
                ``chimera:16``, with an optional tile size after a second colon (``zephyr:15:4``).
                The properties of a solver (``DWaveSampler().properties``): a mapping with
                ``couplers``, and optionally ``qubits`` and ``topology``, such as
                ``{"type": "zephyr", "shape": [15, 4]}``. The name of a JSON file with such an
                object, or with a list of couplers. A topology, which is returned unchanged.

        Raises:
            InputTypeError: If it is none of these.
            InputError: If the name is unknown, a number is out of range, or the file or the
                properties are not valid.
        """
        if isinstance(topology, Topology):
            return topology
        if isinstance(topology, Mapping):
            return _of_properties(topology, str(topology.get("chip_id", "these properties")))
        if not isinstance(topology, str | os.PathLike):
            raise InputTypeError(
                f"a topology is given by {_WAYS}, or by the properties of a solver "
                f"(sampler.properties), not {shown(topology)}"
            )
        text = os.fspath(topology)
        if named := _NAME.fullmatch(text):
            return ideal(named[1], int(named[2]), None if named[3] is None else int(named[3]))
        if not os.path.exists(text):  # noqa: PTH110 - Path refuses a text with a NUL
            raise InputError(
                f"topology {shown(text)} is unknown; give {_WAYS} (of an embedding on a chip that "
                "was given as properties or by a file, pass that again)"
            )
        found = read_json_file(text)
        return _of_properties({"couplers": found} if isinstance(found, list) else found, text)

    @cached_property
    def graph(self) -> Any:
        """The chip as a ``networkx.Graph`` of integers, which are the vendor's qubit numbers.

        Raises:
            MissingPackageError: If the ``cloud`` extra is not installed.
            InputError: If a coupler or a qubit is not one of the ideal graph.
        """
        given = {
            "node_list": None if self.qubits is None else sorted(self.qubits),
            "edge_list": None if self.couplers is None else sorted(self.couplers),
        }
        if self.type is None:
            graph = cloud_package("networkx").Graph(given["edge_list"])
            graph.add_nodes_from(given["node_list"])
            return graph
        graphs = cloud_package("dwave.graphs")
        if self.type == "pegasus":
            arguments: tuple[int, ...] = (self.size,)
        elif self.type == "zephyr":
            arguments = (self.size, self.tile)
        else:
            arguments = (self.size, self.size, self.tile)
        make = getattr(graphs, f"{self.type}_graph")
        try:
            return make(*arguments, **given, check_node_list=True, check_edge_list=True)
        except ValueError as error:
            raise InputError(f"{self.name} is not part of an ideal graph: {error}") from None

    @cached_property
    def places(self) -> dict[int, npt.NDArray[np.float64]] | None:
        """The middle of each qubit on the chip as (x, y), x to the right and y down, in 0..1.

        None if `type` is None.
        """
        if self.type is None or not len(self.graph):
            return None
        layout = getattr(cloud_package("dwave.graphs"), f"{self.type}_layout")(self.graph)
        points = np.array(list(layout.values()), dtype=np.float64) * (1, -1)  # of shape (N, 2)
        low, high = points.min(axis=0), points.max(axis=0)
        points = (points - low) / np.maximum(high - low, 1e-9)
        return dict(zip(layout, points, strict=True))


TopologyLike: TypeAlias = Topology | str | os.PathLike[str] | Mapping[str, Any]
"""A chip, or anything that ``Topology.of`` takes."""


def ideal(type_: str, size: int, tile: int | None = None) -> Topology:
    """Return the chip on which all qubits and couplers work."""
    if type_ not in _TYPES:
        raise InputError(f"topology type {shown(type_)} is unknown; give {_WAYS}")
    sizes, tiles = _TYPES[type_]
    if size not in sizes:
        known = f"{type_}:{sizes[0]}..{type_}:{sizes[-1]}"
        raise InputError(f"{type_}:{size} is outside {known}")
    if tile is not None and not tiles:
        raise InputError(f"{type_} has no tile size; give {type_}:{size}")
    if tile is not None and tile not in tiles:
        raise InputError(f"tile size {tile} is outside {tiles[0]}..{tiles[-1]}")
    usual = tile is None or tile == _USUAL_TILE
    name = f"{type_}:{size}" if usual else f"{type_}:{size}:{tile}"
    return Topology(type_, size, tile or _USUAL_TILE, name)


def _of_properties(found: object, name: str) -> Topology:
    """Return the chip that the properties of a solver describe."""
    if not isinstance(found, Mapping) or "couplers" not in found:
        raise InputError(f"{shown(name)} holds neither a list of couplers nor the key 'couplers'")
    couplers = frozenset(_pair(pair, name) for pair in _listed(found["couplers"], name))
    ends = {qubit for pair in couplers for qubit in pair}
    qubits = frozenset(_qubit(qubit, name) for qubit in _listed(found.get("qubits", []), name))
    if qubits and not ends <= qubits:
        raise InputError(f"{shown(name)} has a coupler at qubit {min(ends - qubits)}, not listed")
    form = _form(found.get("topology"), name)
    return Topology(*form, name, qubits or frozenset(ends), couplers)


def _form(found: object, name: str) -> tuple[str | None, int, int]:
    """Return the type, the size and the tile size from the value of ``topology``."""
    if found is None:
        return None, 0, 0
    type_ = found.get("type") if isinstance(found, Mapping) else None
    shape = found.get("shape") if isinstance(found, Mapping) else None
    lengths = {"zephyr": (1, 2), "pegasus": (1,), "chimera": (3,)}.get(str(type_), ())
    numbers = list(shape) if isinstance(shape, list | tuple) else []
    if len(numbers) not in lengths or any(type(number) is not int for number in numbers):
        raise InputError(
            f"{shown(name)} states the topology {shown(found)}; "
            "expected such as {'type': 'zephyr', 'shape': [15, 4]}"
        )
    if type_ == "chimera" and numbers[0] != numbers[1]:
        raise InputError(f"{shown(name)} states a chip that is not square: {shown(shape)}")
    tile = numbers[-1] if len(numbers) > 1 else None
    made = ideal(str(type_), numbers[0], tile)
    return made.type, made.size, made.tile


def _listed(found: object, name: str) -> list[Any]:
    if not isinstance(found, list | tuple):
        raise InputError(f"{shown(name)} has {shown(found)} where a list is expected")
    return list(found)


def _qubit(found: object, name: str) -> int:
    if type(found) is not int or found < 0:
        raise InputError(f"{shown(name)} has the qubit {shown(found)}; qubits are integers from 0")
    return found


def _pair(found: object, name: str) -> Pair:
    if not isinstance(found, list | tuple) or len(found) != 2 or found[0] == found[1]:
        raise InputError(
            f"{shown(name)} has the coupler {shown(found)}; couplers are pairs of two qubits"
        )
    first, second = sorted(_qubit(qubit, name) for qubit in found)
    return first, second
