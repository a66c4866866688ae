"""`name-taken`: no two evaluators have names that differ in case or separators only."""

from collections.abc import Iterator

from agentevals.evaluator.evaluator_names import fold
from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="name-taken",
    severity=Severity.ERROR,
    title="A name is not in use, even with other case or separators",
    why=(
        "People read `tool_use`, `tool-use` and `ToolUse` as one name, and on "
        "some file systems they are one folder. Aliases are in use too, because "
        "old configs name them."
    ),
    bad="evaluators/tool_use/evaluator.yaml\nevaluators/tool-use/evaluator.yaml",
    good="evaluators/tool_use/evaluator.yaml\nevaluators/tool_use_strict/evaluator.yaml",
)


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    aliases = entry.manifest.aliases if entry.manifest else ()
    wanted = (
        [(entry.name, entry.locate_key("name"))]
        if len(registry.find_holders(entry.name)) > 1
        else []
    )
    wanted += [
        (alias, entry.locate("aliases", index))
        for index, alias in enumerate(aliases)
        if len(registry.find_holders(alias)) > 1
    ]
    for name, at in wanted:
        others = list(registry.find_holders(name))
        others.remove((entry.name, name))
        holder, called = others[0]
        whose = "this evaluator" if holder == entry.name else quote(holder)
        how = "" if fold(called) == fold(holder) else f", as its alias {quote(called)}"
        message = f"the name {quote(name)} is taken by {whose}{how}"
        yield entry.report(RULE, message, at, fix="choose a name that says what is different")
