"""`schema`: the manifest fits its JSON Schema; each misfit is described in words, with its path."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from agentevals.evaluator import evaluator_manifest as manifests
from agentevals.model.errors import Edit
from agentevals.model.results import Severity
from registry_tools.manifests import schema_misfits
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Misfit, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="schema",
    severity=Severity.ERROR,
    title="A manifest fits its schema",
    why=(
        "Programs ignore an unknown key, and most unknown keys are misspelt. Keys"
        " that begin with `x-` are your own. `agentevals registry validate "
        "--schema` prints the schema for your editor."
    ),
    bad="name: politeness\ndescripton: Is it polite?\nlanguage: Python\nentrypoint: main.py\n"
    "tags: text",
    good="name: politeness\ndescription: Is it polite?\nlanguage: python\nentrypoint: main.py\n"
    "tags: [text]",
    mends="corrects a word that can only have been meant as one other, and writes missing quotes "
    "and brackets",
)
# what rules of their own say better
_ELSEWHERE = {
    (key,) for key in ("name", "license", "entrypoint", "requirements", "fixtures", "config_schema")
}


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if entry.manifest is not None or entry.unreadable:
        return
    for misfit in find_misfits(entry.document.value):
        if not _has_its_own_rule(entry, misfit):
            yield _make_finding(entry, misfit)


def _has_its_own_rule(entry: Entry, misfit: Misfit) -> bool:
    """Return whether another rule reports it, with better advice; none does for an empty text."""
    if misfit.where == ("version",):
        return misfit.rule != "required"
    if misfit.rule != "pattern" or misfit.where not in _ELSEWHERE:
        return False
    return bool(entry.get_text(str(misfit.where[0])))


def _make_finding(entry: Entry, misfit: Misfit) -> Finding:
    at = entry.document.locate(misfit.where, key=misfit.of_key)
    fix, text = schema_misfits.advise(entry.document, misfit)
    edit = Edit(at.start, at.end, text) if text else None
    return entry.report(RULE, misfit.message, at, fix=fix, edit=edit)


def find_misfits(manifest: Any) -> Iterator[Misfit]:
    """Yield all in which a manifest does not fit its own schema, in the order of the file."""
    yield from schema_misfits.find_misfits(manifest, _build_schema())


@cache
def _build_schema() -> dict[str, Any]:
    return manifests.build_schema()
