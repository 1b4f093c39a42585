"""The encodings by name: built-in ones, registered ones, and those of other packages.

Listing the names imports no encoding. Other packages provide encodings by entry points of the group
``qubo_queens.encodings``, which name the class::

    [project.entry-points."qubo_queens.encodings"]
    toy = "my_package:Toy"

This is the shortest complete encoding, a bit for each free cell and the penalties of each line
(``qubo_queens.encodings.model`` says what other encodings have to define). With
``@register_encoding`` above the class, ``build(5, "toy")`` works as well:

>>> from functools import cached_property
>>> from itertools import combinations
>>> from qubo_queens import build
>>> from qubo_queens.board.lines import ROW_COLUMN
>>> from qubo_queens.encodings.cell_bits import CellPenaltyModel
>>> from qubo_queens.encodings.penalties import Penalties
>>> from qubo_queens.encodings.strengths import rows_columns_diagonals
>>> class Toy(CellPenaltyModel):
...     encoding = "toy"
...     takes_strengths = rows_columns_diagonals()
...
...     @cached_property
...     def penalties(self):
...         penalties = Penalties(self.literals, ("row_column", "diagonal"))
...         for kind, constraint, line in self._lines():
...             queens = self._literals_on(line)
...             if kind in ROW_COLUMN:
...                 penalties.square("row_column", constraint, [queens], constant=-1)
...             for pair in () if kind in ROW_COLUMN else combinations(queens, 2):
...                 penalties.product("diagonal", constraint, *pair)
...         return penalties.collected()
>>> build(5, Toy).gap
1
>>> from qubo_queens.testing import check_encoding
>>> check_encoding(Toy)
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from qubo_queens.checks import said, shown
from qubo_queens.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from qubo_queens.encodings.model import Model
    from qubo_queens.encodings.strengths import Strength

GROUP = "qubo_queens.encodings"
"""The group of entry points."""

_BUILT_IN = {
    "cell": "cell:CellModel",
    "cell-attack": "cell_attack:CellAttackModel",
    "cell-slack": "cell_slack:CellSlackModel",
    "row": "row:RowModel",
    "row-domain-wall": "row_domain_wall:RowDomainWallModel",
    "labelled": "labelled:LabelledModel",
    "ladder": "ladder:LadderModel",
}
"""Module and class of each encoding of this package."""

_registered: dict[str, type[Model]] = {}


@cache
def _entry_points() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages by name, in alphabetical order."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP))}


def list_encodings() -> list[str]:
    """Return the names that ``build`` takes as `encoding`.

    Encodings of other packages are listed by their entry points: they are not imported.

    >>> list_encodings()[:3]
    ['cell', 'cell-attack', 'cell-slack']
    """
    return list(dict.fromkeys((*_BUILT_IN, *_registered, *_entry_points())))


def get_encoding(name: str | type[Model]) -> type[Model]:
    """Return the class of an encoding; a class itself if it is complete, registered or not."""
    if isinstance(name, type):
        return _complete(name)
    if isinstance(name, str) and name in _BUILT_IN:
        module, class_name = _BUILT_IN[name].split(":")
        built_in: type[Model] = getattr(import_module(f"{__package__}.{module}"), class_name)
        return built_in
    if isinstance(name, str) and name in _registered:
        return _registered[name]
    if not isinstance(name, str) or name not in _entry_points():
        raise InputError(
            f"encoding {shown(name)} is unknown; choose one of {', '.join(list_encodings())}"
        )
    found = _of_package(name)
    if isinstance(found, BaseException):
        entry = _entry_points()[name]
        package = entry.dist.name if entry.dist is not None else "unknown"
        raise InputError(
            f"encoding {name!r} ({entry.value}, package {package}) cannot be loaded: {said(found)}"
        ) from found
    return found


@cache
def _of_package(name: str) -> type[Model] | BaseException:
    """Return the class that an entry point names, or what went wrong; it is loaded once."""
    try:
        model_class = _complete(_entry_points()[name].load())
    except (Exception, SystemExit) as error:
        return error
    if model_class.encoding != name:
        return InputError(f"it is encoding {model_class.encoding!r}; the names must be equal")
    return model_class


def register_encoding(model_class: type[Model]) -> type[Model]:
    """Make an encoding known by its name, in this process; usable as a decorator.

    >>> from qubo_queens.encodings.cell import CellModel
    >>> register_encoding(CellModel)
    Traceback (most recent call last):
        ...
    qubo_queens.errors.InputError: encoding 'cell' exists already; choose another name

    Args:
        model_class: A subclass of ``Model``.

    Returns:
        The same class.

    Raises:
        InputTypeError: If it is not a subclass of ``Model``, or lacks something.
        InputError: If the name is taken, or not usable as a name.
    """
    model_class = _complete(model_class)
    name, entry = model_class.encoding, _entry_points().get(model_class.encoding)
    own_value = f"{model_class.__module__}:{model_class.__qualname__}"
    # a module may register the class that the entry point of its package names
    if name in _BUILT_IN or name in _registered or (entry and entry.value != own_value):
        raise InputError(f"encoding {name!r} exists already; choose another name")
    _registered[name] = model_class
    return model_class


def strengths_by_name() -> dict[str, list[tuple[str, Strength]]]:
    """Return by keyword the strengths of all encodings that load, with their encodings."""
    found: dict[str, list[tuple[str, Strength]]] = {}
    for name in list_encodings():
        try:
            declared = get_encoding(name).takes_strengths
        except InputError:
            continue
        for strength in declared:
            found.setdefault(strength.keyword, []).append((name, strength))
    return found


def _complete(model_class: object) -> type[Model]:
    """Return a class if it is a complete encoding."""
    from qubo_queens.encodings.model import Model
    from qubo_queens.encodings.strengths import Strength

    if not (isinstance(model_class, type) and issubclass(model_class, Model)):
        raise InputTypeError(f"an encoding is a subclass of Model, not {shown(model_class)}")
    missing = [name for name in ("encoding", "takes_strengths") if not hasattr(model_class, name)]
    missing += sorted(getattr(model_class, "__abstractmethods__", ()))
    if missing:
        raise InputTypeError(f"{model_class.__name__} lacks {', '.join(missing)}; see Model")
    name, strengths = model_class.encoding, model_class.takes_strengths
    if not isinstance(name, str) or not name or any(c.isspace() or c == "," for c in name):
        raise InputError(
            f"{shown(name)} is not a name for an encoding; use one such as 'my-encoding'"
        )
    listed = strengths if isinstance(strengths, tuple) else ()
    families = [
        each.family if isinstance(each, Strength) and isinstance(each.family, str) else "forbidden"
        for each in listed
    ]
    lacking = {"row_column", "diagonal"}.difference(families)
    if lacking or len(set(families)) < len(families) or "forbidden" in families:
        raise InputTypeError(
            f"{model_class.__name__}.takes_strengths must be a tuple of Strength, each family "
            "once, row_column and diagonal among them, and 'forbidden' not"
        )
    for family in families:
        if not family.isidentifier():
            raise InputError(
                f"{shown(family)} is not a name for a family; use letters, digits and _"
            )
    return model_class
