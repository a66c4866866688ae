import pytest

from agentevals.graders.uipath import uipath_outputs
from agentevals.model.errors import EvaluatorError
from agentevals_evaluator_sdk.standins.uipath import standin_paths
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
    assert uipath_outputs.read_output(case(answer)) == output


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
    assert uipath_outputs.select_part({"items": [{"n": "x"}], "a.b": 1}, path, "it") == found


def test_a_path_goes_before_a_key_with_dots():
    assert uipath_outputs.select_part({"a.b": 1, "a": {"b": 2}}, "a.b", "it") == 2


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
        uipath_outputs.select_part(whole, path, "it")


def test_numbers_become_floats_and_truth_values_stay():
    found = standin_paths.convert_numbers({"a": [1, True, None, "1"], "b": 10**400})

    assert repr(found["a"]) == "[1.0, True, None, '1']"
    assert found["b"] == 10**400


def test_what_lies_elsewhere_is_not_compared():
    with pytest.raises(EvaluatorError, match="is a job attachment"):
        uipath_outputs.refuse_attachment("urn:uipath:cas:file:orchestrator:0a1b2c3d")


ORDER = {
    "items": [{"name": "lamp"}],
    "tags": ["a", "b"],
    "grid": [[1, 2]],
    "0": "zero",
    "é x": None,
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("tags", ["a", "b"]),
        ("tags[1]", "b"),
        ("items[0].name", "lamp"),
        ("grid[0][1]", 2),
        ("0", "zero"),
        ("é x", None),
    ],
)
def test_a_path_leads_to_a_value(path, found):
    assert standin_paths.follow_path(ORDER, standin_paths.split_path(path)) == found


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("name", "name"),
        ("items.name", "name"),
        ("items[1].name", "[1]"),
        ("items.0", "0"),
        ("tags[-1]", "-1"),
        ("tags[99999999999]", "99999999999"),
        ("[0]", "[0]"),
        ("items['0']", "'0'"),
        ("é x.y", "y"),
    ],
)
def test_a_step_that_leads_nowhere_is_named(path, step):
    with pytest.raises(uipath_outputs.MissingStepError) as error:
        standin_paths.follow_path(ORDER, standin_paths.split_path(path))

    assert error.value.step == step


@pytest.mark.parametrize("path", [".", "[]", "..", "[.]"])
def test_a_path_without_a_step_is_refused(path):
    with pytest.raises(ValueError, match="names no key; write a path such as"):
        uipath_outputs.check_path(path)


@pytest.mark.parametrize("path", ["*", "", "a", "a.b[0]"])
def test_any_other_path_is_one(path):
    assert uipath_outputs.check_path(path) == path


def test_long_values_are_told_apart_by_the_part_that_differs():
    text = "lorem ipsum " * 60

    assert uipath_outputs.write_deviation({"a": text, "b": "DE99"}, {"a": text, "b": "DE01"}) == (
        "… ', 'b': 'DE99'}, not … ', 'b': 'DE01'}"
    )
