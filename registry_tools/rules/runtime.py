"""`runtime`: versions of the interpreter that runs the program, and of no other."""

from collections.abc import Iterator

from agentevals.evaluator.evaluator_names import Range
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="runtime",
    severity=Severity.WARNING,
    title="The runtime fits the language, in versions that exist",
    why=(
        "Versions of another interpreter have no effect, and the needed versions "
        "are missing. Versions that do not exist, such as `>=3.30` or `>=3.12, "
        "<3.11`, are a mistake."
    ),
    bad='language: javascript\nruntime: {python: ">=3.11"}',
    good='language: javascript\nruntime: {node: ">=20"}',
)
_INTERPRETERS = {"python": "python", "javascript": "node", "typescript": "node"}
# what was released, and some years of what will be
_RELEASES = {"python": ">=3, <3.20", "node": ">=10, <40"}


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if entry.manifest is None:
        return
    runs = _INTERPRETERS[entry.manifest.language]
    for key in ("python", "node"):
        if key != runs and getattr(entry.manifest.runtime, key):
            message = f"'runtime.{key}' says nothing about a {entry.manifest.language} program"
            yield entry.report(RULE, message, entry.locate_key("runtime", key), fix=f"write {runs}")
    wanted = getattr(entry.manifest.runtime, runs)
    if wanted and not _exists(runs, wanted):
        message = f"no {runs} is {quote(wanted)}"
        tried = ">=3.11" if runs == "python" else ">=22.18"
        fix = f"write the versions that you tried, such as '{tried}'"
        yield entry.report(RULE, message, entry.locate("runtime", runs), fix=fix)


def _exists(interpreter: str, wanted: str) -> bool:
    """Return whether a release can be in the range; what `!=` excludes is never all of it."""
    terms = [term.strip() for term in f"{wanted}, {_RELEASES[interpreter]}".split(",")]
    said = ",".join(term for term in terms if not term.startswith("!="))
    try:
        bounds = Range.parse(said.replace("==", "=").replace("~=", ">=")).bounds
    except ValueError:  # a number that begins with 0
        return False
    return max(low for low, _ in bounds) < min(high for _, high in bounds if high)
