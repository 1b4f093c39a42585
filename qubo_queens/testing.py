"""Checks of encodings and samplers, for the tests of those who write some; and their oracles.

The checks raise ``AssertionError`` with a sentence that says what is wrong, in the manner of
``dimod.testing``. The oracles share no code with what is checked: of an ``Instance`` they read only
its data (n, queens, blocked and excluded lists), of a model only the coefficients of its BQM.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, product
from typing import Any

import dimod
import numpy as np
import numpy.typing as npt
from dimod.core.sampler import Sampler

from qubo_queens.board.instance import Instance
from qubo_queens.board.lines import Cell
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import MODES
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.encodings.build import build
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.registry import get_encoding
from qubo_queens.encodings.sample import BitArray
from qubo_queens.errors import InputError
from qubo_queens.samplers.registry import get_sampler

# Oracles


def all_cells(n: int) -> list[Cell]:
    """Return the cells of a board in row-major order."""
    return list(product(range(n), range(n)))


def attacks(one: Cell, other: Cell) -> bool:
    """Return whether queens on two different cells attack each other."""
    (r, c), (s, t) = one, other
    return r == s or c == t or abs(r - s) == abs(c - t)


def attacking_pairs(cells: Iterable[Cell]) -> list[tuple[Cell, Cell]]:
    """Return the pairs of queens that attack each other."""
    return [pair for pair in combinations(sorted(cells), 2) if attacks(*pair)]


def is_forbidden(instance: Instance, cell: Cell) -> bool:
    """Return whether a cell is blocked or on an excluded diagonal."""
    row, column = cell
    return (
        cell in instance.blocked
        or row + column in instance.excluded_sums
        or row - column in instance.excluded_differences
    )


def solves(instance: Instance, cells: Collection[Cell]) -> bool:
    """Return whether queens on `cells` solve an instance.

    >>> solves(Instance(4), [(0, 1), (1, 3), (2, 0), (3, 2)])
    True
    """
    return (
        len(cells) == instance.n
        and set(instance.queens) <= set(cells)
        and not attacking_pairs(cells)
        and not any(is_forbidden(instance, cell) for cell in cells)
    )


def completions(instance: Instance) -> Iterator[tuple[int, ...]]:
    """Yield the columns of every solution, by depth-first search over the rows.

    >>> list(completions(Instance(4)))
    [(1, 3, 0, 2), (2, 0, 3, 1)]
    """
    given: defaultdict[int, set[int]] = defaultdict(set)
    for row, column in instance.queens:
        given[row].add(column)

    def extend(columns: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        row = len(columns)
        if row == instance.n:
            yield columns
            return
        for column in range(instance.n):
            cell = (row, column)
            if (
                given[row] <= {column}
                and not is_forbidden(instance, cell)
                and not any(attacks(cell, queen) for queen in enumerate(columns))
            ):
                yield from extend((*columns, column))

    yield from extend(())


def state_energies(bqm: dimod.BinaryQuadraticModel) -> npt.NDArray[np.float64]:
    """Return the energies of all 2^N states, N up to 22; bit i of a state is variable i.

    >>> state_energies(dimod.BinaryQuadraticModel({"a": 1, "b": 2}, {"ab": 4}, 8, "BINARY"))
    array([ 8.,  9., 10., 15.])
    """
    size, order = bqm.num_variables, {label: i for i, label in enumerate(bqm.variables)}
    if size > 22:
        raise ValueError(f"{size} variables are too many; at most 22")
    bias, coupling = np.zeros(size), np.zeros((size, size))
    for label, weight in bqm.linear.items():
        bias[order[label]] = weight
    for (one, other), weight in bqm.quadratic.items():
        coupling[tuple(sorted((order[one], order[other])))] = weight
    # variable by variable: the states with bit i set follow those without it
    energies = np.full(1, float(bqm.offset))
    for i in range(size):
        field = np.full(1, bias[i])  # the change of energy by bit i, for all states of bits < i
        for j in range(i):
            field = np.concatenate((field, field + coupling[j, i]))
        energies = np.concatenate((energies, energies + field))
    return energies


# Encodings

TOLERANCE = 1e-9
_ENUMERATED = 16
"""All states of models with up to so many variables are looked at, and some of larger ones."""

_IN_DETAIL = 16
"""Of so many states of each model also the violations and the boards are looked at."""

_INSTANCES = (
    *map(Instance, range(1, 6)),
    Instance(4, [(0, 1)]),
    Instance(3, [(1, 1)]),
    Instance(4, [(3, 3)], blocked=[(0, 1), (1, 0)]),
    Instance(5, [(2, 2)], blocked=[(0, 1), (4, 3)]),
    Instance(5, [(0, 1), (1, 3)], excluded_sums=[6], excluded_differences=[2]),
    Instance(4, excluded_sums=[3], blocked=[(2, 2)]),
    Instance(4, enumerate([1, 3, 0, 2])),
)
_CONTRADICTORY = (
    Instance(4, [(0, 0), (1, 1)]),
    Instance(4, [(0, 1), (0, 3)]),
    Instance(4, [(1, 2), (3, 2)]),
    Instance(4, [(0, 1)], blocked=[(0, 1)]),
    Instance(4, enumerate([1, 3, 0, 2]), excluded_differences=[-1]),
    Instance(3, blocked=[(1, c) for c in range(3)]),
    Instance(2, all_cells(2)),
    Instance(1, [(0, 0)], blocked=[(0, 0)], excluded_sums=[0]),
)


def check_encoding(model_class: type[Model] | str) -> None:
    """Check that an encoding states the n-queens completion problem.

    Small boards are built in every mode of reduction: plain ones, with prescribed queens, with
    blocked cells and excluded diagonals, and contradictory ones; with the default strengths and,
    unless the encoding refuses them, with others. Checked are

    - the labels: tuples of plain integers, distinct, and independent of the order of the input;
    - the sizes that the forecast states;
    - the energies: the BQM, ``energy``, ``energies`` and ``sample_energies`` agree, in both
      vartypes;
    - the states of energy 0: they decode to all solutions, found by brute force, and to nothing
      else; all other states have at least the energy ``gap``. All states are enumerated up to 16
      variables. Beyond, random states, the encoded solutions and their neighbours are checked;
    - the violations: there are none exactly if the energy is 0;
    - boards: ``decode`` undoes ``encode``, and encoded solutions have energy 0.

    >>> from qubo_queens.encodings.cell import CellModel
    >>> check_encoding(CellModel)

    Args:
        model_class: A subclass of ``Model``, registered or not, or the name of an encoding.

    Raises:
        AssertionError: If something is wrong; the message says what, and for which instance.
        InputTypeError: If the class is not a complete encoding.
        InputError: If the name is unknown.
    """
    model_class = get_encoding(model_class)
    for instance in _INSTANCES + _CONTRADICTORY:
        for mode in MODES:
            _check(build(instance, model_class, reduce=mode))
        try:
            other = build(instance, model_class, row_column_strength=0.75, diagonal_strength=1.25)
        except InputError:
            continue  # these strengths may be refused
        _check(other)


def _check(model: Model) -> None:
    try:
        _require(model.gap > 0, f"the gap is {model.gap}, not above 0")
        _check_variables(model)
        _check_states(model)
        _check_boards(model)
        _check_size(model)
    except Exception as error:
        kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        raise AssertionError(
            f"encoding {model.encoding}, {model.instance}, reduce={model.reduction.mode!r}, "
            f"strengths {dict(model.strengths.weights)}: {kind}{error}"
        ) from error


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise AssertionError(sentence)


def _check_variables(model: Model) -> None:
    """Check the labels, and that the order of the input does not matter."""
    labels = model.variables
    _require(list(model.bqm.variables) == list(labels), "variables are not those of the BQM")
    _require(len(set(labels)) == len(labels), "labels are not distinct")
    plain = all(type(label) is tuple and {*map(type, label)} == {int} for label in labels)
    _require(plain, "labels are not tuples of plain integers")
    given = vars(model.instance).items()
    turned = Instance(**{name: value if name == "n" else value[::-1] for name, value in given})
    again = type(model)(reduce_instance(turned, model.reduction.mode), model.strengths)
    _require(again.variables == labels, "labels depend on the order of the input")
    same = list(again.bqm.quadratic.items()) == list(model.bqm.quadratic.items())
    _require(same, "couplings depend on the order of the input")


def _check_size(model: Model) -> None:
    """Check the forecast against the BQM."""
    bqm, size = model.bqm, model.forecast
    stated = (size.variables, size.interactions)
    wrong = f"{stated} variables and interactions are forecast, the BQM has {bqm.shape}"
    _require(not size.exact or stated == bqm.shape, wrong)
    _require(abs(model.offset - bqm.offset) < TOLERANCE, "offset is not that of the BQM")
    biases = [*bqm.linear.values(), *bqm.quadratic.values()]
    largest = max(map(abs, biases), default=0), max(bqm.degrees(array=True), default=0)
    found = size.largest_coefficient, size.largest_degree
    for what, number, expected in zip(("coefficient", "degree"), found, largest, strict=True):
        is_right = number is None or abs(number - expected) < TOLERANCE
        _require(is_right, f"the largest {what} is forecast as {number}, and is {expected}")


def _check_states(model: Model) -> None:
    """Check the energies of all states of a small model, and of some states of any."""
    size, expected = model.num_variables, set(completions(model.instance))
    states = np.random.default_rng(0).integers(0, 2, (64, size), np.int8)
    if size <= _ENUMERATED:
        energies = state_energies(model.bqm)
        zero = np.flatnonzero(abs(energies) < TOLERANCE)
        zero_states = (zero[:, None] >> np.arange(size) & 1).astype(np.int8)
        decoded = {model.decode(state).cells for state in zero_states}
        _require(
            decoded == {tuple(enumerate(columns)) for columns in expected},
            f"the states of energy 0 decode to {len(decoded)} boards, which are not the "
            f"{len(expected)} solutions",
        )
        _check_gap(model, energies)
        states = np.concatenate((zero_states[:2], states))
    for columns in sorted(expected)[:2]:
        sample = model.encode(Placement.from_columns(columns))
        state = np.array([sample[label] for label in model.variables], np.int8)
        flipped = state ^ np.eye(size, dtype=np.int8)  # row k: the state with bit k flipped
        states = np.concatenate((flipped[:4], [state], states, flipped[4:]))
    _check_energies(model, states)


def _check_gap(model: Model, energies: npt.NDArray[np.float64]) -> None:
    least = energies[abs(energies) >= TOLERANCE].min(initial=np.inf)
    gap = f"neither 0 nor at least the gap {model.gap:.10g}"
    _require(least >= model.gap - TOLERANCE, f"a state has energy {least:.10g}, which is {gap}")


def _check_energies(model: Model, states: BitArray) -> None:
    """Check every way to an energy, the violations and the boards, for some states."""
    energies = model.bqm.energies((states, model.variables))
    spins = 2 * states - 1
    as_set = dimod.SampleSet.from_samples((spins, model.variables), "SPIN", energies)
    for name, found in (("bits", states), ("spins", spins), ("a sample set", as_set)):
        same = np.allclose(model.sample_energies(found), energies, atol=TOLERANCE)
        _require(same, f"sample_energies of {name} are not the energies of the BQM")
    _check_gap(model, energies)
    for state, energy in zip(states[:_IN_DETAIL], energies.tolist(), strict=False):
        sample = dict(zip(model.variables, state.tolist(), strict=True))
        solved, own = abs(energy) < TOLERANCE, model.energy(sample)
        same = abs(own - energy) < TOLERANCE * max(1, abs(energy))
        _require(same, f"energy() is {own} where the BQM has {energy}")
        broken = [*map(str, model.violations(sample))]
        _require(
            solved is not bool(broken),
            f"a state of energy {energy:.10g} has the violations {broken}",
        )
        board = model.decode(sample)
        _require(
            not solved or solves(model.instance, board.cells),
            f"a state of energy 0 decodes to {board.cells}, which is not a solution",
        )
        try:
            again = model.decode(model.encode(board))
        except InputError:
            continue  # not every board can be encoded
        _require(again == board, f"{board.cells} is encoded and decoded to {again.cells}")


def _check_boards(model: Model) -> None:
    """Check that solutions are encoded, with energy 0, and decoded."""
    for columns in completions(model.instance):
        board = Placement.from_columns(columns)
        for vartype, values in (("BINARY", {0, 1}), ("SPIN", {-1, 1})):
            sample = model.encode(board, vartype)
            is_sample = list(sample) == [*model.variables] and values.issuperset(sample.values())
            wrong = f"encode() gives no sample of vartype {vartype} in the order of the variables"
            _require(is_sample, wrong)
            again, energy = model.decode(sample), model.energy(sample)
            _require(again == board, f"solution {columns} is encoded and decoded to {again.cells}")
            is_zero = abs(energy) < TOLERANCE
            _require(is_zero, f"the encoded solution {columns} has energy {energy}")


# Samplers


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
        _require(handed_over == bqm, f"sampler {name} changes the model ({vartype.name})")
        errors = first.record.energy - model.sample_energies(first)
        _require(np.ptp(errors) <= 1e-6, f"sampler {name} returns wrong energies ({vartype.name})")
        for sample in first.samples(sorted_by=None):
            model.decode(sample)
        reads = int(first.record.num_occurrences.sum())
        is_right = reads == given.get("num_reads", reads)
        _require(is_right, f"sampler {name} returns {reads} reads for num_reads=3")
        if "seed" in given:
            again = found.sample(bqm, **given, **parameters)
            same = np.array_equal(first.record.sample, again.record.sample)
            _require(same, f"sampler {name} returns other samples for the same seed")
