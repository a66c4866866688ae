"""`description`: one sentence that says what is judged."""

import re
import unicodedata
from collections.abc import Iterator

from agentevals.files.document_places import quote
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="description",
    severity=Severity.WARNING,
    title="A description is one line that says what the evaluator scores",
    why=(
        "Lists show only the description. The text of a template does not "
        "describe your evaluator, and lists cut everything after the first line."
    ),
    bad="description: TODO",
    good="description: Whether the answer contains a given text",
)
_SHORTEST = 10  # characters
_LEFT_OVER = re.compile(r"\b(TODO|FIXME|TBD|XXX)\b|lorem ipsum", re.IGNORECASE)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    text = entry.get_text("description")
    if not text:
        return
    at = entry.locate("description")
    if _LEFT_OVER.search(text):
        message = f"the description {quote(text)} is left over from a template"
        yield entry.report(RULE, message, at, fix="say what a score of 1 means")
    elif _measure(text.strip()) < _SHORTEST:
        message = f"the description {quote(text)} is very short"
        yield entry.report(RULE, message, at, fix="say what a score of 1 means")
    if "\n" in text.strip():
        message = "the description has more than one line, and lists show only one"
        yield entry.report(RULE, message, at, fix="move what is more into the README")


def _measure(text: str) -> int:
    """Count characters. One of Chinese, Japanese or Korean says as much as three others."""
    return sum(3 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
