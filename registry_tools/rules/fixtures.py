"""`fixtures`: the file of fixtures is there, and each says what goes in and what must come out."""

from collections.abc import Iterator
from importlib import import_module

from agentevals.report import Severity
from registry_tools import paths
from registry_tools.entry import Entry
from registry_tools.finding import Finding, Rule
from registry_tools.places import Extent
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
_FILE = "fixtures.yaml"  # is read where it lies, whether or not a manifest names it
_LARGEST = 1 << 20


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    path = entry.text("fixtures")
    if path:
        message, fix = paths.objection(entry, path)
        if message:
            yield entry.finding(RULE, f"'fixtures' {message}", entry.at("fixtures"), fix=fix)
            return
    elif _FILE in entry.files:
        path = _FILE
    else:
        return
    # its model costs a start that a registry without fixtures need not wait for
    reader = import_module("registry_tools.smoke.fixtures")
    for problem in reader.read(entry.bytes_of(path, _LARGEST + 1), path).problems:
        line, column = problem.line or 1, problem.column or 1
        at = Extent(line, column, line, column)
        yield entry.finding_in(path, RULE, problem.message, at)
