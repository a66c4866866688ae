"""`entrypoint`: the program that a manifest names is in its folder, and in its language."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from agentevals.evaluator.evaluator_manifest import LANGUAGES
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests import manifest_paths
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="entrypoint",
    severity=Severity.ERROR,
    title="The entrypoint is a program in this folder, in the language of the manifest",
    why=(
        "A path outside of the folder names a different file on each machine. If "
        "the language in the manifest is wrong, the wrong interpreter starts the "
        "program."
    ),
    bad="language: python\nentrypoint: ../../scripts/main.js",
    good="language: python\nentrypoint: main.py",
    mends="writes the language of the program",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    path = entry.get_text("entrypoint")
    if not path:
        return
    if wrong := manifest_paths.report_path(entry, RULE, "entrypoint"):
        yield wrong
        return
    language, suffix = entry.get_text("language"), PurePosixPath(path).suffix
    wanted = LANGUAGES.get(language)
    if wanted and suffix not in wanted:
        yield _blame_language(entry, path, language)
    elif not entry.read_bytes(path, 1):
        yield entry.report_in(path, RULE, "the program is empty", fix="write it")


def _blame_language(entry: Entry, path: str, language: str) -> Finding:
    suffix = PurePosixPath(path).suffix
    meant = [name for name, suffixes in LANGUAGES.items() if suffix in suffixes]
    if meant:
        at = entry.locate("language")
        message = f"{quote(path)} is no {language} program, but a {meant[0]} one"
        edit = entry.make_edit(meant[0], "language")
        return entry.report(RULE, message, at, fix=f"write {meant[0]}", edit=edit)
    endings = " or ".join(LANGUAGES[language])
    message = f"{quote(path)} is no {language} program: its name does not end in {endings}"
    return entry.report(RULE, message, entry.locate("entrypoint"), fix="rename the program")
