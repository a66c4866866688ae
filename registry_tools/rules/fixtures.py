"""`fixtures`: the file of fixtures is there, and each says what goes in and what must come out."""

from collections.abc import Iterator
from typing import Any

from agentevals.documents.places import quoted
from agentevals.report import Severity
from registry_tools import paths, shape, strict
from registry_tools.entry import Entry
from registry_tools.finding import Finding, Rule
from registry_tools.registry import Registry

RULE = Rule(
    id="fixtures",
    severity=Severity.ERROR,
    title="Fixtures say what goes in and what must come out",
    why="They are run before an evaluator is accepted, twice, and again whenever it changes. What "
    "nobody expects anything of proves nothing, and NOT_EVALUATED counts only where it is "
    "expected.",
    bad="fixtures:\n  - name: polite\n    input: {invocations: []}",
    good="fixtures:\n  - name: polite\n    input:\n      invocations: [{user_content: Hi, "
    "final_response: Good day!}]\n    expect: {score: 1.0}",
)
_LARGEST = 1 << 20
_STATUS = ["PASSED", "FAILED", "NOT_EVALUATED"]
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["fixtures"],
    "properties": {
        "fixtures": {
            "type": "array",
            "maxItems": 200,
            "items": {
                "type": "object",
                "required": ["name", "input", "expect"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 100},
                    "config": {"type": "object"},
                    "input": {"type": "object"},
                    "expect": {
                        "type": "object",
                        "properties": {
                            "score": {"type": "number", "minimum": 0, "maximum": 1},
                            "tolerance": {"type": "number", "minimum": 0, "maximum": 1},
                            "status": {"enum": _STATUS},
                        },
                    },
                },
            },
        }
    },
}


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    path = entry.text("fixtures")
    if not path:
        return
    message, fix = paths.objection(entry, path)
    if message:
        yield entry.finding(RULE, f"'fixtures' {message}", entry.at("fixtures"), fix=fix)
        return
    document = strict.read(entry.bytes_of(path, _LARGEST + 1), _LARGEST)
    for fault in document.faults:
        yield entry.finding_in(path, RULE, fault.message, fault.extent, fix=fault.fix)
    for misfit in shape.misfits(document.value, _SCHEMA):
        at = document.extent(misfit.where, key=misfit.of_key)
        fix = f"did you mean {quoted(misfit.wanted)}?" if misfit.only else ""
        yield entry.finding_in(path, RULE, misfit.message.replace("manifest", "file"), at, fix=fix)
    yield from _meaningless(entry, path, document)


def _meaningless(entry: Entry, path: str, document: strict.Document) -> Iterator[Finding]:
    value = document.value
    listed = value.get("fixtures") if isinstance(value, dict) else None
    if listed == []:
        yield entry.finding_in(path, RULE, "there is no fixture in it", fix="write one")
    names: set[str] = set()
    for index, fixture in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(fixture, dict):
            continue
        name = fixture.get("name")
        if isinstance(name, str) and name in names:
            at = document.extent(("fixtures", index, "name"))
            message = f"a fixture called {quoted(name)} is there already"
            yield entry.finding_in(path, RULE, message, at, fix="give it another name")
        elif isinstance(name, str):
            names.add(name)
        expected = fixture.get("expect")
        if isinstance(expected, dict) and not {"score", "status"} & expected.keys():
            at = document.extent(("fixtures", index, "expect"), key=True)
            message = "the fixture expects neither a score nor a status"
            yield entry.finding_in(path, RULE, message, at, fix="add 'score: …' or 'status: …'")
