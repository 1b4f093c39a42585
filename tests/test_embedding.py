"""Embeddings: the placements of the ladder, the checker, and what the composites make of them."""

import json
from collections import Counter

import dimod
import networkx
import pytest
from dwave.embedding import embed_bqm, unembed_sampleset
from dwave.samplers import SimulatedAnnealingSampler
from dwave.system import FixedEmbeddingComposite
from hypothesis import given, settings
from hypothesis import strategies as st

from qubo_queens import Instance, Placement, build, encodings, verify
from qubo_queens.embedding import find, minorminer
from qubo_queens.embedding.embedding import Embedding
from qubo_queens.embedding.find import METHODS, find_embedding
from qubo_queens.embedding.prune import prune
from qubo_queens.embedding.topology import as_topology
from qubo_queens.errors import InputError, InputTypeError
from tests.strategies import instances

ZEPHYR, PEGASUS, CHIMERA = (as_topology(name) for name in ("zephyr:4", "pegasus:4", "chimera:6"))
PEGASUS_8 = as_topology("pegasus:8")


def is_embedding(chains, edges, graph):
    """Whether the chains are one, by the definition of a minor and with networkx."""
    counts = Counter(qubit for chain in chains.values() for qubit in chain)
    if not set(counts) <= set(graph) or max(counts.values(), default=1) > 1:
        return False
    if not all(c and networkx.is_connected(graph.subgraph(c)) for c in chains.values()):
        return False
    return all(networkx.node_boundary(graph, chains[u]) & set(chains[v]) for u, v in edges)


def holds(found, model, topology):
    bqm = getattr(model, "bqm", model)
    assert list(found) == list(bqm.variables)
    assert is_embedding(found.chains, bqm.quadratic, topology.graph)
    assert found.verify(bqm.quadratic, topology.graph) == ()
    return True


@pytest.mark.parametrize("n", range(4, 9))
def test_a_board_up_to_twice_the_size_of_a_zephyr_chip_has_chains_of_two(n):
    model = build(n, "ladder")
    found = find_embedding(model, ZEPHYR)
    assert holds(found, model, ZEPHYR)
    assert (found.method, found.topology, found.longest_chain) == ("lattice", "zephyr:4", 2)


def test_the_largest_boards_of_the_chips_that_are_sold():
    for name, n in (("zephyr:15", 30), ("zephyr:12", 24), ("pegasus:16", 20)):
        topology = as_topology(name)
        model = build(n, "ladder")
        found = find_embedding(model, topology, method="lattice")
        assert holds(found, model, topology)
        assert (found.method, found.longest_chain) == ("lattice", 2)


@pytest.mark.parametrize("topology", [ZEPHYR, PEGASUS_8], ids=lambda t: t.name)
@settings(max_examples=25)
@given(instance=instances(min_n=4, max_n=8), mode=st.sampled_from(["none", "lines"]))
def test_lines_pass_over_cells_that_are_not_free(topology, instance, mode):
    model = build(instance, "ladder", reduce=mode)
    has_chain_bits = any(len(label) == 3 for label in model.bqm.variables)
    found = find_embedding(model, topology, method="lattice" if has_chain_bits else "clique")
    assert holds(found, model, topology)
    assert found.method == ("lattice" if has_chain_bits else "clique")


@pytest.mark.parametrize("topology", [ZEPHYR, PEGASUS, CHIMERA], ids=lambda t: t.name)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("encoding", encodings())
def test_every_method_gives_an_embedding_or_none(topology, method, encoding):
    model = build(Instance(5, [(0, 0)]), encoding, reduce="lines")
    if method == "lattice" and encoding != "ladder":
        with pytest.raises(InputError, match="take encoding ladder"):
            find_embedding(model, topology, method=method)
        return
    found = find_embedding(model, topology, method=method, seed=3, tries=1, time_limit=10)
    assert found is None or holds(found, model, topology)
    if method == "lattice" or (method == "auto" and model.bqm.num_variables <= 16):
        assert found is not None


def test_a_chip_with_faults_is_searched_from_the_placement(tmp_path):
    ideal = as_topology("zephyr:4").graph
    dead = set(list(ideal)[::100])
    couplers = [[a, b] for a, b in ideal.edges if not {a, b} & dead]
    data = {"couplers": couplers[1:], "topology": {"type": "zephyr", "shape": [4, 4]}}
    path = tmp_path / "chip.json"
    path.write_text(json.dumps(data))
    topology, model = as_topology(path), build(8, "ladder")
    found = find_embedding(model, topology, seed=1, tries=2, method="lattice")
    assert holds(found, model, topology)
    assert found.method == "lattice + minorminer"


def test_variables_without_interactions_get_a_qubit_too():
    bqm = dimod.BinaryQuadraticModel({"a": 1, "b": 1, "c": 1}, {"ab": 1}, 0, "SPIN")
    for method in ("auto", "clique", "minorminer"):
        assert holds(find_embedding(bqm, CHIMERA, method=method), bqm, CHIMERA)
    empty = dimod.BinaryQuadraticModel("BINARY")
    assert find_embedding(empty, "chimera:1").chains == {}
    lone = dimod.BinaryQuadraticModel(dict.fromkeys(range(9), 1), {}, 0, "BINARY")
    assert find_embedding(lone, "chimera:1") is None


def test_a_search_depends_on_its_seed_alone():
    first, second = (
        find_embedding(build(4, "ladder"), PEGASUS, method="minorminer", seed=5, tries=1)
        for _ in range(2)
    )
    assert first.chains == second.chains


def test_the_search_is_stopped_where_its_time_is_over(monkeypatch):
    monkeypatch.setattr(minorminer, "_GRACE_S", 0.0)
    bqm = build(6).bqm
    assert minorminer.search(bqm.quadratic, ZEPHYR.graph, {}, 1, 1e-3) == {}
    assert find_embedding(bqm, ZEPHYR, method="minorminer", time_limit=1e-3) is None


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "search", interrupted)
    model = build(4, "row")
    monkeypatch.setattr(find, "_DENSE", 1.1)
    assert find_embedding(model, ZEPHYR).method == "clique"
    with pytest.raises(KeyboardInterrupt):
        find_embedding(model, ZEPHYR, method="minorminer")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "best"}, InputError, "method 'best' is unknown; choose one of auto, lattice"),
        ({"seed": -1}, InputError, "seed -1 is outside 0..2147483647"),
        ({"time_limit": 0}, InputError, "time_limit must be finite and above 0"),
        ({"tries": 0}, InputError, "tries 0 is outside 1.."),
        ({"model": 8}, InputTypeError, "needs a Model or a BQM, not int"),
        ({"topology": 8}, InputTypeError, "a topology is named by zephyr:M"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        find_embedding(**{"model": build(4, "ladder"), "topology": ZEPHYR, **arguments})


def test_pruning_leaves_an_embedding_with_fewer_qubits():
    graph = networkx.path_graph(9)
    chains = {"a": (0, 1, 2), "b": (3, 4), "c": (5, 6, 7, 8)}
    edges = [("a", "b"), ("b", "c")]
    assert prune(chains, edges, graph) == {"a": (2,), "b": (3, 4), "c": (5,)}


@pytest.mark.parametrize(
    ("chains", "fault"),
    [
        ({"a": (0, 1), "b": (2,)}, None),
        ({"a": (), "b": (2,)}, "the chain of a is empty"),
        ({"a": (0, 1), "b": (1, 2)}, "qubit 1 is in the chains of a and b"),
        ({"a": (0, 1), "b": (2, 4)}, "the chain of b is not connected"),
        ({"a": (0, 1), "b": (2, 9)}, "the chain of b has qubit 9, which the chip has not"),
        ({"a": (0, 1), "b": (3,)}, "no coupler joins the chains of a and b"),
        ({"a": (0, 1)}, "a variable of the interaction a, b has no chain"),
    ],
)
def test_faults_are_named(chains, fault):
    embedding = Embedding(chains, "a path", "by hand", 0.0)
    found = embedding.verify([("a", "b")], networkx.path_graph(5))
    assert found == () if fault is None else fault in found


def test_an_embedding_comes_back_from_its_file(tmp_path):
    found = find_embedding(build(5, "ladder"), ZEPHYR)
    path = tmp_path / "embedding.json"
    found.write(path)
    again = Embedding.read(path)
    assert again == found
    assert list(again) == list(found)
    assert again.verify(build(5, "ladder").bqm.quadratic) == ()
    assert str(found.num_qubits) in str(found)


@pytest.mark.parametrize(
    "text", ["no json", "[]", "{}", '{"chains": 1}', '{"chains": [[[0, 0], ["q"]]]}']
)
def test_a_file_without_an_embedding_is_refused(tmp_path, text):
    path = tmp_path / "embedding.json"
    path.write_text(text)
    with pytest.raises(InputError):
        Embedding.read(path)


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
