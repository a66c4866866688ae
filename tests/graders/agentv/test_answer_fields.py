import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agentevals.graders.agentv.answer_fields import (
    FieldCheck,
    compare_field,
    read_document,
    read_expected,
    read_value,
)
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.errors import EvaluatorError


@pytest.mark.parametrize(
    ("answer", "document"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('Here: {"a": 1} thanks', {"a": 1}),
        ('prefix } {"a": 1}', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ("```JSON\n[1, 2]\n```", [1, 2]),
        ('[{"a": 1}]', {"a": 1}),
        ("42", 42),
        ("null", None),
    ],
)
def test_the_json_in_an_answer_is_found(answer, document):
    assert read_document(answer) == document


@pytest.mark.parametrize(
    "answer", ["", "nope", '{"a": 1} {"b": 2}', "{'a': 1}", '{"a": 1,}', '{"a": NaN}', "{" * 99999]
)
def test_what_is_no_json_is_refused(answer):
    with pytest.raises(ValueError, match=r"\w"):
        read_document(answer)


def assistant(content):
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([assistant({"a": 0}), assistant({"a": 1})], {"a": 1}),
        ([assistant({"a": 1}), {"role": "user", "content": {"a": 2}}], {"a": 1}),
        ([assistant('{"a": 1}'), assistant("that was it")], {"a": 1}),
        ([assistant({"a": 1}), assistant("")], {"a": 1}),
        ([assistant([1, 2])], [1, 2]),
        ([assistant([{"type": "json", "value": {"a": 1}}])], {"a": 1}),
        (
            [assistant([{"type": "text", "value": '{"a":'}, {"type": "text", "value": "1}"}])],
            {"a": 1},
        ),
        ([assistant("0")], UNDEFINED),
        ([assistant("hello")], UNDEFINED),
        ([assistant(5), {"content": {"a": 1}}, {}], UNDEFINED),
        ([], UNDEFINED),
    ],
)
def test_the_last_message_that_holds_something_counts(messages, expected):
    assert read_expected(messages) == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("invoice.lines[1].p", 2),
        ("invoice.lines.1.p", 2),
        ("invoice.lines[5].p", UNDEFINED),
        ("invoice.lines.length", 2),
        ("invoice.total", None),
        ("invoice.total.deeper", UNDEFINED),
        ("名前", "太郎"),
        ("[名前]", "太郎"),
        ("", {"invoice": {"lines": [{"p": 1}, {"p": 2}], "total": None}, "名前": "太郎"}),
    ],
)
def test_a_path_leads_to_a_value(path, value):
    document = {"invoice": {"lines": [{"p": 1}, {"p": 2}], "total": None}, "名前": "太郎"}

    assert read_value(path, document) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def told(match, found, wanted, **settings):
    check = FieldCheck(path="a", match=match, **settings)
    result = compare_field(check, {"a": found}, {"a": wanted})
    return result.met, result.said


@pytest.mark.parametrize(
    ("found", "wanted", "met", "said"),
    [
        ("x", "x", True, "a"),
        (5, 5.0, True, "a"),
        (None, None, True, "a"),
        ("x ", "x", False, "a (value mismatch)"),
        ("1", 1, False, "a (type mismatch: got string, expected number)"),
        (None, "x", False, "a (type mismatch: got object, expected string)"),
        (True, 1, False, "a (type mismatch: got boolean, expected number)"),
        ([1, 2], [2, 1], False, "a (value mismatch)"),
    ],
)
def test_exact(found, wanted, met, said):
    assert told("exact", found, wanted) == (met, said)


@pytest.mark.parametrize(
    ("found", "wanted", "settings", "met", "said"),
    [
        (100.005, 100, {"tolerance": 0.01}, True, "a (within tolerance: diff=0.00)"),
        ("12.5 USD", 12.5, {}, True, "a (within tolerance: diff=0.00)"),
        (105, 100, {"tolerance": 0.05, "relative": True}, True, "a (within tolerance: diff=5.00)"),
        (0.04, 0, {"tolerance": 0.05, "relative": True}, True, "a (within tolerance: diff=0.04)"),
        (
            -105,
            -100,
            {"tolerance": 0.05, "relative": True},
            True,
            "a (within tolerance: diff=5.00)",
        ),
        (1.01, 1, {"tolerance": 0.01}, False, "a (outside tolerance: diff=0.01, tolerance=0.01)"),
        ("$12", 12, {}, False, "a (non-numeric value)"),
        (True, 1, {}, False, "a (non-numeric value)"),
        (None, 1, {}, False, "a (non-numeric value)"),
        ("Infinity", 1, {}, False, "a (invalid numeric value)"),
        (math.nan, 1, {}, False, "a (invalid numeric value)"),
        (10**400, 1, {}, False, "a (invalid numeric value)"),
        (1e308, -1e308, {}, False, "a (outside tolerance: diff=Infinity, tolerance=0)"),
        (1e30, 0, {}, False, "a (outside tolerance: diff=1e+30, tolerance=0)"),
    ],
)
def test_numbers_near_each_other(found, wanted, settings, met, said):
    assert told("numeric_tolerance", found, wanted, **settings) == (met, said)


@pytest.mark.parametrize(
    ("found", "wanted", "met", "said"),
    [
        ("January 15, 2025", "2025-01-15", True, "a"),
        (2025, "2025-01-01", True, "a"),
        (
            "2025-01-16",
            "2025-01-15",
            False,
            "a (date mismatch: got 2025-01-16, expected 2025-01-15)",
        ),
        ("soon", "2025-01-15", False, "a (unparseable candidate date)"),
        ("2025-01-15", "soon", False, "a (unparseable expected date)"),
        ("soon", "soon", False, "a (unparseable candidate date)"),
        ({}, "2025-01-15", False, "a (unparseable candidate date)"),
    ],
)
def test_dates(found, wanted, met, said):
    assert told("date", found, wanted) == (met, said)


@pytest.mark.parametrize(
    ("found", "wanted", "met", "said"),
    [
        ("Acme Corp.", "Acme", True, "a"),
        ("42 EUR", 42, True, "a"),
        ("acme", "Acme", False, "a (does not contain the expected text)"),
        (["x", {"y": 1}], {"y": 1}, True, "a"),
        (["x", "y"], ["y", "x"], True, "a"),
        (["x"], ["y", "x"], False, "a (does not contain the expected item)"),
        (5, "5", False, "a (neither text nor list: got number)"),
        ("x", ["x"], False, "a (neither text nor list: got string)"),
    ],
)
def test_contains(found, wanted, met, said):
    assert told("contains", found, wanted) == (met, said)


@pytest.mark.parametrize(
    ("found", "wanted", "met", "said"),
    [
        ("INV-2024-17", r"^INV-\d{4}", True, "a"),
        (2024, r"^\d+$", True, "a"),
        ("x", r"^\d+$", False, "a (does not match the expected pattern)"),
        (None, ".*", False, "a (no text that a pattern could match)"),
        (["x"], ".*", False, "a (no text that a pattern could match)"),
    ],
)
def test_regex(found, wanted, met, said):
    assert told("regex", found, wanted) == (met, said)


@pytest.mark.parametrize("wanted", ["(", 5, None, {}])
def test_an_expected_value_that_is_no_pattern_is_an_error(wanted):
    with pytest.raises(EvaluatorError, match="the expected value of the field 'a' is no pattern"):
        told("regex", "x", wanted)


def test_a_field_that_nobody_expects_is_right_as_it_is():
    result = compare_field(FieldCheck(path="b", weight=2), {"b": 1}, {"a": 1})

    assert (result.met, result.weight, result.said) == (True, 2, "b: no expected value")


@pytest.mark.parametrize(
    ("required", "met", "weight", "said"),
    [(True, False, 1, "a (required, missing)"), (False, True, 0, "a: optional field missing")],
)
def test_a_field_that_is_missing(required, met, weight, said):
    result = compare_field(FieldCheck(path="a", required=required), {}, {"a": 1})

    assert (result.met, result.weight, result.said) == (met, weight, said)


@given(JSON, JSON, st.sampled_from(["exact", "numeric_tolerance", "date", "contains"]))
def test_any_two_values_can_be_compared(found, wanted, match):
    met, said = told(match, found, wanted)

    assert isinstance(met, bool)
    assert said.startswith("a")


@pytest.mark.parametrize(
    "settings",
    [
        {"path": ""},
        {"path": "a", "match": "fuzzy"},
        {"path": "a", "tolerance": -1},
        {"path": "a", "tolerance": math.nan},
        {"path": "a", "weight": math.inf},
        {"path": "a", "formats": ["%d"]},
        {"path": "a", "mach": "exact"},
    ],
)
def test_a_mistake_is_found_when_the_config_is_read(settings):
    with pytest.raises(ValidationError):
        FieldCheck(**settings)
