"""The check of each kind of certificate.

Exhaustive search and unsatisfiable clauses are not listed: their proofs are clauses, which
``clauses/drat.py`` checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.checks import shown
from qubo_queens.errors import ProofError
from qubo_queens.exact.check import (
    CertificateData,
    check_contradiction,
    check_empty_line,
    check_small_board,
)
from qubo_queens.exact.diagonal_accounting import check_diagonal_accounting
from qubo_queens.exact.line_weights import check_line_weights

CHECKS: dict[str, Callable[[Instance, CertificateData], None]] = {
    "contradiction": check_contradiction,
    "small board": check_small_board,
    "empty line": check_empty_line,
    "line weights": check_line_weights,
    "diagonal accounting": check_diagonal_accounting,
}
"""By kind of certificate. A check raises ProofError, or any error that malformed data lead to."""


def check_certificate(instance: InstanceLike, certificate: CertificateData) -> None:
    """Confirm that a certificate, as ``to_dict`` returns it, proves an instance infeasible.

    >>> from qubo_queens import Instance, prove
    >>> instance = Instance(4, [(0, 0)])
    >>> data = prove(instance).certificate.to_dict()
    >>> check_certificate(instance, data)
    >>> check_certificate(4, data)
    Traceback (most recent call last):
    ...
    qubo_queens.errors.ProofError: cell (1, 2) is dropped, but row 2 keeps a free cell
    """
    instance = as_instance(instance)
    kind = certificate.get("kind") if isinstance(certificate, Mapping) else None
    if not isinstance(kind, str) or kind not in CHECKS:
        raise ProofError(f"certificate kind {shown(kind)} is unknown; known: {', '.join(CHECKS)}")
    try:
        CHECKS[kind](instance, certificate)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, ProofError):
            raise
        raise ProofError(f"the {kind} certificate is malformed: {error!r}") from error
