"""What a call of a sampler returns: the best read, judged by the model, and all samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dimod
import numpy as np

from qubo_queens.board.placement import Placement
from qubo_queens.encodings.model import Model
from qubo_queens.errors import InputError, InputTypeError, MissingVariableError, SampleError
from qubo_queens.samplers.annealers.reads import Reads


class BestRead(NamedTuple):
    """The read with the lowest energy: its board, and its energy."""

    placement: Placement
    energy: float


class Answer(ABC):
    """The reads of one call. The answer may still be on its way; asking for anything waits."""

    @property
    @abstractmethod
    def num_reads(self) -> int:
        """The number of reads."""

    @property
    @abstractmethod
    def info(self) -> Mapping[str, Any]:
        """What the sampler reports: timing, problem ids and the like."""

    @abstractmethod
    def best(self) -> BestRead:
        """Return the read with the lowest energy."""

    @abstractmethod
    def sampleset(self) -> dimod.SampleSet:
        """Return all reads."""


class BoardAnswer(Answer):
    """Reads of one of our annealers on a board."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    @property
    def num_reads(self) -> int:
        """The number of reads."""
        return len(self._reads)

    @property
    def info(self) -> Mapping[str, Any]:
        """The kernel, the schedule, the seed and the timing."""
        return self._reads.info

    def best(self) -> BestRead:
        """Return the read with the lowest energy, recomputed from its line counts."""
        placement = self._reads.best_placement
        return BestRead(placement, sum(self._reads.model.placement_energies(placement).values()))

    def sampleset(self) -> dimod.SampleSet:
        """Return all reads."""
        return self._reads.sampleset()


class BqmAnswer(Answer):
    """The sample set of any dimod sampler; it may be a future that waits for a remote solver."""

    def __init__(self, model: Model, answer: object) -> None:
        """Take what the sampler returned.

        Raises:
            InputTypeError: If it is not a sample set.
        """
        if not isinstance(answer, dimod.SampleSet):
            kind = type(answer).__name__
            raise InputTypeError(f"the sampler returned {kind} instead of a dimod.SampleSet")
        self._model = model
        self._sampleset = answer

    @property
    def num_reads(self) -> int:
        """The number of reads; a row may stand for several.

        Raises:
            InputError: If there are none.
        """
        rows = int(self._sampleset.record.num_occurrences.sum())
        if rows <= 0:
            raise InputError("the sampler returned no sample")
        return rows

    @property
    def info(self) -> Mapping[str, Any]:
        """The ``info`` of the sample set."""
        info: Mapping[str, Any] = self._sampleset.info
        return info

    def best(self) -> BestRead:
        """Return the read with the lowest energy; errors as in :func:`best_read`."""
        return best_read(self._model, self._sampleset)

    def sampleset(self) -> dimod.SampleSet:
        """Return all reads."""
        return self._sampleset


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


def joined(samplesets: Sequence[dimod.SampleSet]) -> dimod.SampleSet:
    """Return the rows of several sample sets as one, in the vartype and label order of the first.

    A vector that only some of them have, such as ``chain_break_fraction``, is NaN in the rows of
    the others if it is one of floats, and left out otherwise. ``info["calls"]`` lists the ``info``
    of each sample set.
    """
    first = samplesets[0]
    labels = list(first.variables)
    alike = [each.change_vartype(first.vartype, inplace=False) for each in samplesets]
    rows = []
    for each in alike:
        place = [each.variables.index(label) for label in labels]
        rows.append(each.record.sample[:, place])
    sizes = [len(each) for each in alike]
    names = dict.fromkeys(name for each in alike for name in each.record.dtype.names)
    vectors = {}
    for name in names:
        if name != "sample" and (vector := _joined_vector(alike, name, sizes)) is not None:
            vectors[name] = vector
    joint: dimod.SampleSet = dimod.SampleSet.from_samples(
        (np.concatenate(rows), labels),
        vartype=first.vartype,
        info={"calls": [dict(each.info) for each in samplesets]},
        sort_labels=False,
        **vectors,
    )
    return joint


def _joined_vector(
    samplesets: Sequence[dimod.SampleSet], name: str, sizes: Sequence[int]
) -> np.ndarray[Any, Any] | None:
    """Return a vector of all rows; None if it has to be left out."""
    parts = [each.record[name] if name in each.record.dtype.names else None for each in samplesets]
    known = next(part for part in parts if part is not None)
    if any(part is None for part in parts) and not np.issubdtype(known.dtype, np.floating):
        return None
    if any(part is not None and part.shape[1:] != known.shape[1:] for part in parts):
        return None
    return np.concatenate(
        [
            np.full((size, *known.shape[1:]), np.nan) if part is None else part
            for size, part in zip(sizes, parts, strict=True)
        ]
    )
