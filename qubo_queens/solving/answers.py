"""What a call of a sampler returns: its best read, how a board is judged, and joined samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import dimod
import numpy as np

from qubo_queens.board.placement import Placement
from qubo_queens.board.verify import Verification, verify
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, MismatchError
from qubo_queens.samplers.annealers.interface import Reads

Answer: TypeAlias = Reads | dimod.SampleSet
"""What a call returns: reads of our own annealers, or the sample set of any other sampler. A sample
set may still be on its way from a remote solver; reading it waits for the answer."""


@dataclass(frozen=True)
class Candidate:
    """A board with the judgements of the model and of the verifier."""

    placement: Placement
    energy: float
    verification: Verification

    @classmethod
    def judged(cls, model: Model, placement: Placement, energy: float | None = None) -> Candidate:
        """Judge a board twice: by the constraints on lines, and by the verifier.

        `energy` is that of the sample that the board was read from, None if it is from no sample. A
        valid board gets the energy with the best auxiliary bits instead, 0.
        """
        verification = verify(model.instance, placement)
        if energy is None or verification.valid:
            energy = sum(model.placement_energies(placement).values())
        declared = not model.placement_violations(placement)
        solved = energy < model.gap / 2
        if verification.valid != declared or (solved and not verification.valid):
            raise MismatchError(placement, energy, verification)
        return cls(placement, energy, verification)


def num_reads(answer: Answer) -> int:
    """Return the number of reads; a row of a sample set may stand for several."""
    if isinstance(answer, Reads):
        return len(answer)
    if not isinstance(answer, dimod.SampleSet):
        kind = type(answer).__name__
        raise InputTypeError(f"the sampler returned {kind} instead of a dimod.SampleSet")
    rows = int(answer.record.num_occurrences.sum())
    if rows <= 0:
        raise InputError("the sampler returned no sample")
    return rows


def best_read(model: Model, answer: Answer) -> tuple[Placement, float]:
    """Return the board and the energy of the read with the lowest energy.

    Energies are recomputed from the model, since a sampler may report them without the offset.
    Values are read as bits or spins, whatever vartype a sample set claims.
    """
    if isinstance(answer, Reads):
        placement = answer.best_placement
        return placement, sum(model.placement_energies(placement).values())
    energies = model.sample_energies(answer)
    at = int(np.argmin(energies))
    best = dict(zip(answer.variables, answer.record.sample[at].tolist(), strict=True))
    return model.decode(best), model.energy(best)


def joined(samplesets: Sequence[dimod.SampleSet]) -> dimod.SampleSet:
    """Return the rows of several sample sets as one, in the vartype and label order of the first.

    A vector that only some of them have, such as ``chain_break_fraction``, is NaN in the rows of
    the others if it is one of floats, and left out otherwise. ``info["calls"]`` lists the ``info``
    of each sample set.
    """
    first = samplesets[0]
    labels = list(first.variables)
    alike = [each.change_vartype(first.vartype, inplace=False) for each in samplesets]
    rows = [
        each.record.sample[:, [each.variables.index(label) for label in labels]] for each in alike
    ]
    names = dict.fromkeys(name for each in alike for name in each.record.dtype.names)
    vectors = {name: _joined_vector(alike, name) for name in names if name != "sample"}
    joint: dimod.SampleSet = dimod.SampleSet.from_samples(
        (np.concatenate(rows), labels),
        vartype=first.vartype,
        info={"calls": [dict(each.info) for each in samplesets]},
        sort_labels=False,
        **{name: vector for name, vector in vectors.items() if vector is not None},
    )
    return joint


def _joined_vector(samplesets: Sequence[dimod.SampleSet], name: str) -> np.ndarray[Any, Any] | None:
    """Return a vector of all rows; None if it has to be left out."""
    parts = [each.record[name] if name in each.record.dtype.names else None for each in samplesets]
    known = next(part for part in parts if part is not None)
    if any(part is None for part in parts) and not np.issubdtype(known.dtype, np.floating):
        return None
    if any(part is not None and part.shape[1:] != known.shape[1:] for part in parts):
        return None
    return np.concatenate(
        [
            np.full((len(each), *known.shape[1:]), np.nan) if part is None else part
            for each, part in zip(samplesets, parts, strict=True)
        ]
    )
