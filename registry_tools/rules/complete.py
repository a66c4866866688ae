"""`complete`: a manifest says all that we ask for, and not only the predecessor's six keys."""

from collections.abc import Iterator

from agentevals.evaluator import evaluator_manifest as manifests
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="complete",
    severity=Severity.NOTE,
    title=("A manifest has a version, a licence, maintainers, fixtures and a config schema"),
    why=(
        "The six keys of agentevals-cli are enough for the index and for a run. "
        "Users also need a version to pin, and a licence to use the program. They"
        " need fixtures to try it, and a schema to check their config. `--level "
        "complete` makes this an error."
    ),
    bad="name: politeness\ndescription: Is it polite?\nlanguage: python\nentrypoint: main.py",
    good="name: politeness\ndescription: Is it polite?\nlanguage: python\nentrypoint: main.py\n"
    "version: 1.0.0\nlicense: Apache-2.0\nmaintainers: [{login: octocat, id: 583231}]\n"
    "config_schema: {type: object, additionalProperties: false}\nfixtures: fixtures.yaml",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    missing = manifests.list_missing(entry.manifest) if entry.manifest else ()
    if missing:
        level = "legacy" if entry.is_legacy else "incomplete"
        message = f"{level}: the manifest says nothing about {', '.join(missing)}"
        yield entry.report(RULE, message, fix="docs/rules/complete.md shows how to say it")
