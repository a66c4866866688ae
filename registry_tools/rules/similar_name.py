"""`similar-name`: a name is more than a slip of the finger away from every other."""

from collections.abc import Iterator

from agentevals.files.places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="similar-name",
    severity=Severity.WARNING,
    title="A name is not nearly another's",
    why="Who mistypes a name must not get somebody else's program. One letter between names of "
    "five or more, or two between names of eight or more, is worth a second look.",
    bad="evaluators/contains/evaluator.yaml\nevaluators/contain/evaluator.yaml",
    good="evaluators/contains/evaluator.yaml\nevaluators/contains_any_of/evaluator.yaml",
)
_SHOWN = 3


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    others = registry.similar.get(entry.name, ())
    if others:
        names = ", ".join(map(quote, others[:_SHOWN]))
        message = f"the name {quote(entry.name)} is very near to {names}"
        fix = "choose a name that nobody mistypes for the other"
        yield entry.report(RULE, message, entry.locate("name"), fix=fix)
