"""The check of a sampler."""

from __future__ import annotations

from typing import Any

import dimod
import numpy as np
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import Instance
from qubo_queens.encodings.build import build
from qubo_queens.samplers.registry import get_sampler


def check_sampler(sampler: str | Sampler, **parameters: Any) -> None:
    """Check that a sampler can be used with models of this package.

    A small board is sampled in both vartypes. Checked are: every sample has all variables and can
    be decoded; the energies are right up to a constant, since a sampler may drop the offset; the
    model is left unchanged. If the sampler lists these parameters, ``num_reads`` gives so many
    reads, and ``seed`` the same samples again.

    >>> check_sampler("steepest-descent")

    Args:
        sampler: A ``dimod.Sampler``, or a name of ``list_samplers()``.
        **parameters: Further keywords of ``sampler.sample``.

    Raises:
        AssertionError: If something is wrong; the message says what.
        InputError: If the name is unknown.
    """
    found: Sampler = get_sampler(sampler) if isinstance(sampler, str) else sampler
    name = sampler if isinstance(sampler, str) else type(sampler).__name__
    given = {"num_reads": 3, "seed": 1}
    given = {key: value for key, value in given.items() if key in found.parameters}
    model = build(Instance(5, [(0, 1)], blocked=[(4, 4)]), reduce="lines")
    for vartype in (dimod.BINARY, dimod.SPIN):
        bqm = model.bqm.change_vartype(vartype, inplace=False)
        handed_over = bqm.copy()
        first = found.sample(handed_over, **given, **parameters)
        if handed_over != bqm:
            raise AssertionError(f"sampler {name} changes the model ({vartype.name})")
        energies = model.sample_energies(first)
        if np.ptp(first.record.energy - energies) > 1e-6:
            raise AssertionError(f"sampler {name} returns wrong energies ({vartype.name})")
        for sample in first.samples(sorted_by=None):
            model.decode(sample)
        reads = int(first.record.num_occurrences.sum())
        if "num_reads" in given and reads != given["num_reads"]:
            raise AssertionError(f"sampler {name} returns {reads} reads for num_reads=3")
        if "seed" in given and not _same(first, found.sample(bqm, **given, **parameters)):
            raise AssertionError(f"sampler {name} returns other samples for the same seed")


def _same(one: dimod.SampleSet, other: dimod.SampleSet) -> bool:
    """Return whether two sample sets have the same samples."""
    return bool(np.array_equal(one.record.sample, other.record.sample))
