import json

import pytest
from jsonschema import Draft202012Validator

from agentevals.cli import schemas


@pytest.mark.parametrize("name", list(schemas.SCHEMAS))
def test_the_published_file_says_what_the_code_says(name):
    published = schemas.path(name).read_text(encoding="utf-8")

    assert published == schemas.text(name), "run: make generated"


@pytest.mark.parametrize("name", list(schemas.SCHEMAS))
def test_every_schema_is_a_valid_schema(name):
    Draft202012Validator.check_schema(json.loads(schemas.text(name)))
