"""QUBO/Ising models, annealing and independent verification for n-queens completion.

Every public name is loaded on first use, so ``import qubo_queens`` loads neither NumPy nor dimod.
Errors are in ``qubo_queens.errors``, random instances in ``qubo_queens.generate``.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the public names; at run time this block is read as text, see _public_names
    from qubo_queens.board.instance import Instance as Instance
    from qubo_queens.board.placement import Placement as Placement
    from qubo_queens.board.reduce import reduce as reduce
    from qubo_queens.board.verify import verify as verify
    from qubo_queens.embedding.embedding import Embedding as Embedding
    from qubo_queens.embedding.find import find_embedding as find_embedding
    from qubo_queens.embedding.topology import Topology as Topology
    from qubo_queens.encodings.build import build as build
    from qubo_queens.encodings.build import forecast as forecast
    from qubo_queens.encodings.cqm import build_cqm as build_cqm
    from qubo_queens.encodings.dqm import build_dqm as build_dqm
    from qubo_queens.encodings.model import Model as Model
    from qubo_queens.encodings.nl import build_nl as build_nl
    from qubo_queens.encodings.nl import decode_nl as decode_nl
    from qubo_queens.encodings.registry import list_encodings as list_encodings
    from qubo_queens.encodings.registry import register_encoding as register_encoding
    from qubo_queens.exact.count import count as count
    from qubo_queens.exact.proof_file import check_proof as check_proof
    from qubo_queens.exact.prove import prove as prove
    from qubo_queens.exact.solutions import solutions as solutions
    from qubo_queens.formats.batch import read_instances as read_instances
    from qubo_queens.formats.boards import read_instance as read_instance
    from qubo_queens.formats.boards import write_instance as write_instance
    from qubo_queens.formats.models import write_model as write_model
    from qubo_queens.result import Status as Status
    from qubo_queens.samplers.annealers.flip import FlipSampler as FlipSampler
    from qubo_queens.samplers.annealers.swap import SwapSampler as SwapSampler
    from qubo_queens.samplers.registry import get_sampler as get_sampler
    from qubo_queens.samplers.registry import list_samplers as list_samplers
    from qubo_queens.samplers.registry import register_sampler as register_sampler
    from qubo_queens.solving.solve import solve as solve
    from qubo_queens.solving.solve_many import solve_many as solve_many

__version__ = "0.1.0"

_MODULES = frozenset(("errors", "generate"))
"""Public modules, also loaded on first use."""


def _public_names() -> dict[str, str]:
    """Return the module that defines each public name, from the import statements above.

    They are statements so that type checkers know the names; they are not executed, since that
    would load everything.
    """
    source = __loader__.get_source(__name__)  # type: ignore[name-defined]
    return {name: home for home, name in re.findall(r"\n    from (\S+) import (\S+) as", source)}


_HOME = _public_names()

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names too, loaded or not."""
    return sorted({*globals(), *__all__, *_MODULES})
