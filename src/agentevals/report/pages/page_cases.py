"""The cases that somebody should look at: those that got worse in the open, the others folded."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Outcome, Reason
from agentevals.model.results import Verdict
from agentevals.model.review import Scene
from agentevals.report import fail_on
from agentevals.report.pages import page_links, page_wording
from agentevals.report.pages.page_shortening import Stage
from agentevals.text import aligned_calls, markdown, wording
from agentevals.text.aligned_calls import Call, Comparison

_NAME = 100  # characters of a case id
_CALLS = 60  # of one side that are compared
_NAMED = 5  # cases in a warning
_CONTEXT = 3  # equal calls shown around a difference


def worst(outcome: Outcome, scene: Scene, stage: Stage) -> Iterator[str]:
    """The regressed cases with their reasons; without a baseline, the failing ones. And new ones
    that fail: they are nobody's regression, and keep the pull request from being merged as well.
    What is borderline keeps nobody from merging, but the first line asks for care."""
    kind, title = _choose_open(outcome)
    shown = [one for one in outcome.highlights if one.kind is kind and not _is_accepted(one)]
    yield from _table(title, shown, _count(outcome, kind), scene, stage)
    new = [one for one in _list_kind(outcome, Kind.ADDED, kind) if one.fails]
    yield from _table("New, and failing", new, 0, scene, stage)
    yield from _table("Borderline", _list_kind(outcome, Kind.BORDERLINE, kind), 0, scene, stage)


def _table(
    title: str, shown: Sequence[Highlight], counted: int, scene: Scene, stage: Stage
) -> Iterator[str]:
    total = max(len(shown), counted)
    if not shown or not stage.rows:
        return
    rows = "".join(_row(one, scene, stage) for one in shown[: stage.rows])
    more = total - min(len(shown), stage.rows)
    said = f"\n*{wording.plural(more, 'more case')} in the job summary and the report.*\n"
    yield f"#### {title} ({total:,})\n{_HEAD}{rows}{said if more > 0 else ''}"
    with_path = [one for one in shown if one.calls_before or one.calls_now]
    yield from (tool_path(one) for one in with_path[: stage.diffs])


def fold_others(outcome: Outcome, stage: Stage) -> Iterator[str]:
    """List the other cases that moved."""
    opened, _ = _choose_open(outcome)
    groups = {kind: _list_kind(outcome, kind, opened) for kind in _FOLDED}
    lines = [(kind, ones) for kind, ones in groups.items() if ones]
    if lines and stage.names:
        titles = " · ".join(
            f"{_FOLDED[kind]} ({max(len(ones), _count(outcome, kind)):,})" for kind, ones in lines
        )
        body = "\n".join(_list(kind, ones, stage) for kind, ones in lines)
        yield markdown.details(titles, body)


def warn_of_losses(outcome: Outcome, stage: Stage) -> Iterator[str]:
    """Name what the difference cannot show: removed cases and changed expectations."""
    counts = outcome.counts
    if counts.removed:
        every = counts.removed_failing == counts.removed
        count = wording.plural(counts.removed, "failing case" if every else "case")
        some = 0 if every else counts.removed_failing
        failing = f", {some:,} of them failing" if some else ""
        named = _name_first(outcome, Kind.REMOVED, stage)
        yield f"⚠️ **{count} removed{failing}**{named}\n"
    if changed := count_changed(outcome):
        named = _name_first(outcome, Kind.CHANGED, stage)
        yield f"⚠️ **{wording.plural(changed, 'case')} with a changed expectation**{named}\n"


def count_changed(outcome: Outcome) -> int:
    """Count the cases whose expectation changed, also those that fail now."""
    apart = sum(one.cases for one in outcome.apart or () if one.kind is Kind.CHANGED)
    return max(apart, outcome.counts.changed)


def _name_first(outcome: Outcome, kind: Kind, stage: Stage) -> str:
    ones = [one for one in outcome.highlights if one.kind is kind]
    ones.sort(key=lambda one: one.was is None or one.was.verdict is not Verdict.FAIL)
    names = ", ".join(map(_item, ones[: min(_NAMED, stage.names)]))
    return f": {names}{' …' if len(ones) > _NAMED else ''}" if names else ""


def list_accepted(outcome: Outcome, stage: Stage) -> Iterator[str]:
    """List the accepted failures. Those whose acceptance has expired stay in the open."""
    expired = [one for one in outcome.highlights if one.accepted and one.expired]
    if expired:
        names = [markdown.code(one.case_id, _NAME) for one in expired[: max(3, stage.names)]]
        verb = "acceptance has" if len(expired) == 1 else "acceptances have"
        yield f"⚠️ **{len(expired):,} {verb} expired:** {', '.join(names)}\n"
    standing = [one for one in outcome.highlights if _is_accepted(one)]
    if standing and stage.names:
        rows = "".join(map(_write_accepted, standing[: stage.names]))
        table = f"| Case | Why it is accepted | Until |\n|:--|:--|:--|\n{rows}"
        yield markdown.details(f"Accepted ({len(standing):,})", table)


def tool_path(one: Highlight) -> str:
    """The calls of a case against those of the base, or against the expected ones."""
    before, now = one.calls_before[:_CALLS], one.calls_now[:_CALLS]
    against = "expected" if one.expected_calls else "base"
    cut = len(one.calls_before) + len(one.calls_now) - len(before) - len(now)
    diff = call_difference if one.expected_calls else path_difference
    lines = [*diff(before, now), *([f"# and {cut:,} calls more"] if cut else [])]
    name = markdown.html_code(one.case_id, _NAME)
    legend = f"Tool path of {name}: − {against}, + this PR"  # noqa: RUF001 -- typeset, not typed
    return markdown.details(legend, markdown.fence(lines, "diff"))


def why(one: Highlight, stage: Stage) -> str:
    """The reasons, each with its evaluator, one below the other."""
    shown = [_reason(reason, stage) for reason in one.reasons[: stage.reasons]]
    more = len(one.reasons) - len(shown)
    shown += [f"and {wording.plural(more, 'more reason')}"] if more > 0 else []
    if one.accepted and one.expired:
        shown.append(f"⚠️ was accepted until {markdown.text(one.accepted.until, 20)}")
    return "<br>".join(shown) or wording.NOTHING


_HEAD = "| Case | Was → is | Why | Where |\n|:--|:--|:--|:--|\n"
_FOLDED = {
    Kind.ERROR: "In error",
    Kind.NOT_EVALUATED: "Not evaluated",
    Kind.FAILING: "Failing, and not regressed",
    Kind.FIXED: "Fixed",
    Kind.ADDED: "Added",
    Kind.REMOVED: "Removed",
    Kind.CHANGED: "Expectation changed",
    Kind.FLAKY: "Flaky",
}
_REPEATED = frozenset({Kind.FLAKY, Kind.FIXED})
_REASONS = {
    Status.ERROR: "error",
    Status.NOT_EVALUATED: "not evaluated",
}


def _choose_open(outcome: Outcome) -> tuple[Kind, str]:
    if any(one.kind is Kind.REGRESSED and not _is_accepted(one) for one in outcome.highlights):
        return Kind.REGRESSED, "Regressed"
    return Kind.FAILING, "Failing"


def _count(outcome: Outcome, kind: Kind) -> int:
    """Count those besides the accepted ones; highlights are bounded, counts are not."""
    if kind is Kind.FAILING:
        return 0
    if kind is Kind.ERROR:
        return outcome.counts.errors
    if kind is Kind.NOT_EVALUATED:
        return outcome.unknown.cases if outcome.unknown else 0
    covered = sum(1 for one in outcome.highlights if one.kind is kind and _is_accepted(one))
    counted: int = getattr(outcome.counts, kind)
    return counted - covered


def _is_accepted(one: Highlight) -> bool:
    return one.accepted is not None and not one.expired


def _list_kind(outcome: Outcome, kind: Kind, opened: Kind) -> list[Highlight]:
    if kind is opened:
        return []
    return [one for one in outcome.highlights if one.kind is kind and not _is_accepted(one)]


def _row(one: Highlight, scene: Scene, stage: Stage) -> str:
    rules = [reason.rule for reason in one.reasons[: stage.reasons] if reason.rule]
    places = [page_links.to_place("trace", one.trace, scene)]
    places += [page_links.to_place("rule", rule, scene) for rule in dict.fromkeys(rules)]
    moved = page_wording.standing(one.now)
    if one.was is not None:
        moved = f"{page_wording.standing(one.was)} → {moved}"
    where = " · ".join(filter(None, places)) or wording.NOTHING
    name = markdown.code(one.case_id, _NAME)
    if one.source and not one.trace:  # a link would tell which of its attempts is shown
        name += f"<br>{markdown.text(one.source, _NAME)}"
    cells = (name, moved, why(one, stage), where)
    return f"| {' | '.join(cells)} |\n"


def _reason(reason: Reason, stage: Stage) -> str:
    facts = []
    if reason.status in _REASONS:
        facts.append(_REASONS[reason.status])
    elif reason.score is not None and reason.threshold is not None:
        facts.append(wording.write_judgement(reason))
    if reason.judged:
        facts.append("says a judge")
    name = f"**{markdown.text(reason.evaluator, 60)}**" if reason.evaluator else ""
    before = " ".join(filter(None, (name, f"({', '.join(facts)})" if facts else "")))
    text = markdown.text(reason.text, stage.reason)
    return f"{before}: {text}" if before and text else before or text


def _list(kind: Kind, ones: Sequence[Highlight], stage: Stage) -> str:
    items = ", ".join(map(_item, ones[: stage.names]))
    more = len(ones) - stage.names
    help_ = f" ({page_links.REMEDY})" if kind is Kind.NOT_EVALUATED else ""
    return f"- **{_FOLDED[kind]}:** {items}" + (f" and {more:,} more" if more > 0 else "") + help_


def _item(one: Highlight) -> str:
    name, notes = markdown.code(one.case_id, _NAME), ", ".join(_about(one))
    return f"{name} ({notes})" if notes else name


def _about(one: Highlight) -> Iterator[str]:
    other = markdown.code(one.other_name, _NAME)
    if one.kind is Kind.REMOVED:
        if one.was is not None and one.was.verdict is Verdict.FAIL:
            yield "was failing ⚠️"
        if one.other_name:
            yield f"now {other}?"
    elif one.kind is Kind.ADDED:
        if one.fails:
            yield "fails"
        if one.other_name:
            yield f"was {other}?"
    elif one.kind in _REPEATED:
        yield from fail_on.describe_attempts(one)


def _write_accepted(one: Highlight) -> str:
    entry = one.accepted
    reason, until = (entry.reason, entry.until) if entry else ("", "")
    cells = (markdown.code(one.case_id, _NAME), markdown.text(reason), markdown.text(until, 20))
    return f"| {' | '.join(cells)} |\n"


def call_difference(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """As the terminal lines them up: calls of one name belong together."""
    expected, actual = ([_call(text) for text in side] for side in (before, now))
    return aligned_calls.write_diff(Comparison(expected=expected, actual=actual), _write_texts)


def _write_texts(row: aligned_calls.Row) -> tuple[str, str]:
    expected, actual = (str(call.args) if call else "" for call in (row.expected, row.actual))
    return expected, actual


def _call(text: str) -> Call:
    return Call(name=text.partition("(")[0], args=text)


def path_difference(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """As `diff` writes it: a sign, a space, and the call."""
    matcher = SequenceMatcher(None, before, now, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield from (f"# {group[0][1]:,} calls before are the same" for _ in range(group[0][1] > 0))
        for tag, b1, b2, n1, n2 in group:
            if tag == "equal":
                yield from (f"  {call}" for call in now[n1:n2])
                continue
            yield from (f"- {call}" for call in before[b1:b2])
            yield from (f"+ {call}" for call in now[n1:n2])
