"""The nonlinear model on a permutation, for hybrid solvers (the package ``dwave-optimization``).

The only decision is the order in which the open columns are assigned to the open rows. Each row and
column then has one queen. The queens are on different open diagonals of one kind exactly if the
number of open diagonals of this kind that have a queen is the number of queens. So one symbol that
says which of them have a queen states all constraints of this kind, with O(n) numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from qubo_queens.board.instance import InstanceLike
from qubo_queens.board.lines import IntArray, Kind, coordinates, position
from qubo_queens.board.placement import Placement
from qubo_queens.board.reduce import reduce as reduce_instance
from qubo_queens.board.reduction import Mode, Reduction
from qubo_queens.checks import as_list, shown
from qubo_queens.errors import MissingPackageError, SampleError

if TYPE_CHECKING:
    from dwave.optimization.model import Model


def build_nl(instance: InstanceLike, *, reduce: Mode = "propagate") -> Model:
    """Write an instance as a ``dwave.optimization.Model`` on a permutation; no objective.

    The only decision is ``model.list(m)``, a permutation v of 0..m-1: the i-th of the m open rows
    has its queen in column ``v[i]`` of the open columns, both counted from 0 and in increasing
    order. On the plain board v is the column of each row. Prescribed and forced queens are not
    part of the decision: their rows and columns are not open. A state is feasible exactly if its
    board is a solution; :func:`decode_nl` returns the board::

        model = build_nl(instance)
        (order,) = model.iter_decisions()
        ...  # set or sample states
        with model.lock():
            board = decode_nl(instance, order.state(0))

    If the prescribed queens contradict each other, or nothing is left to decide, the decision is
    on all n rows and columns, as with ``reduce="none"``, and the prescribed queens are a
    constraint; if they contradict each other, no state is feasible. Then v is the column of each
    row, so ``Placement.from_columns(order.state(0).astype(int))`` is the board as well.

    Constraints: of each kind of diagonal, exactly m open ones have a queen (diagonals closed by
    queens or by the instance are not counted); no queen is on a blocked cell; prescribed queens
    are there if they are not fixed.

    >>> model = build_nl(4)
    >>> model.num_decisions(), model.num_constraints()
    (1, 2)

    Args:
        instance: The instance, or n for the plain board.
        reduce: What to decide beforehand, as in ``build``.

    Raises:
        MissingPackageError: If ``dwave-optimization`` is not installed.
        InputError: If the mode is unknown.
    """
    try:
        from dwave.optimization.mathematical import isin
        from dwave.optimization.model import Model
    except ImportError as error:
        raise MissingPackageError(
            f"build_nl needs the package dwave-optimization 0.6.8 or newer ({error}); "
            "install it with: pip install 'qubo-queens[cloud]'"
        ) from error
    reduction = _decidable(instance, reduce)
    n = reduction.instance.n
    rows, columns = reduction.open_lines(Kind.ROW), reduction.open_lines(Kind.COLUMN)
    model = Model()
    order = model.list(len(rows))
    column = order if len(columns) == n else model.constant(columns)[order]
    row = model.constant(rows)
    for kind, index in ((Kind.SUM, row + column), (Kind.DIFFERENCE, row - column)):
        occupied = isin(model.constant(reduction.open_lines(kind)), index)
        model.add_constraint(occupied.sum() == model.constant(len(rows)))
    if len(barred := _barred(reduction)):
        on_barred = isin(model.constant(barred), model.constant(rows * n) + column)
        model.add_constraint(on_barred.sum() == model.constant(0))
    if reduction.mode == "none" and reduction.instance.queens:
        at, where = coordinates(reduction.instance.queens)
        standing = column[model.constant(at)] == model.constant(where)
        model.add_constraint(standing.sum() == model.constant(len(at)))
    return model


def decode_nl(
    instance: InstanceLike, order: Iterable[float], *, reduce: Mode = "propagate"
) -> Placement:
    """Return the board of a state of the nonlinear model.

    >>> decode_nl(4, [1, 3, 0, 2]).columns
    (1, 3, 0, 2)

    Args:
        instance: The instance, or n, that the model was built from.
        order: The state of its decision, a permutation of 0..m-1, such as the array of floats
            that ``symbol.state(i)`` returns.
        reduce: The mode that the model was built with, on which the meaning of the state depends.

    Returns:
        The queens of the state, and the prescribed and forced ones that are not part of the
        decision.

    Raises:
        InputTypeError: If `order` is not iterable.
        SampleError: If it is not a permutation of 0..m-1.
    """
    reduction = _decidable(instance, reduce)
    rows, columns = reduction.open_lines(Kind.ROW), reduction.open_lines(Kind.COLUMN)
    values = as_list(order, "columns")
    try:
        is_permutation = sorted(values) == list(range(len(rows)))
    except (TypeError, ValueError):  # no numbers, or arrays
        is_permutation = False
    if not is_permutation:
        raise SampleError(
            f"the state {shown(values)} is not a permutation of 0..{len(rows) - 1}, one number "
            f"for each open row; decode it with the instance and the mode (reduce={reduce!r}) "
            "that the model was built with"
        )
    n = reduction.instance.n
    fixed = coordinates(() if reduction.mode == "none" else reduction.queens)
    chosen = columns[np.array(values, dtype=np.int64)]
    return Placement.from_arrays(
        np.concatenate((rows, fixed[0])), np.concatenate((chosen, fixed[1])), n
    )


def _decidable(instance: InstanceLike, mode: Mode) -> Reduction:
    """Reduce an instance such that equal numbers of rows and columns are open, at least one.

    Prescribed queens that attack each other may close more rows than columns; they are not fixed.
    """
    reduction = reduce_instance(instance, mode)
    is_decided = not reduction.is_open[Kind.ROW].any() or reduction.instance.contradictions()
    return reduce_instance(instance, "none") if is_decided else reduction


def _barred(reduction: Reduction) -> IntArray:
    """Return the numbers ``row * n + column`` of cells whose lines are open but are not free."""
    n = reduction.instance.n
    if reduction.mode == "none":  # there the prescribed cells are not free either
        rows, columns = coordinates(reduction.instance.blocked)
    else:
        rows, columns = reduction.taken.T
    crossed = np.ones(len(rows), dtype=np.bool_)
    for kind in Kind:
        crossed &= reduction.is_open[kind][position(kind, rows, columns, n)]
    return (rows * n + columns)[crossed]
