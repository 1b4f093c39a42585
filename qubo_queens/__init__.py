"""QUBO/Ising models, annealing and independent verification for n-queens completion.

Every public name is loaded on first use, so ``import qubo_queens`` costs next to nothing and
pulls in no solver.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qubo_queens.board.certificate import Certificate as Certificate
    from qubo_queens.board.instance import Contradiction as Contradiction
    from qubo_queens.board.instance import Instance as Instance
    from qubo_queens.board.placement import Placement as Placement
    from qubo_queens.board.reduce import reduce as reduce
    from qubo_queens.board.reduction import Reduction as Reduction
    from qubo_queens.board.verify import Verification as Verification
    from qubo_queens.board.verify import verify as verify
    from qubo_queens.board.violation import Sense as Sense
    from qubo_queens.board.violation import Violation as Violation
    from qubo_queens.draw import draw_embedding as draw_embedding
    from qubo_queens.embedding.embedding import Embedding as Embedding
    from qubo_queens.embedding.find import find_embedding as find_embedding
    from qubo_queens.embedding.topology import Topology as Topology
    from qubo_queens.embedding.topology import as_topology as as_topology
    from qubo_queens.encodings.build import build as build
    from qubo_queens.encodings.build import encodings as encodings
    from qubo_queens.encodings.build import forecast as forecast
    from qubo_queens.encodings.cqm import build_cqm as build_cqm
    from qubo_queens.encodings.dqm import build_dqm as build_dqm
    from qubo_queens.encodings.forecast import Forecast as Forecast
    from qubo_queens.encodings.model import Model as Model
    from qubo_queens.encodings.nl import build_nl as build_nl
    from qubo_queens.encodings.nl import decode_nl as decode_nl
    from qubo_queens.encodings.rules import Constraint as Constraint
    from qubo_queens.errors import FormatError as FormatError
    from qubo_queens.errors import InputError as InputError
    from qubo_queens.errors import InputTypeError as InputTypeError
    from qubo_queens.errors import MismatchError as MismatchError
    from qubo_queens.errors import MissingVariableError as MissingVariableError
    from qubo_queens.errors import ModelTooLargeError as ModelTooLargeError
    from qubo_queens.errors import ParameterError as ParameterError
    from qubo_queens.errors import ProofError as ProofError
    from qubo_queens.errors import QueensError as QueensError
    from qubo_queens.errors import SampleError as SampleError
    from qubo_queens.errors import SamplerUnavailableError as SamplerUnavailableError
    from qubo_queens.errors import SolverError as SolverError
    from qubo_queens.errors import SolverUnavailableError as SolverUnavailableError
    from qubo_queens.errors import UnsupportedVariantError as UnsupportedVariantError
    from qubo_queens.exact.count import Count as Count
    from qubo_queens.exact.count import count as count
    from qubo_queens.exact.proof_file import check_proof as check_proof
    from qubo_queens.exact.prove import prove as prove
    from qubo_queens.exact.solutions import Solutions as Solutions
    from qubo_queens.exact.solutions import solutions as solutions
    from qubo_queens.formats.batch import read_instances as read_instances
    from qubo_queens.formats.boards import read_instance as read_instance
    from qubo_queens.formats.boards import write_instance as write_instance
    from qubo_queens.formats.models import write_model as write_model
    from qubo_queens.result import Result as Result
    from qubo_queens.result import Status as Status
    from qubo_queens.samplers.annealers.flip import FlipSampler as FlipSampler
    from qubo_queens.samplers.annealers.reads import Reads as Reads
    from qubo_queens.samplers.annealers.run import ReadProgress as ReadProgress
    from qubo_queens.samplers.annealers.swap import SwapSampler as SwapSampler
    from qubo_queens.samplers.registry import SamplerInfo as SamplerInfo
    from qubo_queens.samplers.registry import get_sampler as get_sampler
    from qubo_queens.samplers.registry import samplers as samplers
    from qubo_queens.search import Progress as Progress
    from qubo_queens.solve import solve as solve
    from qubo_queens.solve_many import solve_many as solve_many

__version__ = "0.1.0"

_HOME = {
    "Certificate": "board.certificate",
    "Constraint": "encodings.rules",
    "Contradiction": "board.instance",
    "Count": "exact.count",
    "Forecast": "encodings.forecast",
    "Embedding": "embedding.embedding",
    "FlipSampler": "samplers.annealers.flip",
    "FormatError": "errors",
    "InputError": "errors",
    "InputTypeError": "errors",
    "Instance": "board.instance",
    "MismatchError": "errors",
    "MissingVariableError": "errors",
    "Model": "encodings.model",
    "ModelTooLargeError": "errors",
    "ParameterError": "errors",
    "Placement": "board.placement",
    "Progress": "search",
    "ProofError": "errors",
    "QueensError": "errors",
    "ReadProgress": "samplers.annealers.run",
    "Reads": "samplers.annealers.reads",
    "Reduction": "board.reduction",
    "Result": "result",
    "SampleError": "errors",
    "SamplerInfo": "samplers.registry",
    "SamplerUnavailableError": "errors",
    "Sense": "board.violation",
    "Solutions": "exact.solutions",
    "SolverError": "errors",
    "SolverUnavailableError": "errors",
    "Status": "result",
    "SwapSampler": "samplers.annealers.swap",
    "Topology": "embedding.topology",
    "UnsupportedVariantError": "errors",
    "Verification": "board.verify",
    "Violation": "board.violation",
    "as_topology": "embedding.topology",
    "build": "encodings.build",
    "build_cqm": "encodings.cqm",
    "build_dqm": "encodings.dqm",
    "build_nl": "encodings.nl",
    "check_proof": "exact.proof_file",
    "count": "exact.count",
    "decode_nl": "encodings.nl",
    "draw_embedding": "draw",
    "encodings": "encodings.build",
    "find_embedding": "embedding.find",
    "forecast": "encodings.build",
    "get_sampler": "samplers.registry",
    "prove": "exact.prove",
    "read_instance": "formats.boards",
    "read_instances": "formats.batch",
    "reduce": "board.reduce",
    "samplers": "samplers.registry",
    "solutions": "exact.solutions",
    "solve": "solve",
    "solve_many": "solve_many",
    "verify": "board.verify",
    "write_instance": "formats.boards",
    "write_model": "formats.models",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names too, loaded or not."""
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Keeps ``qubo_queens.solve``, ``.encodings`` and ``.samplers`` the public functions.

    The import system binds a submodule to its package under its own name, which would hide the
    function of the same name. The submodules stay importable with ``from ... import ...``.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
