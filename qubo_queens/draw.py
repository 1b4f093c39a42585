"""Pictures, by matplotlib (extra ``plot``)."""

from __future__ import annotations

import os
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from qubo_queens.checks import shown
from qubo_queens.embedding.topology import Topology, as_topology
from qubo_queens.errors import InputError, SolverUnavailableError
from qubo_queens.formats.atomic import check_writable, write_atomic
from qubo_queens.formats.faults import as_path

if TYPE_CHECKING:
    from qubo_queens.embedding.embedding import Embedding

_FORMATS = ("pdf", "png", "svg")
_INCHES = 12
_FREE = "#dcdcdc"
_SINGLE = "variables"
_COLOURS = {
    "cells": "#9a2617",
    "rows": "#1f77b4",
    "columns": "#2ca02c",
    "sum diagonals": "#e6a100",
    "difference diagonals": "#7b4fb5",
    _SINGLE: "#1f77b4",
}


def draw_embedding(
    embedding: Embedding, path: str | os.PathLike[str], topology: Topology | None = None
) -> None:
    """Draw an embedding: qubits where they lie on the chip, chains as lines, in colours by kind.

    Args:
        embedding: What to draw.
        path: A file of format PNG, SVG or PDF, known by its ending.
        topology: The chip, if it is no ideal one.

    Raises:
        InputError: If the format is another, the chip has no known form, or the file cannot be
            written.
        SolverUnavailableError: If matplotlib is not installed.
    """
    chip = as_topology(embedding.topology) if topology is None else topology
    format_ = check_picture(path, chip)
    assert chip.places is not None
    figure = _figure(embedding, chip, chip.places)
    content = BytesIO()
    metadata = {"Date": None} if format_ == "svg" else None  # the same picture each time
    figure.savefig(content, format=format_, metadata=metadata, bbox_inches="tight", dpi=150)
    write_atomic(path, content.getvalue())


def check_picture(path: str | os.PathLike[str], topology: Topology) -> str:
    """Return the format of a picture of a chip, ``png``, ``svg`` or ``pdf``, if it can be drawn.

    Raises:
        InputError: If the format is another, the chip has no known form, or the file cannot be
            written.
        SolverUnavailableError: If matplotlib is not installed.
    """
    format_ = as_path(path).suffix.lower().removeprefix(".")
    if format_ not in _FORMATS:
        raise InputError(
            f"picture {shown(str(path))} ends in none of {', '.join('.' + f for f in _FORMATS)}"
        )
    if topology.places is None:
        raise InputError(f"{topology.name} has no known form: where its qubits lie is not known")
    _matplotlib("figure")
    check_writable(path)
    return format_


def _matplotlib(module: str) -> Any:
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise SolverUnavailableError(
            f"pictures need matplotlib, which cannot be imported ({error}); "
            "install it with: pip install 'qubo-queens[plot]'"
        ) from None


def _figure(embedding: Embedding, chip: Topology, places: dict[int, Any]) -> Any:
    line_collection = _matplotlib("collections").LineCollection
    figure = _matplotlib("figure").Figure(figsize=(_INCHES, _INCHES))
    axes = figure.add_subplot()
    size = max(1.5, 12000 / max(1, len(places)))
    used = {qubit for chain in embedding.values() for qubit in chain}
    free = [point for qubit, point in places.items() if qubit not in used]
    if free:
        x, y = zip(*free, strict=True)
        axes.scatter(x, y, s=size, color=_FREE, linewidths=0)
    for family, chains in _families(embedding).items():
        x, y = zip(*(places[qubit] for chain in chains for qubit in chain), strict=True)
        colour = _COLOURS[family]
        axes.scatter(x, y, s=2 * size, color=colour, linewidths=0, label=family)
        links = [
            (places[a], places[b])
            for chain in chains
            for a in chain
            for b in chain
            if a < b and chip.graph.has_edge(a, b)
        ]
        axes.add_collection(line_collection(links, colors=colour, linewidths=0.8))
    axes.set_title(str(embedding))
    axes.invert_yaxis()  # rows run downwards
    axes.set_aspect("equal")
    axes.set_axis_off()
    legend = axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.05), ncol=len(_COLOURS), frameon=False
    )
    handles: list[Any] = legend.legend_handles
    for handle in handles:
        handle.set_sizes([40])  # however small the qubits are
    return figure


def _families(embedding: Embedding) -> dict[str, list[tuple[int, ...]]]:
    """Return the chains by what their variables are: cells and chain bits, or all as one."""
    names = list(_COLOURS)
    is_ladder = {len(label) if isinstance(label, tuple) else 0 for label in embedding} == {2, 3}
    found: dict[str, list[tuple[int, ...]]] = {}
    for label, chain in embedding.items():
        name = _SINGLE if not is_ladder else names[0 if len(label) == 2 else 1 + label[0]]
        found.setdefault(name, []).append(chain)
    return found
