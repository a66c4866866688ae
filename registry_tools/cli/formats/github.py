"""`github`: annotations of a workflow, then the lines of the log."""

import io
from collections.abc import Iterator

from agentevals.github.runner.workflow_log import Kind, Log, LogMessage
from agentevals.model.results import Severity
from registry_tools.cli.formats import summarise
from registry_tools.manifests.registry_finding import Outcome

_KINDS = {
    Severity.ERROR: Kind.ERROR,
    Severity.WARNING: Kind.WARNING,
    Severity.NOTE: Kind.NOTICE,
}


def render(outcome: Outcome) -> Iterator[str]:
    """Render annotations; GitHub shows few of a kind per step, and the log has all."""
    stream = io.StringIO()
    log = Log(stream, obeyed=True)
    for finding in outcome.findings:
        fix = f"; {finding.fix}" if finding.fix else ""
        log.annotate(
            LogMessage(
                kind=_KINDS[finding.severity],
                message=f"{finding.message}{fix}",
                title=finding.rule,
                file=finding.path,
                line=finding.line,
                end_line=finding.end_line,
                column=finding.column,
            )
        )
    for sentence in (log.describe_overflow(), summarise(outcome)):
        if sentence:
            log.log(sentence)
    yield stream.getvalue()
