import subprocess
import sys

import jsonschema
import msgspec
import pytest

from agentevals.evaluator import evaluator_manifest, manifest_schema
from agentevals.evaluator.evaluator_manifest import Capabilities, Maintainer
from agentevals.model.completeness import Fact

LEGACY = {
    "name": "contains",
    "description": "Whether the answer contains a text",
    "language": "python",
    "entrypoint": "contains.py",
    "tags": ["text"],
    "author": "agentevals-dev",
}
COMPLETE = {
    **LEGACY,
    "version": "1.0.0",
    "license": "Apache-2.0",
    "maintainers": [{"login": "octocat", "id": 583231}],
    "config_schema": {"type": "object"},
    "fixtures": "fixtures.yaml",
}


def fits_schema(value):
    return jsonschema.Draft202012Validator(manifest_schema.build()).is_valid(value)


def test_the_six_keys_of_the_predecessor_are_enough():
    found = evaluator_manifest.convert(LEGACY)

    assert evaluator_manifest.rate_level(found) == "legacy"
    assert evaluator_manifest.list_missing(found) == evaluator_manifest.COMPLETE
    assert fits_schema(LEGACY)


def test_a_complete_manifest_says_everything_and_may_do_nothing():
    found = evaluator_manifest.convert(COMPLETE)

    assert evaluator_manifest.rate_level(found) == "complete"
    assert found.maintainers == (Maintainer(login="octocat", id=583231),)
    assert found.capabilities == Capabilities()
    assert fits_schema(COMPLETE)


def test_keys_of_ones_own_are_left_alone_wherever_we_define_the_keys():
    own = {
        **COMPLETE,
        "x-team": 7,
        "maintainers": [{"login": "octocat", "id": 1, "x-team": 7}],
        "capabilities": {"x-why": "none"},
        "config_schema": {"x-order": 1},
    }

    assert evaluator_manifest.convert(own).config_schema == {"x-order": 1}
    assert fits_schema(own)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Contains"},
        {"name": "contains\n"},
        {"name": "a"},
        {"name": True},
        {"description": None},
        {"description": ""},
        {"description": "right \u202e left"},
        {"language": "cobol"},
        {"language": "Python"},
        {"entrypoint": 7},
        {"entrypoint": "."},
        {"entrypoint": "/etc/passwd"},
        {"entrypoint": "../contains/contains.py"},
        {"entrypoint": "contains.py\n"},
        {"tags": "text"},
        {"tags": ["Text"]},
        {"author": 42},
        {"author": "x\n  - name: contains\n    path: evil.py"},
        {"version": "1.0"},
        {"version": "01.0.0"},
        {"version": "1.0.0+build"},
        {"maintainers": [{"login": "octocat"}]},
        {"maintainers": [{"login": "octo cat", "id": 1}]},
        {"maintainers": [{"login": "octocat", "id": 0}]},
        {"runtime": {"python": "new"}},
        {"capabilities": {"network": ["https://example.com/"]}},
        {"capabilities": {"network": "all"}},
        {"config_schema": "../schema.json"},
        {"aliases": ["-x"]},
        {"nmae": "x"},
    ],
    ids=str,
)
def test_what_is_wrong_is_refused_by_the_code_and_by_the_schema_alike(wrong):
    with pytest.raises(msgspec.ValidationError):
        evaluator_manifest.convert({**COMPLETE, **wrong})

    assert not fits_schema({**COMPLETE, **wrong})


def test_the_definition_does_not_break_the_memory_of_the_process():
    program = "from agentevals.evaluator import evaluator_manifest as m; m.build_schema()\n" * 2
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONMALLOC": "debug"}, check=False
    )

    assert done.returncode == 0


def test_the_facts_that_an_evaluator_needs_are_those_of_a_turn():
    said = evaluator_manifest.convert({**LEGACY, "needs": [fact.value for fact in Fact]})

    assert said.needs == tuple(Fact)
    assert not fits_schema({**COMPLETE, "needs": ["tools"]})
    with pytest.raises(msgspec.ValidationError, match="tools"):
        evaluator_manifest.convert({**LEGACY, "needs": ["tools"]})
