"""`lifecycle`: what replaces what, what is called how, and what must not be used any more."""

from collections.abc import Iterator
from difflib import get_close_matches

from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="lifecycle",
    severity=Severity.ERROR,
    title="A replaced evaluator has a reason and a usable replacement",
    why=(
        "Users follow the name of the replacement. It must lead to a usable "
        "evaluator, and not back to the first one."
    ),
    bad="name: polite\nreplaced_by: politness",
    good="name: polite\ndeprecated: judges English only\nreplaced_by: politeness",
)


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    manifest = entry.manifest
    if manifest is None:
        return
    if manifest.replaced_by:
        yield from _check_replacement(entry, registry, manifest.replaced_by)
    for index, alias in enumerate(manifest.aliases):
        if alias in (entry.name, *manifest.aliases[:index]):
            message = f"the alias {quote(alias)} is the evaluator's name already"
            yield entry.report(RULE, message, entry.locate("aliases", index), fix="remove it")


def _check_replacement(entry: Entry, registry: Registry, name: str) -> Iterator[Finding]:
    at = entry.locate("replaced_by")
    if entry.manifest and not (entry.manifest.deprecated or entry.manifest.yanked):
        message = "'replaced_by' without 'deprecated': nobody is told why"
        fix = "add 'deprecated: …' with the reason"
        yield entry.report(RULE, message, entry.locate_key("replaced_by"), fix=fix)
    if name == entry.name:
        yield entry.report(RULE, "an evaluator cannot replace itself", at, fix="remove it")
        return
    other = registry.by_name.get(name)
    if other is None:
        near = get_close_matches(name, [one for one in registry.by_name if one != entry.name], n=1)
        fix = f"did you mean {quote(near[0])}?" if near else "name an evaluator of this registry"
        yield entry.report(RULE, f"there is no evaluator {quote(name)}", at, fix=fix)
    elif other.manifest and (other.manifest.deprecated or other.manifest.yanked):
        message = f"{quote(name)} is itself not to be used any more"
        fix = f"name what replaces it: {other.manifest.replaced_by}"
        yield entry.report(RULE, message, at, fix=fix if other.manifest.replaced_by else "")
