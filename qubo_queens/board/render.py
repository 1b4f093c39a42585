"""A board as text and as an SVG string."""

from __future__ import annotations

from collections.abc import Iterable

from qubo_queens.board.lines import Cell

LARGEST_PICTURE = 128
"""The largest board that is drawn; the SVG has an element for every second cell."""

_SQUARE = 24


def board_text(n: int, queens: Iterable[Cell], blocked: Iterable[Cell] = ()) -> str:
    """Return the board as n lines of ``Q``, ``.`` and, for blocked cells, ``*``."""
    rows = [bytearray(b"." * n) for _ in range(n)]
    for row, column in blocked:
        rows[row][column] = ord("*")
    for row, column in queens:
        rows[row][column] = ord("Q")
    return "\n".join(row.decode("ascii") for row in rows)


def board_svg(
    n: int, queens: Iterable[Cell], prescribed: Iterable[Cell] = (), blocked: Iterable[Cell] = ()
) -> str | None:
    """Return the board as a self-contained SVG string; None above ``LARGEST_PICTURE``."""
    if n > LARGEST_PICTURE:
        return None
    side = n * _SQUARE
    given = set(prescribed)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" '
        f'width="{min(side, 480)}" height="{min(side, 480)}" role="img">',
        f"<title>{n} x {n} board</title>",
        f'<rect width="{side}" height="{side}" fill="#f6efe0"/>',
    ]
    dark = [(r, c) for r in range(n) for c in range(n) if (r + c) % 2]
    parts += [_square(cell, "#c9ad84") for cell in dark]
    parts += [_square(cell, "#55504a") for cell in blocked]
    parts += [_queen(cell, "#9a2617" if cell in given else "#1d1b18") for cell in queens]
    return "".join([*parts, "</svg>"])


def _square(cell: Cell, fill: str) -> str:
    x, y = cell[1] * _SQUARE, cell[0] * _SQUARE
    return f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}"/>'


def _queen(cell: Cell, fill: str) -> str:
    """Return a queen as a plain path: a crown of three points over a base."""
    x, y = cell[1] * _SQUARE, cell[0] * _SQUARE
    return (
        f'<path transform="translate({x},{y})" fill="{fill}" '
        'd="M5 20h14v-2.5H5zM5 16h14l2-10-5 5-4-7-4 7-5-5z"/>'
    )
