"""The first line: can it be merged? One sentence for comment, check, status and summary alike."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import comment_digest, first_line_reasons, next_step, page_wording
from agentevals.report.pages.comment_digest import Digest
from agentevals.report.pages.first_line_reasons import ACCEPTED, list_facts
from agentevals.report.pages.next_step import Step
from agentevals.text import markdown, wording

_NAMED = 4  # configs in a sentence


class Tone(StrEnum):
    """The tone of the first line; the value is GitHub's name of the alert."""

    BAD = "CAUTION"
    WARN = "WARNING"
    GOOD = "TIP"
    PLAIN = "NOTE"


class Headline(NamedTuple):
    """A sentence and the facts behind it: plain text, foreign names included."""

    tone: Tone
    icon: str
    answer: str
    what: str = ""
    facts: tuple[str, ...] = ()
    step: Step | None = None

    @property
    def sentence(self) -> str:
        return f"{self.answer}: {self.what}." if self.what else f"{self.answer}."

    @property
    def words(self) -> str:
        """All of it as one line of plain text."""
        return " ".join((self.sentence, *(f"{fact}." for fact in self.facts)))


def make_headline(review: Review) -> Headline:
    return summarise(comment_digest.make_all(review))


def is_evaluated(*reviews: Review) -> bool:
    """Return whether every config has a verdict; only then is anybody told to merge."""
    found = [one for review in reviews for one in comment_digest.make_all(review)]
    return not (_find_unscored(found) or _broken(found))


def summarise(digests: Sequence[Digest]) -> Headline:
    """Over everything that was found out about the latest commit, whoever wrote first."""
    named = comment_digest.shorten_configs(comment_digest.current(digests))
    latest = sorted(named, key=lambda one: (one.name, one.writer, one.key))
    earlier = len(digests) - len(latest)
    said = next(say(latest) for applies, say in _RULES if applies(latest))
    facts = list(list_facts(latest, said.what))
    if earlier:
        noun = wording.plural(earlier, "config")
        facts.append(f"{noun} below {'is' if earlier == 1 else 'are'} from an earlier push")
    return said._replace(facts=tuple(facts))


def banner(headline: Headline) -> str:
    """As an alert, whose colour says nothing that its words do not."""
    said = " ".join(f"{markdown.text(fact)}." for fact in headline.facts)
    first = f"> [!{headline.tone}]\n> **{markdown.text(headline.sentence)}** {said}".rstrip()
    return first + (f"\n>\n> {next_step.write(headline.step)}\n" if headline.step else "\n")


def heading(headline: Headline) -> str:
    """For where GitHub knows no alerts."""
    said = " ".join(f"{markdown.text(fact)}." for fact in headline.facts)
    title = f"### {headline.icon} {markdown.text(headline.sentence)}"
    return "\n\n".join(filter(None, (title, said, next_step.write(headline.step)))) + "\n"


_Latest = Sequence[Digest]


def _blocking(latest: _Latest) -> list[Digest]:
    return [one for one in _failing(latest) if one.exit_code]


def _failing(latest: _Latest) -> list[Digest]:
    decided = (one for one in latest if one.is_scored and not one.undecided)
    return [one for one in decided if one.verdict is Verdict.FAIL and not one.broken]


def _broken(latest: _Latest) -> list[Digest]:
    return [one for one in latest if one.broken]


def _running(latest: _Latest) -> list[Digest]:
    return [one for one in latest if one.state is State.RUNNING]


def _find_unscored(latest: _Latest) -> list[Digest]:
    """Return the configs without a score, and those that only missing evidence keeps from it."""
    open_ = {State.RUNNING, State.UNAFFECTED}
    ended = [one for one in latest if one.state not in open_ and not one.broken]
    return [one for one in ended if one.undecided or not one.is_scored]


def _find_blocking_unscored(latest: _Latest) -> list[Digest]:
    return [one for one in _find_unscored(latest) if one.exit_code]


def _unsure(latest: _Latest) -> list[Digest]:
    return [
        one
        for one in latest
        if one.unsure
        or one.fallen
        or one.uncovered
        or one.unscored
        or one.lacking
        or one.removed
        or one.changed
        or (one.failed and not one.passed)
        or one.verdict is Verdict.BORDERLINE
    ]


def _say_failed(latest: _Latest) -> Headline:
    what = _what(_failing(latest), latest, first_line_reasons.explain_failure, "fail")
    step = next_step.choose_after_failure(_blocking(latest))
    return Headline(Tone.BAD, "❌", "Not ready to merge", what, step=step)


def _say_tolerated(latest: _Latest) -> Headline:
    what = _what(_failing(latest), latest, first_line_reasons.explain_failure, "fail")
    answer = "Can be merged, because nothing blocks here"
    return Headline(Tone.WARN, "⚠️", answer, what, step=next_step.TOLERATED)


def _say_broken(latest: _Latest) -> Headline:
    broken = _broken(latest)
    ended = all(one.state is State.CANCELLED for one in broken)
    verb = "were cancelled" if ended else "could not be evaluated"
    what = _what(broken, latest, first_line_reasons.explain_breakage, verb)
    icon = "⛔" if ended else "💥"
    step = next_step.choose_after_error(broken)
    return Headline(Tone.WARN, icon, "Cannot tell whether to merge", what, step=step)


def _say_running(latest: _Latest) -> Headline:
    running = len(_running(latest))
    if running == len(latest):
        return Headline(Tone.PLAIN, "⏳", "The evaluation is running")
    what = f"{running} of {len(latest)} configs still running"
    return Headline(Tone.PLAIN, "⏳", "No failure so far", what)


def _say_unscored(latest: _Latest) -> Headline:
    found = _find_unscored(latest)
    clauses = {first_line_reasons.explain_no_score(one) for one in found}
    if len(found) == len(latest) and len(clauses) == 1:
        (what,) = clauses
    else:
        verb = "lack evidence" if all(one.lacking for one in found) else "have no score"
        what = _what(found, latest, first_line_reasons.explain_no_score, verb)
    tone, icon = (Tone.WARN, "⛔") if _find_blocking_unscored(latest) else (Tone.PLAIN, "⚪")
    return Headline(tone, icon, "Not evaluated", what, step=next_step.choose_without_score(found))


def _pending(latest: _Latest) -> list[Digest]:
    return [one for one in latest if one.pending]


def _say_pending(latest: _Latest) -> Headline:
    what = "; ".join(dict.fromkeys(one.pending for one in _pending(latest)))
    return Headline(Tone.WARN, "✋", "Rule change needs approval", what, step=next_step.APPROVE)


def _say_unsure(latest: _Latest) -> Headline:
    what = _what(_unsure(latest), latest, first_line_reasons.explain_doubt, "should be looked at")
    step = next_step.choose_after_doubt(_unsure(latest))
    return Headline(Tone.WARN, "🟡", "Can be merged, with care", what, step=step)


def _say_passed(latest: _Latest) -> Headline:
    gates = sum(one.gates for one in latest)
    cases, passed = (sum(getattr(one, name) for one in latest) for name in ("cases", "passed"))
    tone = Tone.GOOD if all(one.compared or not one.reason for one in latest) else Tone.PLAIN
    if gates:
        what = "the gate passes" if gates == 1 else f"all {gates} gates pass"
    else:
        what = first_line_reasons.share(passed, cases, "passed")
    if accepted := sum(one.accepted for one in latest):
        what += f", {wording.plural(accepted, 'failure')} {ACCEPTED}"
    return Headline(tone, "✅", "Ready to merge", what)


def _find_unaffected(latest: _Latest) -> bool:
    return all(one.state is State.UNAFFECTED for one in latest)


def _say_unaffected(_latest: _Latest) -> Headline:
    what = "the change touches neither the agent nor what judges it"
    return Headline(Tone.PLAIN, "✅", "Not affected", what)


_RULES: tuple[tuple[Callable[[_Latest], object], Callable[[_Latest], Headline]], ...] = (
    (_blocking, _say_failed),
    (_broken, _say_broken),
    (_find_blocking_unscored, _say_unscored),
    (_pending, _say_pending),
    (_failing, _say_tolerated),
    (_running, _say_running),
    (_find_unaffected, _say_unaffected),
    (_find_unscored, _say_unscored),
    (_unsure, _say_unsure),
    (lambda _: True, _say_passed),
)


def _what(which: _Latest, latest: _Latest, why: Callable[[Digest], str], verb: str) -> str:
    """Say what happened to the only config, or to which of several something did."""
    if len(latest) == 1:
        return why(which[0])
    names = page_wording.list_names([one.name for one in which], _NAMED)
    verb = _OF_ONE.get(verb, verb) if len(which) == 1 else verb
    return f"{len(which)} of {len(latest)} configs {verb} ({names})"


_OF_ONE = {
    "fail": "fails",
    "have no score": "has no score",
    "lack evidence": "lacks evidence",
    "were cancelled": "was cancelled",
}
