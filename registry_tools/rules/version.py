"""`version`: three numbers, as semver has them."""

import re
from collections.abc import Iterator

from agentevals.evaluator.evaluator_manifest import VERSION, WORDS
from agentevals.files.document_places import describe
from agentevals.files.yaml_strict import UNREAD
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="version",
    severity=Severity.ERROR,
    title="A version has three numbers, as in semver",
    why=(
        "A user of `politeness@^1.2` relies on the meaning of the numbers. "
        "Without quotes, `1.10` is the number 1.1. Build metadata (`+…`) is not "
        "allowed, because it does not order versions."
    ),
    bad="version: 1.10",
    good="version: 1.10.0",
    mends="writes three numbers",
)
_NUMBERS = re.compile(r"[vV]?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?")
_LONGEST = 100


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    value = entry.values.get("version")
    if value is UNREAD or (value is None and "version" not in entry.values):
        return
    fits = isinstance(value, str) and len(value) <= _LONGEST and re.match(VERSION, value)
    if fits:
        return
    message = f"'version' must be {WORDS[VERSION]}, not {describe(value)}"
    at = entry.locate("version")
    found = _NUMBERS.fullmatch(entry.document.get_source(("version",)).strip("\"'"))
    if found is None:
        yield entry.report(RULE, message, at, fix="write 1.0.0 where it is the first")
        return
    meant = ".".join(str(int(number or 0)) for number in found.groups())
    edit = entry.make_edit(meant, "version")
    yield entry.report(RULE, message, at, fix=f"write {meant}", edit=edit)
