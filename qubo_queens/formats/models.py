"""Models as files for other tools."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, BinaryIO

from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.files import write_atomic

if TYPE_CHECKING:
    from qubo_queens.encodings.model import Model

MODEL_FORMATS = ("bqm",)
"""``bqm`` is dimod's own file format; it keeps the labels, the offset and the vartype."""


def write_model(model: Model, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write the BQM of `model` to a file.

    ``dimod.BinaryQuadraticModel.from_file`` reads it back. The file is there in full or not at
    all.

    Args:
        model: What ``build`` returned.
        path: The name of the file.
        format: One of ``MODEL_FORMATS``; by default ``bqm``.

    Raises:
        InputTypeError: If `model` is not a model.
        InputError: If the format is unknown, or the file cannot be written.
        ModelTooLargeError: If the BQM would not fit in memory.
    """
    if not hasattr(type(model), "bqm"):  # asked of the class, since on the model it is made
        raise InputTypeError(
            f"write_model needs a Model, not {type(model).__name__}; make one with build(instance)"
        )
    if format is not None and format not in MODEL_FORMATS:
        raise InputError(
            f"model format {format!r} is unknown; choose one of {', '.join(MODEL_FORMATS)}"
        )

    def copy(target: BinaryIO) -> None:
        with model.bqm.to_file() as source:
            shutil.copyfileobj(source, target)

    # The BQM is made only once the file is open: a wrong path is told at once.
    write_atomic(path, copy)
