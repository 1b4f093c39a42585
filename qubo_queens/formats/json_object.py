"""The json format: an object with everything an instance has. Results of ``solve`` are read too."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from typing import Any, NoReturn

from qubo_queens.board.instance import Instance, as_size
from qubo_queens.board.lines import Cell, Kind
from qubo_queens.checks import shorten, shown
from qubo_queens.errors import Argument, FormatError, Remedy
from qubo_queens.files import as_path, read_text
from qubo_queens.formats.text_options import TextOptions
from qubo_queens.formats.tokens import Clues, Fit, Match

KEYS = ("n", "queens", "blocked", "excluded_sums", "excluded_differences")
"""The keys of the object; only ``n`` is required, and not even that if the caller knows it."""

BLOCKS = "blocks"
"""Another word for ``blocked``, in the data files of PyCSP3."""

_RESULT_KEYS = {"status", "n", "queens", "violations", "reads", "timing", "version"}
_MOST_DIGITS = 4000  # Python itself refuses 4300


def recognise_json(clues: Clues) -> Match | None:
    """Recognise an object."""
    return Match(Fit.CERTAIN) if clues.start.startswith("{") else None


def read_json(text: str, options: TextOptions) -> Instance:
    """Read a JSON object with the keys ``KEYS``; ``blocks`` is another word for ``blocked``.

    A JSON result of ``solve``, recognised by its keys, is read as its board, which is 0-based.
    """
    return from_object(parse_json(text), options)


def from_object(found: Any, options: TextOptions) -> Instance:
    """Return the instance that an object of a JSON text states, as :func:`read_json` does."""
    if not isinstance(found, dict):
        raise FormatError(
            f"a json board is an object with the keys {', '.join(KEYS)}, not {_shown(found)}; "
            "for a list use format columns or cells"
        )
    if found.keys() >= _RESULT_KEYS and found.keys().isdisjoint((*KEYS[2:], BLOCKS)):
        found = {key: value for key, value in found.items() if key in ("n", "queens")}
        options = replace(options, base=0)
    for key in found:
        if key not in (*KEYS, BLOCKS):
            raise FormatError(f"key {shown(key)} is unknown; known are {', '.join(KEYS)}")
    blocked = BLOCKS if BLOCKS in found else "blocked"
    if blocked == BLOCKS and "blocked" in found:
        raise FormatError("keys 'blocked' and 'blocks' are two words for the same; give one")
    n = _size(found, options)
    return Instance(
        n,
        options.queens(_cells(found, "queens", n, options)),
        blocked=_cells(found, blocked, n, options),
        excluded_sums=_diagonals(found, "excluded_sums", Kind.SUM, n, options),
        excluded_differences=_diagonals(found, "excluded_differences", Kind.DIFFERENCE, n, options),
    )


def to_object(instance: Instance, options: TextOptions) -> dict[str, Any]:
    """Return the object that states an instance, with all its keys."""
    values = (
        instance.n,
        options.from_cells(instance.queens),
        options.from_cells(instance.blocked),
        [options.from_index(k, Kind.SUM) for k in instance.excluded_sums],
        [options.from_index(d, Kind.DIFFERENCE) for d in instance.excluded_differences],
    )
    return dict(zip(KEYS, values, strict=True))


def write_json(instance: Instance, options: TextOptions) -> str:
    """Write the object on one line."""
    return json.dumps(to_object(instance, options)) + "\n"


def parse_json(text: str) -> Any:
    """Return the content of a JSON text."""
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_parse_int, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        fault = f"line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}"
        raise FormatError(fault) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(key, count)] = Counter(key for key, _ in pairs).most_common(1)
        raise FormatError(f"key {shown(key)} occurs {count} times in one object")
    return found


def _parse_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise FormatError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise FormatError(f"{name} is not a number of JSON")


def _size(found: dict[str, Any], options: TextOptions) -> int:
    if "n" in found:
        return as_size(_integer(found["n"], "n"))
    if options.n is None:
        raise FormatError(
            "key 'n', the board size, is missing; add it", Remedy(", or pass ", Argument("n"))
        )
    return options.n


def _cells(found: dict[str, Any], key: str, n: int, options: TextOptions) -> list[Cell]:
    cells: list[Cell] = []
    for i, cell in enumerate(_list(found, key)):
        place = f"{key}[{i}]"
        if not isinstance(cell, list) or len(cell) != 2:
            raise FormatError(f"{place} must be a [row, column] list, not {_shown(cell)}")
        row = _index(cell[0], place, Kind.ROW, n, options)
        cells.append((row, _index(cell[1], place, Kind.COLUMN, n, options)))
    return cells


def _diagonals(
    found: dict[str, Any], key: str, kind: Kind, n: int, options: TextOptions
) -> list[int]:
    return [
        _index(value, f"{key}[{i}]", kind, n, options) for i, value in enumerate(_list(found, key))
    ]


def _list(found: dict[str, Any], key: str) -> list[Any]:
    value = found.get(key, [])
    if not isinstance(value, list):
        raise FormatError(f"{key} must be a list, not {_shown(value)}")
    return value


def _index(value: object, place: str, kind: Kind, n: int, options: TextOptions) -> int:
    number = _integer(value, place)
    try:
        return options.to_index(number, kind, n)
    except FormatError as error:
        raise FormatError(f"{place}: ", *error.args) from None


def _integer(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{place} must be an integer, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    """Return a value as JSON; of a list or an object, which may be deep, only what it is."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, dict) else shorten(json.dumps(value))


def read_json_file(path: str | os.PathLike[str]) -> Any:
    """Return the content of a JSON file; its name is in every message."""
    named = as_path(path)
    try:
        return parse_json(read_text(named))
    except FormatError as error:
        raise FormatError(f"{shown(str(named), 100)}: ", *error.args) from None
