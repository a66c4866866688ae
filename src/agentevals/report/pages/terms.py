"""The words of a page that our documentation explains, each with a link to its heading."""

from collections.abc import Iterator

from agentevals.model import project
from agentevals.model.outcome import Change, Outcome
from agentevals.model.review import Review

HEADINGS = {
    "how to read this": "docs/reading.md",
    "figures": "docs/action.md#the-table-of-figures",
    "limits and accepted failures": "docs/configs.md#the-gate",
    "not evaluated": "docs/configs.md#evidence-that-is-missing",
    "errors": "docs/action.md#errors",
    "base": "docs/action.md#what-it-is-compared-with",
    "fresh recordings": "docs/recording.md#fresh-recordings",
    "changed rules": "docs/action.md#changed-rules",
}
REMEDY = f"[what to do]({project.find_page('docs/reading.md#a-case-is-not-evaluated')})"


def explain(review: Review) -> str:
    """Link the words that the page uses, in the order in which a reader meets them."""
    used = {"how to read this"}.union(*map(_list_used, review.sections))
    used |= {"changed rules"} if review.rules else set()
    shown = (word for word in HEADINGS if word in used)
    links = (f"[{word}]({project.find_page(HEADINGS[word])})" for word in shown)
    return f"<sub>Help: {' · '.join(links)}</sub>\n"


def _list_used(outcome: Outcome) -> Iterator[str]:
    gates = outcome.gates
    found = {
        "figures": bool(gates),
        "limits and accepted failures": any(gate.limit for gate in gates)
        or bool(outcome.counts.accepted),
        "not evaluated": bool(outcome.unknown and outcome.unknown.cases)
        or any(gate.change is Change.NOT_EVALUATED for gate in gates),
        "errors": bool(outcome.counts.errors),
        "base": outcome.against.state is not None or outcome.against.origin is not None,
        "fresh recordings": bool(outcome.freshness and not outcome.freshness.is_complete),
    }
    yield from (word for word, is_used in found.items() if is_used)
