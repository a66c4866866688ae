import json

import pytest
from jsonschema import Draft202012Validator

from agentevals.cli import schemas


@pytest.mark.parametrize("name", list(schemas.SCHEMAS))
def test_the_published_file_says_what_the_code_says(name):
    published = schemas.path(name).read_text(encoding="utf-8")

    assert published == schemas.text(name), "run: make docs"


@pytest.mark.parametrize("name", list(schemas.SCHEMAS))
def test_every_schema_is_a_valid_schema(name):
    Draft202012Validator.check_schema(json.loads(schemas.text(name)))


def test_a_part_that_fits_into_a_line_has_only_one():
    long = {"items": {"type": "string"}, "description": "x" * 80, "enum": ["é", 1, None, []]}

    written = schemas.write({"short": {"type": "object"}, "long": long})

    assert json.loads(written) == {"short": {"type": "object"}, "long": long}
    assert written.splitlines() == [
        "{",
        '  "short": {"type": "object"},',
        '  "long": {',
        '    "items": {"type": "string"},',
        f'    "description": "{"x" * 80}",',
        '    "enum": ["é", 1, null, []]',
        "  }",
        "}",
    ]
