import json

import pytest

from agentevals.report.exports.streaming import Items, Members, document


def test_it_is_indented_like_any_other_json():
    value = {"a": [1, {"x": [1, 2]}, "  y"], "b": {"c": {"d": None}}}
    pieces = Members([("a", Items(iter(value["a"]))), ("b", Members([("c", {"d": None})]))])

    assert "".join(document(pieces)) == json.dumps(value, indent=2) + "\n"


@pytest.mark.parametrize(("pieces", "text"), [(Members([]), "{}\n"), (Items([]), "[]\n")])
def test_what_is_empty_is_written_as_such(pieces, text):
    assert "".join(document(pieces)) == text


def test_items_are_asked_for_one_by_one():
    asked = []
    pieces = document(Items(asked.append(number) or number for number in range(9)))
    next(pieces)
    next(pieces)

    assert asked == [0]
