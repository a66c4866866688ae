"""`comment-in-text`: a `#` does not cut a text short by accident."""

import re
from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="comment-in-text",
    severity=Severity.WARNING,
    title="A text with `#` is in quotes",
    why=("After a space, `#` begins a comment. Without quotes, the rest of the text is lost."),
    bad="author: team #1",
    good='author: "team #1"',
)
_KEYS = ("name", "description", "author", "deprecated", "yanked")
_LIKELY = re.compile(rf"^({'|'.join(_KEYS)}):.*[^\s#]\s+#\S", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]+#\S")


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    document = entry.document
    if not _LIKELY.search(document.text):
        return
    for key in _KEYS:
        if not entry.get_text(key) or not document.is_plain((key,)):
            continue
        extent = document.locate((key,))
        if _COMMENT.match(document.text, extent.end):
            message = f"{key!r} ends before '#': what follows is a comment"
            yield entry.report(RULE, message, extent, fix="put the whole text in quotes")
