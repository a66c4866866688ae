"""`runtime`: versions of the interpreter that runs the program, and of no other."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="runtime",
    severity=Severity.WARNING,
    title="The runtime is that of the language",
    why="Versions of an interpreter that never starts the program say nothing to anybody, and the "
    "ones that matter are missing.",
    bad='language: javascript\nruntime: {python: ">=3.11"}',
    good='language: javascript\nruntime: {node: ">=20"}',
)
_INTERPRETERS = {"python": "python", "javascript": "node", "typescript": "node"}


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if entry.manifest is None:
        return
    runs = _INTERPRETERS[entry.manifest.language]
    for key in ("python", "node"):
        if key != runs and getattr(entry.manifest.runtime, key):
            message = f"'runtime.{key}' says nothing about a {entry.manifest.language} program"
            yield entry.report(RULE, message, entry.locate_key("runtime", key), fix=f"write {runs}")
