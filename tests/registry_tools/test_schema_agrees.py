"""The published schema beside our checks: mutated manifests, judged by both.

A manifest that the schema refuses has an error of ours. The other way round, where a schema can
speak: `BEYOND` are the rules that look at files, at other entries or at the text itself.
"""

import json
import random

import pytest
from jsonschema import Draft202012Validator

from agentevals.evaluator import manifest_schema
from agentevals.model.results import Severity
from tests.registry_tools import registries

SEED, CASES = 20261119, 400
RIGHT = {
    "name": "politeness",
    "description": "Whether the answer is polite",
    "language": "python",
    "entrypoint": "politeness.py",
    "tags": ["answer", "text"],
    "author": "octocat",
    "version": "1.0.0",
    "license": "Apache-2.0",
    "maintainers": [{"login": "octocat", "id": 583231}],
    "runtime": {"python": ">=3.11"},
    "capabilities": {"network": ["api.example.com"], "environment": ["API_KEY"], "judge": True},
    "config_schema": {"type": "object", "additionalProperties": False},
    "needs": ["answer"],
    "fixtures": "fixtures.yaml",
    "deterministic": True,
    "aliases": ["manners"],
}
VALUES = [
    None, True, 0, -1, 1.5, "", " ", "x", "Politeness", "python", "cobol", "main.js", "../x.py",
    "politeness.ts", "MIT OR Apache-2.0", "MIT OR", "Apache 2.0", "GPL-2.0+", "1.0", "v1.0.0",
    "2.0.0-rc.1", ">=3.11, <4", "new", "a" * 400, "two\nlines", "right \u202e left", "import",
    "con", "true", [], ["text"], ["Text", "text"], [1], ["yes"], ["https://example.com"], {},
    {"login": "x"}, {"type": "object"}, [{"login": "octocat", "id": 1}],
    [{"login": "o c", "id": 1}],
]  # fmt: skip
BEYOND = {
    "ambiguous-scalar", "capabilities", "complete", "config-schema", "duplicate-key", "entrypoint",
    "files", "fixtures", "lifecycle", "maintainers", "name", "name-taken", "requirements",
    "runtime", "similar-name",
}  # fmt: skip


def draw_place(draw, value, depth=0):
    """A mapping or a list in the manifest, and one of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and draw.random() < 0.6:
        return draw_place(draw, value[key], depth + 1)
    return value, key


def mutate(draw):
    manifest = json.loads(json.dumps(RIGHT))
    for _ in range(draw.choice([1, 1, 2])):
        holder, key = draw_place(draw, manifest)
        match draw.choice(["replace", "replace", "replace", "remove", "misspell", "repeat"]):
            case "remove":
                del holder[key]
            case "misspell" if isinstance(holder, dict):
                holder[f"{key}s"] = holder.pop(key)
            case "repeat" if isinstance(holder, list):
                holder.extend([holder[key]] * 30)
            case _:
                holder[key] = draw.choice(VALUES)
    return manifest


def list_errors(root, manifest):
    registries.write(root, files={"evaluator.yaml": json.dumps(manifest, ensure_ascii=False)})
    found = registries.findings(root)
    return {one.rule for one in found if one.severity is Severity.ERROR}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    root = tmp_path_factory.mktemp("registry")
    schema, draw = Draft202012Validator(manifest_schema.build()), random.Random(SEED)
    manifests = [mutate(draw) for _ in range(CASES)]
    return [(each, schema.is_valid(each), list_errors(root, each)) for each in manifests]


def test_the_manifest_that_is_mutated_fits(tmp_path):
    assert Draft202012Validator(manifest_schema.build()).is_valid(RIGHT)
    assert list_errors(tmp_path, RIGHT) == set()


def test_what_the_schema_refuses_is_an_error_of_ours(judged):
    assert [each for each, fits, errors in judged if not fits and not errors] == []


def test_what_is_an_error_of_ours_is_refused_by_the_schema_where_it_can_speak(judged):
    assert [(e, errors) for e, fits, errors in judged if fits and errors - BEYOND] == []


def test_both_kinds_are_drawn(judged):
    fitting = sum(fits for _, fits, _ in judged)

    assert 20 < fitting < CASES - 100
