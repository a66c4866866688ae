import json

import pytest

from agentevals.model.conversations import ToolCall
from agentevals.text.json_text import Items, Members, Parts, document, encode, join_items, pretty


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("value", [{}, [], {"a": [1, {"b": None}]}, "é", 7])
def test_a_value_is_indented_as_at_its_place(value, level):
    wrapped = value
    for _ in range(level):
        wrapped = [wrapped]
    whole = json.dumps(wrapped, indent=2).splitlines()

    assert pretty(value, level=level).splitlines() == whole[level : len(whole) - level]


def test_a_document_is_what_its_pieces_make():
    pieces = document(Members([("a", 1), ("b", Items([{"c": []}, 2])), ("d", Items([]))]))

    text = "".join(pieces)

    assert text == json.dumps({"a": 1, "b": [{"c": []}, 2], "d": []}, indent=2) + "\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("\ud800", "\ufffd"),
        (10**5_000, "(a number too long to write)"),
        ({"a": ("\udfff", 1.5, True, None)}, {"a": ["\ufffd", 1.5, True, None]}),
        (10**30, 10**30),
        (float("nan"), None),
        ([object, "\ud800"], ["<class 'object'>", "\ufffd"]),
    ],
    ids=range(6),
)
def test_what_json_cannot_say_is_replaced(value, expected):
    assert json.loads(encode(value)) == expected


def test_a_struct_with_something_unspeakable_keeps_its_other_fields():
    encoded = json.loads(encode(ToolCall(name="search", args={"q": "\ud800"})))

    assert (encoded["name"], encoded["args"]) == ("search", {"q": "\ufffd"})


def test_it_is_indented_like_any_other_json():
    value = {"a": [1, {"x": [1, 2]}, "  y"], "b": {"c": {"d": None}}}
    pieces = Members([("a", Items(iter(value["a"]))), ("b", Members([("c", {"d": None})]))])

    assert "".join(document(pieces)) == json.dumps(value, indent=2) + "\n"


@pytest.mark.parametrize(("pieces", "text"), [(Members([]), "{}\n"), (Items([]), "[]\n")])
def test_what_is_empty_is_written_as_such(pieces, text):
    assert "".join(document(pieces)) == text


@pytest.mark.parametrize("sizes", [(), (0,), (1,), (3, 0, 2), (0, 2)])
def test_an_array_may_be_written_in_parts(sizes):
    items = [[{"a": [number, "é"]} for number in range(size)] for size in sizes]
    parts = Parts(join_items(each, level=1) for each in items)
    whole = [item for each in items for item in each]

    assert "".join(document(Members([("b", parts)]))) == json.dumps({"b": whole}, indent=2) + "\n"


def test_items_are_asked_for_one_by_one():
    asked = []
    pieces = document(Items(asked.append(number) or number for number in range(9)))

    next(pieces)
    assert asked == [0]

    next(pieces)
    assert asked == [0, 1]
