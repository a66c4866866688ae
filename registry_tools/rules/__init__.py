"""Rules for every entry of a registry. To add one, write a module, then list it here.

A module has `RULE` and `check(entry, registry)`, which yields all that it finds and raises
nothing. Where a manifest does not fit its schema, `entry.manifest` is None, and
`entry.get_text(key)` still returns what can be read. `reading` has the rules of the strict reader.
"""

from collections.abc import Iterator
from typing import Protocol

from agentevals.model.plugins import Table
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

_HOME = "registry_tools.rules"


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
        "complete": f"{_HOME}.complete",
    },
)


def check_registry(registry: Registry) -> list[Finding]:
    """Return everything that is wrong with the chosen entries, in the order of the files."""
    checks = [RULES[name] for name in RULES.ours]
    found = [
        finding
        for entry in registry.chosen
        for check in checks
        for finding in check.check(entry, registry)
    ]
    return [*sort_findings(*_check_links(registry), *found)]


def sort_findings(*findings: Finding) -> tuple[Finding, ...]:
    """Return findings in the order of the files."""
    return tuple(
        sorted(findings, key=lambda one: (one.entry, one.path, one.line or 0, one.column or 0))
    )


def _check_links(registry: Registry) -> Iterator[Finding]:
    """Yield a finding for each link that stands where an entry should be."""
    message = "a symbolic link is not an entry: what it shows depends on the machine"
    for link in registry.links:
        fix, name = "put a copy of the folder there", link.rpartition("/")[2]
        yield RULES["files"].RULE.report(message, link, fix=fix, entry=name)
