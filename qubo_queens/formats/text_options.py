"""The options of reading and writing text: board size, base of the indices, meaning of glyphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from qubo_queens.board.instance import as_size
from qubo_queens.board.lines import Cell, Kind, indices
from qubo_queens.checks import int_in_range, shorten, shown
from qubo_queens.errors import Argument, FormatError, InputError, InputTypeError, Remedy

QUEEN, BLOCKED, EMPTY = MEANINGS = ("queen", "blocked", "empty")
"""The meanings that a glyph of a text board can have."""

_GLYPHS = {"Q": QUEEN, "q": QUEEN, ".": EMPTY, "_": EMPTY, "-": EMPTY}
_WRITTEN_GLYPHS = {**_GLYPHS, "*": BLOCKED}

_SHIFT = {Kind.ROW: 1, Kind.COLUMN: 1, Kind.SUM: 2, Kind.DIFFERENCE: 0}
"""How much larger an index is if rows and columns count from 1."""


@dataclass(frozen=True)
class TextOptions:
    """What the caller states, or else may find in the text: size, base, and further glyphs."""

    n: int | None = None
    base: int | None = None
    legend: Mapping[str, str] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The number of the first row and column: 0 unless the caller states 1."""
        return self.base or 0

    @cached_property
    def glyphs(self) -> dict[str, str]:
        """The meaning of each glyph of a text board, the usual ones and those of the legend."""
        return {**_GLYPHS, **self.legend}

    def glyph(self, meaning: str) -> str:
        """Return the glyph to write for `meaning`: that of the legend if it has one."""
        meanings = {**_WRITTEN_GLYPHS, **self.legend}
        for glyph in (*self.legend, *meanings):
            if meanings[glyph] == meaning:
                return glyph
        remedy = Remedy("; give it one with ", Argument("legend", {"#": meaning}))
        raise InputError(f"the legend leaves no glyph for {meaning}", remedy)

    def size(self, name: str) -> int:
        """Return the board size for format `name`, whose texts do not state it."""
        if self.n is None:
            raise InputError(
                f"format {name} does not state the board size", Remedy("; pass ", Argument("n"))
            )
        return self.n

    def to_index(self, number: int, kind: Kind, n: int) -> int:
        """Return the 0-based index of the line of this kind that has `number` in a text."""
        allowed, shift = indices(kind, n), _SHIFT[kind]
        base = shift * self.first
        if number - base in allowed:
            return number - base
        other = 1 - self.first
        mixed_up = number - shift * other in allowed
        hint = Remedy(f"; for {other}-based input pass ", Argument("base", other))
        raise FormatError(
            f"{kind} {shorten(str(number))} is outside {allowed[0] + base}..{allowed[-1] + base} "
            f"(n={n})",
            hint if mixed_up else "",
        )

    def queens(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the queens that a text lists, each of which must be listed once."""
        count = Counter(cells)
        for (row, column), times in count.items():
            if times > 1:
                listed = (row + self.first, column + self.first)
                raise FormatError(f"queen {listed} is listed {times} times; list it once")
        return list(count)

    def from_index(self, index: int, kind: Kind) -> int:
        """Return the number in a text for a 0-based index."""
        return index + _SHIFT[kind] * self.first

    def from_cells(self, cells: Iterable[Cell]) -> list[list[int]]:
        """Return the numbers in a text for 0-based cells."""
        return [[row + self.first, column + self.first] for row, column in cells]


def make_options(n: object, base: object, legend: Mapping[str, str] | None) -> TextOptions:
    """Return the checked options."""
    size = None if n is None else as_size(n)
    stated = None if base is None else int_in_range(base, "base", 0, 1)
    return TextOptions(size, stated, _checked_legend(legend or {}))


def _checked_legend(legend: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(legend, Mapping):
        raise InputTypeError(
            f"legend must map glyphs to meanings, such as {{'*': 'blocked'}}, not {shown(legend)}"
        )
    for glyph, meaning in legend.items():
        is_character = isinstance(glyph, str) and len(glyph) == 1
        if not is_character or glyph.isspace() or not glyph.isprintable():
            raise InputError(f"legend glyph {shown(glyph)} must be exactly one visible character")
        if meaning not in MEANINGS:
            raise InputError(
                f"legend gives {glyph!r} the meaning {shown(meaning)}; "
                f"choose one of {', '.join(MEANINGS)}"
            )
    return dict(legend)
