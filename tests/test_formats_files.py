"""Reading files and streams of any kind, and writing them in full or not at all."""

import errno
import io
import os
import stat
from pathlib import Path

import pytest

from qubo_queens import files
from qubo_queens.board.instance import Instance
from qubo_queens.encodings.build import build
from qubo_queens.errors import FormatError, InputError, InputTypeError
from qubo_queens.files import write_atomic
from qubo_queens.formats import models
from qubo_queens.formats.boards import TABLE, Format, read_instance, write_instance
from qubo_queens.formats.tokens import Fit, Match

TEXT = ".Q..\n...Q\nQ...\n..Q.\n"
FOUR = Instance(4, [(0, 1), (1, 3), (2, 0), (3, 2)])


# Reading


def test_paths_strings_and_open_files_are_read(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text(TEXT)
    with path.open() as text_file, path.open("rb") as binary_file:
        for source in (path, str(path), text_file, binary_file, io.StringIO(TEXT), TEXT):
            assert read_instance(source) == FOUR


def test_a_file_name_that_reads_as_a_board_is_a_file_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_instance("1 - .") == Instance(3, [(0, 1)])
    Path("1 - .").write_text(TEXT)
    assert read_instance("1 - .") == FOUR


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (TEXT.encode("utf-16"), "byte 0xff at offset 0"),
        (TEXT.encode("utf-16-be"), "byte 0x00 at offset 0"),
        (b"Q...\n\xe9", "byte 0xe9 at offset 5"),
        (b"\xef\xbb\xbfQ\xff", "byte 0xff at offset 4"),
        (b"Q\0", "byte 0x00 at offset 1"),
    ],
)
def test_other_encodings_are_refused_with_their_first_stray_byte(data, place):
    with pytest.raises(FormatError, match=f"^{place} is not UTF-8 text"):
        read_instance(io.BytesIO(data))


@pytest.mark.parametrize("blank", ["", "  ", "\n\n", "\ufeff\n"])
def test_blank_texts_are_refused(blank):
    with pytest.raises(FormatError, match="the text is empty"):
        read_instance(blank)


class Endless(io.RawIOBase):
    """Has the same byte over and over, like ``/dev/zero``."""

    def __init__(self, byte):
        self.byte, self.given = byte, 0

    def read(self, size=-1):
        self.given += size
        return self.byte * size


def test_endless_files_end_in_an_error(monkeypatch):
    monkeypatch.setattr(files, "LARGEST_TEXT", 2**22)
    with pytest.raises(InputError, match="cannot read '<input>': it exceeds 4,194,304 bytes"):
        read_instance(Endless(b"Q"))
    zeros = Endless(b"\0")
    with pytest.raises(FormatError, match="byte 0x00 at offset 0"):
        read_instance(zeros)
    assert zeros.given <= 2**20


def test_what_cannot_be_read_is_named(tmp_path):
    closed = io.BytesIO()
    closed.close()
    for source, reason in [
        (tmp_path, "Is a directory"),
        (tmp_path / "none.txt", "No such file or directory"),
        (str(tmp_path / "none.txt"), "a board that is given as text needs a line break"),
        ("x" * 5000, "File name too long"),
        ("a\0b", "embedded null"),
        (closed, "closed file"),
    ]:
        with pytest.raises(InputError, match="cannot read '") as caught:
            read_instance(source)
        assert reason in str(caught.value)


@pytest.mark.parametrize("source", [None, 8, b"Q", ["Q"]])
def test_other_sources_are_of_the_wrong_type(source):
    with pytest.raises(InputTypeError, match="from a path, a text or an open file, not"):
        read_instance(source)


# Writing


@pytest.mark.parametrize("suffix", [".json", ".fen", ".csv", ".txt", ".board", ""])
def test_the_suffix_names_the_format_to_write(tmp_path, suffix):
    path = tmp_path / f"board{suffix}"
    text = write_instance(FOUR, path)
    assert path.read_text() == text
    assert read_instance(path) == FOUR
    assert text.startswith({".fen": "1Q2/", ".csv": "0,1", ".txt": ".Q.."}.get(suffix, '{"n"'))


def fail(error):
    def content(stream):
        stream.write(b"half of it")
        raise error

    return content


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_failed_write_changes_nothing(tmp_path, before):
    path = tmp_path / "board"
    if before is not None:
        path.write_bytes(before)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(InputError, match=r"^cannot write '.*board': No space left on device$"):
        write_atomic(path, fail(full))
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, fail(KeyboardInterrupt()))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == (
        {} if before is None else {"board": before}
    )


def test_permissions_are_the_usual_ones_or_those_of_the_old_file(tmp_path):
    path, usual = tmp_path / "board", tmp_path / "usual"
    usual.write_bytes(b"")
    write_atomic(path, b"new")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    write_atomic(path, lambda stream: stream.write(b"newer"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_bytes() == b"newer"


def test_links_stay_links_and_pipes_pipes(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    write_atomic(link, b"through the link")
    assert link.is_symlink()
    assert target.read_bytes() == b"through the link"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)
    try:
        write_atomic(pipe, b"through the pipe")
        assert os.read(reader, 100) == b"through the pipe"
        assert pipe.is_fifo()
    finally:
        os.close(reader)


def test_what_cannot_be_written_is_named(tmp_path):
    for path, reason in [
        (tmp_path, "Is a directory"),
        (tmp_path / "none" / "board", "No such file or directory; make its folder first"),
        (tmp_path / ("x" * 300), "File name too long"),
        ("a\0b", "embedded null"),
    ]:
        with pytest.raises(InputError, match="cannot write '") as caught:
            write_instance(FOUR, path)
        assert reason in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputTypeError, match="a path is needed, not 5"):
        write_instance(FOUR, 5)


# A format of one's own


def test_a_board_format_is_one_entry_of_the_table(tmp_path, monkeypatch):
    def read(text, options):
        return Instance(int(text.removeprefix("board of ")))

    def write(instance, options):
        return f"board of {instance.n}\n"

    def recognise(clues):
        return Match(Fit.CERTAIN) if clues.start.startswith("board of ") else None

    toy = Format(read, write, recognise, suffixes=(".toy",))
    monkeypatch.setitem(TABLE, "toy", toy)
    path = tmp_path / "board.toy"
    assert write_instance(5, path) == "board of 5\n" == path.read_text()
    assert read_instance(path) == read_instance("board of 5\n") == Instance(5)
    with pytest.raises(InputError, match="format toy cannot carry blocked cells; use text or json"):
        write_instance(Instance(5, blocked=[(0, 0)]), format="toy")
    with pytest.raises(InputError, match=r"'toys' is unknown; choose one of text, .*, toy"):
        read_instance(path, "toys")


def test_a_model_format_is_one_entry_of_the_table(tmp_path, monkeypatch):
    def write(model, target):
        target.write(f"{model.num_variables} variables".encode())

    monkeypatch.setitem(models.TABLE, "size", models.ModelFormat(write, (".size",)))
    for name, format_ in (("model.size", None), ("model", "size")):
        models.write_model(build(4), tmp_path / name, format_)
        assert (tmp_path / name).read_text() == "16 variables"
