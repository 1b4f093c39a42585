"""Samplers that take a model as it is, without its binary quadratic model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Unpack

from dimod.core.initialized import InitialStateGenerator
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.placement import Placement
from qubo_queens.encodings.model import Model
from qubo_queens.samplers.annealers.options import Options
from qubo_queens.samplers.annealers.reads import Reads


class NativeSampler(Sampler):
    """A sampler with a method for boards; ``solve`` never makes a BQM for it.

    It stands apart from ``BoardSampler`` so that it can be recognised without loading Numba.
    """

    def anneals(self, model: Model) -> bool:
        """Tell whether ``anneal`` takes a model; any other has to be sampled as a BQM."""
        return model.encoding == "cell"

    @abstractmethod
    def load(self, model: Model) -> None:
        """Compile the kernels for a model, or load them from disk; once in a process."""

    @abstractmethod
    def anneal(
        self,
        problem: Model | InstanceLike,
        *,
        initial_states: Placement | Iterable[Placement] | None = None,
        initial_states_generator: InitialStateGenerator = "tile",
        **options: Unpack[Options],
    ) -> Reads:
        """Make reads on a board; see ``BoardSampler``."""
