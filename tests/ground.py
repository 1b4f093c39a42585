"""Ground states of small models, by exact means on the coefficients of the BQM alone.

Three means: all states are looked at; squares of sums are taken away and the rest is non-negative;
or auxiliary bits of each line are minimised over, for every state of its cells.
"""

from collections import Counter
from itertools import combinations, product

import numpy as np
from formulas import KINDS, STRAIGHT, left_over, on_lines, weights_of

from qubo_queens.testing import state_energies

TOLERANCE = 1e-9


def zero_states(bqm):
    """Return the states of energy 0 as strings in the order of the variables; no other is below."""
    energies = state_energies(bqm)
    assert energies.min() > -TOLERANCE
    return [_text(at, bqm.num_variables) for at in np.flatnonzero(energies < TOLERANCE).tolist()]


def _text(number, size):
    return "".join(str(number >> i & 1) for i in range(size))


def zero_states_of_squares(bqm, squares):
    """Return the states of energy 0, as sets of the variables that are 1.

    The given squares ``weight * (sum of group - target)^2`` are taken away; all coefficients that
    are left are >= 0 (asserted), and so is every energy. A state has energy 0 exactly if each group
    meets its target and nothing is left: a search over the groups finds all of them.

    Args:
        bqm: The model.
        squares: Triples of a weight, the variables of a group and its target. Every variable has
            to be in a group.
    """
    rest = bqm.copy()
    rest.offset -= sum(weight * target**2 for weight, _, target in squares)
    for weight, group, target in squares:
        for label in group:
            rest.add_linear(label, -weight * (1 - 2 * target))
        for one, other in combinations(group, 2):
            rest.add_quadratic(one, other, -2 * weight)
    linear = {v: bias for v, bias in rest.linear.items() if abs(bias) > TOLERANCE}
    quadratic = {pair: bias for pair, bias in rest.quadratic.items() if abs(bias) > TOLERANCE}
    assert rest.offset > -TOLERANCE
    assert min([*linear.values(), *quadratic.values()], default=0) >= 0
    if rest.offset > TOLERANCE:
        return []
    enemies = {label: set() for label in bqm.variables}
    for one, other in quadratic:
        enemies[one].add(other)
        enemies[other].add(one)
    allowed = [label for label in bqm.variables if label not in linear]
    return list(_fill([(set(group), target) for _, group, target in squares], allowed, enemies))


def _fill(squares, allowed, enemies):
    """Yield all sets of allowed labels, no two of them enemies, that meet the targets."""
    if any(target < 0 or target > len(group.intersection(allowed)) for group, target in squares):
        return
    open_groups = [(group, target) for group, target in squares if target]
    if not open_groups:
        yield frozenset()
        return
    group = min(open_groups, key=lambda square: len(square[0].intersection(allowed)))[0]
    candidates = [label for label in allowed if label in group]
    for label in candidates:
        left = [other for other in allowed if other != label and other not in enemies[label]]
        # those before it have been tried with all the rest
        left = [
            other
            for other in left
            if other not in candidates or candidates.index(other) > candidates.index(label)
        ]
        met = [(group, target - (label in group)) for group, target in squares]
        closed = {other for group, target in met if target == 0 for other in group}
        rest = [other for other in left if other not in closed]
        for more in _fill(met, rest, enemies):
            yield more | {label}


def squares_of(model):
    """Return the squares that the docstring of an encoding states, for those that have some."""
    fixed, free = left_over(model)
    n, weights = model.instance.n, weights_of(model)
    if model.encoding == "cell-attack":
        return [(weights["count"], free, n - len(fixed))]
    if model.encoding == "labelled":
        left = range(len(fixed), max(n, len(fixed)))
        groups = [[v for v in model.variables if v[0] == label] for label in left]
        return [(weights["one_hot"], group, 1) for group in groups]
    axes, weight = ((0,), weights["one_hot"]) if model.encoding == "row" else ((0, 1), None)
    return [
        (
            weights["row_column"] if weight is None else weight,
            [cell for cell in free if cell[axis] == index],
            1 - sum(cell[axis] == index for cell in fixed),
        )
        for axis, index in product(axes, range(n))
    ]


class Lines:
    """A model with auxiliary bits that each belong to one line, these bits minimised over.

    Every coupling is between variables of one line. For each line and each state of its cells the
    lowest energy of its couplings and auxiliary bits is looked up, with the number of states of
    the auxiliary bits that have it.

    Attributes:
        tables: For each line its free cells, the lowest energies of all 2^L states and how many
            times each occurs; bit i of a state is cell i.
        least_lift: By how much auxiliary bits that are not at their best raise the energy, at least
            (infinite without any).
    """

    def __init__(self, model):
        self.bqm, self.free = model.bqm, model.reduction.free_cells
        self.tables, self.least_lift, counted = {}, np.inf, 0
        for line, (cells, _) in sorted(on_lines(*left_over(model)).items()):
            name = KINDS.index(line[0]), line[1]
            bits = [label for label in model.variables if len(label) == 3 and label[:2] == name]
            part = self._part(cells, bits)
            counted += part.num_interactions
            energies = state_energies(part).reshape(2 ** len(bits), 2 ** len(cells))
            lowest = energies.min(axis=0)
            lifts = energies - lowest
            times = (lifts < TOLERANCE).sum(axis=0)
            self.least_lift = lifts[lifts >= TOLERANCE].min(initial=self.least_lift)
            self.tables[line] = cells, lowest, times
        assert counted == self.bqm.num_interactions

    def _part(self, cells, bits):
        """Return the couplings within a line and the biases of its auxiliary bits."""
        own = set(cells) | set(bits)
        part = type(self.bqm)("BINARY")
        for label in (*cells, *bits):
            part.add_linear(label, self.bqm.get_linear(label) if label in bits else 0)
        for pair, weight in self.bqm.quadratic.items():
            if own.issuperset(pair):
                part.add_quadratic(*pair, weight)
        return part

    def energies(self):
        """Return the lowest energies of all states of the free cells, and how often they occur.

        For up to 18 free cells; bit i of a state is free cell i.
        """
        place = {cell: i for i, cell in enumerate(self.free)}
        states = np.arange(2 ** len(self.free))
        energies, times = np.full(len(states), float(self.bqm.offset)), np.ones(len(states), int)
        for cell, i in place.items():
            energies += self.bqm.get_linear(cell) * (states >> i & 1)
        for cells, lowest, number in self.tables.values():
            at = sum((states >> place[cell] & 1) << i for i, cell in enumerate(cells))
            energies += lowest[at]
            times *= number[at]
        return energies, times

    def excess(self, costs):
        """Return by how much the model is above the sum of `costs`: a constant, and per cell.

        The lowest energy of a line may differ from its cost by an affine function of its cells
        (asserted, for every state); these and the biases of the cells have to cancel out, so that
        the model, minimised over its auxiliary bits, is the sum of the costs for all 2^N boards.

        Args:
            costs: A function from a line and its state, as a number of queens, to its cost.
        """
        linear = Counter({cell: self.bqm.get_linear(cell) for cell in self.free})
        constant = float(self.bqm.offset)
        for line, (cells, lowest, _) in self.tables.items():
            states = np.arange(len(lowest))
            left = lowest - [float(costs(line, state.bit_count())) for state in range(len(states))]
            slopes = [left[1 << i] - left[0] for i in range(len(cells))]
            affine = left[0] + sum(slope * (states >> i & 1) for i, slope in enumerate(slopes))
            assert np.allclose(left, affine)
            constant += left[0]
            for cell, slope in zip(cells, slopes, strict=True):
                linear[cell] += slope
        return constant, linear


def line_cost(model, line, count):
    """Return what a line with `count` queens on free cells costs, auxiliaries at their best."""
    kind, fixed = line[0], len(on_lines(*left_over(model))[line][1])
    missed = count + fixed - 1
    if kind not in STRAIGHT:
        missed = max(missed, 0)
    weight = weights_of(model)["row_column" if kind in STRAIGHT else "diagonal"]
    return weight * (abs(missed) if model.encoding == "ladder" else missed**2)


def zero_boards(model):
    """Return how many states of energy 0 decode to each board; asserts that none is below 0."""
    if model.encoding in ("cell-slack", "ladder"):
        energies, times = Lines(model).energies()
        assert energies.min() > -TOLERANCE
        found = Counter()
        for at in np.flatnonzero(energies < TOLERANCE).tolist():
            cells = [cell for i, cell in enumerate(model.reduction.free_cells) if at >> i & 1]
            found[_board(cells, model)] += int(times[at])
        return found
    if model.encoding == "row-domain-wall":
        states = zero_states(model.bqm)
    else:
        states = [
            {label: int(label in ones) for label in model.variables}
            for ones in zero_states_of_squares(model.bqm, squares_of(model))
        ]
        assert all(abs(model.bqm.energy(state)) < TOLERANCE for state in states)
    return Counter(model.decode(state).cells for state in states)


def _board(cells, model):
    return tuple(sorted({*cells, *model.reduction.queens}))
