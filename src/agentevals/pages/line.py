"""The first line: can it be merged? One sentence for comment, check, status and summary alike."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from agentevals.pages import digest, numbers
from agentevals.pages.digest import Digest
from agentevals.presentation import markdown, wording
from agentevals.report import Verdict
from agentevals.review import Review, State

_NAMED = 4  # configs in a sentence


class Tone(StrEnum):
    """How loudly it is said; the value is GitHub's name of the alert."""

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

    @property
    def sentence(self) -> str:
        return f"{self.answer}: {self.what}." if self.what else f"{self.answer}."

    @property
    def words(self) -> str:
        """All of it as one line of plain text."""
        return " ".join((self.sentence, *(f"{fact}." for fact in self.facts)))


def of(review: Review) -> Headline:
    return over(digest.of(review))


def over(digests: Sequence[Digest]) -> Headline:
    """Over everything that was found out about the latest commit, whoever wrote first."""
    latest = sorted(digest.current(digests), key=lambda one: (one.name, one.writer, one.key))
    earlier = len(digests) - len(latest)
    said = next(say(latest) for applies, say in _RULES if applies(latest))
    facts = list(_facts(latest))
    if earlier:
        noun = wording.plural(earlier, "config")
        facts.append(f"{noun} below {'is' if earlier == 1 else 'are'} from an earlier push")
    return said._replace(facts=tuple(facts))


def banner(headline: Headline) -> str:
    """As an alert, whose colour says nothing that its words do not."""
    said = " ".join(f"{markdown.text(fact)}." for fact in headline.facts)
    return f"> [!{headline.tone}]\n> **{markdown.text(headline.sentence)}** {said}".rstrip() + "\n"


def heading(headline: Headline) -> str:
    """For where GitHub knows no alerts."""
    said = " ".join(f"{markdown.text(fact)}." for fact in headline.facts)
    return f"### {headline.icon} {markdown.text(headline.sentence)}\n\n{said}".rstrip() + "\n"


_Latest = Sequence[Digest]


def _blocking(latest: _Latest) -> list[Digest]:
    return [one for one in _failing(latest) if one.exit_code]


def _failing(latest: _Latest) -> list[Digest]:
    return [
        one
        for one in latest
        if one.state is State.DONE and one.verdict is Verdict.FAIL and not one.broken
    ]


def _broken(latest: _Latest) -> list[Digest]:
    return [one for one in latest if one.broken]


def _is(state: State, least: Callable[[Sequence[bool]], bool]) -> Callable[[_Latest], bool]:
    return lambda latest: least([one.state is state for one in latest])


def _unsure(latest: _Latest) -> list[Digest]:
    return [one for one in latest if one.unsure or one.verdict is Verdict.BORDERLINE]


def _say_failed(latest: _Latest) -> Headline:
    what = _what(_failing(latest), latest, _why_failed, "fail")
    return Headline(Tone.BAD, "❌", "Not ready to merge", what)


def _say_tolerated(latest: _Latest) -> Headline:
    what = _what(_failing(latest), latest, _why_failed, "fail")
    return Headline(Tone.WARN, "⚠️", "Can be merged, because nothing blocks here", what)


def _say_broken(latest: _Latest) -> Headline:
    what = _what(_broken(latest), latest, _why_broken, "could not be evaluated")
    return Headline(Tone.WARN, "⛔", "Cannot tell whether to merge", what)


def _say_running(latest: _Latest) -> Headline:
    running = sum(one.state is State.RUNNING for one in latest)
    if running == len(latest):
        return Headline(Tone.PLAIN, "⏳", "The evaluation is running")
    what = f"{running} of {len(latest)} configs still running"
    return Headline(Tone.PLAIN, "⏳", "No failure so far", what)


def _say_unchanged(_: _Latest) -> Headline:
    what = "nothing that the evaluation depends on was changed"
    return Headline(Tone.PLAIN, "✅", "Ready to merge", what)


def _say_unsure(latest: _Latest) -> Headline:
    what = _what(_unsure(latest), latest, _why_unsure, "should be looked at")
    return Headline(Tone.WARN, "🟡", "Can be merged, with care", what)


def _say_passed(latest: _Latest) -> Headline:
    gates = sum(one.gates for one in latest)
    cases, passed = (sum(getattr(one, name) for one in latest) for name in ("cases", "passed"))
    tone = Tone.GOOD if all(one.compared or not one.reason for one in latest) else Tone.PLAIN
    if gates:
        what = "the gate passes" if gates == 1 else f"all {gates} gates pass"
    else:
        what = _share(passed, cases, "passed")
    return Headline(tone, "✅", "Ready to merge", what)


_RULES: tuple[tuple[Callable[[_Latest], object], Callable[[_Latest], Headline]], ...] = (
    (_blocking, _say_failed),
    (_broken, _say_broken),
    (_failing, _say_tolerated),
    (_is(State.RUNNING, any), _say_running),
    (_is(State.UNCHANGED, all), _say_unchanged),
    (_unsure, _say_unsure),
    (lambda _: True, _say_passed),
)


def _what(which: _Latest, latest: _Latest, why: Callable[[Digest], str], verb: str) -> str:
    """What happened to the only config, or to which of several something did."""
    if len(latest) == 1:
        return why(which[0])
    names = numbers.listed([one.name for one in which], _NAMED)
    verb = "fails" if verb == "fail" and len(which) == 1 else verb
    return f"{len(which)} of {len(latest)} configs {verb} ({names})"


def _why_failed(one: Digest) -> str:
    if one.failing:
        return "the gate fails" if one.gates == 1 else f"{one.failing} of {one.gates} gates fail"
    if one.failed > one.accepted:
        return _share(one.failed - one.accepted, one.cases, "failed")
    return wording.plural(one.regressed, "case") + " regressed" if one.regressed else "it failed"


def _why_broken(one: Digest) -> str:
    return _BLAMED.get(one.exit_code, "the evaluation could not be completed")


_BLAMED = {
    2: "the evaluation was given something that is wrong",
    3: "something outside that the evaluation needs is unavailable",
    4: "the evaluation ran into a bug of its own",
}


def _why_unsure(one: Digest) -> str:
    if one.unsure:
        which = "the gate" if one.gates == 1 else f"{one.unsure} of {one.gates} gates"
        return f"{which} could not be decided"
    return f"{wording.plural(one.borderline, 'case')} borderline"


def _share(some: int, cases: int, verb: str) -> str:
    if not cases:
        return "there was no case"
    if some == cases:
        return f"the only case {verb}" if some == 1 else f"all {cases:,} cases {verb}"
    return f"{some:,} of {cases:,} cases {verb}"


def _facts(latest: _Latest) -> Iterator[str]:
    done = [one for one in latest if one.state is State.DONE]
    if len(latest) == 1 and done:
        yield from _figures(done[0])
    counts = {name: sum(getattr(one, name) for one in done) for name in _MOVED}
    moved = [(wording.plural(counts[n], "case"), verb) for n, verb in _MOVED.items() if counts[n]]
    if moved:
        yield ", ".join(f"{counted} {verb}" for counted, verb in moved)
    if len(latest) == 1 and done and done[0].cost:
        yield done[0].cost
    if problems := sum(one.problems for one in latest):
        yield f"{wording.plural(problems, 'problem')}, listed below"
    reasons = dict.fromkeys(one.reason for one in done if one.reason)
    if reasons:
        yield f"Not compared with the base: {'; '.join(reasons)}"


_MOVED = {
    "regressed": "regressed",
    "fixed": "fixed",
    "removed_failing": "removed while failing",
    "accepted": "accepted",
}


def _figures(one: Digest) -> Iterator[str]:
    if one.figure:
        against = f" against {one.base or 'the base'}" if one.compared else ""
        yield f"{one.figure}{against}"
