"""Embeddings: their faults, and their file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubo_queens import Embedding, build, find_embedding
from qubo_queens.embedding.topology import Topology
from qubo_queens.errors import InputError

PATH = Topology(None, 0, 0, "a path", frozenset(range(5)), frozenset((i, i + 1) for i in range(4)))


@pytest.mark.parametrize(
    ("chains", "fault"),
    [
        ({"a": (0, 1), "b": (2,)}, None),
        ({"a": (), "b": (2,)}, "a has no chain"),
        ({"a": (0, 1), "b": (1, 2)}, "qubit 1 is in the chains of a and b"),
        ({"a": (0, 1), "b": (2, 4)}, "the chain of b is not connected"),
        ({"a": (0, 1), "b": (2, 9)}, "the chain of b has qubit 9, which is not on the chip"),
        ({"a": (0, 1), "b": (3,)}, "no coupler joins the chains of a and b"),
        ({"a": (0, 1)}, "b has no chain"),
        ({"a": (0, 1), "b": (2,), "c": (4, 2)}, "the chain of c is not connected"),
        ({"a": (0, 1), "b": (2, 2)}, "the chain of b has a qubit twice"),
    ],
)
def test_faults_are_named(chains, fault):
    embedding = Embedding(chains, "a path", "by hand", 0.0)
    found = embedding.faults([("a", "b")], PATH)
    assert found == () if fault is None else fault in found


def test_the_chip_of_an_embedding_is_known_by_its_name(tmp_path):
    edges = build(4, "ladder").bqm.quadratic
    found = find_embedding(build(4, "ladder"), "zephyr:3")
    assert found.faults(edges) == found.faults(edges, "zephyr:3") == ()
    path = tmp_path / "chip.json"
    couplers = [pair for pair in Topology.of("zephyr:3").graph.edges if found[0, 0][0] not in pair]
    path.write_text(json.dumps(couplers), encoding="utf-8")
    assert f"the chain of (0, 0) has qubit {found[0, 0][0]}" in found.faults(edges, path)[0]


def test_an_embedding_is_a_mapping():
    embedding = Embedding({"a": (0, 1), "b": (2,)}, "a path", "by hand", 0.0)
    assert embedding == dict(embedding) == {"a": (0, 1), "b": (2,)}
    assert embedding != {"a": (0, 1)}
    assert embedding.histogram == {1: 1, 2: 1}
    nothing = Embedding({}, "a path", "by hand", 0.0)
    assert (nothing.longest_chain, nothing.mean_chain, nothing.num_qubits) == (0, 0.0, 0)


texts = st.text() | st.integers()
names = st.recursive(texts, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)


@given(st.dictionaries(names, st.lists(st.integers(0, 99), min_size=1).map(tuple)))
def test_labels_that_json_can_hold_come_back(chains):
    embedding = Embedding(chains, "zephyr:3", "by hand", 0.5)
    again = Embedding.from_dict(json.loads(json.dumps(embedding.to_dict())))
    assert again == embedding
    assert list(again) == list(embedding)
    assert (again.topology, again.method, again.seconds) == ("zephyr:3", "by hand", 0.5)


@pytest.mark.parametrize("label", [frozenset([1]), b"a", (1, 2j), float("nan")])
def test_a_label_that_json_cannot_hold_is_refused(tmp_path, label):
    path = tmp_path / "embedding.json"
    with pytest.raises(InputError, match=r"cannot be written as JSON .*labels are numbers, texts"):
        Embedding({label: (0,)}, "zephyr:3", "by hand", 0.5).write(path)
    assert not path.exists()


def test_an_embedding_comes_back_from_its_file(tmp_path):
    found = find_embedding(build(5, "ladder"), "zephyr:4")
    path = tmp_path / "embedding.json"
    found.write(path)
    again = Embedding.read(path)
    assert again == found
    assert list(again) == list(found)
    assert again.faults(build(5, "ladder").bqm.quadratic) == ()
    assert str(found.num_qubits) in str(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no json", "line 1, column 1: this is not JSON"),
        ("[]", "an embedding is an object with"),
        ("{}", "an embedding is an object with"),
        ('{"chains": 1}', "an embedding is an object with"),
        ('{"chains": [[[0, 0], ["q"]]]}', "a chain is a list of integers"),
        ('{"chains": [[{}, [0]]]}', "a label is a number, a text, or a list of these"),
        (
            '{"topology": "", "method": "", "seconds": 0, "chains": [["a", [0]], ["a", [1]]]}',
            "one chain for each label, not 2 for a",
        ),
    ],
)
def test_a_file_without_an_embedding_is_refused(tmp_path, text, message):
    path = tmp_path / "embedding.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        Embedding.read(path)
    assert "embedding.json" in str(error.value)


@pytest.mark.parametrize(
    "text", ['"seconds": 1' + "0" * 400, '"chains": [[' + "[" * 900 + "]" * 900]
)
def test_numbers_and_labels_beyond_reason_are_refused(tmp_path, text):
    whole = {"topology": "zephyr:2", "method": "x", "seconds": 0, "chains": []}
    file = tmp_path / "embedding.json"
    content = json.dumps(whole)
    if "chains" in text:
        content = content.replace('"chains": []', text + ", [1]]]")
    else:
        content = content.replace('"seconds": 0', text)
    file.write_text(content)
    with pytest.raises(InputError, match=r"embedding\.json"):
        Embedding.read(file)


def test_faults_are_looked_for_in_models_too():
    model = build(4, "ladder")
    found = find_embedding(model, "zephyr:2")
    assert found.faults(model) == found.faults(model.bqm) == ()
    assert Embedding({}, "zephyr:2", "x", 0.0).faults(model)
    alone = build(1, "ladder")  # a variable without interactions
    assert Embedding({}, "zephyr:1", "x", 0.0).faults(alone) == ("(0, 0) has no chain",)
    foreign = Embedding({(0, 0): (1,), "zz": (0,)}, "zephyr:1", "x", 0.0)
    assert foreign.faults(alone) == ("zz has a chain but is not a variable",)


@pytest.mark.parametrize("label", [None, {}, [None]])
def test_labels_that_are_none_are_refused(label):
    whole = {"topology": "zephyr:2", "method": "x", "seconds": 0, "chains": [[label, [3]]]}
    with pytest.raises(InputError, match="a label is a number"):
        Embedding.from_dict(whole)
