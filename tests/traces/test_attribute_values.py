import pytest

from agentevals.traces.attribute_values import (
    UnreadableError,
    amount,
    arguments,
    count,
    decode,
    holds_withheld,
    is_withheld,
    numbers,
    parse_json,
    read_arguments,
    unwrap_message,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5]}', {"a": [1, 2.5]}),
        ('{"a": NaN}', {"a": None}),
        ('"\\ud800"', "\ud800"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_json_is_read_as_python_programs_write_it(text, value):
    assert decode(text) == value


def test_what_is_no_json_is_refused():
    with pytest.raises(UnreadableError, match="is not valid JSON"):
        decode("{'a': 1}")


@pytest.mark.parametrize(
    ("value", "found"),
    [('{"a": 1}', {"a": 1}), ("12", 12), ("null", "null"), ("nice day", "nice day"), (None, None)],
)
def test_a_string_that_is_no_json_stays_a_string(value, found):
    assert parse_json(value) == found


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        *[(7, 7), ("7", 7), (7.0, 7), (-7, 0), (7.5, None), (True, None), ("x", None)],
        *[("9" * 99, None), (10**30, None), (1e300, None), (2**63 - 1, 2**63 - 1)],
    ],
)
def test_tokens_are_counted_in_whole_numbers(value, tokens):
    assert count(value) == tokens


@pytest.mark.parametrize(
    ("value", "money"),
    [(0.5, 0.5), ("0.5", 0.5), (1, 1.0), (-1, None), ("x", None), (True, None), ("nan", None)],
)
def test_money_is_a_finite_number(value, money):
    assert amount(value) == money


def test_numbered_attributes_begin_with_what_an_sdk_has_not_dropped():
    attributes = dict.fromkeys(["m.10.role", "m.9.role", "m.9.text", "m.x.role", "mm.1.role"])

    assert numbers(attributes, "m") == [9, 10]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ('{"id": 0}', {"id": 0}),
        ('"{\\"id\\": 0}"', {"id": 0}),
        ('"plain"', {"value": "plain"}),
        ("plain", {"value": "plain"}),
        ('"{\\"id\\": "', None),
        ("", {}),
        ("null", {}),
        (None, None),
    ],
)
def test_arguments_are_an_object_also_where_its_json_was_written_twice(value, named):
    assert arguments(value) == named


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ({"input": None, "arguments": '{"a": 1}'}, {"a": 1}),
        ({"arguments": None}, {}),
        ({"name": "f"}, None),
    ],
    ids=["the first that is there", "null is none at all", "nobody knows them"],
)
def test_the_arguments_of_a_call(call, found):
    assert read_arguments(call, "input", "arguments") == found


def test_a_message_of_langchain_for_javascript_is_known_by_its_class():
    stored = {
        "lc": 1,
        "id": ["langchain_core", "messages", "ToolMessage"],
        "kwargs": {"content": "shipped", "tool_call_id": "c1"},
    }

    assert unwrap_message(stored)["type"] == "tool"


@pytest.mark.parametrize("text", ["REDACTED", "redacted", " REDACTED\n"])
def test_a_placeholder_needs_no_brackets_if_it_is_the_only_word(text):
    assert is_withheld(text)
    assert holds_withheld({"city": ["Rome", text]})


@pytest.mark.parametrize("text", ["It is redacted.", "REDACTED by law", "7", ""])
def test_a_sentence_with_that_word_is_no_placeholder(text):
    assert not is_withheld(text)
