"""What a pull request changes about its rules: in the first line, and as a table below it."""

import re
from collections.abc import Iterator, Sequence

from agentevals.model.review import Review
from agentevals.model.rule_changes import APPROVE, DIGEST, Offer, RuleChange, Rules, TurnedCase
from agentevals.report.pages.page_shortening import Stage
from agentevals.text import markdown, wording

_NAMED = 2  # changes in the first line
_ROWS = 30  # of a table, where there is room
_LONGEST = 200  # pairs in one hidden line; more are covered by their own digest alone
_OFFER = re.compile(rf"<!-- agentevals:rules ({DIGEST})((?: {DIGEST})+) -->")


def explain_pending(rules: Rules, base: str) -> str:
    """Say what nobody has approved yet; nothing if that is nothing."""
    pending = rules.pending
    if not pending:
        return ""
    cases = {(one.config, one.case_id) for one in pending if one.case_id}
    if cases:
        count = wording.plural(len(cases), "case")
        return f"{count} would fail by the rules of {base or 'the base'}"
    first, *others = dict.fromkeys(one.reason for one in pending)
    return f"{first}, and {len(others)} more" if others else first


def name_changes(changes: Sequence[RuleChange]) -> str:
    """Name the first changes, and how many more there are."""
    named = [f"{one.rule} ({one.what})" for one in changes[:_NAMED]]
    more = len(changes) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def describe(review: Review, stage: Stage) -> Iterator[str]:
    """Yield the blocks: what has to be approved and how, what was, and what differs."""
    rules = review.rules
    if not rules:
        return
    base = markdown.text(review.scene.base_ref or "the base", 80)
    rows = min(_ROWS, stage.names or 3)
    if pending := rules.pending:
        yield from _list_pending(pending, base, rows)
        yield _explain_approval(rules)
    if approved := [one for one in rules.turned if one.approved_by]:
        who = ", ".join(markdown.html_text(f"@{login}", 60) for login in rules.approvers)
        table = _list_turned(approved, rows)
        yield markdown.details(f"Rule changes approved by {who} ({len(approved)})", table)
    yield _list_changes(rules.changes, review.scene.base_ref or "the base", rows)


def _list_pending(pending: Sequence[TurnedCase], base: str, rows: int) -> Iterator[str]:
    """Yield the cases that fail by the rules of the base, apart from what fails no case."""
    if failing := [one for one in pending if one.case_id]:
        yield f"✋ **By the rules of {base} these would fail:**\n"
        yield _list_turned(failing, rows)
    if others := [one for one in pending if not one.case_id]:
        yield "✋ **These changes of the rules need approval:**\n"
        yield "".join(f"- {markdown.text(f'{one.rule}: {one.reason}')}\n" for one in others[:rows])
        if len(others) > rows:
            yield f"*and {len(others) - rows} more*"


def _explain_approval(rules: Rules) -> str:
    command = markdown.fence([f"{APPROVE} {rules.digest}"])
    return (
        "If the change of the rules is meant, somebody with write permission writes this as a "
        f"comment, and runs the job again:\n\n{command}"
    )


def _list_turned(turned: Sequence[TurnedCase], rows: int) -> str:
    lines = [
        f"| {markdown.text(one.rule, 120)} | {markdown.code(one.case_id, 120)} "
        f"| {markdown.text(one.reason)} |\n"
        for one in turned[:rows]
    ]
    more = f"\n*and {len(turned) - rows} more*\n" if len(turned) > rows else ""
    return f"| Rule | Case | By the rule of the base |\n|:--|:--|:--|\n{''.join(lines)}{more}"


def _list_changes(changes: Sequence[RuleChange], base: str, rows: int) -> str:
    lines = [
        f"- {markdown.code(one.config, 120)} {markdown.text(one.rule, 120)} "
        f"({markdown.text(one.what)})\n"
        for one in changes[:rows]
    ]
    more = f"- and {len(changes) - rows} more\n" if len(changes) > rows else ""
    counted = wording.plural(len(changes), "rule")
    summary = f"{counted} changed against {markdown.html_text(base, 80)}"
    return markdown.details(summary, "".join(lines) + more)


def write_offers(review: Review) -> str:
    """Return hidden lines that say which pairs a digest is about, for the next run to read."""
    offers = review.rules.offers if review.rules else ()
    listed = (one for one in offers if len(one.pairs) <= _LONGEST)
    return "\n".join(f"<!-- agentevals:rules {' '.join((o.digest, *o.pairs))} -->" for o in listed)


def read_offers(text: str) -> Iterator[Offer]:
    """Yield the offers in a comment, by whomever: their digests tell which are genuine."""
    for digest, pairs in _OFFER.findall(text):
        yield Offer(digest=digest, pairs=tuple(pairs.split()))
