"""The best sample of a sample set, judged by the model and not by what the sampler reports."""

from __future__ import annotations

from typing import NamedTuple

import dimod
import numpy as np

from qubo_queens.board.placement import Placement
from qubo_queens.encodings.model import Model
from qubo_queens.errors import MissingVariableError, SampleError


class BestRead(NamedTuple):
    """The read with the lowest energy: its board, and its energy."""

    placement: Placement
    energy: float


def best_read(model: Model, sampleset: dimod.SampleSet) -> BestRead:
    """Return the board and the energy of the sample with the lowest energy.

    The energies are recomputed from the model, since a sampler may report them without the
    offset; values are read as bits or spins, whatever vartype the sample set claims.

    Raises:
        MissingVariableError: If a variable of the model has no values.
        SampleError: If there are values other than 0/1 or -1/+1.
    """
    place = {label: at for at, label in enumerate(sampleset.variables)}
    missing = [label for label in model.variables if label not in place]
    if missing:
        raise MissingVariableError(
            f"the sampler returned no value for variable {missing[0]}; "
            f"{len(missing)} of {len(model.variables)} are missing"
        )
    values = sampleset.record.sample
    if not np.isin(values, (-1, 0, 1)).all():
        raise SampleError("the sampler returned values other than 0/1 (BINARY) or -1/+1 (SPIN)")
    bits = (values[:, [place[label] for label in model.variables]] == 1).astype(np.int8)
    energies = model.sample_energies(bits)
    at = int(np.argmin(energies))
    best = dict(zip(sampleset.variables, values[at].tolist(), strict=True))
    return BestRead(model.decode(best), model.energy(best))
