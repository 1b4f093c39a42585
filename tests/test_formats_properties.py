"""Whatever is written is read back; whatever is read either parses or is refused by name."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import instances

from qubo_queens.board.instance import Instance
from qubo_queens.errors import QueensError
from qubo_queens.formats.boards import (
    BLOCKED_CELLS,
    EXCLUDED_DIAGONALS,
    FORMATS,
    TABLE,
    read_instance,
    write_instance,
)
from qubo_queens.formats.text_options import MEANINGS

bases = st.sampled_from([0, 1])
names = st.sampled_from([None, *FORMATS])
legends = st.dictionaries(st.sampled_from("*#q1/"), st.sampled_from(MEANINGS))

BOARD_CHARACTERS = 'Qq.-_*01234589,; \t\n\r/()[]{}:"neks$=٣\x0b\u2028\x00\ud800'
texts = st.text() | st.text(st.sampled_from(BOARD_CHARACTERS))


def carried(instance, name):
    """Return the part of an instance that format `name` can carry."""
    carries = TABLE[name].carries
    queens = dict(instance.queens).items() if name == "columns" else instance.queens
    blocked = instance.blocked if BLOCKED_CELLS in carries else ()
    if name == "text":  # one glyph for each cell: a queen on a blocked cell cannot be shown
        blocked = set(blocked).difference(queens)
    if EXCLUDED_DIAGONALS not in carries:
        return Instance(instance.n, queens, blocked=blocked)
    sums, differences = instance.excluded_sums, instance.excluded_differences
    return Instance(
        instance.n, queens, blocked=blocked, excluded_sums=sums, excluded_differences=differences
    )


def outcome(source, *args, **options):
    """Return the instance, or the error that refuses it; any other error fails the test."""
    try:
        return read_instance(source, *args, **options)
    except QueensError as error:
        return error


@pytest.mark.parametrize("name", FORMATS)
@given(instance=instances(max_n=12, max_queens=20), base=bases, glyph=st.sampled_from("*#/1"))
def test_what_is_written_is_read_back(name, instance, base, glyph):
    instance, legend = carried(instance, name), {glyph: "blocked"}
    text = write_instance(instance, format=name, base=base, legend=legend)
    assert read_instance(text, name, n=instance.n, base=base, legend=legend) == instance


@pytest.mark.parametrize("name", FORMATS)
@given(instance=instances())
def test_a_format_is_recognised_or_is_among_the_candidates(name, instance):
    instance, legend = carried(instance, name), {"*": "blocked"}
    text = write_instance(instance, format=name)
    found = outcome(text, n=instance.n, legend=legend)
    assert found == instance or name in str(found)


@given(instance=instances())
def test_a_legend_may_replace_all_glyphs(instance):
    instance = carried(instance, "text")
    legend = {"1": "queen", "0": "empty", "Q": "blocked"}
    text = write_instance(instance, format="text", legend=legend)
    assert set(text) <= set("10Q\n")
    assert read_instance(text, legend=legend) == instance


@given(text=texts, name=names, n=st.sampled_from([None, 1, 4]), base=bases, legend=legends)
@settings(max_examples=800)
def test_any_text_is_read_or_refused_in_one_line(text, name, n, base, legend):
    for source in (text, text + "\n"):
        found = outcome(source, name, n=n, base=base, legend=legend)
        assert isinstance(found, Instance) or "\n" not in str(found)


@given(st.binary(), names)
@settings(max_examples=200)
def test_any_bytes_are_read_or_refused_in_one_line(data, name):
    found = outcome(io.BytesIO(data), name, n=4)
    assert isinstance(found, Instance) or "\n" not in str(found)
