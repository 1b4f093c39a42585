"""The comment of a DIMACS file that says which instance in which formulation its clauses state."""

from __future__ import annotations

import json
from collections.abc import Iterable

from qubo_queens.board.instance import Instance
from qubo_queens.errors import FormatError
from qubo_queens.formats.json_object import from_object, parse_json, to_object
from qubo_queens.formats.options import Options

_MARK = "qubo-queens "


def write_header(instance: Instance, formulation: str) -> str:
    """Return the comment, one line without the ``c`` in front."""
    asked = to_object(instance, Options())
    return _MARK + json.dumps({"formulation": formulation, "instance": asked})


def read_header(comments: Iterable[str]) -> tuple[Instance, str]:
    """Return the instance and the name of the formulation that the comments of a file state.

    Raises:
        FormatError: If none of the comments states them.
    """
    for comment in comments:
        if not comment.startswith(_MARK):
            continue
        try:
            found = parse_json(comment.removeprefix(_MARK))
            instance, formulation = found["instance"], found["formulation"]
        except (FormatError, KeyError, TypeError):
            break
        if isinstance(formulation, str):
            return from_object(instance, Options()), formulation
    raise FormatError(
        "no comment says which instance the clauses are about: expected a line "
        """'c qubo-queens {"formulation": ..., "instance": ...}'"""
    )
