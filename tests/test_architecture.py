"""The house: imports only go down, and importing the package stays light."""

import ast
import dis
import subprocess
import sys
import types
from pathlib import Path

import pytest

import qubo_queens
from qubo_queens.board.certificate import Certificate
from qubo_queens.board.reduce import probe, reduce
from qubo_queens.exact import diagonal_accounting, line_weights
from qubo_queens.exact.board_search import Exhausted
from qubo_queens.exact.certificates import CHECKS
from qubo_queens.exact.clauses.cadical import Unsatisfiable

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
    """Within functions, and in two modules only."""
    allowed = {"qubo_queens.exact.board_search", "qubo_queens.exact.clauses.drat"}
    for name, path in modules():
        if room_of(name) == "exact":
            kernels = {found for found in imports_of(path) if room_of(found) == "kernels"}
            assert name in allowed or not kernels, name
            at_once = {
                node.module
                for node in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(node, ast.ImportFrom)
            }
            assert not kernels & at_once, f"{name} loads {kernels & at_once} at once"


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


def globals_of(code, namespace):
    """Return the objects that a code object names, those of nested functions included."""
    names = {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    found = [namespace[name] for name in names if name in namespace]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found += globals_of(inner, namespace)
    return found


def reached_by(function):
    """Return all functions and classes that a function of the package can come to use."""
    found, left = set(), [function]
    while left:
        used = left.pop()
        if getattr(used, "__module__", None) is None or used in found:
            continue
        if isinstance(used, type) and used.__module__.startswith("qubo_queens."):
            members = [getattr(member, "fget", member) for member in vars(used).values()]
            left += [member for member in members if isinstance(member, types.FunctionType)]
        elif isinstance(used, types.FunctionType) and used.__module__.startswith("qubo_queens."):
            left += [
                value
                for value in globals_of(used.__code__, used.__globals__)
                if callable(value) or isinstance(value, types.ModuleType)
            ]
        found.add(used)
    return found


def home_of(value):
    return getattr(value, "__module__", None) or value.__name__


def shared(check, find):
    """Return what a check and the code that finds its certificates both use, but for plain data."""
    allowed = {f"qubo_queens.{name}" for name in PLAIN}
    both = reached_by(check) & reached_by(find)
    return {v for v in both if home_of(v).startswith("qubo_queens.") and home_of(v) not in allowed}


FINDERS = {
    "contradiction": reduce,
    "small board": reduce,
    "empty line": probe,
    "line weights": line_weights.find_line_weights,
    "diagonal accounting": diagonal_accounting.find_diagonal_accounting,
}


@pytest.mark.parametrize("kind", CHECKS)
def test_checks_share_nothing_with_the_finders_beside_them(kind):
    """All that a check uses, directly or not, is plain data, ``exact.check``, and its own part."""
    check, find = CHECKS[kind], FINDERS[kind]
    assert find in reached_by(find)
    assert not shared(check, find)
    homes = {home_of(value) for value in reached_by(check)}
    known = {f"qubo_queens.{name}" for name in PLAIN} | {"qubo_queens.exact.check"}
    assert {home for home in homes if home.startswith("qubo_queens.")} <= known | {check.__module__}
    assert not {home for home in homes if home.split(".")[0] in ("numpy", "scipy")}


@pytest.mark.parametrize(
    ("module", "helper"),
    [(line_weights, "_lines_of_cells"), (diagonal_accounting, "_reachable")],
    ids=["line weights", "diagonal accounting"],
)
@pytest.mark.parametrize(
    "body", ["{}()", "[{}() for _ in ()]", "(lambda: {}())()", "used = {}", "_calls()"]
)
def test_a_check_that_calls_a_helper_of_the_finder_is_noticed(module, helper, body):
    namespace = dict(vars(module))
    source = f"def _calls():\n    {helper}()\ndef check(instance, data):\n    {body.format(helper)}"
    exec(source, namespace)
    find = getattr(module, f"find_{module.__name__.rpartition('.')[2]}")
    assert getattr(module, helper) in shared(namespace["check"], find)


def test_every_certificate_has_a_check_or_is_a_search():
    kinds, left = {}, [Certificate]
    while left:
        for kind in left.pop().__subclasses__():
            left.append(kind)
            if isinstance(getattr(kind, "kind", None), str):
                kinds[kind.kind] = kind.checkable
    assert {kind for kind, checkable in kinds.items() if checkable} == set(CHECKS) == set(FINDERS)
    assert set(kinds) - set(CHECKS) == {Exhausted.kind, Unsatisfiable.kind}


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
