"""`markdown`: a table for each evaluator, for the summary of a job or a comment."""

from collections.abc import Iterator
from itertools import groupby, islice

from agentevals.model.results import Severity
from agentevals.text import markdown
from agentevals.text.wording import plural
from registry_tools.cli.formats import summarise
from registry_tools.manifests.finding import Finding, Outcome

_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.NOTE: "note"}
_MOST = 500  # rows; what is more nobody reads here


def render(outcome: Outcome) -> Iterator[str]:
    """The worst thing is in the first line."""
    verdict = "can be accepted" if outcome.ok else "has to be changed"
    yield f"### {'✅' if outcome.ok else '❌'} Registry: {verdict}\n\n{summarise(outcome)}\n"
    shown = islice(outcome.findings, _MOST)
    for name, findings in groupby(shown, key=lambda finding: finding.entry):
        yield f"\n#### {markdown.text(name)}\n\n"
        yield "| Where | What | Rule |\n|---|---|---|\n"
        yield from map(_write_row, findings)
    more = len(outcome.findings) - _MOST
    if more > 0:
        yield f"\n{plural(more, 'more finding')} are in the log.\n"


def _write_row(finding: Finding) -> str:
    fix = f" → {markdown.text(finding.fix)}" if finding.fix else ""
    said = f"{_SIGNS[finding.severity]}: {markdown.text(finding.message)}{fix}"
    return f"| {markdown.code(finding.place)} | {said} | `{finding.rule}` |\n"
