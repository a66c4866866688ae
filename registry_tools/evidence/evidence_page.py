"""The section of an evaluator's page that says how well it judges, written from its evidence."""

from collections.abc import Iterator

from agentevals.compare.statistics.confidence_intervals import wilson
from registry_tools.evidence.evidence_measuring import Count, Evidence
from registry_tools.evidence.labelled_examples import FILE, HELD_OUT

BEGIN, END = "<!-- evidence: written by `agentevals registry evidence` -->", "<!-- /evidence -->"
_TITLE = "## How well it judges"
_NOT_MEASURED = "Not measured yet."
_EXPLANATION = (
    "The brackets contain the 95 % interval of the share. We corrected the mistakes that\n"
    f"`{FILE}` showed, so expect lower values on your own texts."
)
_HEAD = (
    "| examples | failures found (recall) | reports that are right (precision) | right outcomes |\n"
    "|---|---|---|---|"
)


def write_section(evidence: Evidence | None) -> str:
    """Return the section with its markers."""
    body = [_NOT_MEASURED] if evidence is None else _write_body(evidence)
    return "\n".join([BEGIN, _TITLE, "", *body, END])


def _write_body(evidence: Evidence) -> list[str]:
    return [_HEAD, *map(_write_row, evidence.sets), "", *explain(evidence)]


def explain(evidence: Evidence) -> Iterator[str]:
    """Yield what the figures mean, and who judged."""
    if any(count.file == HELD_OUT for count in evidence.sets):
        yield f"We did not change the program after the run on `{HELD_OUT}`."
    if evidence.judge:
        yield f"Judged by the model `{evidence.judge}`."
    yield _EXPLANATION


def _write_row(count: Count) -> str:
    reported = count.found + count.false_alarms
    return (
        f"| [{count.examples}]({count.file}) | {write_share(count.found, count.failures)} "
        f"| {write_share(count.found, reported)} | {count.right} of {count.examples} |"
    )


def write_share(some: int, whole: int) -> str:
    """Write a share with its interval."""
    if not whole:
        return "none"
    low, high = wilson(some, whole)
    return f"{some} of {whole}: {some / whole:.2f} ({low:.2f} to {high:.2f})"


def replace_section(page: str, section: str) -> str:
    """Return the page with this section in place of its own, or at its end."""
    before, begin, rest = page.partition(BEGIN)
    if not begin:
        return f"{page.rstrip()}\n\n{section}\n"
    _, end, after = rest.partition(END)
    return f"{before}{section}{after if end else chr(10)}"
