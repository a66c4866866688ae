import pytest

from agentevals.graders.uipath import paths

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
    assert paths.at(ORDER, paths.steps(path)) == found


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
    with pytest.raises(paths.MissingStepError) as error:
        paths.at(ORDER, paths.steps(path))

    assert error.value.step == step


@pytest.mark.parametrize("path", [".", "[]", "..", "[.]"])
def test_a_path_without_a_step_is_refused(path):
    with pytest.raises(ValueError, match="names no key; write a path such as"):
        paths.check(path)


@pytest.mark.parametrize("path", ["*", "", "a", "a.b[0]"])
def test_any_other_path_is_one(path):
    assert paths.check(path) == path
