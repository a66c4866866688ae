"""A long file of lines comes to the same traces on one core and on all of them."""

import json
import os

import pytest

from agentevals.traces import loaders
from agentevals.traces.loaders.trace_file_pieces import find_pieces
from agentevals.traces.reading import Record
from tests.traces.loaders.files import export, names, sentences, span

LONG = "x" * 4000
ODD = {
    "broken": "{",
    "blank": "",
    "nameless": json.dumps(export(span(0))),
    "wrong": json.dumps(export(span(7, name=5))),
    "snake": json.dumps({"resource_spans": [{"scope_spans": [{"spans": [span(8)]}]}]}),
}


def write_lines(path, odd=None):
    """Write 9 MB of traces, every second of them in two pieces, and what is odd in the middle."""
    trace = "{:032x}".format
    lines = [
        json.dumps(export(span(number + 1, traceId=trace(number // 3 * 2 + 1), name=LONG)))
        for number in range(2200)
    ]
    if odd is not None:
        lines[1500:1500] = [odd, odd]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def load_on_one_core(paths):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        return loaders.load(paths)
    finally:
        os.sched_setaffinity(0, cores)


def test_every_piece_ends_with_a_line(tmp_path):
    path = write_lines(tmp_path / "t.jsonl")
    data = path.read_bytes()
    first = Record(data.partition(b"\n")[0], line=1)

    pieces = find_pieces(path, first)

    assert b"".join(data[piece.start : piece.stop] for piece in pieces) == data
    assert len(pieces) > 2
    assert all(data[piece.stop - 1] == ord("\n") for piece in pieces)


def test_a_short_file_is_read_as_it_stands(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n{}\n", encoding="utf-8")

    assert find_pieces(path, Record(b"{}", line=1)) == []


@pytest.mark.parametrize("odd", [None, *ODD.values()], ids=["plain", *ODD])
def test_what_is_odd_is_said_with_its_line(tmp_path, odd):
    path = write_lines(tmp_path / "t.jsonl", odd)

    together, alone = loaders.load([path]), load_on_one_core([path])

    assert list(together.traces) == list(alone.traces)
    assert sentences(together) == sentences(alone)


def test_traces_span_pieces_and_files(tmp_path):
    paths = [write_lines(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    paths[1].write_text(paths[1].read_text().replace("x" * 40, "y" * 40), encoding="utf-8")

    together, alone = loaders.load(paths), load_on_one_core(paths)

    assert names(together) == names(alone)
    assert sentences(together) == sentences(alone)
    assert len(together.traces) < 2200


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_file_in_another_encoding_is_read_from_its_beginning(tmp_path, encoding):
    path = write_lines(tmp_path / "t.jsonl")
    path.write_text(path.read_text(encoding="utf-8"), encoding=encoding)

    assert list(loaders.load([path]).traces) == list(load_on_one_core([path]).traces)
