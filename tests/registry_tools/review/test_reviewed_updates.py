"""The step of a version that a change of an evaluator's settings needs."""

import pytest

from agentevals.evaluator.registry_index import IndexEntry
from registry_tools.index.index_updates import Step
from registry_tools.review.reviewed_updates import list_changes

TEXT, CLOSED = {"type": "string"}, {"additionalProperties": False}


def schema(required=(), more=None, **properties):
    return {"type": "object", "properties": properties, "required": list(required), **(more or {})}


def steps(before, after):
    old, new = (IndexEntry(name="a", config_schema=given) for given in (before, after))
    return [(change.step, change.message) for change in list_changes(old, new)]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (schema(a=TEXT), schema(a=TEXT), []),
        (schema(a=TEXT), schema(), [(Step.MAJOR, "the setting 'a' is gone")]),
        (schema(), schema(a=TEXT), [(Step.MINOR, "1 new setting: 'a'")]),
        (
            schema(a=TEXT),
            schema(["a"], a=TEXT),
            [(Step.MAJOR, "the setting 'a' must be given now")],
        ),
        (
            schema(a=TEXT),
            schema(a={**TEXT, "description": "new"}),
            [(Step.PATCH, "the setting 'a' is described in other words")],
        ),
        (
            schema(a={**TEXT, "maxLength": 3}),
            schema(a=TEXT),
            [(Step.MINOR, "the setting 'a' takes more now")],
        ),
        (schema(a=TEXT), schema(a=True), [(Step.MINOR, "the setting 'a' takes more now")]),
        (
            schema(a=True),
            schema(a=TEXT),
            [(Step.MAJOR, "the setting 'a' takes something else now")],
        ),
        (
            schema(a={"enum": [1]}),
            schema(a={"enum": [1, 2]}),
            [(Step.MINOR, "the setting 'a' takes more now")],
        ),
        (
            schema(a={"enum": [1, 2]}),
            schema(a={"enum": [1]}),
            [(Step.MAJOR, "the setting 'a' takes something else now")],
        ),
        (schema(), schema(more=CLOSED), [(Step.MAJOR, "unknown settings are refused now")]),
        (schema(more=CLOSED), schema(), [(Step.MINOR, "more settings are taken now")]),
        (None, schema(["a"], a=TEXT), []),  # nobody has checked a config so far
        (schema(["a"], a=TEXT), None, []),
        ("config.json", schema(a=TEXT), []),  # a file of its own is compared as a file
    ],
)
def test_a_change_of_settings_needs_a_step(before, after, changes):
    assert steps(before, after) == changes
