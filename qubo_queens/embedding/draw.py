"""Pictures of embeddings, by matplotlib (extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from io import BytesIO
from itertools import chain as chained
from itertools import combinations
from typing import TYPE_CHECKING, Any

from qubo_queens.board.lines import Kind
from qubo_queens.checks import shown
from qubo_queens.embedding.embedding import Embedding
from qubo_queens.embedding.labels import board_labels
from qubo_queens.embedding.topology import Topology, TopologyLike
from qubo_queens.errors import InputError, InputTypeError, MissingPackageError
from qubo_queens.files import as_path, check_writable, write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = ("pdf", "png", "svg")
_INCHES = 12
_UNUSED = "#dcdcdc"
_ANY = "variables"
_LEGEND: dict[str | Kind, tuple[str, str]] = {
    "cell": ("cells", "#9a2617"),
    Kind.ROW: ("rows", "#1f77b4"),
    Kind.COLUMN: ("columns", "#2ca02c"),
    Kind.SUM: ("sum diagonals", "#e6a100"),
    Kind.DIFFERENCE: ("difference diagonals", "#7b4fb5"),
    _ANY: (_ANY, "#1f77b4"),
}
"""Group of variables -> its name in the legend and its colour."""


def draw_embedding(
    embedding: Embedding,
    path: str | os.PathLike[str] | None = None,
    topology: TopologyLike | None = None,
) -> Figure:
    """Draw an embedding: qubits at their places on the chip, and chains as lines between them.

    For a ladder model, cells and the chain bits of each kind of line have colours of their own.

    >>> from qubo_queens import build, find_embedding
    >>> figure = draw_embedding(find_embedding(build(4, "ladder"), "zephyr:2"))
    >>> figure.axes[0].get_title()
    '68 variables on 91 qubits of zephyr:2, longest chain 2, mean 1.34 (lattice)'

    Args:
        embedding: The embedding.
        path: A file to write, in the format of its ending: ``.png``, ``.svg`` or ``.pdf``. By
            default no file is written.
        topology: The chip, as for :meth:`Topology.of`; by default the ideal chip that
            ``embedding.topology`` names.

    Returns:
        The picture as a matplotlib figure, which notebooks display.

    Raises:
        InputError: If the ending is another one, the places of the qubits are not known, the chip
            does not have a qubit of the embedding, or the file cannot be written.
        InputTypeError: If `embedding` is not an embedding.
        MissingPackageError: If matplotlib is not installed.
    """
    if not isinstance(embedding, Embedding):
        raise InputTypeError(
            f"draw_embedding needs an Embedding, not {shown(embedding)}; "
            "find_embedding returns one, or None if it finds none"
        )
    chip = Topology.of(embedding.topology if topology is None else topology)
    format_ = None if path is None else check_picture(path, chip)
    figure = _figure(embedding, chip, _places(embedding, chip))
    if path is not None:
        content = BytesIO()
        metadata = {"Date": None} if format_ == "svg" else None  # reproducible
        figure.savefig(content, format=format_, metadata=metadata, bbox_inches="tight", dpi=150)
        write_atomic(path, content.getvalue())
    return figure


def check_picture(path: str | os.PathLike[str], topology: Topology) -> str:
    """Return the format of a picture of a chip, ``png``, ``svg`` or ``pdf``, if it can be drawn."""
    format_ = as_path(path).suffix.lower().removeprefix(".")
    if format_ not in _FORMATS:
        raise InputError(
            f"picture {shown(str(path))} ends in none of {', '.join('.' + f for f in _FORMATS)}"
        )
    _matplotlib("figure")
    _places({}, topology)
    check_writable(path)
    return format_


def _places(chains: Mapping[Any, tuple[int, ...]], chip: Topology) -> dict[int, Any]:
    """Return the places of the qubits of a chip, as (x, y), if it has those of the chains."""
    places = chip.places
    if places is None:
        raise InputError(f"{chip.name} has no known topology type, so its qubits have no places")
    for qubit in chained.from_iterable(chains.values()):
        if qubit not in places:
            raise InputError(f"the embedding has qubit {qubit}, which is not on {chip.name}")
    return places


def _matplotlib(module: str) -> Any:
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise MissingPackageError(
            f"pictures need matplotlib, which cannot be imported ({error}); "
            "install it with: pip install 'qubo-queens[plot]'"
        ) from None


def _figure(embedding: Embedding, chip: Topology, places: dict[int, Any]) -> Figure:
    line_collection = _matplotlib("collections").LineCollection
    figure: Figure = _matplotlib("figure").Figure(figsize=(_INCHES, _INCHES))
    axes = figure.add_subplot()
    size = max(1.5, 12000 / max(1, len(places)))
    used = {qubit for chain in embedding.values() for qubit in chain}
    unused = [point for qubit, point in places.items() if qubit not in used]
    if unused:
        x, y = zip(*unused, strict=True)
        axes.scatter(x, y, s=size, color=_UNUSED, linewidths=0)
    for group, chains in _by_group(embedding).items():
        x, y = zip(*(places[qubit] for chain in chains for qubit in chain), strict=True)
        name, colour = _LEGEND[group]
        axes.scatter(x, y, s=2 * size, color=colour, linewidths=0, label=name)
        links = [
            (places[a], places[b])
            for chain in chains
            for a, b in combinations(chain, 2)
            if chip.graph.has_edge(a, b)
        ]
        axes.add_collection(line_collection(links, colors=colour, linewidths=0.8))
    axes.set_title(str(embedding))
    axes.invert_yaxis()  # rows run downwards
    axes.set_aspect("equal")
    axes.set_axis_off()
    if used:
        legend = axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, 0.05), ncol=len(_LEGEND), frameon=False
        )
        handles: list[Any] = legend.legend_handles
        for handle in handles:
            handle.set_sizes([40])  # whatever the size of the qubits
    return figure


def _by_group(embedding: Embedding) -> dict[str | Kind, list[tuple[int, ...]]]:
    """Return the chains of cells and of chain bits by kind of line; else all as one group."""
    board = board_labels(embedding)
    found: dict[str | Kind, list[tuple[int, ...]]] = {}
    for label, chain in embedding.items():
        if not chain:
            continue
        group: str | Kind = _ANY
        if board is not None and board.spans:
            group = board.spans[label].kind if label in board.spans else "cell"
        found.setdefault(group, []).append(chain)
    return found
