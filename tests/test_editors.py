"""What editors, pre-commit and SchemaStore take from this repository."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from agentevals.cli import schemas
from agentevals.model import project_links
from tests.support import DATA, DOCS

ROOT = DOCS.parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ENTRIES = json.loads((DOCS / "schemas/schemastore.json").read_text(encoding="utf-8"))
FENCED = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = [
    pytest.param(text, id=f"{page.stem}-{at}")
    for page in sorted(DOCS.rglob("*.md"))
    for at, text in enumerate(FENCED.findall(page.read_text(encoding="utf-8")))
    if "\ntests:" in text
]
FILES = [
    pytest.param(path.read_text(encoding="utf-8"), id=str(path.relative_to(DATA)))
    for path in sorted((DATA / "configs/agentv/accepted").rglob("EVAL.yaml"))
]


@pytest.fixture(scope="module")
def checker():
    """The schema of EVAL files, with the one of configs beside it."""
    config = json.loads(schemas.path("eval_config").read_text(encoding="utf-8"))
    beside = Registry().with_resource("eval_config.schema.json", Resource.from_contents(config))
    own = json.loads(schemas.path("eval_file").read_text(encoding="utf-8"))
    return Draft202012Validator(own, registry=beside)


@pytest.mark.parametrize("text", [*SHOWN, *FILES])
def test_an_eval_file_fits_its_schema(checker, text):
    assert [each.message for each in checker.iter_errors(yaml.load(text, yaml.CSafeLoader))] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tests: [{id: a, inptu: Hello}]", "inptu"),
        ("name: x", "is not valid under any"),
        ("tests: [{id: a}]\ntreshold: 0.5", "treshold"),
        ("tests: [{id: a, threshold: 2}]", "not valid"),
    ],
)
def test_an_editor_marks_a_mistake(checker, text, said):
    found = [each.message for each in checker.iter_errors(yaml.load(text, yaml.CSafeLoader))]

    assert any(said in message for message in found)


@pytest.mark.parametrize("hook", HOOKS, ids=[hook["id"] for hook in HOOKS])
def test_a_hook_of_pre_commit_is_a_command_that_exists(hook):
    command = [sys.executable, "-m", *shlex.split(hook["entry"]), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()


def test_the_hook_of_configs_matches_the_names_of_configs():
    files = re.compile(HOOKS[0]["files"])

    for name in ("eval_config.yaml", "evals/eval_config.yml", "a/EVAL.yaml", "x.eval.yaml"):
        assert files.search(name)
    assert not files.search("config.yaml")


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_an_entry_of_schemastore_names_a_schema_of_this_repository(entry):
    place = entry["url"].partition(f"{project_links.NAME}/main/")[2]

    assert Draft202012Validator.check_schema(json.loads((ROOT / place).read_text())) is None
    assert entry["fileMatch"]


def test_every_schema_that_people_write_files_by_has_an_entry():
    written = {"eval_config", "eval_file", "evaluator"}

    assert {re.split(r"[.-]", Path(entry["url"]).name)[0] for entry in ENTRIES} == written
