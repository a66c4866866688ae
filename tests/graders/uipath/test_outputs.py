import pytest

from agentevals.graders.uipath import outputs
from agentevals.model.errors import EvaluatorError
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ('{"a": 1}', {"a": 1}),
        (' {"a": 1}', {"a": 1}),
        ("[1]", "[1]"),
        ("5", "5"),
        ('{"a": ', '{"a": '),
        ("text", "text"),
        ("", ""),
        (None, {}),
    ],
)
def test_the_output_is_an_object_if_it_is_one_and_otherwise_the_text(answer, output):
    assert outputs.of_case(case(answer)) == output


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("*", {"items": [{"n": "x"}], "a.b": 1}),
        ("items", [{"n": "x"}]),
        ("items[0].n", "x"),
        ("a.b", 1),
        (("items[0].n", "a.b"), {"items[0].n": "x", "a.b": 1}),
    ],
)
def test_a_path_names_a_part(path, found):
    assert outputs.part({"items": [{"n": "x"}], "a.b": 1}, path, "it") == found


def test_a_path_goes_before_a_key_with_dots():
    assert outputs.part({"a.b": 1, "a": {"b": 2}}, "a.b", "it") == 2


@pytest.mark.parametrize(
    ("whole", "path", "why"),
    [
        ({"a": 1}, "b", "it has nothing at 'b': 'b' is not there; it has 'a'"),
        ({}, "b", "it has nothing at 'b': 'b' is not there; it has no keys"),
        ({"a": [1]}, "a[-1]", r"it has nothing at 'a\[-1\]': '-1' is not there"),
        ({"a": [1]}, "a[3]", r"it has nothing at 'a\[3\]': '\[3\]' is not there"),
        ({"a": 1}, "a.b", "it has nothing at 'a.b': 'b' is not there"),
        ("text", "a", "it is a text and has no keys: it is not valid JSON"),
    ],
)
def test_what_is_not_there_is_an_error(whole, path, why):
    with pytest.raises(EvaluatorError, match=why):
        outputs.part(whole, path, "it")


def test_numbers_become_floats_and_truth_values_stay():
    found = outputs.normal({"a": [1, True, None, "1"], "b": 10**400})

    assert repr(found["a"]) == "[1.0, True, None, '1']"
    assert found["b"] == 10**400


def test_what_lies_elsewhere_is_not_compared():
    with pytest.raises(EvaluatorError, match="is a job attachment"):
        outputs.at_hand("urn:uipath:cas:file:orchestrator:0a1b2c3d")
