"""`text`: a line for each finding, as compilers write it."""

from collections.abc import Iterator

from agentevals.text.terminal import line, plain
from registry_tools.cli.formats import summarise
from registry_tools.manifests.registry_finding import Finding, Outcome


def render(outcome: Outcome) -> Iterator[str]:
    """Editors and people jump to `path:line:column`."""
    for finding in outcome.findings:
        yield line(f"{plain(finding.place)}: {_describe(finding)}")
    yield line(summarise(outcome))


def _describe(finding: Finding) -> str:
    fix = f"; {plain(finding.fix)}" if finding.fix else ""
    return f"{finding.severity.value}: {plain(finding.message)}{fix} [{finding.rule}]"
