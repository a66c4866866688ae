"""`report`: everything that was found out, as the model holds it; what later runs compare with."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentevals.compare import comparison
from agentevals.model.results import CaseReport, Report
from agentevals.model.review import Review
from agentevals.model.transcripts import drop_transcript
from agentevals.report.report_json import require_members, write_cases
from agentevals.text import json_text

SCHEMA_VERSION = "1.0"


class Document(Report, frozen=True, kw_only=True):
    """A report as it is written; the source of its JSON Schema."""

    schema_version: str


def schema() -> dict[str, Any]:
    """Return the JSON Schema. Every member is required that is always written."""
    return require_members(msgspec.json.schema(Document))


def render(review: Review) -> Iterator[str]:
    """One case at a time; any part of it decodes into the struct it came from."""
    return json_text.document(json_text.Members(_members(comparison.report_of(review.sections[0]))))


def _members(report: Report) -> Iterator[tuple[str, object]]:
    yield "schema_version", SCHEMA_VERSION
    for name in report.members:
        value = getattr(report, name)
        if value is not msgspec.UNSET:
            yield name, write_cases(value, _keep, level=1) if name == "cases" else value


def _keep(case: CaseReport) -> tuple[CaseReport]:
    return (drop_transcript(case),)
