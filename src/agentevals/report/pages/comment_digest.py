"""A section in short, small enough to travel in a hidden line of the comment.

Whoever writes to the comment next knows of the other sections only this, and needs no more: the
first line and the table of configs are made of digests alone.
"""

from collections.abc import Iterable, Sequence, Set
from hashlib import sha256
from typing import Annotated

import msgspec
from msgspec import Meta

from agentevals.compare import settlement
from agentevals.model.outcome import Change, Counts, FailOn, Kind, Outcome
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import Review, State
from agentevals.report import fail_on
from agentevals.report.pages import page_rules, page_wording
from agentevals.report.pages.page_cases import count_changed
from agentevals.text import markdown

NAME = 120  # characters kept of a name; fewer when it does not fit

Number = Annotated[int, Meta(ge=0, le=10**9)]
Name = Annotated[str, Meta(max_length=NAME + 1)]
Digits = Annotated[str, Meta(pattern="^[0-9a-f]{0,64}$")]


class Digest(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One section, or a whole review that has none (yet).

    `writer` is who replaces it, `key` which of the writer's sections it is. `checksum` is that of
    the text which was published with it. `uncovered` are regressed cases that no rule of the gate
    and nobody answers for, `fallen` are the figures that got worse for certain, and `chance` says
    whether it explains all that. With `only_worse` nothing else fails the run. `lacking` are cases
    that lack evidence; `undecided` is a run that nothing else fails. A `claim` is what the run of
    a fork has reported of itself. A cancelled run has come to `cases`, `of` as many if that is
    known. `errors` are cases without a verdict because of one; the first `error` of a run is
    named. The first of a review names its changed `rules`, what of them is `pending`, and who has
    `approved` the rest.
    """

    writer: Digits
    key: Digits
    order: tuple[Number, Number] = (0, 1)
    head: Digits = ""
    claim: bool = False
    config: Name = ""
    leg: Name = ""
    state: State = State.DONE
    verdict: Verdict | None = Verdict.PASS
    exit_code: Annotated[int, Meta(ge=0, le=255)] = 0
    gates: Number = 0
    failing: Number = 0
    unsure: Number = 0
    problems: Number = 0
    cases: Number = 0
    of: Number = 0
    unscored: Number = 0
    lacking: Number = 0
    undecided: bool = False
    passed: Number = 0
    failed: Number = 0
    errors: Number = 0
    borderline: Number = 0
    regressed: Number = 0
    uncovered: Number = 0
    only_worse: bool = False
    fixed: Number = 0
    removed: Number = 0
    changed: Number = 0
    removed_failing: Number = 0
    accepted: Number = 0
    fallen: Name = ""
    chance: Name = ""
    figure: Name = ""
    cost: Name = ""
    base: Name = ""
    compared: bool = False
    reason: Name = ""
    error: Name = ""
    rules: Name = ""
    pending: Name = ""
    stale: Name = ""
    approved: Name = ""
    checksum: Number | None = None

    @property
    def rank(self) -> tuple[int, int, bool]:
        """Return the rank: the greater replaces. The start of a run never replaces its end."""
        return (*self.order, self.state is not State.RUNNING)

    @property
    def broken(self) -> bool:
        """Return whether the verdict is unknown: neither the agent nor the gates are to blame."""
        unknown = self.state in {State.BROKEN, State.CANCELLED}
        return unknown or self.verdict is Verdict.ERROR

    @property
    def is_scored(self) -> bool:
        """Return whether at least one case has a score."""
        return self.state is State.DONE and self.cases > self.unscored

    @property
    def name(self) -> str:
        """Return the name that people know."""
        leg = self.leg if self.leg != self.config else ""
        return " ".join(filter(None, (self.config, leg))) or "evaluation"


def make_all(review: Review) -> tuple[Digest, ...]:
    """One of each section and of each config without one, or one of the review."""
    found = [make_digest(review, outcome) for outcome in review.sections] or [_bare(review)]
    lost = map(_make_lost, settlement.split_unevaluated(review))
    return (_add_rules(found[0], review), *found[1:], *lost)


def _add_rules(first: Digest, review: Review) -> Digest:
    if not review.rules:
        return first
    return msgspec.structs.replace(
        first,
        rules=cut(page_rules.name_changes(review.rules.changes)),
        pending=cut(page_rules.explain_pending(review.rules, review.scene.base_ref)),
        approved=cut(", ".join(f"@{login}" for login in review.rules.approvers)),
    )


def _make_lost(review: Review) -> Digest:
    """Return its digest. The key of a section never begins with a space."""
    path = review.notes[0].path
    return msgspec.structs.replace(_bare(review), key=_hash(f" {path}"), config=_cut_path(path))


def make_digest(review: Review, outcome: Outcome) -> Digest:
    serious = [f for f in outcome.findings if f.severity is Severity.ERROR]
    partial = outcome.report.partial if outcome.report else None
    known = {n: getattr(outcome.counts, n) for n in Counts.__struct_fields__ if n in _COUNTED}
    return msgspec.structs.replace(
        _bare(review),
        key=_hash(outcome.key),
        config=_cut_path(name_config(outcome)),
        leg=cut(outcome.leg),
        state=State.CANCELLED if partial else State.DONE,
        of=(partial.of or 0) if partial else 0,
        verdict=outcome.verdict,
        exit_code=outcome.exit_code,
        gates=sum(1 for gate in outcome.gates if gate.limit),
        failing=sum(1 for gate in outcome.gates if gate.fails),
        unsure=sum(1 for gate in outcome.gates if gate.warns and not gate.fails),
        problems=len(serious),
        error=_name_error(serious),
        uncovered=_count_uncovered(outcome),
        only_worse=outcome.fail_on in _BY_WORSE and outcome.against.state is None,
        chance=fail_on.explain_chance(outcome),
        fallen=cut(page_wording.list_fallen(outcome.gates)),
        figure=cut(page_wording.write_first(outcome.gates)),
        cost=cut(page_wording.write_cost(outcome.gates)),
        compared=is_compared(outcome),
        reason=_why_uncompared(outcome),
        lacking=outcome.unknown.cases if outcome.unknown else 0,
        undecided=_is_undecided(outcome),
        stale=_describe_stale(outcome),
        **known | {"changed": count_changed(outcome)},
    )


def _name_error(found: Sequence[Finding]) -> str:
    """Return the first that something in error is to blame for, without what to do about it."""
    told = (str(one) for one in found if one.severity is Severity.ERROR and one.blame)
    return cut(next(told, "").partition("; ")[0])


def name_config(outcome: Outcome) -> str:
    """Return the path of a config; its title says more where that is not the name of the file."""
    is_file = outcome.config.rpartition("/")[2] == outcome.title
    return outcome.config if is_file or not outcome.title else outcome.title


def _is_undecided(outcome: Outcome) -> bool:
    """Return whether only missing evidence, or recordings that are not fresh, decide."""
    lacking = bool(outcome.unknown and outcome.unknown.decides)
    return lacking or bool(outcome.freshness and outcome.freshness.decides)


def _describe_stale(outcome: Outcome) -> str:
    found = outcome.freshness
    return cut(found.describe()) if found and not found.is_complete else ""


def _why_uncompared(outcome: Outcome) -> str:
    """Nothing where nobody has asked for a comparison."""
    against = outcome.against
    if outcome.verdict is Verdict.ERROR and outcome.counts.errors:
        return ""  # the error is why
    if outcome.unknown and outcome.unknown.uncompared and against.state is Change.NO_BASELINE:
        return "evidence is missing"
    return _WITHOUT.get(against.state or Change.UNCHANGED, "") if against.reason else ""


def is_compared(outcome: Outcome) -> bool:
    """Return whether there was a usable baseline."""
    against = outcome.against
    return against.state is None and bool(against.origin or against.paired)


def shorten_configs(digests: Sequence[Digest]) -> list[Digest]:
    """Return them with the end of each config's path that tells it from the others."""
    paths = {digest.config for digest in digests}
    return [
        msgspec.structs.replace(digest, config=_find_end(digest.config, paths))
        for digest in digests
    ]


def _find_end(path: str, paths: Set[str]) -> str:
    parts = path.split("/")
    ends = ("/".join(parts[-count:]) for count in range(1, len(parts)))
    others = [other for other in paths if other != path]
    return next((end for end in ends if not any(_ends_with(o, end) for o in others)), path)


def _ends_with(path: str, end: str) -> bool:
    return path == end or path.endswith(f"/{end}")


def newest(digests: Iterable[Digest]) -> Digest | None:
    """One of the latest run."""
    return max(digests, key=lambda digest: (digest.rank, digest.head), default=None)


def current(digests: Sequence[Digest]) -> list[Digest]:
    """Return the digests of the latest head; the others tell about a commit that was replaced."""
    latest = newest(digests)
    return [digest for digest in digests if latest is None or digest.head == latest.head]


_COUNTED = frozenset(Digest.__struct_fields__) & frozenset(Counts.__struct_fields__)


def _bare(review: Review) -> Digest:
    scene = review.scene
    sha = scene.head_sha.lower()
    return Digest(
        writer=_hash(f"{scene.workflow}\n{scene.job}\n{scene.leg}"),
        key=_hash(""),
        order=scene.order,
        head=sha if sha.isalnum() and not set(sha) - set("0123456789abcdef") else _hash(sha),
        claim=scene.secondhand,
        leg=cut(scene.leg),
        base=cut(scene.base_ref),
        state=review.state,
        verdict=review.verdict,
        exit_code=review.exit_code,
        problems=sum(1 for note in review.notes if note.severity is Severity.ERROR),
        error=_name_error(review.notes),
    )


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def cut(text: str, length: int = NAME) -> str:
    return markdown.visible(text, length)[:length] if text else ""


def _cut_path(path: str) -> str:
    """Keep the end of a long path, which tells most."""
    shown = markdown.visible(path, len(path))
    return shown if len(shown) <= NAME else f"…{shown[1 - NAME :]}"


def _count_uncovered(outcome: Outcome) -> int:
    """Count the regressions that no verdict covers yet: by default those of cases that pass."""
    if outcome.fail_on not in {*_BY_WORSE, FailOn.ERROR}:
        found = (one for one in outcome.highlights if one.kind is Kind.REGRESSED)
        return sum(not one.fails for one in found)
    accepted = [one for one in outcome.highlights if one.accepted and not one.expired]
    return outcome.counts.regressed - sum(one.kind is Kind.REGRESSED for one in accepted)


_BY_WORSE = frozenset({FailOn.REGRESSED, FailOn.ANY_FLIP})
_WITHOUT = {
    Change.NO_BASELINE: "no baseline",
    Change.INCOMPATIBLE: "its baseline was judged differently",
    Change.STALE: "its baseline is too old",
}
