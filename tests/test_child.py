"""Programs in a process of their own: they end with ours, however it ends."""

import subprocess
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path

from processes import has_ended, is_running

from qubo_queens.child import start

HERE = Path(__file__).parent

ASLEEP = """
import os, sys, time
print(os.getpid(), sys.argv[1], "qubo_queens" in sys.modules, flush=True)
time.sleep(600)
"""


def test_a_program_gets_its_argument_and_ends_with_its_lifeline(tmp_path):
    program = tmp_path / "asleep.py"
    program.write_text(ASLEEP, encoding="utf-8")
    with (
        ExitStack() as files,
        program.open("rb") as stdin,
        start(
            str(program),
            "a b",
            files,
            name="asleep",
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout.readline().split() == [b"%d" % process.pid, b"a", b"b", b"False"]
        assert process.poll() is None
        files.close()
        assert has_ended(process.pid)
        assert process.wait() < 0


def ends_with_a_killed_parent(script, *arguments):
    """Run a script that prints the id of a process and is then killed; tell if that one ends."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(HERE), *map(str, arguments)],
        stdout=subprocess.PIPE,
    ) as asking:
        pid = int(asking.stdout.readline().split()[0])
        assert is_running(pid)
        asking.kill()
        asking.wait()
    return has_ended(pid)


def test_a_search_ends_with_the_process_that_asked():
    script = """
        from qubo_queens import build
        from qubo_queens.embedding.topology import Topology
        from qubo_queens.embedding import minor_search as search

        def telling(*arguments, **options):
            process = start(*arguments, **options)
            print(process.pid, flush=True)
            return process

        start, search.start = search.start, telling
        search.search(build(16).bqm.quadratic, Topology.of("zephyr:8").graph, {}, 1, 600)
        """
    assert ends_with_a_killed_parent(script)
