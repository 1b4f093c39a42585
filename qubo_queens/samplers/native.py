"""Samplers that take a model as it is, without its binary quadratic model."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dimod.core.sampler import Sampler

from qubo_queens.board.instance import InstanceLike
from qubo_queens.encodings.model import Model
from qubo_queens.samplers.reads import Reads


class NativeSampler(Sampler):
    """A sampler with a method for boards; ``solve`` never makes a BQM for it."""

    @abstractmethod
    def anneal(self, problem: Model | InstanceLike, **parameters: Any) -> Reads:
        """Make reads on a board; see ``BoardSampler``."""
