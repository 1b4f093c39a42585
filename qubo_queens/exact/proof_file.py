"""Proof files: written in full or not at all, and checked by ``check_proof``.

A certificate is a JSON object with the instance. A proof by clauses is a DRAT proof, as text, and
beside it the DIMACS file of the clauses, with a comment that names the instance they state.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from qubo_queens.board.certificate import Certificate
from qubo_queens.board.instance import Instance, InstanceLike, as_instance
from qubo_queens.checks import counted, shown
from qubo_queens.errors import FormatError, InputError, ProofError
from qubo_queens.exact.certificates import check_certificate
from qubo_queens.exact.clauses.cnf import Cnf
from qubo_queens.exact.clauses.drat import ClausalProof, check_drat, parse_drat
from qubo_queens.exact.clauses.formulations import stated_cnf
from qubo_queens.files import as_path, file_faults, write_atomic, write_together
from qubo_queens.formats.json_object import KEYS, from_object, parse_json, to_object
from qubo_queens.formats.text_options import TextOptions

CLAUSES_SUFFIX = ".cnf"
"""Appended to the name of a DRAT proof to name the file of its clauses."""

_FORMAT = "qubo-queens certificate"

Target = str | os.PathLike[str]


def check_target(path: Target) -> None:
    """Refuse a name under which no proof can be written, before a long search is made for it."""
    target = as_path(path)
    with file_faults("write", target):
        folder = Path(os.path.realpath(target)).parent
        for name in (target, _clauses_path(target)):
            if name.exists() and not name.is_file():
                raise InputError(
                    f"cannot write {shown(str(name), 100)}: it is no regular file, and a proof may "
                    "need another one beside it"
                )
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise InputError(
                f"cannot write {shown(str(target), 100)}: its folder does not exist or may not be "
                "written to; make it first"
            )


def write_proof(
    path: Target, instance: Instance, certificate: Certificate, clausal: ClausalProof | None
) -> bool:
    """Write a certificate as JSON; or a proof by clauses as DRAT, and the clauses as DIMACS.

    The clauses go to `path` with ``.cnf`` appended, both files or none. Where the certificate is
    not checkable, `clausal` is needed. The result is whether there was a proof to write.
    """
    if clausal is not None:
        comments = [write_header(instance, clausal.formulation)]
        clauses = clausal.cnf.to_dimacs(comments).encode()
        write_together({_clauses_path(path): clauses, path: str(clausal.proof).encode()})
    elif certificate.checkable:
        content = {
            "format": _FORMAT,
            "reason": certificate.reason,
            "instance": to_object(instance, TextOptions()),
            "certificate": certificate.to_dict(),
        }
        write_atomic(path, (json.dumps(content) + "\n").encode())
    return clausal is not None or certificate.checkable


def check_proof(path: Target, instance: InstanceLike | None = None) -> Instance:
    """Check a proof that ``prove`` has written, and return the instance that it is about.

    A certificate is confirmed by ``exact.certificates``. For a DRAT proof the clauses are built
    from the instance and compared with those of the file, and each step of the proof has to follow
    by unit propagation from those before it, down to the empty clause. The clauses of encoding
    ``cell-attack`` are made by python-sat: they are compared with those of the installed version.

    >>> import tempfile, os
    >>> from qubo_queens import Instance, prove
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "proof.json")
    ...     result = prove(Instance(4, [(0, 0)]), proof=file)
    ...     check_proof(file).queens
    ((0, 0),)

    Args:
        path: The file; the clauses of a DRAT proof are expected beside it.
        instance: If given, the instance that the proof has to be about.

    Returns:
        The instance that has no solution. It is always true in a condition; a wrong proof raises.

    Raises:
        ProofError: If the proof is wrong, or about another instance; the message says why.
        FormatError: If it cannot be understood.
        InputError: If it cannot be read.
    """
    text = _read(path)
    if text.lstrip().startswith("{"):
        found = _check_json(text)
    elif text.lstrip().startswith(("c ", "p cnf")):
        raise FormatError(
            f"{shown(os.fsdecode(path), 100)} has the clauses of a proof; name the proof itself, "
            f"without {CLAUSES_SUFFIX}"
        )
    else:
        proof = parse_drat(text)
        cnf, found = _stated_clauses(_clauses_path(path))
        check_drat(cnf, proof)
    if instance is not None and found != as_instance(instance):
        raise ProofError(f"the proof is right, but about another instance: {described(found)}")
    return found


def described(instance: Instance) -> str:
    """Return the size of an instance, and how much is prescribed and forbidden."""
    excluded = len(instance.excluded_sums) + len(instance.excluded_differences)
    return (
        f"n={instance.n}, {counted(len(instance.queens), 'prescribed queen')}, "
        f"{counted(len(instance.blocked), 'blocked cell')}, "
        f"{counted(excluded, 'excluded diagonal')}"
    )


def _check_json(text: str) -> Instance:
    content = parse_json(text)
    if content.get("format") != _FORMAT:
        raise FormatError(f'this JSON is no certificate: its "format" is not {_FORMAT!r}')
    stated, certificate = content.get("instance"), content.get("certificate")
    if not isinstance(certificate, dict):
        raise FormatError('a certificate has the objects "instance" and "certificate"')
    instance = stated_instance(stated)
    check_certificate(instance, certificate)
    return instance


def _stated_clauses(path: Path) -> tuple[Cnf, Instance]:
    """Return the instance that a file of clauses names, and its clauses, which the file must have.

    The file is compared as text, and not read as DIMACS.
    """
    lines = _read(path).splitlines()
    start = next((at for at, line in enumerate(lines) if line.split(" ")[0] != "c"), len(lines))
    instance, name = read_header(line[2:] for line in lines[:start])
    if instance.n - len(instance.queens) > len(lines):  # each open row has a clause at least
        raise ProofError(f"{path.name} has fewer clauses than the instance it names has rows")
    try:
        expected = stated_cnf(instance, name)
    except MemoryError as error:
        raise ProofError(f"{path.name} names an instance that is too large for it") from error
    if lines[start:] != expected.to_dimacs().splitlines():
        raise ProofError(f"{path.name} does not have the clauses that state the instance it names")
    return expected, instance


def _clauses_path(path: Target) -> Path:
    target = Path(os.path.realpath(as_path(path)))  # beside the file, not beside a link to it
    return target.with_name(target.name + CLAUSES_SUFFIX)


def _read(path: Target) -> str:
    target = as_path(path)
    with file_faults("read", target):
        return target.read_text(encoding="utf-8")


_MARK = "qubo-queens "


def write_header(instance: Instance, formulation: str) -> str:
    """Return the comment that names the instance, one line without the ``c`` in front.

    `formulation` is what the clauses state: ``free-cells``, or the name of an encoding.
    """
    asked = to_object(instance, TextOptions())
    return _MARK + json.dumps({"formulation": formulation, "instance": asked})


def stated_instance(stated: object) -> Instance:
    """Return the instance of a proof file: an object with all the keys of one, and no others."""
    if not isinstance(stated, dict) or stated.keys() != set(KEYS):
        raise FormatError(f"the instance of a proof is an object with the keys {', '.join(KEYS)}")
    return from_object(stated, TextOptions())


def read_header(comments: Iterable[str]) -> tuple[Instance, str]:
    """Return the instance that the comments of a file name, and what the clauses state."""
    marked = [comment for comment in comments if comment.startswith(_MARK)]
    if len(marked) > 1:
        raise FormatError(f"{len(marked)} comments say which instance the clauses are about")
    if marked:
        found = parse_json(marked[0].removeprefix(_MARK))
        known = isinstance(found, dict) and found.keys() == {"formulation", "instance"}
        if known and isinstance(found["formulation"], str):
            return stated_instance(found["instance"]), found["formulation"]
    raise FormatError(
        "no comment says which instance the clauses are about: expected a line "
        """'c qubo-queens {"formulation": ..., "instance": ...}'"""
    )
