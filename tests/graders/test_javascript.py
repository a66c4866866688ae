import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders import javascript
from agentevals.graders.javascript import UNDEFINED

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("given_", "trimmed"),
    [
        (" a ", "a"),
        ("\ufeff\xa0a\u2028", "a"),
        ("\u200ba\x85", "\u200ba\x85"),
    ],
)
def test_only_what_counts_as_white_space_there_is_trimmed(given_, trimmed):
    assert javascript.trim(given_) == trimmed


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.125, "0.13"),
        (-0.125, "-0.13"),
        (-0.0, "0.00"),
        (5, "5.00"),
        (1e21, "1e+21"),
        (123456789012345678901, "123456789012345683968.00"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
    ],
)
def test_a_number_with_two_digits(number, written):
    assert javascript.to_fixed(javascript.to_double(number), 2) == written


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0"),
        (-0.0, "0"),
        (2025.0, "2025"),
        (0.1, "0.1"),
        (-12.5, "-12.5"),
        (100, "100"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-9, "1.25e-9"),
        (123456789012345680000, "123456789012345680000"),
        (1e21, "1e+21"),
        (9007199254740993, "9007199254740992"),
        (10**400, "Infinity"),
    ],
)
def test_a_number_as_text(number, written):
    assert javascript.to_text(number) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (UNDEFINED, "undefined"),
        ("x", "x"),
        ([1, None, [2, "a"]], "1,,2,a"),
        ({"a": 1}, "[object Object]"),
    ],
)
def test_any_value_as_text(value, written):
    assert javascript.to_text(value) == written


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("12.5 USD", 12.5),
        (" \xa0-3e2x", -300.0),
        ("1,234.5", 1.0),
        ("0x10", 0.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e", 1.0),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("$12", None),
        ("", None),
        ("\u0663", None),
    ],
)
def test_a_text_is_read_as_far_as_it_is_a_number(source, number):
    assert javascript.parse_float(source) == number


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (5, 5.0, True),
        (True, 1, False),
        ("5", 5, False),
        (None, UNDEFINED, False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        ([], {}, False),
        (9007199254740992, 9007199254740993, True),
        (math.nan, math.nan, False),
    ],
)
def test_values_are_compared_by_kind_and_at_any_depth(one, other, equal):
    assert javascript.is_same(one, other) is equal
    assert javascript.is_same({"x": [one]}, {"x": [other]}) is equal


def test_depth_does_not_matter_to_a_comparison():
    one: list = []
    other: list = []
    for _ in range(100_000):
        one, other = [one], [other]

    assert javascript.is_same(one, other)
    assert javascript.to_text(one) == ""


@given(JSON)
def test_everything_equals_itself_after_a_round_through_json(value):
    assert javascript.is_same(value, value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "object"),
        ([], "object"),
        (True, "boolean"),
        (1, "number"),
        ("", "string"),
        (UNDEFINED, "undefined"),
        (javascript.read_member({}, "toString"), "function"),
    ],
)
def test_the_type_of_a_value(value, kind):
    assert javascript.name_type(value) == kind


@pytest.mark.parametrize(
    ("value", "key", "found"),
    [
        ({"a": None}, "a", None),
        ({"a": 1}, "b", UNDEFINED),
        ({"1": "x"}, "1", "x"),
        ([7, 8], "1", 8),
        ([7, 8], "2", UNDEFINED),
        ([7, 8], "-1", UNDEFINED),
        ([7, 8], "9" * 400, UNDEFINED),
        ([7, 8], "length", 2),
        ("text", "length", UNDEFINED),
        (None, "a", UNDEFINED),
    ],
)
def test_a_member_of_a_value(value, key, found):
    assert javascript.read_member(value, key) == found


def test_what_every_object_has_is_the_same_in_each():
    there = javascript.read_member({"a": 1}, "constructor")

    assert javascript.is_same(there, javascript.read_member({}, "constructor"))
    assert not javascript.is_same(there, javascript.read_member([], "constructor"))


@pytest.mark.parametrize("source", ["NaN", "-Infinity", "", "{'a': 1}", "[1,]", "[" * 100_000])
def test_what_is_not_json_is_refused(source):
    with pytest.raises(ValueError, match=r"\w| "):
        javascript.parse_json(source)


def test_numbers_of_any_length_are_read():
    assert javascript.parse_json("9" * 5000) == math.inf
