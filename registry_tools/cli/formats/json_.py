"""`json`: one object for programs."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from agentevals.text.json_text import pretty
from registry_tools.manifests.registry_finding import Outcome


def render(outcome: Outcome) -> Iterator[str]:
    """All findings, and how many there are of each severity."""
    whole = {
        "schema_version": "1.0",
        "ok": outcome.ok,
        "counts": {severity.value: outcome.count(severity) for severity in Severity},
        "fixed": outcome.fixed,
        "checked": outcome.checked,
        "updates": outcome.updates,
        "findings": outcome.findings,
    }
    yield f"{pretty(whole)}\n"
