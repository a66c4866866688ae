"""`tags`: words that others use too, each once, in order."""

from collections.abc import Iterator
from difflib import get_close_matches

from agentevals.evaluator.evaluator_names import fold
from agentevals.evaluator.manifest_schema import TAGS
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_note
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="tags",
    severity=Severity.WARNING,
    title="Tags have the usual spelling, without duplicates, in order",
    why=(
        "Tags help people to find similar evaluators. With two spellings of one "
        "word, they find only a part."
    ),
    bad="tags: [tools, Tool-Use, tools]",
    good="tags: [tool-use, tools]",
    mends="writes the usual spelling, and the usual order",
)
_SHORTEST = 5  # letters of a word of which another can be a misspelling
_NEAR = 0.85


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    tags = entry.manifest.tags if entry.manifest else ()
    for index, tag in enumerate(tags):
        at = entry.locate("tags", index)
        if tag in tags[:index]:
            yield entry.report(RULE, f"the tag {quote(tag)} is here twice", at, fix="remove one")
        elif usual := _find_usual(tag, registry):
            message = f"the tag {quote(tag)} is elsewhere spelled {quote(usual)}"
            edit = entry.make_edit(usual, "tags", index)
            yield entry.report(RULE, message, at, fix=f"write {usual}", edit=edit)
    if list(tags) != sorted(tags) and not entry.is_legacy:
        yield make_note(_blame_order(entry, tags))


def _find_usual(tag: str, registry: Registry) -> str:
    """The usual spelling, where this is another one; a plural is a word of its own."""
    if tag in TAGS:
        return ""
    same = [other for other in (*TAGS, *registry.tags) if fold(other) == fold(tag)]
    best = min(same, key=lambda other: (other not in TAGS, -registry.tags[other], other))
    if best != tag:
        return best
    if len(tag) < _SHORTEST or registry.tags[tag] > 1:
        return ""
    near = get_close_matches(tag, TAGS, n=1, cutoff=_NEAR)
    return near[0] if near and f"{near[0]}s" != tag and near[0] != f"{tag}s" else ""


def _blame_order(entry: Entry, tags: tuple[str, ...]) -> Finding:
    at = entry.locate("tags")
    ordered = f"[{', '.join(sorted(dict.fromkeys(tags)))}]"
    written = entry.document.get_source(("tags",))
    simple = written == f"[{', '.join(tags)}]"
    edit = entry.make_edit(ordered, "tags") if simple else None
    return entry.report(RULE, "the tags are not in order", at, fix=f"write {ordered}", edit=edit)
