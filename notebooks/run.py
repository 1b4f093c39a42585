"""Execute, strip or check the notebooks of this folder.

    python notebooks/run.py            execute each in a fresh kernel; write nothing
    python notebooks/run.py --check    fail if one holds outputs or execution counts
    python notebooks/run.py --strip    remove these, in place

Exits with 1 if a notebook fails, warns, or holds outputs with --check.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

FOLDER = Path(__file__).resolve().parent


def main() -> int:
    """Do what the options ask for with every notebook; return the exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--timeout", type=int, default=60, help="seconds for a cell (default: 60)")
    what = options.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="fail if a notebook holds outputs")
    what.add_argument("--strip", action="store_true", help="remove outputs, in place")
    given = options.parse_args()
    files = sorted(FOLDER.glob("*.ipynb"))
    if not files:
        print(f"no notebook in {FOLDER}", file=sys.stderr)
        return 1
    failed = 0
    for file in files:
        start = time.perf_counter()
        notebook = nbformat.read(file, as_version=4)
        if given.strip:
            problem = strip(file, notebook)
        elif given.check:
            problem = check(notebook)
        else:
            problem = execute(notebook, given.timeout)
        verdict = "ok" if problem is None else "FAILED"
        print(f"{file.name}: {verdict} ({time.perf_counter() - start:.1f} s)", flush=True)
        if problem is not None:
            print(problem, file=sys.stderr)
            failed += 1
    return int(failed > 0)


def execute(notebook: nbformat.NotebookNode, timeout: int) -> str | None:
    """Run a notebook in a fresh kernel; return what went wrong, None if nothing did."""
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # no notice that it runs over TCP
        resources={"metadata": {"path": str(FOLDER)}},
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return str(error)
    warnings = [text for cell in code_cells(notebook) for text in _on_stderr(cell)]
    return "".join(warnings) or None


def check(notebook: nbformat.NotebookNode) -> str | None:
    """Return which cells hold outputs or execution counts, None if none does."""
    used = [cell.id for cell in code_cells(notebook) if cell.outputs or cell.execution_count]
    return f"outputs or counts in cells {', '.join(used)}; run with --strip" if used else None


def strip(file: Path, notebook: nbformat.NotebookNode) -> None:
    """Remove outputs and execution counts, and write the notebook back if there were any."""
    if check(notebook) is None:
        return
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, file)


def code_cells(notebook: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    """Yield the cells that can be executed."""
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def _on_stderr(cell: nbformat.NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            yield f"cell {cell.id} writes to stderr: {output.text}"


if __name__ == "__main__":
    sys.exit(main())
