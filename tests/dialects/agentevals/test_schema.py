import json

import pytest
from jsonschema import Draft202012Validator

from agentevals import documents
from agentevals.dialects.agentevals.schema import schema
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


def test_every_type_is_in_it_with_a_description_of_every_setting(validator):
    definitions = validator.schema["$defs"]

    for name in GRADERS.ours:
        settings = definitions[name]["properties"]
        assert [key for key, value in settings.items() if "description" not in value] == []
