"""Baselines: an earlier run, in as much detail as its place of storage allows.

The check run of a commit carries one in a line of text.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import msgspec

from agentevals.compare import branch_trends
from agentevals.compare.branch_trends import Trend
from agentevals.compare.case_summaries import BaseCase, summarise_all
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.outcome import Against, Change, Figure, Origin, Outcome, Point
from agentevals.model.results import Evaluation, Identity, Report
from agentevals.model.review import Review

_LISTED = 4  # names in a sentence
DIGEST = "agentevals-baseline:1:"  # begins a packed baseline; the number is that of its format
_UNPACKED = 16 * 2**20  # bytes a packed baseline may grow to
# what is dropped until it fits: what nobody decides by comes first
_LESS: tuple[dict[str, Any], ...] = (
    {"calls": ()},
    {"earlier": ""},
    {"recording": ""},
    {"outcomes": {}, "amounts": {}},
    {"family": ""},
)


class Baseline(Noun, frozen=True):
    """An earlier run. Without `cases` only its figures are known, and nothing can be paired.

    `unjudged` are evaluators that were not asked, because asking them costs money.
    """

    identity: Identity
    origin: Origin = Origin()
    cases: tuple[BaseCase, ...] = ()
    figures: dict[str, Figure] = {}
    trend: Trend = Trend()
    unjudged: tuple[str, ...] = ()


class NoBaseline(Noun, frozen=True):
    """There is nothing to compare with, and why."""

    reason: str


def make_baseline(
    run: Evaluation | Report, origin: Origin, *, figures: dict[str, Figure] | None = None
) -> Baseline:
    """A run as one that later runs are compared with."""
    return Baseline(
        identity=run.identity,
        origin=origin,
        cases=tuple(chain.from_iterable(one.attempts for one in summarise_all(run.cases))),
        figures=figures or {},
    )


def find_outcome(review: Review, config: str, leg: str, origin: Origin) -> Baseline | NoBaseline:
    """The section of the same config, as the same leg of a matrix made it."""
    named = [outcome for outcome in review.sections if outcome.config == config]
    found = next((s for s in named if s.leg == leg), named[0] if len(named) == 1 else None)
    known = make_from_outcome(found, review, origin) if found else None
    if known is None:
        return NoBaseline(reason=f"the report of that run does not contain {config}")
    return known


def make_from_outcome(outcome: Outcome, review: Review, origin: Origin) -> Baseline | None:
    """With what that run knew of earlier ones. None where the run is not told in full."""
    if outcome.report is None or outcome.report.partial:
        return None
    scene = review.scene
    known = msgspec.structs.replace(
        origin, commit=origin.commit or scene.head_sha, made_at=origin.made_at or scene.made_at
    )
    figures = _list_figures(outcome)
    made = add_earlier(make_baseline(outcome.report, known, figures=figures), outcome.earlier or {})
    point = make_point(outcome, known)
    trend = branch_trends.add_run(branch_trends.get_trend(outcome), point, outcome.report.cases)
    return msgspec.structs.replace(made, trend=trend)


def add_earlier(baseline: Baseline, earlier: Mapping[str, str]) -> Baseline:
    """Return the baseline with the history of its cases; each attempt of a case has it."""
    if not earlier:
        return baseline
    cases = (
        msgspec.structs.replace(case, earlier=earlier.get(case.case_id, ""))
        for case in baseline.cases
    )
    return msgspec.structs.replace(baseline, cases=tuple(cases))


def _list_figures(outcome: Outcome) -> dict[str, Figure]:
    return {gate.figure: gate.head for gate in outcome.gates if gate.head is not None}


def make_point(outcome: Outcome, origin: Origin) -> Point:
    """Return the record of a run in the trend of the base branch."""
    values = {name: figure.value for name, figure in _list_figures(outcome).items()}
    return Point(
        commit=origin.commit,
        made_at=origin.made_at,
        pass_rate=values.get("pass_rate"),
        score=outcome.score,
        cost=values.get("cost"),
        latency=values.get("latency"),
    )


@dataclass(frozen=True, kw_only=True)
class Common:
    """The things that two runs share. `obstacles` keep their verdicts from being compared."""

    differing: frozenset[str]
    changed_cases: frozenset[str]
    obstacles: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Return whether whole cases, and not only some evaluators, can be compared."""
        return not self.obstacles

    def holds(self, evaluator: str) -> bool:
        """Return whether both runs judge alike by it; a case's own evaluators count with it."""
        return evaluator not in self.differing


def find_common(head: Identity, baseline: Baseline) -> Common:
    """Return what the run at hand shares with its baseline."""
    base = baseline.identity
    same_judge = head.judge == base.judge
    judged = {*head.judged, *base.judged}
    obstacles = list(_obstacles(head, base, judged=bool(judged), same_judge=same_judge))
    if baseline.unjudged:
        names = _list_names(list(baseline.unjudged))
        obstacles.append(f"no judge was asked about the base, which only one can judge: {names}")
    differing = {
        name
        for name in (*head.evaluators, *base.evaluators)
        if base.evaluators.get(name) != head.evaluators.get(name)
    }
    changed = {
        name for name, digest in head.cases.items() if base.cases.get(name, digest) != digest
    }
    return Common(
        differing=frozenset(differing | (set() if same_judge else judged) | {*baseline.unjudged}),
        changed_cases=frozenset(changed),
        obstacles=tuple(obstacles),
    )


def _obstacles(head: Identity, base: Identity, *, judged: bool, same_judge: bool) -> Iterator[str]:
    names = {**base.evaluators, **head.evaluators}
    sides = {name: (base.evaluators.get(name), head.evaluators.get(name)) for name in names}
    added = [name for name, (before, _) in sides.items() if before is None]
    removed = [name for name, (_, now) in sides.items() if now is None]
    changed = [name for name, (before, now) in sides.items() if before and now and before != now]
    for verb, which in (("changed", changed), ("added", added), ("removed", removed)):
        if which:
            noun = "evaluator was" if len(which) == 1 else "evaluators were"
            yield f"{noun} {verb}: {_list_names(which)}"
    if judged and not same_judge:
        yield "another judge, or other settings of it"
    if head.rules != base.rules:
        yield "other rules for when a case passes"


def _list_names(names: list[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


@dataclass(frozen=True)
class Usable:
    """A baseline as far as it can be used."""

    baseline: Baseline | NoBaseline
    against: Against
    common: Common | None = None


def find_usable(run: Evaluation, baseline: Baseline | NoBaseline, today: date) -> Usable:
    """Return how far a run can be compared with a baseline, and why no further."""
    if isinstance(baseline, NoBaseline):
        return Usable(baseline, Against(state=Change.NO_BASELINE, reason=baseline.reason))
    origin = baseline.origin
    too_old = _too_old(origin.made_at, run.policy.max_baseline_age_days, today)
    if too_old:
        against = Against(state=Change.STALE, reason=too_old, origin=origin)
        return Usable(NoBaseline(reason=too_old), against)
    common = find_common(run.identity, baseline)
    if common.whole:
        return Usable(baseline, Against(origin=origin), common)
    reason = "; ".join(common.obstacles)
    against = Against(state=Change.INCOMPATIBLE, reason=reason, origin=origin)
    if any(not case.outcomes for case in baseline.cases):  # too little is known to compare in part
        return Usable(NoBaseline(reason=reason), against)
    return Usable(baseline, against, common)


def _too_old(made_at: str, days: float | None, today: date) -> str:
    if days is None:
        return ""
    try:
        made = datetime.fromisoformat(made_at)
    except ValueError:
        return "the age of the baseline is unknown"
    made = made if made.tzinfo else made.replace(tzinfo=UTC)
    age = datetime(today.year, today.month, today.day, tzinfo=UTC) - made
    if age / timedelta(days=1) <= days:
        return ""
    return f"the baseline is {age.days} days old, and {days:g} are allowed"


def pack(baseline: Baseline, limit: int) -> str | None:
    """A text of at most that many characters, with less detail where that is needed."""
    for reduced in _reduce(baseline):
        compressed = zlib.compress(msgspec.json.encode(reduced), 9)
        text = DIGEST + base64.b64encode(compressed).decode()
        if len(text) <= limit:
            return text
    return None


def _reduce(baseline: Baseline) -> Iterator[Baseline]:
    yield baseline
    trend = msgspec.structs.replace(baseline.trend, strips={})
    baseline = msgspec.structs.replace(baseline, trend=trend)
    yield baseline
    cases = baseline.cases
    for members in _LESS:
        cases = tuple(msgspec.structs.replace(case, **members) for case in cases)
        yield msgspec.structs.replace(baseline, cases=cases)
    alone = msgspec.structs.replace(baseline.identity, cases={})
    yield msgspec.structs.replace(baseline, cases=(), identity=alone)


def unpack(text: str) -> Baseline:
    """The packed baseline in a text, or an InputError that says what is wrong with it."""
    start = text.find(DIGEST)
    if start < 0:
        msg = "there is no baseline in it"
        raise InputError(msg)
    words = text[start + len(DIGEST) :].split(maxsplit=1)
    try:
        compressed = base64.b64decode(words[0] if words else "", validate=True)
        expander = zlib.decompressobj()
        document = expander.decompress(compressed, _UNPACKED)
        if not expander.eof:
            msg = "the baseline in it is cut off, or larger than one can be"
            raise InputError(msg)
        return msgspec.json.decode(document, type=Baseline)
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        msg = f"the baseline in it cannot be read: {error}"
        raise InputError(msg) from None
