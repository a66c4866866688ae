import json

import pytest
from jsonschema import Draft202012Validator

from agentevals.configs.dialects.agentevals.eval_config_schema import schema
from agentevals.files import documents
from agentevals.graders import GRADERS
from tests.support import DATA

CONFIGS = DATA / "configs" / "agentevals"
OLD = {"old_spelling", "camel_case", "without_effect"}  # editors are to complain about these


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(json.loads(json.dumps(schema())))


def config(path):
    return documents.read(path / "eval_config.yaml").value


@pytest.mark.parametrize("name", sorted(p.name for p in CONFIGS.glob("accepted/*")))
def test_what_is_accepted_fits_the_schema_unless_it_is_old(validator, name):
    assert validator.is_valid(config(CONFIGS / "accepted" / name)) is (name not in OLD)


@pytest.mark.parametrize("name", ["entries", "values", "top_level", "old_keys", "misspelt_list"])
def test_what_is_refused_does_not_fit(validator, name):
    assert not validator.is_valid(config(CONFIGS / "refused" / name))


def resolve(whole, value):
    """The schema itself, where it stands in another definition."""
    while value.keys() == {"$ref"}:
        found = whole
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value


def references(value):
    if isinstance(value, list):
        return [found for item in value for found in references(item)]
    if not isinstance(value, dict):
        return []
    return [value] * ("$ref" in value) + [r for item in value.values() for r in references(item)]


def untitled(value):
    """A schema of pydantic in the words of ours."""
    if isinstance(value, list):
        return [untitled(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value == {"$ref": "#/$defs/Grader"}:
        return {"$ref": "#/$defs/evaluator"}
    return {k: untitled(v) for k, v in value.items() if k != "title" or isinstance(v, dict)}


def test_every_type_is_in_it_with_a_description_of_every_setting(validator):
    definitions = validator.schema["$defs"]

    for name in GRADERS.ours:
        settings = {
            k: resolve(validator.schema, v) for k, v in definitions[name]["properties"].items()
        }
        assert [key for key, value in settings.items() if "description" not in value] == []


@pytest.mark.parametrize("name", GRADERS.ours)
def test_a_setting_that_is_shared_says_what_the_type_itself_says(validator, name):
    written = validator.schema["$defs"][name]["properties"]
    own = GRADERS[name].model_json_schema()["properties"]

    assert {key: resolve(validator.schema, written[key]) for key in own} == untitled(own)


def test_every_reference_leads_to_a_definition_that_somebody_can_name(validator):
    found = {reference["$ref"] for reference in references(validator.schema)}

    assert all(resolve(validator.schema, {"$ref": pointer}) for pointer in found)
    assert [name for name in validator.schema["$defs"] if "__" in name] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "not-contains", "value": "x"},
        {"type": "latency", "threshold": 5000},
        {"type": "execution-metrics", "maxToolCalls": 5},
        {"type": "composite", "assert": [{"type": "contains", "value": "x"}]},
        {
            "name": "c",
            "type": "composite",
            "evaluators": [{"type": "is-json"}],
            "aggregator": {"type": "code-grader", "command": "python3 x.py"},
        },
    ],
)
def test_types_that_need_no_name_fit_in_their_spellings(validator, entry):
    assert validator.is_valid({"evaluators": [entry]})


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "composite"},
        {"type": "composite", "evaluators": [{"type": "contains"}]},
        {"type": "execution-metrics", "maxToolCall": 5},
        {"type": "code", "path": "x.py"},
    ],
)
def test_what_is_missing_or_misspelt_in_them_does_not_fit(validator, entry):
    assert not validator.is_valid({"evaluators": [entry]})
