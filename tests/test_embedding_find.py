"""Finding embeddings: the layouts of the ladder, searches, and what the composites make of them."""

import json
from dataclasses import replace

import dimod
import dwave.graphs
import networkx
import pytest
from dwave.embedding import embed_bqm, unembed_sampleset
from dwave.samplers import SimulatedAnnealingSampler
from dwave.system import FixedEmbeddingComposite
from embeddings import holds

from qubo_queens import Instance, Placement, build, find_embedding, list_encodings, verify
from qubo_queens.embedding import find, minorminer_child
from qubo_queens.embedding import minor_search as search
from qubo_queens.embedding.embedding import pruned
from qubo_queens.embedding.find import METHODS
from qubo_queens.embedding.topology import Topology
from qubo_queens.errors import InputError, InputTypeError, SolverError

ZEPHYR, PEGASUS, CHIMERA = (Topology.of(name) for name in ("zephyr:4", "pegasus:4", "chimera:6"))
PEGASUS_8 = Topology.of("pegasus:8")


@pytest.mark.parametrize("topology", [ZEPHYR, PEGASUS, CHIMERA], ids=lambda t: t.name)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("encoding", list_encodings())
def test_every_method_gives_an_embedding_or_none(topology, method, encoding):
    model = build(Instance(5, [(0, 0)]), encoding, reduce="lines")
    if method == "lattice" and encoding != "ladder":
        with pytest.raises(InputError, match="take encoding ladder"):
            find_embedding(model, topology, method=method)
        return
    found = find_embedding(model, topology, method=method, seed=3, tries=1, time_limit=10)
    cliques = {"zephyr:4": 64, "pegasus:4": 36, "chimera:6": 24}
    fits = model.bqm.num_variables <= cliques[topology.name]
    assert found is None or holds(found, model, topology)
    if method == "lattice" or (method in ("auto", "clique") and fits):
        assert found is not None
    if method == "minorminer":
        assert found is not None or not fits


def test_a_chip_with_faults_is_searched_from_the_placement(tmp_path):
    ideal = Topology.of("zephyr:4").graph
    dead = set(list(ideal)[::100])
    couplers = [[a, b] for a, b in ideal.edges if not {a, b} & dead]
    data = {"couplers": couplers[1:], "topology": {"type": "zephyr", "shape": [4, 4]}}
    path = tmp_path / "chip.json"
    path.write_text(json.dumps(data))
    topology, model = Topology.of(path), build(8, "ladder")
    found = find_embedding(model, topology, seed=1, tries=2, method="lattice")
    assert holds(found, model, topology)
    assert found.method == "lattice + minorminer"


def test_variables_without_interactions_get_a_qubit_too():
    bqm = dimod.BinaryQuadraticModel({"a": 1, "b": 1, "c": 1}, {"ab": 1}, 0, "SPIN")
    for method in ("auto", "clique", "minorminer"):
        assert holds(find_embedding(bqm, CHIMERA, method=method), bqm, CHIMERA)
    empty = dimod.BinaryQuadraticModel("BINARY")
    assert find_embedding(empty, "chimera:1").chains == {}
    lone = dimod.BinaryQuadraticModel(dict.fromkeys(range(8), 1), {}, 0, "BINARY")
    found = find_embedding(lone, "chimera:1")
    assert holds(found, lone, Topology.of("chimera:1"))
    assert found.method == "single qubits"
    lone.add_linear(8, 1)
    assert find_embedding(lone, "chimera:1") is None


def test_a_small_dense_model_gets_the_better_of_a_clique_and_a_short_search(monkeypatch):
    model = build(4, "row-domain-wall")
    clique = find_embedding(model, ZEPHYR, method="clique")
    found = find_embedding(model, ZEPHYR, seed=1)
    assert (found.method, clique.method) == ("minorminer", "clique")
    assert found.longest_chain < clique.longest_chain
    monkeypatch.setattr(find, "_FEW", 3)
    assert find_embedding(model, ZEPHYR).chains == clique.chains


def test_the_time_is_that_of_the_embedding_returned(monkeypatch):
    """A worse one that is found later does not count."""
    model = build(4)
    clique = find_embedding(model, ZEPHYR, method="clique")
    longer = {**clique, (0, 0): tuple(range(99))}
    worse = replace(clique, chains=longer, seconds=1e6)
    monkeypatch.setattr(find, "_searched", lambda *_: worse)
    found = find_embedding(model, ZEPHYR)
    assert (found.method, found.chains) == ("clique", clique.chains)
    assert 0 < found.seconds < 1e6


def test_a_search_depends_on_its_seed_alone():
    first, second = (
        find_embedding(build(4, "ladder"), PEGASUS, method="minorminer", seed=5, tries=1)
        for _ in range(2)
    )
    assert first.chains == second.chains


def test_the_search_is_stopped_where_its_time_is_over(monkeypatch):
    bqm = build(6).bqm
    assert search.search(bqm.quadratic, ZEPHYR.graph, {}, 1, 1e-3, 0.0) == {}
    assert find_embedding(bqm, ZEPHYR, method="minorminer", time_limit=1e-3) is None


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "search", interrupted)
    model = build(4, "row")
    assert find_embedding(model, ZEPHYR).method == "clique"
    with pytest.raises(KeyboardInterrupt):
        find_embedding(model, ZEPHYR, method="minorminer")


CHILDREN = {
    "crash": ("raise MemoryError('no memory')", r"\(exit code 1\): MemoryError: no memory"),
    "killed": ("import os; os.kill(os.getpid(), 9)", r"\(exit code -9\): no message"),
}


@pytest.mark.parametrize("what", CHILDREN)
def test_a_search_without_an_answer_is_an_error(what, tmp_path, monkeypatch):
    code, message = CHILDREN[what]
    child = tmp_path / "child.py"
    child.write_text(code, encoding="utf-8")
    monkeypatch.setattr(minorminer_child, "__file__", str(child))
    with pytest.raises(SolverError, match=message):
        find_embedding(build(4), ZEPHYR, method="minorminer")


def test_a_missing_interpreter_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(SolverError, match=r"for minorminer.*/no/such/python"):
        find_embedding(build(4), ZEPHYR, method="minorminer")


def test_a_chip_without_a_form_is_searched_alone(tmp_path):
    path = tmp_path / "chip.json"
    path.write_text(json.dumps(list(Topology.of("zephyr:2").graph.edges)), encoding="utf-8")
    topology, model = Topology.of(path), build(4, "ladder")
    found = find_embedding(model, path, seed=1)
    assert holds(found, model, topology)
    assert found.method == "minorminer"
    for method in ("lattice", "clique"):
        with pytest.raises(InputError, match=rf"method {method} does not apply to .*chip\.json"):
            find_embedding(model, topology, method=method)


def test_a_zephyr_chip_of_wide_tiles_has_no_cliques_and_room_for_a_ladder():
    topology = Topology.of("zephyr:2:5")
    with pytest.raises(InputError, match="method clique does not apply to 'zephyr:2:5'"):
        find_embedding(build(4), topology, method="clique")
    model = build(4, "ladder")
    found = find_embedding(model, topology, method="lattice")
    assert holds(found, model, topology)
    assert found.method == "lattice"
    narrow = find_embedding(model, "zephyr:4:3", method="lattice", seed=1)
    assert narrow.method == "lattice + minorminer"


def test_the_bare_bqm_of_a_ladder_is_known_by_its_labels():
    model = build(6, "ladder")
    assert find_embedding(model.bqm, ZEPHYR).chains == find_embedding(model, ZEPHYR).chains


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "best"}, InputError, "method 'best' is unknown; choose one of auto, lattice"),
        ({"seed": -1}, InputError, "seed -1 is outside 0..2147483647"),
        ({"time_limit": 0}, InputError, "time_limit must be finite and above 0"),
        ({"tries": 0}, InputError, "tries 0 is outside 1.."),
        ({"model": 8}, InputTypeError, "needs a Model or a BQM, not int"),
        ({"topology": 8}, InputTypeError, "a topology is given by zephyr:M"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        find_embedding(**{"model": build(4, "ladder"), "topology": ZEPHYR, **arguments})


def test_pruning_leaves_an_embedding_with_fewer_qubits():
    graph = networkx.path_graph(9)
    chains = {"a": (0, 1, 2), "b": (3, 4), "c": (5, 6, 7, 8)}
    edges = [("a", "b"), ("b", "c")]
    assert pruned(chains, edges, graph) == {"a": (2,), "b": (3, 4), "c": (5,)}


def test_the_composites_take_an_embedding():
    """A chip of which only the structure is there: the sampler sees nothing but its couplers."""
    graph = ZEPHYR.graph
    chip = dimod.StructureComposite(
        SimulatedAnnealingSampler(), sorted(graph.nodes), sorted(graph.edges)
    )
    model = build(4, "ladder")
    sampler = FixedEmbeddingComposite(chip, find_embedding(model, ZEPHYR))
    samples = sampler.sample(model.bqm, num_reads=5, num_sweeps=100, seed=1, chain_strength=3)
    assert set(samples.variables) == set(model.bqm.variables)
    assert samples.record.energy == pytest.approx(model.bqm.energies(samples))


def test_a_solution_keeps_its_energy_on_the_chip():
    model = build(6, "ladder")
    found = find_embedding(model, PEGASUS_8)
    on_chip = embed_bqm(model.bqm, found, PEGASUS_8.graph, chain_strength=3)
    board = model.encode(Placement.from_columns([1, 3, 5, 0, 2, 4]))
    state = {qubit: board[label] for label, chain in found.items() for qubit in chain}
    assert on_chip.energy(state) == pytest.approx(0)
    back = unembed_sampleset(dimod.SampleSet.from_samples(state, "BINARY", 0), found, model.bqm)
    assert verify(6, model.decode(back.first.sample)).valid


def test_no_couplers_no_embedding():
    chip = {"qubits": list(range(50)), "couplers": []}
    assert find_embedding(build(2, "ladder", reduce="none"), chip, time_limit=2) is None
    alone = find_embedding(build(1, reduce="none"), chip)
    assert (alone.num_qubits, str(alone)[:22]) == (1, "1 variable on 1 qubit ")


def test_a_ladder_without_chains_needs_no_layout():
    found = find_embedding(build(1, "ladder"), "zephyr:1", method="lattice")
    assert found.num_qubits == build(1, "ladder").num_variables


def test_a_qubit_without_couplers_is_no_hindrance():
    graph = dwave.graphs.zephyr_graph(2)
    chip = {
        "topology": {"type": "zephyr", "shape": [2, 4]},
        "qubits": list(graph),
        "couplers": [edge for edge in graph.edges if 68 not in edge],
    }
    model = build(4, "ladder")
    found = find_embedding(model, chip, seed=1, time_limit=5)
    assert found.faults(model, chip) == ()
    assert all(68 not in chain for chain in found.values())
