"""Chips by their names, and from files."""

import json

import dwave.graphs
import networkx
import pytest

from qubo_queens.embedding.topology import Topology, cloud_package
from qubo_queens.errors import InputError, MissingPackageError


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("zephyr:3", dwave.graphs.zephyr_graph(3)),
        ("zephyr:2:2", dwave.graphs.zephyr_graph(2, 2)),
        ("pegasus:3", dwave.graphs.pegasus_graph(3)),
        ("chimera:4", dwave.graphs.chimera_graph(4)),
        ("chimera:2:3", dwave.graphs.chimera_graph(2, t=3)),
    ],
)
def test_names(name, graph):
    topology = Topology.of(name)
    assert topology.name == name
    assert networkx.utils.graphs_equal(topology.graph, graph)
    assert Topology.of(topology) is topology
    places = topology.places
    assert set(places) == set(graph)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places.values())


def test_the_usual_tile_size_goes_without_saying():
    assert Topology.of("zephyr:3:4").name == "zephyr:3"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zephyr", "topology 'zephyr' is unknown; give zephyr:M or zephyr:M:T, pegasus:M"),
        ("eagle:3", "topology type 'eagle' is unknown"),
        ("zephyr:0", "zephyr:0 is outside zephyr:1..zephyr:64"),
        ("pegasus:1", "pegasus:1 is outside pegasus:2"),
        ("zephyr:1000", "zephyr:1000 is outside zephyr:1..zephyr:64"),
        ("zephyr:3:9", "tile size 9 is outside 1..8"),
        ("pegasus:3:4", "pegasus has no tile size; give pegasus:3"),
        ("zephyr:-1", "is unknown"),
        ("\0", "is unknown"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(InputError, match=message):
        Topology.of(name)


def read(tmp_path, data):
    path = tmp_path / "chip.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return Topology.of(str(path))


def test_a_list_of_couplers(tmp_path):
    topology = read(tmp_path, [[0, 1], [2, 1]])
    assert sorted(topology.graph.edges) == [(0, 1), (1, 2)]
    assert topology.places is None


def test_the_properties_of_a_solver(tmp_path):
    ideal = dwave.graphs.chimera_graph(2)
    couplers = [list(pair) for pair in ideal.edges if 5 not in pair][3:]
    qubits = [qubit for qubit in ideal if qubit != 5]
    shape = {"type": "chimera", "shape": [2, 2, 4]}
    topology = read(tmp_path, {"couplers": couplers, "qubits": qubits, "topology": shape})
    assert set(topology.graph) == set(qubits)
    assert {frozenset(pair) for pair in topology.graph.edges} == set(map(frozenset, couplers))
    assert (topology.type, topology.size, topology.tile) == ("chimera", 2, 4)
    assert len(topology.places) == 31


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("no json", "chip.json.*line 1, column 1: this is not JSON"),
        ({"qubits": [1]}, "holds neither a list of couplers"),
        ([[0, 1, 2]], "couplers are pairs"),
        ([[0, -1]], "qubits are integers from 0"),
        ([[0, 1.5]], "qubits are integers from 0"),
        ({"couplers": 3}, "where a list is expected"),
        ({"couplers": [[0, 1]], "qubits": [0, 2]}, "has a coupler at qubit 1, not listed"),
        ({"couplers": [[0, 1]], "topology": "zephyr"}, "states the topology 'zephyr'; expected"),
        ({"couplers": [[0, 1]], "topology": {"type": "zephyr", "shape": []}}, "expected such as"),
        (
            {"couplers": [[0, 4]], "topology": {"type": "chimera", "shape": [2, 3, 4]}},
            "states a chip that is not square",
        ),
    ],
)
def test_wrong_files(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, data)


def test_couplers_that_the_form_does_not_have(tmp_path):
    shape = {"type": "chimera", "shape": [1, 1, 4]}
    topology = read(tmp_path, {"couplers": [[0, 1]], "topology": shape})
    with pytest.raises(InputError, match="is not part of an ideal graph"):
        _ = topology.graph


def test_a_missing_package_names_the_extra():
    with pytest.raises(MissingPackageError, match=r"pip install 'qubo-queens\[cloud\]'"):
        cloud_package("no_such_package")


def test_the_properties_of_a_solver_as_they_are():
    graph = dwave.graphs.zephyr_graph(3)
    graph.remove_nodes_from([5, 40])
    properties = {
        "chip_id": "Advantage2_system9",
        "qubits": list(graph),
        "couplers": [tuple(edge) for edge in graph.edges],
        "topology": {"type": "zephyr", "shape": [3, 4]},
        "num_reads_range": [1, 10000],
    }
    topology = Topology.of(properties)
    assert (topology.name, topology.type, topology.size) == ("Advantage2_system9", "zephyr", 3)
    assert networkx.utils.graphs_equal(topology.graph, graph)


@pytest.mark.parametrize(
    "shape", [[2.0, 4], [2, None], [2, 4, 5], [True, 4], [], "24", None, {"m": 2}]
)
@pytest.mark.parametrize("family", ["zephyr", "pegasus", "chimera", 5, None])
def test_a_shape_is_made_of_the_right_integers(family, shape):
    with pytest.raises(InputError, match=r"expected such as|not square"):
        Topology.of({"couplers": [[0, 1]], "topology": {"type": family, "shape": shape}})


@pytest.mark.parametrize("couplers", [[[0, 0]], [[0, 1, 2]], [[0]], [0], [[0, -1]], 7])
def test_couplers_join_two_qubits(couplers):
    with pytest.raises(InputError, match=r"coupler|list is expected|integers from 0"):
        Topology.of({"couplers": couplers})
