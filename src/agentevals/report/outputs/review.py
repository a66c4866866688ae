"""`report.json`: the whole review, as the model holds it; what is published for a fork."""

import json
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from agentevals.model.outcome import Outcome
from agentevals.model.results import Report
from agentevals.model.review import Review
from agentevals.model.transcripts import drop_transcript
from agentevals.report.report_json import require_members
from agentevals.text.json_text import Items, Members, document

FILE = "report.json"


def schema() -> dict[str, Any]:
    """Return the JSON Schema. No other member is allowed, and nearly all are required."""
    described = require_members(msgspec.json.schema(Review))
    for definition in described["$defs"].values():
        if definition.get("type") == "object":
            definition["additionalProperties"] = False
    # the name that the outcome of a run had when version 1.0 was published
    text = json.dumps(described).replace('defs/Outcome"', 'defs/Section"')
    text = text.replace('"Outcome": {"title": "Outcome"', '"Section": {"title": "Section"')
    return cast("dict[str, Any]", json.loads(text))


def render(review: Review) -> Iterator[str]:
    """One case at a time: the cases of a run may lie on disk."""
    return document(_take_apart(review))


def _take_apart(value: Review | Outcome | Report) -> Members:
    """The nouns that hold many cases, taken apart; all others are written as they stand."""
    names = value.members if isinstance(value, Report) else value.__struct_fields__
    known = ((name, getattr(value, name)) for name in names)
    return Members((n, _member(n, found)) for n, found in known if found is not msgspec.UNSET)


def _member(name: str, value: Any) -> object:
    if name == "sections":
        return Items(_take_apart(outcome) for outcome in value)
    if name == "cases":
        return Items(map(drop_transcript, value))
    return _take_apart(value) if isinstance(value, Report) else value
