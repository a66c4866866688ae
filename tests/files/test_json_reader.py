import json

import pytest

from agentevals.files import json_reader
from agentevals.files.document_places import DEEPEST


def faults(text):
    return [(fault.line, fault.column, fault.message) for fault in json_reader.scan(text)[2]]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2.5, -0, 1e3, true, false, null, "x"], "b": {}, "c": []}',
        '\t{"tabs":\t[1,\t2]}\r\n',
        '"\\u00e9 \\ud83d\\ude00 \\n"',
        '{"": {"😀": [[], [[]], {"x": {}}]}}',
    ],
)
def test_both_readers_read_the_same(text):
    value, _, wrong = json_reader.scan(text)

    assert not wrong
    assert value == json_reader.load(text)


def test_every_key_and_value_has_a_place():
    _, root, _ = json_reader.scan('{\n  "a": [1,\n    {"b": 2}]\n}')

    inner = root.find(("a", 1))
    assert inner.extent[:2] == (3, 5)
    assert inner.keys["b"][:2] == (3, 6)
    assert inner.find(("b",)).extent[:2] == (3, 11)


def test_a_path_that_does_not_exist_ends_at_what_does():
    for root in (json_reader.scan('{"a": [1]}')[1], json_reader.open_places('{"a": [1]}')):
        assert root.find(("a", 7, "x")).extent.column == 7


def list_places(root, value, way=()):
    found = root.find(way)
    yield way, found.extent, dict(found.keys)
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield from list_places(root, item, (*way, key))


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": [1,\n    {"b": 2}]\n}',
        " [ ]\n",
        '{"": {"😀": [[], [[]], {"x": {}}]}, "\\u00e9\\n": -1.5e3,\r\n\t"c" : "}],{"}',
    ],
)
def test_places_that_are_looked_up_one_by_one_are_those_of_the_whole(text):
    value, root, _ = json_reader.scan(text)

    places = list(list_places(root, value))
    assert list(list_places(json_reader.open_places(text), value)) == places
    lines = f"\n{json.dumps(value)}\n\n7\n"
    value, root, _ = json_reader.scan_lines(lines)
    opened = json_reader.open_places_of_lines(lines)
    assert list(list_places(opened, value)) == list(list_places(root, value))


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("", 1, "expected a value, found the end"),
        ('{"a": 1', 8, "expected ',' or '}', found the end"),
        ('{"a": "x', 7, "unterminated string"),
        ('{"a": 1,}', 8, "a comma too many before '}'"),
        ("[1,]", 3, "a comma too many before ']'"),
        ("[1 2]", 4, "expected ',' or ']', found '2'"),
        ("{'a': 1}", 2, 'expected a key in double quotes, found "\'"'),
        ("{a: 1}", 2, "expected a key in double quotes, found 'a'"),
        ('{"a" 1}', 6, "expected ':' after the key 'a', found '1'"),
        ('{"a": tru}', 7, "expected a value, found 'tru'"),
        ('{"a": NaN}', 7, "expected a value, found 'NaN'"),
        ("[-Infinity]", 2, "expected a value, found '-Infinity'"),
        ("[01]", 3, "expected ',' or ']', found '1'"),
        ("[.5]", 2, "expected a value, found '.'"),
        ("1 2", 3, "expected the end, found '2'"),
        ('["\\q"]', 3, "invalid \\escape"),
        ('["a\nb"]', 4, "invalid control character at"),
        ('["\\ud800"]', 2, "half a character in '\\ud800'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, column, why):
    assert faults(text) == [(1, column, f"not valid JSON: {why}")]


def test_duplicates_and_numbers_out_of_range_are_all_said():
    text = '{"a": 1,\n "a": 2,\n "b": 1e999,\n "c": ' + "9" * 5000 + "}"

    assert faults(text) == [
        (2, 2, "the key 'a' is here twice, first in line 1; remove one"),
        (3, 7, "the number '1e999' is too large"),
        (4, 7, "the number '99999999999999999999…' is too large"),
    ]


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', "[NaN]", "[1e999]", '["\\ud800"]', "[" + "9" * 5000 + "]"]
)
def test_the_fast_reader_leaves_to_the_slow_one_what_is_wrong(text):
    with pytest.raises(ValueError):  # noqa: PT011 -- the slow reader has the message
        json_reader.load(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("levels", [DEEPEST + 1, 5_000, 100_000])
def test_deep_nesting_is_refused_by_both_readers(opening, closing, levels):
    text = opening * levels + "1" + closing * levels

    with pytest.raises(ValueError):  # noqa: PT011 -- the slow reader has the message
        json_reader.load(text)
    assert [why for _, _, why in faults(text)] == [
        f"nested deeper than {DEEPEST} levels; flatten it"
    ]


def test_as_deep_as_allowed():
    text = "[" * DEEPEST + "]" * DEEPEST

    assert json_reader.load(text) == json_reader.scan(text)[0]


def test_lines_are_values_and_blank_lines_are_nothing():
    text = '{"a": 1}\n\n  \n{"a": 2}\n'

    assert json_reader.load_lines(text) == json_reader.scan_lines(text)[0] == [{"a": 1}, {"a": 2}]


def test_every_broken_line_is_said_with_its_number():
    _, _, wrong = json_reader.scan_lines('{"a": 1}\n\n{"b": }\n{"c": 1, "c": 2}')

    assert [(fault.line, fault.column, fault.message) for fault in wrong] == [
        (3, 7, "not valid JSON: expected a value, found '}'"),
        (4, 10, "the key 'c' is here twice, first in line 4; remove one"),
    ]


def test_places_in_lines_count_from_the_begin_of_the_file():
    _, root, _ = json_reader.scan_lines('{"a": 1}\n\n{"a": [5]}')

    assert root.find((1, "a", 0)).extent[:2] == (3, 8)
