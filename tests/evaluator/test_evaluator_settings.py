"""Settings of a schema in words, whoever wrote the schema."""

import pytest

from agentevals.evaluator import evaluator_settings

SCHEMA = {
    "type": "object",
    "required": ["max_cost"],
    "properties": {
        "max_cost": {"type": "number", "minimum": 0, "description": "the limit"},
        "per": {"enum": ["turn", "conversation"], "default": "turn"},
        "expected": {"type": ["string", "array"]},
        "quiet": {"type": "boolean", "default": False},
    },
}


def test_type_default_and_need_are_said():
    said = list(map(evaluator_settings.describe, evaluator_settings.list_settings(SCHEMA)))

    assert said == [
        "max_cost (number, at least 0, required)",
        "per (turn, conversation, default turn)",
        "expected (text or list)",
        "quiet (true or false, default false)",
    ]


def test_a_starter_has_what_is_required():
    assert evaluator_settings.write_starter(SCHEMA) == {"max_cost": 1}


def test_of_alternatives_the_first_is_started():
    schema = {
        "properties": {"max_words": {"type": "integer"}, "min_words": {"type": "integer"}},
        "anyOf": [{"required": ["max_words"]}, {"required": ["min_words"]}],
    }

    assert evaluator_settings.list_alternatives(schema) == ["max_words", "min_words"]
    assert evaluator_settings.write_starter(schema) == {"max_words": 1}


@pytest.mark.parametrize(
    "odd",
    [
        None, "settings.json", [], {"properties": []}, {"properties": {"a": 7}, "required": 7},
        {"required": [{}], "properties": {"a": {"type": {}, "enum": {}, "minimum": "x"}}},
        {"anyOf": [7, {"required": 7}, {"required": ["a", "b"]}]}, {"anyOf": {"required": ["a"]}},
    ],
)  # fmt: skip
def test_an_odd_schema_stops_nobody(odd):
    assert all(evaluator_settings.describe(one) for one in evaluator_settings.list_settings(odd))
    assert isinstance(evaluator_settings.write_starter(odd), dict)
