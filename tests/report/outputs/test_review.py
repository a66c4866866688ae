import json
import tracemalloc

import jsonschema
import msgspec
import pytest

from agentevals.cli import schemas
from agentevals.files.spool import Spool
from agentevals.model.results import CaseReport, Report, Verdict
from agentevals.model.review import Review
from agentevals.report.outputs.review import render
from tests.report.outputs.reports import HOSTILE
from tests.report.outputs.samples import REVIEWS, infected, review, section
from tests.report.pages.reviews import TURNED, changed_rules

CASES = 3_000
LONG = "x" * 5_000


def written(found):
    return "".join(render(found))


def violations(document):
    schema = json.loads(schemas.path("review").read_text())
    found = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [error.message for error in found]


@pytest.mark.parametrize("name", REVIEWS)
def test_every_review_fits_the_published_schema(name):
    assert violations(json.loads(written(REVIEWS[name]))) == []


@pytest.mark.parametrize(
    "where", [(), ("scene",), ("sections", 0), ("sections", 0, "report", "cases", 0)]
)
def test_the_schema_refuses_what_it_does_not_know_and_asks_for_what_is_not_there(where):
    whole = json.loads(written(REVIEWS["failed"]))
    place = whole
    for step in where:
        place = place[step]
    missing = {name: value for name, value in place.items() if name != next(iter(place))}
    for odd in ({**place, "more": 1}, missing):
        place.clear()
        place.update(odd)

        assert violations(whole)


def test_nothing_is_left_out():
    changed = msgspec.structs.replace(REVIEWS["failed"], rules=changed_rules(*TURNED))
    document = json.loads(written(changed))

    assert violations(document) == []
    assert list(document) == list(Review.__struct_fields__)
    report = document["sections"][0]["report"]
    assert set(report) == set(Report.__struct_fields__) - {"partial", "recording_cost"}
    assert list(report)[:3] == ["title", "verdict", "exit_code"]


def test_any_part_is_read_back_as_what_it_was():
    found = REVIEWS["failed"]
    (section,) = json.loads(written(found))["sections"]

    assert (
        msgspec.convert(section["gates"][0], type(found.sections[0].gates[0]))
        == (found.sections[0].gates[0])
    )
    assert len(section["report"]["cases"]) == len(found.sections[0].report.cases)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_stays_inside_its_string(text):
    text = text[:3_000]
    found = written(infected(REVIEWS["several"], text))

    assert found.isascii()
    assert "##[" not in found
    assert len(json.loads(found)["sections"]) == 2


def test_a_run_that_lies_on_disk_is_never_in_memory_as_a_whole():
    cases = Spool(CaseReport, budget=0)
    for number in range(CASES):
        cases.append(CaseReport(case_id=f"case {number}", verdict=Verdict.PASS, user=LONG))
    run = Report(title="large", verdict=Verdict.PASS, exit_code=0, cases=cases)
    tracemalloc.start()
    size = sum(len(piece) for piece in render(review(section(run))))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size > CASES * len(LONG)
    assert most < size / 5
