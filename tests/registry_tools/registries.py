"""Registries for tests: an evaluator that nothing is wrong with, and what somebody did to it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from registry_tools import rules
from registry_tools.manifests import registry_folder
from registry_tools.manifests.registry_finding import Finding

MANIFEST = """\
name: politeness
description: Whether the answer is polite
language: python
entrypoint: politeness.py
tags: [answer, text]
author: octocat
version: 1.0.0
license: Apache-2.0
maintainers:
  - login: octocat
    id: 583231
config_schema:
  type: object
  properties:
    words: {type: array, items: {type: string}}
  additionalProperties: false
fixtures: fixtures.yaml
"""
PROGRAM = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    return EvalResult(score=1.0)


if __name__ == "__main__":
    judge.run()
"""
FIXTURES = """\
fixtures:
  - name: polite
    input: {invocations: [{user_content: Hi, final_response: Good day!}]}
    expect: {score: 1.0}
"""
LEGACY = """\
name: {name}
description: {description}
language: python
entrypoint: {name}.py
tags: [{tags}]
author: agentevals-dev
"""

_SETTINGS = (
    *("user.name=Test", "user.email=test@example.com"),
    # two dozen files of examples in every repository, and a process that looks after each commit
    *("init.templateDir=", "maintenance.auto=false", "gc.auto=0"),
)

Content = str | bytes
Files = Mapping[str, Content | None]


def write_hook(folder: Path, name: str, script: str) -> None:
    """Give a repository a hook; `folder` is its git directory."""
    hook = folder / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}")
    hook.chmod(0o755)


def write(root: Path, name: str = "politeness", files: Files | None = None) -> Path:
    """An entry; `files` are added to what is right, or stand in its place. None takes one away."""
    folder = root / "evaluators" / name
    whole: dict[str, Content | None] = {
        "evaluator.yaml": MANIFEST.replace("politeness", name),
        f"{name}.py": PROGRAM,
        "fixtures.yaml": FIXTURES,
        **(files or {}),
    }
    for path, content in whole.items():
        if content is not None:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def changed(old: str, new: str, text: str = MANIFEST) -> str:
    """The right manifest with one thing changed."""
    assert old in text, f"{old!r} is not in it"

    return text.replace(old, new, 1)


def findings(root: Path) -> list[Finding]:
    """Everything that the rules say."""
    return rules.check_registry(registry_folder.read(root))


def places(found: list[Finding]) -> list[tuple[str, int | None, int | None]]:
    """Which rule, and where."""
    return [(one.rule, one.line, one.column) for one in found]


def of_manifest(root: Path, text: Content, files: Files | None = None) -> list[Finding]:
    """What is said about an entry with this manifest."""
    write(root, files={"evaluator.yaml": text, **(files or {})})
    return findings(root)


def repository(root: Path) -> None:
    """A git repository on the branch `main`, with all that is there committed."""
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root)


def commit(root: Path) -> None:
    """All that is there."""
    git(root, "add", "--all")
    git(root, "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", "change")


def git(root: Path, *words: str) -> str:
    """What git says, with settings that do not depend on the machine."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    done = subprocess.run(["git", *settings, *words], cwd=root, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()
