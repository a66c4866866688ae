"""Every file, with thousands of texts that want to be more than text."""

import json
import re
from collections import deque
from itertools import chain, count, cycle
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from agentevals.model.review import Review
from agentevals.report.outputs import OUTPUTS
from tests import hostile
from tests.report.outputs import official
from tests.report.outputs.samples import OBEYED, REVIEWS, infected, outcome, texts

# what means something in these formats only
OWN = (
    *("{0}", "{{0}}", "\\[x](0)", "[[x](0)](1)", "](", "<!DOCTYPE x>", "<!ENTITY a 'b'>", "&a;"),
    *(
        "&#0;",
        "]]>",
        "</testsuite>",
        "</failure></testcase>",
        '"',
        "'",
        "//evil.example",
        "file:///",
    ),
)
UNSPEAKABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def reviews():
    """As many as it takes to use every text once."""
    left, found = deque([*OWN, *hostile.strings()]), []
    following = (left.popleft() if left else "the end" for _ in count())
    kinds = cycle(["several", "limits", "broken", "flaky"])
    while left:
        found.append(infected(REVIEWS[next(kinds)], following))
    return found


def rendered(name, reviews):
    return ["".join(OUTPUTS[name].render(review)) for review in reviews]


def test_xml_stays_xml_and_no_line_of_it_is_a_command(reviews):
    for written in rendered("junit", reviews):
        names = {element.tag for element in ET.fromstring(written).iter()}

        assert names <= {
            *("testsuites", "testsuite", "testcase", "properties", "property"),
            *("failure", "error", "skipped"),
        }
        assert not re.search(r"##\[|^\s*::", written, re.MULTILINE)
        assert not UNSPEAKABLE.search(written)


@pytest.mark.parametrize("name", ["sarif", "ctrf"])
def test_what_others_print_is_obeyed_by_nobody(reviews, name):
    for written in rendered(name, reviews):
        found = texts(json.loads(written))

        assert [text for text in found if OBEYED.search(text)] == []
        assert "##[" not in written


@pytest.mark.parametrize(
    ("name", "validator"),
    [("sarif", jsonschema.Draft4Validator), ("ctrf", jsonschema.Draft7Validator)],
)
def test_every_file_is_what_its_format_asks_for(reviews, name, validator):
    schema = validator(official.schema(name))

    for written in rendered(name, reviews[::10]):
        assert [error.message[:200] for error in schema.iter_errors(json.loads(written))] == []


def test_no_message_holds_a_link_and_no_place_is_elsewhere(reviews):
    for written in rendered("sarif", reviews):
        uris = re.findall(r'"uri": "([^"]*)"', written)

        assert re.findall(r'"text": "(?:[^"\\]|\\.)*\]\(', written) == []
        assert [
            uri for uri in uris if uri.startswith("/") or ":" in uri or ".." in uri.split("/")
        ] == []


def test_what_is_written_of_them_is_read_or_refused_in_a_sentence(reviews):
    for written in rendered("review", reviews):
        found = outcome(written.encode())

        assert written.isascii()
        assert "##[" not in written
        assert isinstance(found, Review) or found.isprintable()


def test_nothing_foreign_is_on_a_badge(reviews):
    shown = set(chain.from_iterable(texts(json.loads(t)) for t in rendered("badge", reviews)))

    assert all(re.fullmatch(r"[\w ,]+", text) for text in shown)
