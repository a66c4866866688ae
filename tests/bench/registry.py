"""`python -m tests.bench.registry`: our check of 1,000 manifests beside check-jsonschema's."""

import itertools
import shutil
import sys
import tempfile
from pathlib import Path

from agentevals.cli import schemas
from tests.bench.measure import Measured, measure

OURS = Path(sys.executable).with_name("agentevals")
THEIRS = Path(sys.executable).with_name("check-jsonschema")
WANTED = 5.0

_WORDS = [
    "answer",
    "budget",
    "citation",
    "coverage",
    "detail",
    "estimate",
    "figure",
    "grammar",
    "history",
    "insight",
    "journey",
    "knowledge",
    "language",
    "memory",
    "number",
    "outline",
    "phrase",
    "question",
    "reason",
    "summary",
]
_MANIFEST = """\
# yaml-language-server: $schema=evaluator.schema.json
name: {name}
description: "Whether the answer says what was asked for, word by word"
language: python
entrypoint: {name}.py
tags: [answer, deterministic, text]
author: Example
version: 1.{number}.0
license: Apache-2.0
maintainers:
  - login: octocat
    id: 583231
runtime:
  python: ">=3.11"
config_schema:
  type: object
  properties:
    needle: {{type: string, minLength: 1}}
    ignore_case: {{type: boolean, default: true}}
  required: [needle]
  additionalProperties: false
capabilities:
  network: []
  environment: []
fixtures: fixtures.yaml
deterministic: true
"""
_PROGRAM = """\
from agentevals_evaluator_sdk import evaluator


@evaluator
def {name}(input):
    return {{"score": float(input.config["needle"] in input.invocations[-1].final_response)}}


{name}.run()
"""
_FIXTURES = """\
fixtures:
  - name: says_it
    config: {needle: Paris}
    input: {invocations: [{user_content: Where?, final_response: In Paris}]}
    expect: {score: 1.0, status: PASSED}
"""


def write(root: Path, count: int) -> None:
    """A registry of so many complete entries, of names that are not near each other."""
    words = itertools.islice(itertools.product(_WORDS, repeat=3), 0, None, 7)
    for number, parts in enumerate(itertools.islice(words, count)):
        name = "_".join(parts)
        folder = root / "evaluators" / name
        folder.mkdir(parents=True)
        (folder / "evaluator.yaml").write_text(_MANIFEST.format(name=name, number=number))
        (folder / f"{name}.py").write_text(_PROGRAM.format(name=name))
        (folder / "fixtures.yaml").write_text(_FIXTURES)


def both(root: Path) -> tuple[Measured, Measured]:
    """Theirs, then ours, on the same files and the same schema."""
    shutil.copyfile(schemas.path("evaluator"), root / "evaluator.schema.json")
    manifests = sorted(root.glob("evaluators/*/evaluator.yaml"))
    schema = root / "evaluator.schema.json"
    theirs = measure([THEIRS, "--schemafile", schema, *manifests], cwd=root, repeat=3)
    return theirs, measure([OURS, "registry", "validate", "--no-smoke"], cwd=root, repeat=5)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), 1_000)
        theirs, ours = both(Path(folder))
    ratio = theirs.seconds / ours.seconds
    print(f"check-jsonschema {theirs.seconds:.2f} s, ours {ours.seconds:.2f} s: {ratio:.1f} x")
    return 0 if ratio >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
