"""A warning of recordings that were made of another version of the agent."""

import msgspec

from agentevals.compare.summaries import list_recordings
from agentevals.model.outcome import Outcome
from agentevals.model.provenance import Freshness
from agentevals.model.results import Finding, Severity

_NEXT = "record again with 'agentevals record' after the last change of the agent"


def warn_of_stale(outcome: Outcome, digest: str) -> Outcome:
    """Return the outcome with the warning. The verdict stays: only a pull request asks for more."""
    report = outcome.report
    if not digest or report is None:
        return outcome
    known = [one.agents for one in list_recordings(report.cases) if one.agents]
    fresh = sum(digest in agents for agents in known)
    found = Freshness(fresh=fresh, stale=len(known) - fresh)
    if not found.stale:
        return outcome
    message = f"{found.describe()}; {_NEXT}"
    finding = Finding(severity=Severity.WARNING, rule="stale-recording", message=message)
    report = msgspec.structs.replace(report, findings=(*report.findings, finding))
    findings = (*outcome.findings, finding)
    return msgspec.structs.replace(outcome, findings=findings, report=report)
