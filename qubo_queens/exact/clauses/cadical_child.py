"""The program of the process in which CaDiCaL runs; it imports nothing of this package.

It reads clauses from standard input and writes the answer to standard output: a line of ``sat`` or
``unsat`` and a number of bytes, then that many bytes of the model or the proof.
"""

from __future__ import annotations

import array
import json
import sys
from typing import Any


def read_clauses() -> list[list[int]]:
    """Return the clauses. Standard input has C integers: their number, lengths and literals."""
    numbers = array.array("i")
    numbers.frombytes(sys.stdin.buffer.read())
    num_clauses = numbers[0]
    lengths, literals = numbers[1 : num_clauses + 1].tolist(), numbers[num_clauses + 1 :].tolist()
    clauses, start = [], 0
    for length in lengths:
        clauses.append(literals[start : start + length])
        start += length
    return clauses


def proof_of(solver: Any) -> bytes:
    """Return the proof as the solver wrote it, in the binary format.

    ``get_proof`` of python-sat translates it byte by byte in Python, which often takes longer than
    finding the proof. Without the flush the last buffer would be missing.
    """
    import pysolvers

    pysolvers.flushpr(solver.prfp)
    solver.prfile.seek(0)
    return bytes(solver.prfile.read())


def main() -> None:
    """Solve, with the options that the first argument gives as JSON."""
    options = json.loads(sys.argv[1])
    sys.path.append(options["packages"])
    from pysat.solvers import Cadical153

    with Cadical153(with_proof=options["proof"]) as solver:
        for clause in read_clauses():
            solver.add_clause(clause)
        satisfiable = solver.solve()
        if satisfiable:
            answer = array.array("i", solver.get_model()).tobytes()
        else:
            answer = proof_of(solver) if options["proof"] else b""
        output = sys.stdout.buffer
        output.write(f"{'sat' if satisfiable else 'unsat'} {len(answer)}\n".encode())
        output.write(answer)
        output.flush()


if __name__ == "__main__":
    main()
