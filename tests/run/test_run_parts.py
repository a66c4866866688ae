"""A part may have been written by anybody: what is in it is data, and refused if it is odd."""

import hashlib
import zlib
from struct import Struct

import msgspec
import pytest

from agentevals.model.errors import InputError
from agentevals.model.results import Evaluation, Verdict
from agentevals.model.transcripts import KeptCase
from agentevals.run import part_merging, run_parts
from agentevals.run.pairing.unpaired_findings import Leftovers
from agentevals.run.run_frame import Frame
from agentevals.run.run_parts import Foot, Part
from agentevals.run.run_totals import Judged, Rest
from agentevals.traces import turn_performance

CASE = KeptCase(case_id="c", verdict=Verdict.PASS, performance=turn_performance.measure(()))


def make_foot(**fields):
    usual = {"shard": "1/1", "config": "", "output": "", "traces": "t", "agent": ""}
    return Foot(
        **usual
        | {"frame": Frame(run=Evaluation(title="a")), "rest": Rest(left=Leftovers())}
        | fields
    )


def write(folder, *cases, **fields):
    path = folder / "a.part"
    with run_parts.write(path) as part:
        for case in cases:
            part.add(Judged(case, 0, (), ()))
        part.end(make_foot(**fields))
    return path


def sign(path, content):
    """Write a part whose digest is right, whatever is in it."""
    path.write_bytes(content + hashlib.sha256(content).digest())
    return path


def merge(path):
    return part_merging.merge(part_merging.sort_parts([Part(path)]))


def test_what_was_written_is_read(tmp_path):
    run = merge(write(tmp_path, CASE, CASE))

    assert ([case.case_id for case in run.cases], run.title) == (["c"], "a")
    assert run.counts["attempts"] == 2


@pytest.mark.parametrize(
    "odd",
    [
        {"performance": {}},
        {"performance": {**CASE.performance, "tokens": None}},
        {"performance": {**CASE.performance, "models": 7}},
        {"performance": {**CASE.performance, "latency": {"overall": {"count": 1}}}},
    ],
)
def test_a_case_like_none_of_a_run_is_refused(tmp_path, odd):
    path = write(tmp_path, msgspec.structs.replace(CASE, **odd))

    with pytest.raises(InputError, match="is damaged: a case is like none of a run"):
        merge(path)


@pytest.mark.parametrize("shard", ["", "0/1", "2/1", "x"])
def test_a_part_of_nothing_is_refused(tmp_path, shard):
    with pytest.raises(InputError, match="must be a part of a whole"):
        Part(write(tmp_path, shard=shard))


def test_a_part_with_another_number_of_cases_than_it_says_is_refused(tmp_path):
    path = write(tmp_path, CASE)
    content = path.read_bytes()[: -hashlib.sha256().digest_size]
    (size,) = Struct("<Q").unpack(content[-8:])
    foot = content[-8 - size :]
    short = sign(path, b"agentevals part 1\n" + foot)

    with pytest.raises(InputError, match="it says 1 cases and has 0"):
        merge(short)


@pytest.mark.parametrize(
    "content",
    [
        Struct("<Q").pack(2**63),
        b"\xc1" + Struct("<Q").pack(1),
        b"\x81" * 5000 + Struct("<Q").pack(5000),
        msgspec.msgpack.encode({"shard": 1}) + Struct("<Q").pack(8),
    ],
    ids=["endless", "no-msgpack", "nested", "types"],
)
def test_a_part_that_only_its_writer_can_have_meant_is_refused(tmp_path, content):
    path = sign(tmp_path / "a.part", b"agentevals part 1\n" + content)

    with pytest.raises(InputError, match="is damaged"):
        Part(path)


def test_a_transcript_that_unpacks_to_too_much_is_not_shown(tmp_path):
    bomb = zlib.compress(b'{"unpaired":"' + b"x" * 50_000_000 + b'"}')
    (judged,) = Part(write(tmp_path, msgspec.structs.replace(CASE, transcript=bomb))).list_cases()

    assert b"the transcript is damaged" in zlib.decompress(judged.report.transcript)


def test_a_part_that_cannot_be_written_says_where(tmp_path):
    (tmp_path / "file").write_text("")

    with (
        pytest.raises(InputError, match="cannot be written"),
        run_parts.write(tmp_path / "file" / "a"),
    ):
        pass
