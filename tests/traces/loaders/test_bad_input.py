import gzip
import json
from importlib.util import find_spec

import pytest

from agentevals.model.errors import InputError
from agentevals.model.results import Blame, Severity
from agentevals.traces import loaders
from tests.traces.loaders.files import export, names, sentences, span, write

GOOD = json.dumps(export(span()))
CUT_OFF = "ends in the middle of a value; it was cut off, record it again"
KNOWN = f"known formats are {', '.join(loaders.LOADERS)}"
REFUSED = {
    "nothing": (b"", "f: is empty; record the trace again"),
    "blanks": (b" \n\n", "f: is empty; record the trace again"),
    "prose": (
        b"hello world",
        "f: is neither JSON nor protobuf: it starts with 'hello world'; give trace files",
    ),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\0",
        (
            r"f: is neither JSON nor protobuf: it starts with '\x89PNG\r\n\x1a\n\x00'; "
            "give trace files"
        ),
    ),
    "cut off": (GOOD[:70].encode(), f"f:1:71: {CUT_OFF}"),
    "cut off, indented": (
        json.dumps(json.loads(GOOD), indent=1)[:90].encode(),
        f"f:8:16: {CUT_OFF}",
    ),
    "a name without quotes": (
        b"{resourceSpans: []}",
        (
            "f:1:2: is not JSON: expecting property name enclosed in double quotes, found "
            "'resourceSpans: []}'; correct it"
        ),
    ),
    "unknown": (
        b'{"foo": 1, "bar": 2}',
        f"f: is not a trace file: found an object with the keys 'foo', 'bar'; {KNOWN}",
    ),
    "an eval set": (
        b'{"eval_set_id": "s", "eval_cases": []}',
        "f: is an eval set, not a trace file; give it with --eval-set",
    ),
    "an empty array": (b"[]", f"f: is not a trace file: found an empty array; {KNOWN}"),
    "an array": (
        b'[{"a": 1}, 5]',
        (
            f"f: is not a trace file: found an array of 2, the first of them an object with the "
            f"keys 'a'; {KNOWN}"
        ),
    ),
    "a text": (b'"hello"', f"f: is not a trace file: found a text; {KNOWN}"),
    "latin-1": (
        GOOD.replace("span 1", "é").encode("latin-1"),
        f"f: is not UTF-8 at byte {GOOD.index('span 1')}; save it as UTF-8",
    ),
    "a mark of UTF-16 before something else": (
        b"\xff\xfe{",
        "f: looks like UTF-16 but is not; save it as UTF-8",
    ),
    "5,000 levels": (b"[" * 5000 + b"]" * 5000, "f: is nested too deeply to be read; flatten it"),
    "a number of 5,001 digits": (
        b'{"resourceSpans": 1' + b"0" * 5000 + b"}",
        "f: holds a number with too many digits to be read; correct it",
    ),
    "not gzip after all": (
        b"\x1f\x8b" + b"x" * 20,
        "f: is damaged: what is compressed in it cannot be unpacked; copy it again",
    ),
    "half of a gzip": (
        gzip.compress(GOOD.encode())[:40],
        "f: ends in the middle of what is compressed in it; it was cut off, copy it again",
    ),
    "another shape": (
        b'{"resourceSpans": [{"scopeSpans": [5]}]}',
        (
            "f: is malformed: Expected `object`, got `int` - at "
            "`$.resourceSpans[0].scopeSpans[0]`; correct it or record it again"
        ),
    ),
}


@pytest.mark.parametrize(("data", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_read(tmp_path, data, sentence):
    path = tmp_path / "f"
    path.write_bytes(data)

    recordings = loaders.load([path])

    assert list(recordings.traces) == []
    assert sentences(recordings, without=tmp_path) == [sentence]
    assert recordings.findings[0].severity is Severity.ERROR
    assert recordings.findings[0].blame is Blame.INPUT


@pytest.mark.skipif(find_spec("zstandard") is not None, reason="Zstandard is unpacked here")
def test_a_file_that_only_a_package_unpacks_names_it(tmp_path):
    path = tmp_path / "f.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04")

    recordings = loaders.load([path])

    assert list(recordings.traces) == []
    assert sentences(recordings, without=tmp_path) == [
        (
            "f.zst: is compressed with Zstandard; install the extra 'storage' of "
            "agentevals-action, or unpack it with 'zstd -d'"
        )
    ]


def test_the_other_files_are_still_there(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("oops")
    good = write(tmp_path / "good.json", export(span()))

    recordings = loaders.load([bad, tmp_path / "missing.json", good])

    assert names(recordings) == [["span 1"]]
    assert sentences(recordings, without=tmp_path) == [
        "bad.json: is neither JSON nor protobuf: it starts with 'oops'; give trace files",
        "missing.json: cannot be read: no such file or directory; check the file",
    ]


def test_the_other_lines_are_still_there(tmp_path):
    path = tmp_path / "f.jsonl"
    lines = ["{oops", json.dumps(span(1)), "", "not json", '{"foo": 1}', json.dumps(span(2))]
    path.write_text("\n".join([*lines, GOOD[:30]]))

    recordings = loaders.load([path])

    assert names(recordings) == [["span 1", "span 2"]]
    assert sentences(recordings, without=tmp_path) == [
        (
            "f.jsonl:1:2: is not JSON: expecting property name enclosed in double quotes, "
            r"found 'oops\n'; correct it"
        ),
        r"f.jsonl:4: is neither JSON nor protobuf: it starts with 'not json\n'; give trace files",
        ("f.jsonl:5: is not otlp-json: found an object with the keys 'foo'; correct or remove it"),
        f"f.jsonl:7:31: {CUT_OFF}",
    ]


def test_many_faults_of_one_kind_are_counted(tmp_path):
    path = write(tmp_path / "f.jsonl", export(span()), *[{"foo": n} for n in range(50)])

    said = sentences(loaders.load([path]), without=tmp_path)

    assert len(said) == 21
    assert said[-1] == "f.jsonl: and 30 more like this"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_of_unicode_are_read(tmp_path, encoding):
    path = tmp_path / "f.json"
    path.write_text(json.dumps(export(span(name="é")), ensure_ascii=False), encoding=encoding)

    assert names(loaders.load([path])) == [["é"]]


def test_packed_files_are_read(tmp_path):
    path = tmp_path / "f.json.gz"
    path.write_bytes(gzip.compress(f"{GOOD}\n{json.dumps(span(2))}\n".encode()))

    assert names(loaders.load([path])) == [["span 1", "span 2"]]


def test_what_comes_before_the_cut_in_a_packed_file_is_read(tmp_path):
    lines = [json.dumps(export(span(number))) for number in range(1, 1000)]
    packed = gzip.compress("\n".join(lines).encode())
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])

    recordings = loaders.load([path])

    [trace] = recordings.traces
    assert len(trace.spans) > 300
    assert sentences(recordings, without=tmp_path) == [
        "f.jsonl.gz: ends in the middle of what is compressed in it; it was cut off, copy it again"
    ]


@pytest.mark.parametrize("odd", ["NaN", "-Infinity", "1e400"])
def test_numbers_that_json_does_not_have_are_read_as_null_and_that_is_said(tmp_path, odd):
    path = tmp_path / "f.jsonl"
    other = json.dumps(export(span(2, startTimeUnixNano="ODD"))).replace('"ODD"', odd)
    path.write_text(f"{GOOD}\n{other}\n")

    recordings = loaders.load([path])

    assert names(recordings) == [["span 1", "span 2"]]
    [finding] = recordings.findings
    assert (finding.line, finding.severity) == (2, Severity.WARNING)
    assert (
        finding.message == "NaN, Infinity or a number beyond all bounds is read as null; correct it"
    )


def test_a_forced_format_that_does_not_fit(tmp_path):
    path = write(tmp_path / "f.json", {"data": [{"traceID": "1", "spans": []}]})

    assert sentences(loaders.load([path], trace_format="otlp-json"), without=tmp_path) == [
        (
            "f.json: is not otlp-json: found an object with the keys 'data'; "
            "it looks like jaeger-json, which is found without --format"
        )
    ]


def test_a_format_that_does_not_exist():
    with pytest.raises(InputError, match=r"unknown trace format 'otlp-jsn'.*'otlp-json'"):
        loaders.load([], trace_format="otlp-jsn")


def test_a_file_without_traces(tmp_path):
    path = write(tmp_path / "f.json", {"resourceSpans": []})

    recordings = loaders.load([path])

    assert sentences(recordings, without=tmp_path) == [
        "f.json: holds no traces; record them again or remove the file"
    ]


def test_what_only_python_calls_json_is_read(tmp_path):
    path = tmp_path / "f.json"
    text = json.dumps(export(span(attributes={"nan": float("nan"), "half": "\ud83c!"})))
    path.write_text(text.replace('"half"', '"endless": 1e999, "half"'))

    [trace] = loaders.load([path]).traces

    assert trace.spans[0].attributes == {"nan": None, "endless": None, "half": "?!"}


def test_a_small_file_that_becomes_endless_is_refused_before_memory_is_full(tmp_path):
    path = tmp_path / "f.json.gz"
    member = gzip.compress(b"0" * (16 << 20))
    path.write_bytes(gzip.compress(b'{"a": "') + 40 * member)

    recordings = loaders.load([path])

    assert "more than 100 times as large when it is unpacked" in recordings.findings[-1].message
