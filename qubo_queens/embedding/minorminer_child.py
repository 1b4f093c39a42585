"""The program of the process in which minorminer runs; it imports nothing of this package.

minorminer asks neither for Ctrl-C nor for the time while it improves a chain after the other; a
process can be killed. The arguments of its ``find_embedding`` come as JSON by standard input, the
chains go to standard output, by the numbers of the variables.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Search, in the packages that the first argument names."""
    sys.path.append(sys.argv[1])
    from minorminer import find_embedding

    task = json.load(sys.stdin)
    begin = dict(task["begin"])
    found = find_embedding(task["edges"], task["couplers"], initial_chains=begin, **task["options"])
    json.dump([[variable, list(qubits)] for variable, qubits in found.items()], sys.stdout)


if __name__ == "__main__":
    main()
