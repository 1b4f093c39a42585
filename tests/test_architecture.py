"""The house: imports only go down, and importing the package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import qubo_queens

PACKAGE = Path(qubo_queens.__file__).parent

# Each room may import from the rooms before it, and from its own.
ROOMS = {
    "errors": 0,
    "checks": 1,
    "child": 1,
    "interrupt": 1,
    "files": 2,
    "kernels": 2,
    "board": 2,
    "generate": 3,
    "result": 3,
    "encodings": 4,
    "samplers": 5,
    "formats": 5,
    "exact": 6,
    "embedding": 6,
    "testing": 7,
    "solving": 7,
    "sweeps": 8,
    "cli": 9,
    "__main__": 10,
}

LIGHT = """
import sys
import qubo_queens
assert "numpy" not in sys.modules and "dimod" not in sys.modules, "import loads numpy or dimod"
from qubo_queens import Placement, build, verify
model = build(4)
assert model.bqm.num_variables == 16
assert verify(4, Placement.from_columns([1, 3, 0, 2])).valid
heavy = {"numba", "matplotlib", "dask", "distributed", "pysat", "dwave", "neal", "openjij", "rich"}
heavy |= {"scipy.sparse"}  # other encodings than cell need it
print(sorted(heavy.intersection(sys.modules)))
"""


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def imports_of(path):
    """Every module of the package that a file imports, type-checking imports left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(name):
    """The room of a module; None for the package itself and for other packages."""
    parts = name.split(".")
    return parts[1] if parts[0] == "qubo_queens" and len(parts) > 1 else None


def test_every_module_has_a_room():
    rooms = {room_of(name) for name, _ in modules()} - {None}
    assert rooms <= set(ROOMS)


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_imports_only_go_down(name, path):
    room = room_of(name)
    if room is None:
        return
    for imported in imports_of(path):
        target = room_of(imported)
        if target in ROOMS and target != room:
            assert ROOMS[target] < ROOMS[room], f"{name} imports {imported}, which is not below it"


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_no_module_goes_round_by_the_public_names(name, path):
    """A name taken from the package itself would hide which room it comes from."""
    public = {f"qubo_queens.{public}" for public in qubo_queens.__all__}
    public -= {known for known, _ in modules()}  # some functions are named like a module
    for imported in imports_of(path):
        assert imported not in public, f"{name} imports {imported} from the package"


def test_the_package_itself_is_only_asked_for_its_version():
    for name, path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "qubo_queens":
                assert node.attr == "__version__", f"{name} takes {node.attr} from the package"


def test_only_the_kernels_import_numba():
    for name, path in modules():
        if room_of(name) != "kernels":
            packages = {imported.split(".")[0] for imported in imports_of(path)}
            assert packages.isdisjoint({"numba", "llvmlite"}), name


def test_exact_loads_kernels_only_when_a_search_or_a_check_begins():
    allowed = {"qubo_queens.exact.kernel_search", "qubo_queens.exact.clauses.kernel_check"}
    for name, path in modules():
        if room_of(name) == "exact" and name not in allowed:
            assert not any(room_of(imported) == "kernels" for imported in imports_of(path)), name
            lazily = {imported for imported in imports_of(path) if imported in allowed}
            top = {
                f"{node.module}"
                for node in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(node, ast.ImportFrom)
            }
            assert not lazily & top, f"{name} loads {lazily & top} at once"


PLAIN = {"errors", "checks", "board.instance", "board.lines", "board.placement", "board.violation"}


@pytest.mark.parametrize("checker", ["board.verify", "exact.check"])
def test_what_checks_shares_nothing_with_what_it_checks(checker):
    """All that the verifier and the checker of certificates import, directly or not, is data."""
    paths = dict(modules())
    found, left = set(), {f"qubo_queens.{checker}"}
    while left:
        name = left.pop()
        found.add(name)
        left |= {i for i in imports_of(paths[name]) if i in paths and room_of(i)} - found
    shared = {name.removeprefix("qubo_queens.") for name in found} - {checker, "board"}
    assert shared <= PLAIN | {"board.render"}  # placements draw themselves


def test_every_certificate_has_a_check_or_is_a_search():
    import qubo_queens.exact.verdict  # noqa: F401 - defines two more kinds
    from qubo_queens.board.certificate import Certificate
    from qubo_queens.exact.check import _CHECKS

    kinds, left = set(), [Certificate]
    while left:
        for kind in left.pop().__subclasses__():
            left.append(kind)
            kinds.add(getattr(kind, "kind", None))
    assert kinds - {None} == {*_CHECKS, "exhaustive search", "unsatisfiable clauses"}


def test_the_map_of_the_code_names_every_room():
    text = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for name in {room_of(name) for name, _ in modules()} - {None, "__main__"}:
        assert f"`{name}/`" in text or f"`{name}.py`" in text, name


def test_import_graph_has_no_cycle():
    known = {name for name, _ in modules()}
    graph = {name: set(imports_of(path)) & known - {name} for name, path in modules()}
    graph.pop("qubo_queens")  # loads its public names lazily, and all may read its version
    while leaves := [name for name, needs in graph.items() if not needs & set(graph)]:
        for leaf in leaves:
            del graph[leaf]
    assert not graph, f"modules in or above an import cycle: {sorted(graph)}"


def test_import_build_and_verify_are_light():
    run = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


def test_public_names_load_and_are_listed():
    for name in qubo_queens.__all__:
        assert getattr(qubo_queens, name) is not None
        assert name in dir(qubo_queens)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = qubo_queens.nonsense


@pytest.mark.parametrize("name", [name for name, _ in modules()])
def test_every_module_is_imported_by_its_dotted_name(name):
    """``import a.b.c as d`` binds the module, whatever functions have its name."""
    namespace = {}
    exec(f"import {name} as module", namespace)
    assert namespace["module"] is sys.modules[name]


def test_the_top_level_is_small():
    assert len(qubo_queens.__all__) <= 35
    assert type(qubo_queens) is type(sys)
