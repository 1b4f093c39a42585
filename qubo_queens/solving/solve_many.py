"""solve_many(): one problem after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import signature
from typing import Any

from qubo_queens.board.instance import Instance, InstanceLike
from qubo_queens.checks import shown
from qubo_queens.encodings.model import Model
from qubo_queens.encodings.registry import strengths_by_name
from qubo_queens.errors import InputTypeError
from qubo_queens.solving.choice import AUTO
from qubo_queens.solving.result import SolveResult
from qubo_queens.solving.solve import solve

_OWN_OPTIONS = frozenset(signature(solve).parameters)


def solve_many(problems: Iterable[InstanceLike | Model], **options: Any) -> Iterator[SolveResult]:
    """Solve problems one after the other, each as ``solve(problem, **options)`` does.

    A problem is taken from `problems` and solved when its result is asked for. The options are
    checked at once; what depends on a problem, such as whether the sampler that ``auto`` picks for
    it has a parameter, when its turn comes. An error ends the iteration at the problem that raises
    it, and results before it have been handed over. So does Ctrl-C, after the result of the board
    under way.

    >>> [str(result.status) for result in solve_many([1, 2, 8], seed=1)]
    ['feasible', 'infeasible', 'feasible']

    Args:
        problems: Instances, board sizes or models.
        **options: The keywords of ``solve``: seed, time limit and so on hold for each problem.

    Returns:
        An iterator of results, in the order of the problems.

    Raises:
        InputTypeError: If `problems` cannot be iterated over.
        Exception: Whatever ``solve`` raises.
        KeyboardInterrupt: At Ctrl-C, from the iterator.
    """
    if isinstance(problems, str | bytes) or not isinstance(problems, Iterable):
        raise InputTypeError(
            f"solve_many needs a list or another iterable of problems, not {shown(problems)}; "
            "solve takes a single one"
        )
    try:
        each = iter(problems)
    except TypeError as error:  # such as an array without dimensions
        raise InputTypeError(f"solve_many needs an iterable of problems: {error}") from None
    _check(options)
    return _results(each, options)


def _results(
    problems: Iterator[InstanceLike | Model], options: dict[str, Any]
) -> Iterator[SolveResult]:
    for problem in problems:
        result = solve(problem, **options)
        yield result
        if result.interrupted:
            raise KeyboardInterrupt


def _check(options: dict[str, Any]) -> None:
    """Let ``solve`` check the options, on a board that needs no sampling.

    Parameters of the sampler are left out where each problem may have another sampler.
    """
    sampler = options.get("sampler", "auto")
    if isinstance(sampler, str) and sampler == AUTO:
        known = _OWN_OPTIONS.union(strengths_by_name())
        options = {name: value for name, value in options.items() if name in known}
    solve(Instance(1, [(0, 0)]), **options)
