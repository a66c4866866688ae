"""`manifest`: there is an `evaluator.yaml`, and it can be read."""

from collections.abc import Iterable, Iterator

from agentevals.evaluator.evaluator_manifest import FILE
from agentevals.files import yaml_strict
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="manifest",
    severity=Severity.ERROR,
    title="Every folder has its `evaluator.yaml`",
    why=(
        "The index ignores a folder without a manifest, without a message. A "
        "manifest that is a link can change without a review, and people do not "
        "read a very long one."
    ),
    bad="evaluators/politeness/politeness.py\nevaluators/politeness/evaluator.yml",
    good="evaluators/politeness/politeness.py\nevaluators/politeness/evaluator.yaml",
)
_SPELLINGS = ("evaluator.yml", "evaluators.yaml", "manifest.yaml", "evaluator.json", "grader.yaml")


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    if entry.unreadable:
        message = f"{FILE} cannot be read: {entry.unreadable}"
        yield entry.report_in(FILE, RULE, message, fix=advise(entry.name, entry.files))
    for problem in entry.document.problems:
        if problem.rule == yaml_strict.SIZE:
            yield entry.report(RULE, problem.message, fix=problem.fix)


def advise(name: str, files: Iterable[str]) -> str:
    """Advise what to do about a folder without a manifest; another spelling may be there."""
    names = {file.lower(): file for file in files}
    for spelling in (FILE, *_SPELLINGS):
        if spelling in names:
            return f"rename {names[spelling]!r} to {FILE}"
    return f"write one: agentevals evaluator init {name}"
