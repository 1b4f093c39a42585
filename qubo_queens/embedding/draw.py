"""Pictures, by matplotlib (extra ``plot``)."""

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
from qubo_queens.embedding.geometry import board_labels
from qubo_queens.embedding.topology import Topology, TopologyLike, as_topology
from qubo_queens.errors import InputError, InputTypeError, MissingPackageError
from qubo_queens.files import as_path, check_writable, write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = ("pdf", "png", "svg")
_INCHES = 12
_FREE = "#dcdcdc"
_SINGLE = "variables"
_FAMILIES: dict[str | Kind, tuple[str, str]] = {
    "cell": ("cells", "#9a2617"),
    Kind.ROW: ("rows", "#1f77b4"),
    Kind.COLUMN: ("columns", "#2ca02c"),
    Kind.SUM: ("sum diagonals", "#e6a100"),
    Kind.DIFFERENCE: ("difference diagonals", "#7b4fb5"),
    _SINGLE: (_SINGLE, "#1f77b4"),
}
"""What variables stand for -> its name and its colour."""


def draw_embedding(
    embedding: Embedding,
    path: str | os.PathLike[str] | None = None,
    topology: TopologyLike | None = None,
) -> Figure:
    """Draw an embedding: qubits where they lie on the chip, chains as lines, in colours by kind.

    Args:
        embedding: What to draw.
        path: Where to write it: a file of format PNG, SVG or PDF, known by its ending. By default
            nothing is written.
        topology: The chip, if it is no ideal one, as for ``as_topology``.

    Returns:
        The picture as a figure of matplotlib, which a notebook shows.

    Raises:
        InputError: If the format is another, the chip has no known form or lacks a qubit of the
            embedding, or the file cannot be written.
        InputTypeError: If it is no embedding.
        MissingPackageError: If matplotlib is not installed.
    """
    if not isinstance(embedding, Embedding):
        raise InputTypeError(
            f"draw_embedding needs an Embedding, not {shown(embedding)}; "
            "find_embedding returns one, or None if it finds none"
        )
    chip = as_topology(embedding.topology if topology is None else topology)
    format_ = None if path is None else check_picture(path, chip)
    figure = _figure(embedding, chip, _places(embedding, chip))
    if path is not None:
        content = BytesIO()
        metadata = {"Date": None} if format_ == "svg" else None  # the same picture each time
        figure.savefig(content, format=format_, metadata=metadata, bbox_inches="tight", dpi=150)
        write_atomic(path, content.getvalue())
    return figure


def check_picture(path: str | os.PathLike[str], topology: Topology) -> str:
    """Return the format of a picture of a chip, ``png``, ``svg`` or ``pdf``, if it can be drawn.

    Raises:
        InputError: If the format is another, the chip has no known form, or the file cannot be
            written.
        MissingPackageError: If matplotlib is not installed.
    """
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
    """Return where the qubits of a chip lie, if it has those of the chains."""
    places = chip.places
    if places is None:
        raise InputError(f"{chip.name} has no known form: where its qubits lie is not known")
    for qubit in chained.from_iterable(chains.values()):
        if qubit not in places:
            raise InputError(f"the embedding has qubit {qubit}, which {chip.name} has not")
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
    free = [point for qubit, point in places.items() if qubit not in used]
    if free:
        x, y = zip(*free, strict=True)
        axes.scatter(x, y, s=size, color=_FREE, linewidths=0)
    for family, chains in _by_family(embedding).items():
        x, y = zip(*(places[qubit] for chain in chains for qubit in chain), strict=True)
        name, colour = _FAMILIES[family]
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
            loc="upper center", bbox_to_anchor=(0.5, 0.05), ncol=len(_FAMILIES), frameon=False
        )
        handles: list[Any] = legend.legend_handles
        for handle in handles:
            handle.set_sizes([40])  # however small the qubits are
    return figure


def _by_family(embedding: Embedding) -> dict[str | Kind, list[tuple[int, ...]]]:
    """Return the chains by what their variables are: cells and chain bits, or all as one."""
    board = board_labels(embedding)
    found: dict[str | Kind, list[tuple[int, ...]]] = {}
    for label, chain in embedding.items():
        if not chain:
            continue
        family: str | Kind = _SINGLE
        if board is not None and board.spans:
            family = board.spans[label].kind if label in board.spans else "cell"
        found.setdefault(family, []).append(chain)
    return found
