"""Clauses as text: the numbers of DIMACS formulas and DRAT proofs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from qubo_queens.checks import shorten
from qubo_queens.errors import FormatError

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_CLAUSE = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,8} )*0\s*", re.ASCII)
_DELETES = 2_000_000_000
"""Stands for the letter d among the literals, which have at most nine digits."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """Clauses in the order in which they stand.

    Attributes:
        literals: The literals of all clauses, one clause after the other, of shape (L,).
        offsets: Where each clause starts, and at the end L; of shape (m + 1,).
        deletes: Which clauses stand behind a ``d``, of shape (m,).
    """

    literals: Int32Array = field(repr=False)
    offsets: Int64Array = field(repr=False)
    deletes: BoolArray = field(repr=False)

    def __len__(self) -> int:
        """Return the number of clauses."""
        return len(self.deletes)


def parse_clauses(text: str, first_line: int = 1) -> Clauses:
    """Read clauses, one on each line: ``1 -2 0``, with a ``d`` in front if it is deleted.

    Blank lines are passed over.

    Args:
        text: The lines.
        first_line: The number of the first line, for messages.

    Raises:
        FormatError: If a line is not a clause; the message says which.
    """
    lines = text.splitlines()
    clean = [line for line in lines if line and not line.isspace()]
    for line in clean:
        if _CLAUSE.fullmatch(line) is None:
            number = lines.index(line) + first_line
            raise FormatError(
                f"line {number}: expected a clause such as '1 -2 0' or 'd 1 -2 0', "
                f"not {shorten(line)!r}"
            )
    if not clean:
        return Clauses(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.bool_))
    joined = "\n".join(clean)
    numbers = np.fromstring(joined.replace("d", str(_DELETES)), dtype=np.int64, sep=" ")
    ends, deletes = numbers == 0, numbers == _DELETES
    return split_clauses(numbers, ends, deletes, ends | deletes)


def split_clauses(
    numbers: Int64Array, ends: BoolArray, deletes: BoolArray, marks: BoolArray
) -> Clauses:
    """Return the clauses of a stream of numbers.

    Args:
        numbers: The literals, and marks between them.
        ends: Which of the numbers stand behind a clause.
        deletes: Which stand in front of a clause that is deleted.
        marks: Which are marks of any kind.
    """
    literals = numbers[~marks].astype(np.int32)
    before = np.cumsum(~marks)[ends]
    deleted = np.zeros(len(before), dtype=np.bool_)
    deleted[np.cumsum(ends)[deletes]] = True
    return Clauses(literals, np.concatenate([[0], before]), deleted)


def clause_text(literals: Int32Array, offsets: Int64Array, deletes: BoolArray | None = None) -> str:
    """Return clauses as lines of text; the arguments are as in :class:`Clauses`."""
    flat, bounds = list(map(str, literals.tolist())), offsets.tolist()
    starts = pairwise(bounds)
    marks = [""] * (len(bounds) - 1) if deletes is None else ["d " if d else "" for d in deletes]
    return "".join(
        f"{mark}{' '.join(flat[start:stop])} 0\n" if stop > start else f"{mark}0\n"
        for mark, (start, stop) in zip(marks, starts, strict=True)
    )
