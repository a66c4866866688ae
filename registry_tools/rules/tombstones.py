"""`tombstones`: the file of decisions can be read, and fits the folders beside it."""

from collections.abc import Iterator
from functools import lru_cache

from agentevals.files.document_places import quote
from agentevals.model.errors import Extent, Problem
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry
from registry_tools.manifests.registry_tombstones import FILE, REMOVED, parse, read_folder

RULE = Rule(
    id="tombstones",
    severity=Severity.ERROR,
    title="Decisions about published evaluators can be read",
    why=(
        "`evaluators/.tombstones.yaml` lists removed, withdrawn and transferred "
        "evaluators. If a decision cannot be read, the index keeps its last "
        "state, and the publishing job names the line until you correct it. The "
        "commands `agentevals registry yank`, `remove`, `restore`, `transfer` and"
        " `rename` write the file."
    ),
    bad='yanked:\n  politeness: {"1.1.0": n}',
    good='yanked:\n  politeness: {"1.1.0": it crashed on empty answers}',
)


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    at = _locate_removed(registry).get(entry.name)
    if at is not None:
        message = f"{quote(entry.name)} was removed, and its folder is there"
        fix = f"remove the folder, or run agentevals registry restore {entry.name}"
        yield RULE.report(message, FILE, at, fix=fix, entry=entry.name)


def check_file(registry: Registry) -> Iterator[Finding]:
    """Yield what is wrong with the file itself."""
    yield from map(report, read_folder(registry).problems)


def report(problem: Problem) -> Finding:
    """Return a problem of the file as a finding."""
    return RULE.report(problem.message, FILE, problem.at, fix=problem.fix)


@lru_cache(maxsize=1)
def _locate_removed(registry: Registry) -> dict[str, Extent]:
    """Return where the file says that an evaluator was removed; read once for all entries."""
    removed = read_folder(registry).decisions.removed
    if not removed:
        return {}
    document = parse((registry.root / FILE).read_bytes())
    return {name: document.locate((REMOVED, name), key=True) for name in removed}
