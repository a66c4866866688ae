"""What `gate.cluster` can name in an eval case."""

from datetime import date

import pytest

from agentevals.configs.eval_case_labels import find_label, list_labels

CASE = {
    "x-topic": "refunds",
    "tags": ["late", "eu"],
    "level": 3,
    "checked": False,
    "made": date(2026, 1, 31),
    "note": "",
    "metadata": {"topic": "orders", "level": 4, "shop": {"name": "north"}, "a.b": "dotted"},
    "session_input": {"state": {"user": "eve"}},
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-topic", "refunds"),
        ("topic", "orders"),
        ("metadata.topic", "orders"),
        ("shop.name", "north"),
        ("session_input.state.user", "eve"),
        ("a.b", "dotted"),
        ("level", "3"),
        ("checked", "false"),
        ("tags", '["late","eu"]'),
        ("made", '"2026-01-31"'),
        ("shop", '{"name":"north"}'),
    ],
)
def test_a_label_is_a_key_of_the_case_or_of_its_metadata(name, value):
    assert find_label(CASE, name) == value


@pytest.mark.parametrize("name", ["", "other", "note", "x-topic.more", "session_input.user", "."])
def test_what_the_case_does_not_say_is_empty(name):
    assert find_label(CASE, name) == ""


def test_all_labels_are_listed_as_they_are_written():
    assert list(list_labels(CASE)) == [
        *("x-topic", "tags", "level", "checked", "made"),
        *("topic", "level", "shop.name", "a.b"),
        "session_input.state.user",
    ]
    assert all(find_label(CASE, name) for name in list_labels(CASE))
