"""`schema`: the manifest fits its JSON Schema."""

from collections.abc import Iterator

from agentevals.files.places import quote
from agentevals.model.errors import Edit
from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Misfit, Rule
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators import shape

RULE = Rule(
    id="schema",
    severity=Severity.ERROR,
    title="A manifest fits its schema",
    why="A key that nobody knows is a key that nobody reads: most of them are misspelt. Keys that "
    "begin with `x-` are yours. `agentevals registry validate --schema` prints the schema for "
    "your editor.",
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
    for misfit in shape.find_misfits(entry.document.value):
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
    fix, text = _advise(entry, misfit)
    edit = Edit(at.start, at.end, text) if text else None
    return entry.report(RULE, misfit.message, at, fix=fix, edit=edit)


def _advise(entry: Entry, misfit: Misfit) -> tuple[str, str]:
    """Return what to do, and the text to put there where only one can be meant."""
    if misfit.rule == "required":
        return f"add '{misfit.wanted}: …'", ""
    if misfit.wanted:
        return f"did you mean {quote(misfit.wanted)}?", misfit.wanted if misfit.only else ""
    if misfit.rule == "additionalProperties":
        return "remove it, or begin it with 'x-' to keep it for yourself", ""
    if misfit.rule == "type":
        return _correct_type(entry, misfit)
    return "", ""


def _correct_type(entry: Entry, misfit: Misfit) -> tuple[str, str]:
    written = entry.document.get_source(misfit.where)
    if "must be text" in misfit.message and written[:1] not in {"", "[", "{"}:
        if written in {"~", "null", "Null", "NULL"}:
            return "write a text, or remove the key", ""
        return f'write "{written}"', f'"{written}"'
    if "must be a list" in misfit.message and written and ":" not in written:
        return f"write [{written}]", f"[{written}]"
    return "write a value, or remove the key" if not written else "", ""
