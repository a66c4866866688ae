"""Registries of evaluators: what is right, what got better, and what is wrong with entries."""

from tests.frozen.inputs import DATA
from tests.frozen.place import Content, Files


def legacy() -> Files:
    """Entries from before manifests had versions."""
    folder = DATA / "registries/legacy/evaluators"
    return {f"evaluators/{name}": folder / name for name in ("contains", "is_json", "bertscore")}


MANIFEST = """\
name: politeness
description: Whether the answer is fine
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
_JUDGE = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    return EvalResult(score=1.0)


if __name__ == "__main__":
    judge.run()
"""
_FIXTURES = """\
fixtures:
  - name: polite
    input: {invocations: [{user_content: Hi, final_response: Good day!}]}
    expect: {score: 1.0}
"""


def entry(name: str, **changed: str | None) -> dict[str, Content]:
    """An evaluator of a registry; `__` in the name of a file is its dot."""
    files = {"evaluator.yaml": MANIFEST, "politeness.py": _JUDGE, "fixtures.yaml": _FIXTURES}
    changed = {key.replace("__", "."): text for key, text in changed.items()}
    return {
        f"evaluators/{name}/{file.replace('politeness', name)}": text.replace("politeness", name)
        for file, text in {**files, **changed}.items()
        if text is not None
    }


REMOTE = """\
evaluators:
  - {name: politeness, type: remote, ref: politeness@^1.0, config: {words: [please]}}
"""
REGISTRY: Files = {**entry("politeness"), **entry("rude")}
BETTER: Files = {
    **entry("politeness", evaluator__yaml=MANIFEST.replace("fine", "better")),
    **entry("kind", evaluator__yaml=MANIFEST.replace("1.0.0", "0.1.0")),
}
BAD_ENTRIES: Files = {
    **entry("politeness", fixtures__yaml=_FIXTURES.replace("score: 1.0", "score: 0.5")),
    **entry("unpolite", evaluator__yaml=MANIFEST.replace("language", "langauge")),
    **entry("shouting", politeness__py="def judge(:\n"),
    **entry("lost", politeness__py=None),
    **entry("tabs", evaluator__yaml="name: tabs\n\tdescription: x\n"),
    **entry(
        "loose",
        evaluator__yaml=MANIFEST.replace("1.0.0", "1").replace("Apache-2.0", "Apache2")
        + "capabilities: {network: maybe}\nname: twice\n",
    ),
}
