"""The checks of ``qubo_queens.testing``: they pass what is right, and catch what is broken."""

from functools import cached_property

import dimod
import numpy as np
import pytest
from dwave.samplers import SteepestDescentSampler

from qubo_queens.encodings.cell import CellModel
from qubo_queens.encodings.cell_attack import CellAttackModel
from qubo_queens.encodings.ladder import LadderModel
from qubo_queens.encodings.registry import list_encodings
from qubo_queens.encodings.row_domain_wall import RowDomainWallModel
from qubo_queens.errors import InputError, InputTypeError
from qubo_queens.testing import check_encoding, check_sampler


@pytest.mark.parametrize("encoding", list_encodings())
def test_every_encoding_passes(encoding):
    check_encoding(encoding)


class WrongOffset(CellModel):
    def _make_bqm(self):
        bqm = super()._make_bqm()
        bqm.offset += 1
        return bqm


class WrongCoupling(CellModel):
    def _make_bqm(self):
        bqm = super()._make_bqm()
        for one, other in list(bqm.quadratic)[:1]:
            bqm.add_quadratic(one, other, 1)
        return bqm


class NoDiagonals(CellAttackModel):
    @cached_property
    def penalties(self):
        found = super().penalties
        found["diagonal"] = found["row_column"]
        return found


class NoCount(CellAttackModel):
    """Without the square a board without queens has energy 0."""

    @cached_property
    def penalties(self):
        found = super().penalties
        del found["count"]
        return found


class LargeGap(CellModel):
    gap = 100


class NoGap(CellModel):
    gap = 0


class Mirrored(CellModel):
    """Solutions are mirrored into solutions, but others are not."""

    def _decode(self, bits):
        return super()._decode(bits[::-1])


class BadAuxiliaries(LadderModel):
    def _auxiliaries(self, queens):
        return dict.fromkeys(super()._auxiliaries(queens), False)


class NumpyLabels(CellModel):
    def _labels(self):
        return tuple((np.int64(row), column) for row, column in super()._labels())


class WrongSize(CellModel):
    def _size(self):
        variables, interactions, exact = super()._size()
        return variables, interactions + 1, exact


class WrongDegree(CellModel):
    def _plain_extremes(self):
        return 1, 2


class Silent(CellModel):
    def _violations(self, bits):
        return ()


class Loud(CellAttackModel):
    """Names a violation where there is none."""

    def _violations(self, bits):
        return super()._violations(bits) or super()._violations(0 * bits)


class WrongEnergies(CellModel):
    def _energies_of_samples(self, bits):
        return super()._energies_of_samples(bits) + 1


class WeakWalls(RowDomainWallModel):
    gap = 0.25

    @classmethod
    def check_strengths(cls, strengths):
        pass

    takes_strengths = (
        *RowDomainWallModel.takes_strengths[:2],
        RowDomainWallModel.takes_strengths[2]._replace(default=1),
    )


class Crashing(CellModel):
    def encode(self, placement, vartype="BINARY"):
        raise ZeroDivisionError("of course")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (WrongOffset, "the states of energy 0 decode to 0 boards, which are not the 1 solutions"),
        (WrongCoupling, "are not the energies of the BQM"),
        (NoDiagonals, "which are not the"),
        (NoCount, "which are not the"),
        (LargeGap, "neither 0 nor at least the gap 100"),
        (NoGap, "the gap is 0, not above 0"),
        (Mirrored, "is not a solution|which are not the|is encoded and decoded to"),
        (BadAuxiliaries, r"the encoded solution \(0,\) has energy|has energy"),
        (NumpyLabels, "labels are not tuples of plain integers"),
        (WrongSize, "variables and interactions are forecast, the BQM has"),
        (WrongDegree, "the largest degree is forecast as 1, and is"),
        (Silent, r"a state of energy .* has the violations \[\]"),
        (Loud, "a state of energy 0 has the violations"),
        (WrongEnergies, "sample_energies of bits are not the energies of the BQM"),
        (WeakWalls, "decode to 56 boards, which are not the 2 solutions"),
        (Crashing, "ZeroDivisionError: of course"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_broken_encodings_are_caught(broken, message):
    with pytest.raises(AssertionError, match=message) as caught:
        check_encoding(broken)
    assert str(caught.value).startswith(f"encoding {broken.encoding}, Instance(")


def test_what_is_no_encoding_is_refused():
    with pytest.raises(InputTypeError, match="an encoding is a subclass of Model"):
        check_encoding(int)
    with pytest.raises(InputError, match="encoding 'nonsense' is unknown"):
        check_encoding("nonsense")


@pytest.mark.parametrize("sampler", ["flip", "swap", "neal", "steepest-descent"])
def test_registered_samplers_pass(sampler):
    check_sampler(sampler)


def test_any_sampler_of_dimod_can_be_checked():
    check_sampler(dimod.RandomSampler())
    check_sampler(dimod.ExactSolver())


class Altered(SteepestDescentSampler):
    """A sampler whose answers, or whose model, a subclass alters."""

    def alter(self, sampleset):
        return sampleset

    def sample(self, bqm, **parameters):
        return self.alter(super().sample(bqm, **parameters))


class FewReads(Altered):
    def alter(self, sampleset):
        return sampleset.slice(1)


class WrongSampleEnergies(Altered):
    def alter(self, sampleset):
        sampleset.record.energy[0] += 1
        return sampleset


class Unseeded(Altered):
    def sample(self, bqm, **parameters):
        self.calls = getattr(self, "calls", 0) + 1
        return super().sample(bqm, **{**parameters, "seed": self.calls})


class Changing(Altered):
    def sample(self, bqm, **parameters):
        found = super().sample(bqm, **parameters)
        bqm.offset += 1
        return found


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (FewReads, "FewReads returns 1 reads for num_reads=3"),
        (WrongSampleEnergies, "WrongSampleEnergies returns wrong energies"),
        (Unseeded, "Unseeded returns other samples for the same seed"),
        (Changing, "Changing changes the model"),
    ],
)
def test_broken_samplers_are_caught(broken, message):
    with pytest.raises(AssertionError, match=f"sampler {message}"):
        check_sampler(broken())
