"""The energies, labels and sizes of every encoding, written again from the formulas.

Plain loops over coordinates. Nothing of the encodings is used here; of a model only which queens
and which free cells its reduction has left, and its strengths by name.
"""

from collections import Counter, defaultdict
from itertools import combinations, pairwise

from oracles import all_cells, cells_on_lines, family_energies, forbidden_queens

KINDS = ("row", "column", "sum", "difference")
STRAIGHT = ("row", "column")


def weights_of(model):
    """Return the strengths of a model, by family."""
    return dict(model.strengths.weights)


def left_over(model):
    """Return the fixed queens and the free cells of a model."""
    return tuple(model.reduction.queens), tuple(model.reduction.free_cells)


def labels(model, fixed, free):
    """Return the labels of the variables in their order."""
    if model.encoding == "ladder":
        return _ladder_labels(model.instance.n, fixed, free, model.reduction.mode)
    return [*_LABELS[model.encoding](model.instance, fixed, free)]


def energies(model, fixed, free, weights, sample):
    """Return the energy of a sample of bits by family."""
    instance = model.instance
    if model.encoding == "ladder":
        found = _ladder(instance, fixed, free, weights, sample, model.reduction.mode)
    else:
        found = _ENERGIES[model.encoding](instance, fixed, free, weights, sample)
    return {**found, "forbidden": weights["row_column"] * len(forbidden_queens(instance))}


def on_lines(fixed, free):
    """Return the free cells along the course, and the fixed queens, of each line with any."""
    found = defaultdict(lambda: ([], []))
    for at, cells in enumerate((free, fixed)):
        for r, c in sorted(cells):
            for line in zip(KINDS, (r, c, r + c, r - c), strict=True):
                found[line][at].append((r, c))
    return found


# Labels


def _cell_labels(_, __, free):
    return sorted(free)


def _slack_labels(instance, fixed, free):
    lines = on_lines(fixed, free)
    slacks = [
        (KINDS.index(kind), index, 0)
        for (kind, index), (cells, queens) in lines.items()
        if kind not in STRAIGHT and len(cells) > 1 and not queens
    ]
    return [*sorted(free), *sorted(slacks)]


def _wall_labels(_, fixed, free):
    rows = _row_choices(fixed, free)
    return [(row, column) for row in sorted(rows) for column in rows[row][1:]]


def _labelled_labels(instance, fixed, free):
    left = range(len(fixed), max(instance.n, len(fixed)))
    return [(label, *cell) for label in left for cell in sorted(free)]


def _ladder_labels(n, fixed, free, mode):
    chain_bits = [
        (KINDS.index(kind), index, place)
        for (kind, index), (cells, queens) in on_lines(fixed, free).items()
        if len(cells) > 1 and not queens
        for place in _stops(n, kind, index, cells, mode)[: -1 if kind in STRAIGHT else None]
    ]
    return [*sorted(free), *sorted(chain_bits)]


def _place(n, kind, index, cell):
    """Return which cell of its line a cell is, from 1, on the way from top to bottom or right."""
    row, column = cell
    top = {"column": 0, "sum": max(0, index - n + 1), "difference": max(0, index)}
    return 1 + (column if kind == "row" else row - top[kind])


def _stops(n, kind, index, cells, mode):
    """Return after which cells of a line the bits of its chain come; the last may be left out."""
    places = [_place(n, kind, index, cell) for cell in cells]
    return [*range(places[0], places[-1] + 1)] if mode == "none" else places


def _row_choices(fixed, free):
    taken, rows = {row for row, _ in fixed}, defaultdict(list)
    for row, column in sorted(free):
        if row not in taken:
            rows[row].append(column)
    return rows


# Energies


def _queens(fixed, sample):
    return [*fixed, *(label for label, bit in sample.items() if bit and len(label) == 2)]


def _cell(instance, fixed, _, weights, sample):
    pair = family_energies(
        instance.n, _queens(fixed, sample), weights["row_column"], weights["diagonal"]
    )
    return dict(zip(("row_column", "diagonal"), pair, strict=True))


def _cell_attack(instance, fixed, _, weights, sample):
    queens = _queens(fixed, sample)
    straight, diagonal = _attacks(combinations(queens, 2))
    return {
        "row_column": weights["row_column"] * straight,
        "diagonal": weights["diagonal"] * diagonal,
        "count": weights["count"] * (len(queens) - instance.n) ** 2,
    }


def _attacks(pairs):
    """Count the pairs that share a row or column, and those that share a diagonal."""
    straight = diagonal = 0
    for (r, c), (s, t) in pairs:
        straight += (r == s) + (c == t)
        diagonal += abs(r - s) == abs(c - t)
    return straight, diagonal


def _cell_slack(instance, fixed, free, weights, sample):
    found, queens = Counter(row_column=0, diagonal=0), set(_queens(fixed, sample))
    for (kind, index), cells in cells_on_lines(instance.n).items():
        count = len(queens.intersection(cells))
        if kind in STRAIGHT:
            found["row_column"] += weights["row_column"] * (count - 1) ** 2
            continue
        slack = sample.get((KINDS.index(kind), index, 0), min(count, 1))
        found["diagonal"] += weights["diagonal"] * (count - slack) ** 2
    return dict(found)


def _row(instance, fixed, _, weights, sample):
    queens = _queens(fixed, sample)
    straight, diagonal = _attacks(p for p in combinations(queens, 2) if p[0][0] != p[1][0])
    counts = Counter(row for row, _ in queens)
    return {
        "row_column": weights["row_column"] * straight,
        "diagonal": weights["diagonal"] * diagonal,
        "one_hot": weights["one_hot"] * sum((counts[row] - 1) ** 2 for row in range(instance.n)),
    }


def _domain_wall(instance, fixed, free, weights, sample):
    rows, x, wrong = _row_choices(fixed, free), dict.fromkeys(fixed, 1), 0
    queens = Counter(row for row, _ in fixed)
    for row in range(instance.n):
        if row in queens:
            wrong += (queens[row] - 1) ** 2
        elif not rows[row]:
            wrong += 1
        else:
            bits = [1, *(sample[row, column] for column in rows[row][1:]), 0]
            x |= {(row, c): bits[j] - bits[j + 1] for j, c in enumerate(rows[row])}
            wrong += sum(not left and right for left, right in pairwise(bits))
    straight = diagonal = 0
    for ((r, c), one), ((s, t), other) in combinations(x.items(), 2):
        if r != s:
            straight += one * other * (c == t)
            diagonal += one * other * (abs(r - s) == abs(c - t))
    return {
        "row_column": weights["row_column"] * straight,
        "diagonal": weights["diagonal"] * diagonal,
        "wall": weights["wall"] * wrong,
    }


def _labelled(instance, fixed, _, weights, sample):
    where = [(label, cell) for label, cell in enumerate(fixed)]
    where += [(label[0], label[1:]) for label, bit in sample.items() if bit]
    straight, diagonal = _attacks(
        (one, other) for (i, one), (j, other) in combinations(where, 2) if i != j
    )
    counts = Counter(label for label, _ in where)
    size = max(instance.n, len(fixed))
    return {
        "row_column": weights["row_column"] * straight,
        "diagonal": weights["diagonal"] * diagonal,
        "one_hot": weights["one_hot"] * sum((counts[label] - 1) ** 2 for label in range(size)),
    }


def _ladder(instance, fixed, free, weights, sample, mode):
    found, lines = Counter(row_column=0, diagonal=0), on_lines(fixed, free)
    for kind, index in cells_on_lines(instance.n):
        cells, queens = lines[kind, index]
        ones = [sample[cell] for cell in cells]
        if queens:
            missed = len(queens) - 1 + sum(ones)
        elif len(cells) < 2:
            missed = (sum(ones) - 1) ** 2 if kind in STRAIGHT else 0
        else:
            # s_0 = 0; the last bit of a row or column is the constant 1
            name = KINDS.index(kind), index
            queen_at = {_place(instance.n, kind, index, cell): sample[cell] for cell in cells}
            missed, before = 0, 0
            for place in _stops(instance.n, kind, index, cells, mode):
                after = sample.get((*name, place), 1)
                missed += (queen_at.get(place, 0) - after + before) ** 2
                before = after
        family = "row_column" if kind in STRAIGHT else "diagonal"
        found[family] += weights[family] * missed
    return dict(found)


_LABELS = {
    "cell": _cell_labels,
    "cell-attack": _cell_labels,
    "cell-slack": _slack_labels,
    "row": _cell_labels,
    "row-domain-wall": _wall_labels,
    "labelled": _labelled_labels,
}
_ENERGIES = {
    "cell": _cell,
    "cell-attack": _cell_attack,
    "cell-slack": _cell_slack,
    "row": _row,
    "row-domain-wall": _domain_wall,
    "labelled": _labelled,
}


# Sizes of plain boards


def attacking(n):
    """Return how many pairs of cells share a line, counted."""
    return sum(
        r == s or c == t or abs(r - s) == abs(c - t)
        for (r, c), (s, t) in combinations(all_cells(n), 2)
    )


def plain_size(encoding, n):
    """Return the numbers of variables and interactions of a plain board of n >= 2."""
    lines = n * (n - 1) * (5 * n - 1) // 3
    return {
        "cell": (n**2, lines),
        "cell-attack": (n**2, n**2 * (n**2 - 1) // 2),
        "cell-slack": (n**2 + 4 * n - 6, lines + 2 * n**2 - 4),
        "row": (n**2, lines),
        "labelled": (
            n**3,
            n * n**2 * (n**2 - 1) // 2 + n * (n - 1) // 2 * (n**2 + 2 * lines),
        ),
        "ladder": (5 * n**2 - 2 * n - 4, 12 * n**2 - 16 * n),
    }[encoding]
