"""The errors of the package: all are :class:`QueensError`, and also what Python users expect.

Messages are read by users of Python and of the command line, who write an argument differently:
``base=1`` and ``--base 1``. So a message consists of parts. Most messages have one part, a string.
An :class:`Argument` names an argument; a :class:`Remedy` is advice that may hold for Python only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Argument:
    """The name of a keyword argument in a message, with a value or without.

    The command line prints the option of that name instead, if the command has one.

    >>> print(Argument("base", 1), Argument("time_limit"))
    base=1 time_limit
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


@dataclass(frozen=True, init=False)
class Remedy:
    """Advice at the end of a message, from its separator on.

    The command line leaves it out unless it names arguments and the command has options for all of
    them. Advice that holds everywhere is plain text instead.

    >>> print(InputError("the size is missing", Remedy("; pass ", Argument("n"))))
    the size is missing; pass n
    """

    parts: tuple[str | Argument, ...]

    def __init__(self, *parts: str | Argument) -> None:
        object.__setattr__(self, "parts", parts)

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


Part: TypeAlias = str | Argument | Remedy
"""A part of a message."""


class QueensError(Exception):
    """Base class of every error that this package raises on purpose.

    Attributes:
        args: The parts of the message; ``str(error)`` is all of them, in the words of Python.
    """

    def __init__(self, *message: Part) -> None:
        super().__init__(*message)

    def __str__(self) -> str:
        return "".join(map(str, self.args))


class InputError(QueensError, ValueError):
    """A value is of the right type but not an allowed one."""


class InputTypeError(QueensError, TypeError):
    """A value is of the wrong type."""


class ParameterError(QueensError, TypeError):
    """A keyword is unknown to the function or the sampler it was meant for."""


class FormatError(InputError):
    """A board or model could not be read; the message says where (line and column from 1)."""


class UnsupportedVariantError(FormatError):
    """A text is a puzzle with other rules than the n-queens problem."""


class SampleError(InputError):
    """A sample does not fit the model it is decoded with."""


class MissingVariableError(SampleError, KeyError):
    """A sample has no value for a variable of the model."""


class ModelTooLargeError(QueensError, MemoryError):
    """A model would not fit in the memory of this machine."""


class MissingPackageError(QueensError, ImportError):
    """A package that is needed is not installed; the message says how to install it."""


class SamplerUnavailableError(QueensError, RuntimeError):
    """A sampler is known and installed but cannot be made; the message has its reason."""


class SolverError(QueensError, RuntimeError):
    """A solver ended without an answer; the message has its last words."""


class ProofError(InputError):
    """A proof does not prove what it claims to; the message says at which step."""


class MismatchError(QueensError, RuntimeError):
    """The model and the independent verifier disagree about a board.

    Attributes:
        placement: The ``Placement`` they disagree about.
        energy: What the model says; 0 means solved.
        verification: The ``Verification`` by the verifier.
    """

    def __init__(self, placement: Any, energy: float, verification: Any) -> None:
        self.placement = placement
        self.energy = energy
        self.verification = verification
        found = "; ".join(map(str, verification.violations[:3])) or "a valid board"
        super().__init__(
            f"the model gives energy {energy} but the verifier finds {found}: "
            "the model does not state the whole problem, or one of the two is wrong"
        )

    def __reduce__(self) -> tuple[type[MismatchError], tuple[Any, ...]]:
        """Pickle the facts, from which the message is made again."""
        return type(self), (self.placement, self.energy, self.verification)
