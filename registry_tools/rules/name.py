"""`name`: a name that people, file systems and programs can use, the same as the folder's."""

import re
import unicodedata
from collections.abc import Iterator

from agentevals.evaluator.evaluator_manifest import NAME, WORDS
from agentevals.evaluator.evaluator_names import is_reserved
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="name",
    severity=Severity.ERROR,
    title="A name is the name of the folder, in lower case, and not reserved",
    why=(
        "People find an evaluator by its name, and programs by its folder, so "
        "both must be the same. Some names cannot be a folder on Windows, and "
        "some have a meaning in Python or in a config. Names of builtin "
        "evaluators are reserved."
    ),
    bad="# evaluators/politeness/evaluator.yaml\nname: Polite Answers",
    good="# evaluators/politeness/evaluator.yaml\nname: politeness",
    mends="writes the folder's name",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    name = entry.get_text("name")
    if not name:
        return
    at = entry.locate("name")
    if not re.match(NAME, name):
        message = f"'name' must be {WORDS[NAME]}, not {quote(name)}{_name_letter(name)}"
        yield entry.report(RULE, message, at, fix=_suggest(name))
    elif is_reserved(name):
        message = f"the name {quote(name)} is reserved"
        yield entry.report(RULE, message, at, fix="choose another, and rename the folder")
    if name != entry.name:
        yield _blame_folder(entry, name)
    names = (other for other in entry.manifest.aliases) if entry.manifest else ()
    for index, alias in enumerate(names):
        if is_reserved(alias):
            message = f"the name {quote(alias)} is reserved"
            yield entry.report(RULE, message, entry.locate("aliases", index), fix="remove it")


def _blame_folder(entry: Entry, name: str) -> Finding:
    message = f"the name {quote(name)} is not that of its folder, {quote(entry.name)}"
    if not re.match(NAME, entry.name):
        return entry.report(RULE, message, entry.locate("name"), fix="rename the folder")
    edit = entry.make_edit(entry.name, "name")
    return entry.report(RULE, message, entry.locate("name"), fix=f"write {entry.name}", edit=edit)


def _suggest(name: str) -> str:
    if not name.isascii():
        return "type it anew, with letters from a to z"
    near = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").lstrip("0123456789_")
    return f"write {near}" if near and not is_reserved(near) else "choose another"


def _name_letter(name: str) -> str:
    """Name the first letter that only looks like one from a to z, or is none."""
    found = next(((at, char) for at, char in enumerate(name, 1) if not char.isascii()), None)
    if found is None:
        return ""
    at, char = found
    called = unicodedata.name(char, "without a name").lower()
    return f"; its letter no. {at} is U+{ord(char):04X}, {called}"
