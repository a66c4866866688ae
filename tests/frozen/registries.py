"""Registries of evaluators: what is right, what got better, and what is wrong with entries."""

from tests.frozen.inputs import DATA
from tests.frozen.place import Content, Files
from tests.registry_tools import registries


def legacy() -> Files:
    """Entries from before manifests had versions."""
    folder = DATA / "registries/legacy/evaluators"
    return {f"evaluators/{name}": folder / name for name in ("contains", "is_json", "bertscore")}


MANIFEST = registries.MANIFEST.replace("is polite", "is fine")


def entry(name: str, **changed: str | None) -> dict[str, Content]:
    """An evaluator of a registry; `__` in the name of a file is its dot."""
    files = {
        "evaluator.yaml": MANIFEST,
        "politeness.py": registries.PROGRAM,
        "fixtures.yaml": registries.FIXTURES,
    }
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
    **entry("politeness", fixtures__yaml=registries.FIXTURES.replace("score: 1.0", "score: 0.5")),
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
