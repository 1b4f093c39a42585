"""JSON files."""

from __future__ import annotations

import os
from typing import Any

from qubo_queens.checks import shown
from qubo_queens.errors import FormatError
from qubo_queens.formats.faults import as_path, file_faults
from qubo_queens.formats.json_object import parse_json


def read_json_file(path: str | os.PathLike[str]) -> Any:
    """Return what a JSON file states; its name is in every message.

    Raises:
        InputTypeError: If `path` is no path.
        InputError: If the file cannot be read.
        FormatError: If it is no JSON in UTF-8.
    """
    named = as_path(path)
    with file_faults("read", named):
        content = named.read_bytes()
    try:
        return parse_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{shown(str(named), 100)} is not UTF-8 text: {error.reason}") from None
    except FormatError as error:
        raise FormatError(f"{shown(str(named), 100)}: {error}") from None
