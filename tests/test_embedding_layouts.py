"""The layouts of the ladder on chips, and what labels tell of the board."""

import pytest
from embeddings import holds, is_embedding
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import instances, modes

from qubo_queens import build, find_embedding
from qubo_queens.board.lines import Kind, Line, course
from qubo_queens.embedding.labels import board_labels
from qubo_queens.embedding.pegasus import _PATTERN, pegasus_chains, pegasus_shifts
from qubo_queens.embedding.topology import Topology

ZEPHYR, PEGASUS_8 = Topology.of("zephyr:4"), Topology.of("pegasus:8")


@pytest.mark.parametrize("n", range(4, 9))
def test_a_board_up_to_twice_the_size_of_a_zephyr_chip_has_chains_of_two(n):
    model = build(n, "ladder")
    found = find_embedding(model, ZEPHYR)
    assert holds(found, model, ZEPHYR)
    assert (found.method, found.topology, found.longest_chain) == ("lattice", "zephyr:4", 2)


def test_the_largest_boards_of_the_chips_that_are_sold():
    for name, n in (("zephyr:15", 30), ("zephyr:12", 24), ("pegasus:16", 21)):
        topology = Topology.of(name)
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
    names = ("lattice",) if has_chain_bits else ("clique", "single qubits")
    assert found.method in names
    if mode == "none":  # there is a bit for each cell that a line passes over
        assert found.longest_chain <= 2


def test_the_pattern_on_pegasus_is_a_solution_of_its_formula():
    """Chains as they are, before pruning, of boards that begin with a cell of each type."""
    assert sum(map(len, _PATTERN.values())) == 28
    assert max(map(len, _PATTERN.values())) == 2
    model = build(6, "ladder")
    labels = board_labels(model.bqm.variables)
    firsts = set()
    for shift in pegasus_shifts(labels, PEGASUS_8)[:9]:
        chains = pegasus_chains(labels, PEGASUS_8, shift)
        assert is_embedding(chains, model.bqm.quadratic, PEGASUS_8.graph)
        firsts.add(shift[2])
    assert firsts == {0, 1, 2}


def test_boards_lie_in_the_middle_of_a_pegasus_chip_first():
    labels = board_labels(build(6, "ladder").bqm.variables)
    board = pegasus_chains(labels, PEGASUS_8, pegasus_shifts(labels, PEGASUS_8)[0])
    used = [PEGASUS_8.places[qubit] for chain in board.values() for qubit in chain]
    for coordinate in zip(*used, strict=True):
        assert (min(coordinate) + max(coordinate)) / 2 == pytest.approx(0.5, abs=0.1)


@given(instance=instances(min_n=2, max_n=7), mode=modes)
def test_labels_tell_where_chain_bits_lie(instance, mode):
    """Compared with how lines run on a board whose size is known."""
    labels = build(instance, "ladder", reduce=mode).variables
    board = board_labels(labels)
    bits = [label for label in labels if len(label) == 3]
    assert list(board.spans if board else ()) == bits
    for kind, index, i in bits:
        way = course(Line(list(Kind)[kind], index), instance.n)
        step = way.row_step, way.column_step
        span = board.spans[kind, index, i]
        assert span.first == (way.row + (i - 1) * step[0], way.column + (i - 1) * step[1])
        following = [label[2] for label in bits if label[:2] == (kind, index) and label[2] > i]
        if following:
            over = following[0] - i
            last = span.first[0] + over * step[0], span.first[1] + over * step[1]
            assert span.last == last


@pytest.mark.parametrize(
    "labels",
    [
        ["a"],
        [(0, 0), (0, "1")],
        [(0, 0), (0, 0, 1, 1)],
        [(0, 0, 1)],
        [(0, 0), (0, 0, 2)],
        [(0, 0), (0, 0, 0)],
        [(0, 0), (0, 1, 1)],
        [(0, 0), (4, 0, 1)],
        [(0, 0), (0, 1), (0, 0, 1), (0, 0, 3)],
        [(0, 1), (0, 2), (3, -1, 2)],
        [(0, 0), (2, 0, 0)],
        [],
    ],
)
def test_labels_that_are_no_cells_and_chain_bits(labels):
    assert board_labels(labels) is None
