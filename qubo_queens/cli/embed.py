"""``qubo-queens embed``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import qubo_queens
from qubo_queens.board.instance import Instance
from qubo_queens.checks import counted
from qubo_queens.cli.options import model_options
from qubo_queens.cli.output import say
from qubo_queens.cli.parameters import json_option, refuse_dash, time_limit_option
from qubo_queens.cli.problem import takes_instance
from qubo_queens.embedding.draw import check_picture, draw_embedding
from qubo_queens.embedding.embedding import Embedding
from qubo_queens.embedding.find import METHODS, Method, find_embedding
from qubo_queens.embedding.topology import Topology
from qubo_queens.encodings.build import build as build_model
from qubo_queens.encodings.model import Model
from qubo_queens.files import check_writable

_FILE = click.Path(path_type=Path)

_SHORT = 2
"""The longest chain of the layout of a ladder."""


@click.command()
@takes_instance
@model_options
@click.option(
    "--topology",
    required=True,
    metavar="NAME",
    help="The chip: zephyr:M or zephyr:M:T, pegasus:M, chimera:M or chimera:M:T, such as "
    "zephyr:15; or a JSON file with the properties of a solver or a list of couplers.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="auto",
    show_default=True,
    help="lattice: lay the board out along the rows and columns of the chip (encoding ladder); "
    "clique: embed a complete graph; minorminer: search; auto: the best of those that apply.",
)
@click.option("--seed", type=int, help="The seed of the searches.")
@time_limit_option("Time limit of the searches, in seconds.", default=60)
@click.option(
    "--tries", type=int, default=4, show_default=True, metavar="N", help="Number of searches."
)
@click.option("--output", "-o", type=_FILE, help="File for the embedding, as JSON.")
@click.option("--picture", type=_FILE, help="File for a picture: .png, .svg or .pdf.")
@json_option
def embed(
    instance: Instance,
    *,
    topology: str,
    method: Method,
    seed: int | None,
    time_limit: float,
    tries: int,
    output: Path | None,
    picture: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Embed a model on the chip of a quantum annealer.

    INPUT is as for `solve`. Ctrl-C ends the search with the best embedding found so far.

    \b
    Exit codes: 0 an embedding was found; 1 none was found within the limits.
    """  # noqa: D301 - click needs the backspace character
    chip = Topology.of(topology)
    _check_files(output, picture, chip)
    model = build_model(instance, **options)
    if model.reduction.infeasible:
        say(f"infeasible: {model.reduction.reason}")
    found = find_embedding(
        model, chip, method=method, seed=seed, time_limit=time_limit, tries=tries
    )
    if found is not None:
        if output is not None:
            found.write(output)
        if picture is not None:
            draw_embedding(found, picture, chip)
        if found.longest_chain > _SHORT and _has_layout_unreduced(chip, model):
            say(
                "with --reduce none a ladder keeps the grid of the board: chains of 2 where it fits"
            )
    write = say if str(output).startswith("/dev/") else click.echo  # not mixed with the embedding
    facts = _facts(model, chip, found)
    write(json.dumps(facts) if as_json else _as_text(facts))
    return 0 if found is not None else 1


def _check_files(output: Path | None, picture: Path | None, chip: Topology) -> None:
    """Raise an error for a file that cannot be written, before the search begins."""
    for path, option in ((output, "-o"), (picture, "--picture")):
        if path is not None:
            refuse_dash(path, option)
    if output is not None and output == picture:
        raise click.UsageError(f"-o and --picture are one file, {click.format_filename(output)}")
    if output is not None:
        check_writable(output)
    if picture is not None:
        check_picture(picture, chip)


def _has_layout_unreduced(chip: Topology, model: Model) -> bool:
    """Return whether a ladder model would have a layout on a chip if it were not reduced."""
    reduction = model.reduction
    reduced = reduction.mode != "none" and not reduction.untouched and not reduction.infeasible
    return model.encoding == "ladder" and reduced and chip.type in ("zephyr", "pegasus")


def _facts(model: Model, chip: Topology, found: Embedding | None) -> dict[str, Any]:
    facts = {
        "n": model.instance.n,
        "encoding": model.encoding,
        "topology": chip.name,
        "chip_qubits": len(chip.graph),
        "num_variables": model.num_variables,
        "num_interactions": model.num_interactions,
        "found": found is not None,
    }
    if found is not None:
        facts |= {
            "method": found.method,
            "num_qubits": found.num_qubits,
            "longest_chain": found.longest_chain,
            "mean_chain": found.mean_chain,
            "chain_lengths": {str(length): number for length, number in found.histogram.items()},
            "seconds": found.seconds,
        }
    return {**facts, "version": qubo_queens.__version__}


def _as_text(facts: dict[str, Any]) -> str:
    variables = counted(facts["num_variables"], "variable")
    interactions = counted(facts["num_interactions"], "interaction")
    model = f"{facts['encoding']} n={facts['n']}: {variables}, {interactions}"
    if not facts["found"]:
        room = f"{facts['topology']} has {counted(facts['chip_qubits'], 'qubit')}"
        return f"{model}\nno embedding found within the limits (--time-limit, --tries); {room}"
    lengths = (f"{number:,} of {length}" for length, number in facts["chain_lengths"].items())
    return (
        f"{model}\n{facts['topology']}: {counted(facts['num_qubits'], 'qubit')}, longest chain "
        f"{facts['longest_chain']}, mean {facts['mean_chain']:.2f}\nchains: {', '.join(lengths)}\n"
        f"{facts['method']}, found after {facts['seconds']:.2f} s"
    )
