"""The comment of a DIMACS file that says which instance in which formulation its clauses state."""

from __future__ import annotations

import json
from collections.abc import Iterable

from qubo_queens.board.instance import Instance
from qubo_queens.errors import FormatError
from qubo_queens.formats.json_object import KEYS, from_object, parse_json, to_object
from qubo_queens.formats.options import Options

_MARK = "qubo-queens "


def write_header(instance: Instance, formulation: str) -> str:
    """Return the comment, one line without the ``c`` in front."""
    asked = to_object(instance, Options())
    return _MARK + json.dumps({"formulation": formulation, "instance": asked})


def stated_instance(stated: object) -> Instance:
    """Return the instance of a proof file: an object with all the keys of one, and no others.

    Raises:
        FormatError: If it is not such an object.
        InputError: If a value in it is wrong.
    """
    if not isinstance(stated, dict) or stated.keys() != set(KEYS):
        raise FormatError(f"the instance of a proof is an object with the keys {', '.join(KEYS)}")
    return from_object(stated, Options())


def read_header(comments: Iterable[str]) -> tuple[Instance, str]:
    """Return the instance and the name of the formulation that the comments of a file state.

    Raises:
        FormatError: If none of the comments states them.
    """
    marked = [comment for comment in comments if comment.startswith(_MARK)]
    if len(marked) > 1:
        raise FormatError(f"{len(marked)} comments say which instance the clauses are about")
    if marked:
        found = parse_json(marked[0].removeprefix(_MARK))
        known = isinstance(found, dict) and found.keys() == {"formulation", "instance"}
        if known and isinstance(found["formulation"], str):
            return stated_instance(found["instance"]), found["formulation"]
    raise FormatError(
        "no comment says which instance the clauses are about: expected a line "
        """'c qubo-queens {"formulation": ..., "instance": ...}'"""
    )
