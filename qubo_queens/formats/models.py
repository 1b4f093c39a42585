"""Write a model as a file for other tools; ``TABLE`` has the formats by name.

To add a format, write a function that writes a model to an open binary file, and enter it in
``TABLE`` with the suffixes of its files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from qubo_queens.checks import shown
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.files import as_path, write_atomic

if TYPE_CHECKING:
    from qubo_queens.encodings.model import Model


class ModelFormat(NamedTuple):
    """A format of models: its writer, and the suffixes of its files in lower case."""

    write: Callable[[Model, BinaryIO], object]
    suffixes: tuple[str, ...]


def _write_bqm(model: Model, target: BinaryIO) -> None:
    """Write dimod's own file format; it keeps the labels, the offset and the vartype."""
    with model.bqm.to_file() as source:
        shutil.copyfileobj(source, target)


TABLE = {"bqm": ModelFormat(_write_bqm, (".bqm",))}
"""The formats by name; the first is that of files with any other suffix."""

MODEL_FORMATS = tuple(TABLE)
"""The names of the formats."""


def write_model(model: Model, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write the BQM of `model` to a file, in full or not at all.

    ``dimod.BinaryQuadraticModel.from_file`` reads it back.

    >>> import dimod, pathlib, tempfile
    >>> from qubo_queens import build
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "four.bqm"
    ...     write_model(build(4), path)
    ...     with path.open("rb") as file:
    ...         dimod.BinaryQuadraticModel.from_file(file).num_variables
    16

    Args:
        model: A model, as ``build`` returns it.
        path: The name of the file.
        format: One of ``MODEL_FORMATS``; by default that of the suffix, else ``bqm``.

    Raises:
        InputTypeError: If `model` is not a model.
        InputError: If the format is unknown, or the file cannot be written.
        ModelTooLargeError: If the BQM would not fit in memory.
    """
    if not hasattr(type(model), "bqm"):  # of the class, since the model would make its BQM
        raise InputTypeError(
            f"write_model needs a Model, not {type(model).__name__}; make one with build(instance)"
        )
    if format is not None and format not in tuple(TABLE):
        raise InputError(
            f"model format {shown(format)} is unknown; choose one of {', '.join(TABLE)}"
        )
    suffix = as_path(path).suffix.lower()
    by_suffix = (name for name, known in TABLE.items() if suffix in known.suffixes)
    chosen = TABLE[format or next(by_suffix, MODEL_FORMATS[0])]
    # The BQM is made only once the file is open: a wrong path is reported at once.
    write_atomic(path, partial(chosen.write, model))
