"""The program of the process in which minorminer runs; it does not import this package.

minorminer checks neither for Ctrl-C nor for the time limit while it improves chains, but a process
can be killed. The arguments of its ``find_embedding`` are read as JSON from standard input; the
chains, by variable number, are written to standard output.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Search; the first argument is the folder with the package minorminer."""
    sys.path.append(sys.argv[1])
    from minorminer import find_embedding

    task = json.load(sys.stdin)
    begin = dict(task["begin"])
    found = find_embedding(task["edges"], task["couplers"], initial_chains=begin, **task["options"])
    json.dump([[variable, list(qubits)] for variable, qubits in found.items()], sys.stdout)


if __name__ == "__main__":
    main()
