"""Rules for every entry of a registry. To add one, write a module, then list it here.

A module has `RULE` and `check(entry, registry)`, which yields all that it finds and raises
nothing. Where a manifest does not fit its schema, `entry.manifest` is None, and
`entry.get_text(key)` still returns what can be read. `reading` has the rules of the strict reader.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol

from msgspec.structs import replace

from agentevals.model.plugins import Table
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_warning
from registry_tools.manifests.registry_folder import Registry
from registry_tools.rules import tombstones

_HOME = "registry_tools.rules"
_QUOTES = "ambiguous-scalar"
_OF_FEW_WORDS = {"license", "version"}  # of values that are no better in quotes
_UNCHANGED = "the other branch has it as it is here, so it does not fail this change"


class Check(Protocol):
    """The interface of a rule's module."""

    RULE: Rule

    def check(self, entry: Entry, registry: Registry) -> Iterator[Finding]: ...


RULES: Table[Check] = Table(
    "rule",
    {
        "manifest": f"{_HOME}.manifest",
        "encoding": f"{_HOME}.reading:ENCODING",
        "line-endings": f"{_HOME}.reading:LINE_ENDINGS",
        "yaml": f"{_HOME}.reading:YAML",
        "yaml-references": f"{_HOME}.reading:YAML_REFERENCES",
        "duplicate-key": f"{_HOME}.reading:DUPLICATE_KEY",
        "ambiguous-scalar": f"{_HOME}.reading:AMBIGUOUS_SCALAR",
        "comment-in-text": f"{_HOME}.comment_in_text",
        "schema": f"{_HOME}.schema",
        "name": f"{_HOME}.name",
        "name-taken": f"{_HOME}.name_taken",
        "similar-name": f"{_HOME}.similar_name",
        "description": f"{_HOME}.description",
        "tags": f"{_HOME}.tags",
        "entrypoint": f"{_HOME}.entrypoint",
        "files": f"{_HOME}.files",
        "syntax": f"{_HOME}.syntax",
        "requirements": f"{_HOME}.requirements",
        "runtime": f"{_HOME}.runtime",
        "version": f"{_HOME}.version",
        "license": f"{_HOME}.license",
        "maintainers": f"{_HOME}.maintainers",
        "config-schema": f"{_HOME}.config_schema",
        "capabilities": f"{_HOME}.capabilities",
        "fixtures": f"{_HOME}.fixtures",
        "lifecycle": f"{_HOME}.lifecycle",
        "placeholder": f"{_HOME}.placeholder",
        "complete": f"{_HOME}.complete",
        "tombstones": f"{_HOME}.tombstones",
    },
)


def check_registry(registry: Registry) -> list[Finding]:
    """Return everything that is wrong with the chosen entries, in the order of the files.

    What the other branch has as it is here is a warning: a slip there costs nobody else's change.
    """
    found = [finding for entry in registry.chosen for finding in _check_entry(entry, registry)]
    found += chain(_check_links(registry), _name_broken(registry))
    weighed = [weigh(finding, registry) for finding in found]
    return [*sort_findings(*weighed, *check_decisions(registry))]


def check_decisions(registry: Registry) -> Iterator[Finding]:
    """Yield what is wrong with the file of decisions; whoever names entries asks about those."""
    if registry.names is None:
        yield from (weigh(finding, registry) for finding in tombstones.check_file(registry))


def sort_findings(*findings: Finding) -> tuple[Finding, ...]:
    """Return findings in the order of the files."""
    return tuple(
        sorted(findings, key=lambda one: (one.entry, one.path, one.line or 0, one.column or 0))
    )


def weigh(finding: Finding, registry: Registry) -> Finding:
    """Return an error as a warning where the change has nothing to do with it."""
    is_error = finding.severity is Severity.ERROR
    if not is_error or not registry.stands_unchanged(finding.path, finding.entry):
        return finding
    return make_warning(replace(finding, message=f"{finding.message}; {_UNCHANGED}"))


def _check_entry(entry: Entry, registry: Registry) -> Iterator[Finding]:
    found = [one for name in RULES.ours for one in RULES[name].check(entry, registry)]
    wrong = {(one.line, one.column) for one in found if one.rule in _OF_FEW_WORDS}
    for one in found:
        if one.rule != _QUOTES or (one.line, one.column) not in wrong:
            yield one


def _check_links(registry: Registry) -> Iterator[Finding]:
    """Yield a finding for each link that stands where an entry should be."""
    message = "a symbolic link is not an entry: what it shows depends on the machine"
    for link in registry.links:
        fix, name = "put a copy of the folder there", link.rpartition("/")[2]
        if registry.names is None or name in registry.names:
            yield RULES["files"].RULE.report(message, link, fix=fix, entry=name)


def _name_broken(registry: Registry) -> Iterator[Finding]:
    """Yield the first error of each manifest that a change leaves as broken as it was."""
    chosen = {entry.name for entry in registry.chosen}
    for entry in registry.entries:
        if entry.manifest is None and entry.name not in chosen and registry.names is None:
            found = _check_entry(entry, registry)
            yield from islice((one for one in found if one.severity is Severity.ERROR), 1)
