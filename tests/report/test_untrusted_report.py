import json
import os
import random

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentevals.cli import schemas
from agentevals.model.errors import InputError
from agentevals.model.review import Review
from agentevals.report.outputs.review import render
from agentevals.report.untrusted_report import Limits, read, read_run
from tests.report.outputs.reports import HOSTILE
from tests.report.outputs.samples import REVIEWS, infected, outcome

SAMPLE = json.loads("".join(render(REVIEWS["several"])))


def lenient():
    """The published schema, but what an older version did not write yet may be missing."""
    published = json.loads(schemas.path("review").read_text())
    for definition in published["$defs"].values():
        members = definition.get("properties", {}).items()
        definition["required"] = [name for name, member in members if "default" not in member]
    return jsonschema.Draft202012Validator(published)


SCHEMA = lenient()


def encoded(review):
    return "".join(render(review)).encode()


def listed(review):
    """As it is read: the cases of a run are a list."""
    sections = tuple(
        msgspec.structs.replace(
            one,
            report=one.report and msgspec.structs.replace(one.report, cases=[*one.report.cases]),
        )
        for one in review.sections
    )
    return msgspec.structs.replace(review, sections=sections)


def changed(*path, to):
    """The sample with one value in another way."""
    whole = json.loads(json.dumps(SAMPLE))
    place = whole
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return json.dumps(whole).encode()


def complaint(content, **limits):
    with pytest.raises(InputError) as caught:
        read(content, limits=Limits(**limits))
    return str(caught.value)


def places(value, at=()):
    """The path to everything in a document."""
    yield at
    steps = enumerate(value) if isinstance(value, list) else ()
    steps = value.items() if isinstance(value, dict) else steps
    for step, item in steps:
        yield from places(item, (*at, step))


@pytest.mark.parametrize("name", REVIEWS)
def test_what_is_written_is_read_back_as_it_was(name):
    assert read(encoded(REVIEWS[name])) == listed(REVIEWS[name])


@pytest.mark.parametrize(
    "text", [t for t in HOSTILE if "\ud800" not in t], ids=lambda t: repr(t[:9])
)
def test_so_is_any_text(text):
    review = infected(REVIEWS["limits"], text)

    assert read(encoded(review), limits=Limits(text=2**21)) == listed(review)


def test_a_file_is_read_as_its_bytes_are(tmp_path):
    path = tmp_path / "report.json"
    path.write_bytes(encoded(REVIEWS["failed"]))

    assert read(path) == read(path.read_bytes())


def test_what_an_older_version_did_not_write_has_its_default():
    (section,) = read(changed("sections", to=[{**SAMPLE["sections"][0], "gates": []}])).sections
    old = {name: value for name, value in SAMPLE["sections"][0].items() if name != "gates"}

    assert read(changed("sections", to=[old])).sections == (section,)


def link(path):
    (path.parent / "other.json").write_bytes(encoded(REVIEWS["passed"]))
    path.symlink_to("other.json")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "no such file"),
        (link, "too many levels of symbolic links"),
        (lambda path: path.mkdir(), "it is not a file"),
        (os.mkfifo, "it is not a file"),
        (lambda path: path.write_bytes(b" " * 2_000), "larger than 1,000 bytes"),
    ],
    ids=["missing", "link", "folder", "pipe", "large"],
)
def test_only_a_file_of_its_own_is_read(tmp_path, make, why):
    path = tmp_path / "report.json"
    make(path)

    assert complaint(path, size=1_000).startswith(f"{path}: ")
    assert why in complaint(path, size=1_000)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not valid JSON: expecting value in line 1"),
        (b"{}", "it has no schema version, and '1.0' is read; use one version in both workflows"),
        (b"[]", "not a report: it is no object"),
        (b"\xff", "not UTF-8 text"),
        (b'{"a": "\\ud800"}', "half a character"),
        (b'{"schema_version": "1.0", "schema_version": "1.0"}', "a key stands twice"),
        (b'{"a": NaN}', "a number is too large or none"),
        (b'{"a": 1e999}', "a number is too large or none"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "a number is too large or none"),
        (b"[" * 250 + b"]" * 250, "nested deeper than 200 levels"),
        (b"[" * 100_000, "nested deeper than 200 levels"),
        (changed("schema_version", to="9.9\x1b"), r"has the schema version '9.9\x1b'"),
        (changed("verdict", to="\x1b[31mmaybe"), r"Invalid enum value '\x1b[31mmaybe'"),
        (changed("exit_code", to="1"), "Expected `int`, got `str` - at `$.exit_code`"),
        (changed("exit_code", to=99), "$.exit_code is 99, which no run ends with"),
        (changed("scene", to=None), "Expected `object`, got `null` - at `$.scene`"),
        (changed("scenes", to={}), "unknown member 'scenes' (did you mean 'scene'?)"),
        (changed("scene", "run_id", to=2**63), "a number of more than 64 bits"),
        (
            changed("sections", 0, "report", "cases", 1, "results", 0, "x", to=1),
            "$.sections[0].report.cases[1].results[0] has an unknown member 'x'",
        ),
        (
            changed("sections", 0, "highlights", 0, "trace", "path", to="../x"),
            "$.sections[0].highlights[0].trace.path is '../x', outside the repository",
        ),
        (
            changed("sections", 0, "highlights", 0, "trace", "line", to=0),
            "line is 0, and lines count from 1",
        ),
    ],
    ids=range(21),
)
def test_anything_else_is_refused_in_a_sentence(content, why):
    assert why in complaint(content)
    assert complaint(content).isprintable()


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"size": 100}, "larger than 100 bytes"),
        ({"values": 10}, "more than 10 values"),
        ({"text": 10}, "a text of more than 10 characters"),
        ({"items": 2}, "a list or an object of more than 2 items"),
    ],
)
def test_what_is_too_much_is_not_read(limits, why):
    assert why in complaint(encoded(REVIEWS["failed"]), **limits)


def test_a_foreign_name_in_a_sentence_is_short_and_harmless():
    said = complaint(changed("\u202e" + "::error::" * 10_000, to=1))

    assert len(said) < 1_000
    assert said.isprintable()


@given(st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_document_that_was_tampered_with_is_refused_or_fits_the_schema(data):
    path = data.draw(st.sampled_from([place for place in places(SAMPLE) if place]))
    odd = [None, True, 0, -1, 1.5, "", "x", "pass", [], {}, [[]], {"a": 1}, 2**64, 1e300]
    content = changed(*path, to=data.draw(st.sampled_from(odd)))
    found = outcome(content)

    assert found.isprintable() if isinstance(found, str) else SCHEMA.is_valid(json.loads(content))


@given(st.integers(0, 2**32), st.integers(1, 8))
@settings(max_examples=150, deadline=None)
def test_bytes_that_were_tampered_with_never_end_in_anything_else(seed, times):
    chance = random.Random(seed)
    content = bytearray(encoded(REVIEWS["limits"]))
    for _ in range(times):
        at = chance.randrange(len(content))
        content[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    found = outcome(bytes(content))

    assert isinstance(found, Review) or found.isprintable()


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@settings(max_examples=100, deadline=None)
def test_neither_do_bytes_that_never_were_a_report(content):
    with pytest.raises(InputError):
        read(content)


def test_the_report_of_a_run_of_ones_own_may_be_larger_than_that_of_somebody_else(tmp_path):
    path = tmp_path / "report.json"
    content = encoded(REVIEWS["failed"])
    path.write_bytes(content + b" " * (Limits().size + 1 - len(content)))

    with pytest.raises(InputError, match=r"larger than 67,108,864 bytes"):
        read(path)
    assert isinstance(read_run(path), Review)
