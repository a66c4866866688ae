import json

import jsonschema
import msgspec
import pytest

from agentevals.cli import schemas
from agentevals.model.results import Report
from agentevals.report.outputs import report as reporter
from tests.report.outputs.reports import HOSTILE, REPORTS, alone, hostile


def rendered(report):
    return "".join(reporter.render(alone(report)))


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_fits_the_published_schema(name):
    schema = json.loads(schemas.path("report").read_text())

    written = json.loads(rendered(REPORTS[name]))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(written)) == []


@pytest.mark.parametrize("name", REPORTS)
def test_it_is_read_back_as_it_was(name):
    restored = msgspec.json.decode(rendered(REPORTS[name]), type=Report)

    assert list(restored.cases) == list(REPORTS[name].cases)
    assert restored.findings[: len(REPORTS[name].findings)] == REPORTS[name].findings
    assert restored.counts == REPORTS[name].counts


def test_nothing_is_left_out():
    document = json.loads(rendered(REPORTS["one_passing"]))

    assert document["schema_version"] == "1.0"
    absent = {"partial", "recording_cost"}
    assert set(document) == {"schema_version", *Report.__struct_fields__} - absent


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_stays_inside_its_string(text):
    written = rendered(hostile(text))

    assert written.isascii()
    assert len(json.loads(written)["cases"]) == 3
