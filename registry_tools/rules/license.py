"""`license`: identifiers of SPDX, joined by AND, OR and WITH, so that programs know them too."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from agentevals.evaluator.manifest_schema import EXCEPTIONS, LICENSES, OUTDATED
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="license",
    severity=Severity.ERROR,
    title="A licence is an SPDX identifier",
    why=(
        "Without a licence, nobody may use the program. People and programs "
        "understand SPDX identifiers; join several with AND, OR and WITH."
    ),
    bad="license: Apache 2.0",
    good="license: Apache-2.0",
    mends="writes the identifier of SPDX",
)
_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")
_JOINS = {"AND", "OR", "WITH"}
_DEEPEST = 10
_USUAL = {
    "apache": "Apache-2.0", "apache2": "Apache-2.0", "apachelicense20": "Apache-2.0",
    "apachev2": "Apache-2.0", "bsd": "BSD-3-Clause", "bsd2": "BSD-2-Clause",
    "bsd3": "BSD-3-Clause", "mitlicense": "MIT", "mpl2": "MPL-2.0", "unlicence": "Unlicense",
}  # fmt: skip
_FAMILY = re.compile(
    r"(?:the|gnu)*([a-z]+?)(?:license|licence)?(?:version|ver|v)?([0-9]{1,2})(?:license|licence)?"
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    text = entry.get_text("license")
    if not text:
        return
    message, meant = check_license(text)
    if message:
        at = entry.locate("license")
        edit = entry.make_edit(meant, "license") if meant else None
        fix = f"write {meant}" if meant else "choose one from spdx.org/licenses"
        yield entry.report(RULE, message, at, fix=fix, edit=edit)


def check_license(text: str) -> tuple[str, str]:
    """Return what is wrong, and what to write instead where only one thing can be meant."""
    if text in LICENSES:
        return "", ""
    words = _TOKEN.findall(text)
    if len(words) == 1 or not _JOINS & {word.upper() for word in words}:
        return _check_identifier(text)
    for word in words:
        if word in {"(", ")"} or word in _JOINS or word in EXCEPTIONS:
            continue
        if word.upper() in _JOINS:
            return f"{quote(word)} must be in capitals", text.replace(word, word.upper())
        message, _ = _check_identifier(word)
        if message:
            return message, ""
    if not _is_expression(words):
        return f"{quote(text)} is not how licences are joined", ""
    return "", ""


def _check_identifier(name: str) -> tuple[str, str]:
    if name.removesuffix("+") in LICENSES:
        return "", ""
    if name in OUTDATED:
        newer = [f"{name.rstrip('+')}-only", f"{name.rstrip('+')}-or-later"]
        named = [one for one in newer if one in LICENSES]
        instead = f": write {' or '.join(named)}" if named else ""
        return f"{quote(name)} is outdated at SPDX{instead}", ""
    folded = _fold(name)
    same = [known for known in LICENSES if _fold(known) == folded]
    meant = same[0] if len(same) == 1 else _USUAL.get(folded, "")
    if meant:
        return f"SPDX writes {quote(meant)}, not {quote(name)}", meant
    near = _find_versions(name) or get_close_matches(name, LICENSES, n=1)
    hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
    return f"{quote(name)} is no licence that SPDX knows{hint}", ""


def _find_versions(name: str) -> list[str]:
    """Return the licences that have the letters of a name like GPLv3, and its version."""
    said = _FAMILY.fullmatch(_fold(name))
    if said is None:
        return []
    begins = re.compile(rf"{said[1]}-{'.'.join(said[2])}(\.0)?(-only|-or-later)?", re.IGNORECASE)
    return sorted(filter(begins.fullmatch, LICENSES))


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_expression(words: list[str]) -> bool:
    """Return whether names and joins take turns, and brackets are closed."""
    depth, wants_name, last = 0, True, ""
    for word in words:
        if word == "(" or (word not in _JOINS and word != ")"):
            if not wants_name or (last == "WITH") != (word in EXCEPTIONS):
                return False
            depth += word == "("
            wants_name = word == "("
        else:
            depth -= word == ")"
            if wants_name or depth < 0:
                return False
            wants_name = word != ")"
        if depth > _DEEPEST:
            return False
        last = word
    return depth == 0 and not wants_name
