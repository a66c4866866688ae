"""An outcome: the facts of a run, its verdict, and how it compares with a baseline. Data only."""

from enum import StrEnum

import msgspec

from agentevals.model.cases import Raw, Status
from agentevals.model.completeness import Unknown
from agentevals.model.noun import Noun
from agentevals.model.policy import Acceptance, Policy
from agentevals.model.provenance import Arrival, Freshness
from agentevals.model.results import Decline, Finding, Identity, Report, Verdict


class FailOn(StrEnum):
    """The result that makes a review fail."""

    FAILED = "failed"  # a case or a gate
    REGRESSED = "regressed"  # a gate, or the whole run got worse by more than chance explains
    ANY_FLIP = "any-flip"  # a gate, or one case that fell, whether by chance or not
    ERROR = "error"  # what could not be judged at all
    NEVER = "never"


class Change(StrEnum):
    """The change of a figure since the baseline."""

    REGRESSED = "regressed"  # for certain; by more than the limit of its change, if it has one
    IMPROVED = "improved"  # for certain
    EQUIVALENT = "equivalent"  # for certain no further from the base than the limit, either way
    KEPT = "kept"  # for certain no worse than the limit allows
    UNCHANGED = "unchanged"  # no case differs; that does not show that nothing changed
    INCONCLUSIVE = "inconclusive"  # it differs, as it may by chance
    UNDERPOWERED = "underpowered"  # so few cases cannot tell whether the limit is kept
    NO_BASELINE = "no-baseline"
    INCOMPATIBLE = "incompatible"
    STALE = "stale"
    NOT_EVALUATED = "not-evaluated"


class Unit(StrEnum):
    """The unit of a figure."""

    SHARE = "share"
    SCORE = "score"
    TOKENS = "tokens"
    MILLISECONDS = "milliseconds"
    MONEY = "money"


class Interval(Noun, frozen=True, omit_defaults=False):
    """The range of a value with 95 % confidence."""

    low: float
    high: float


class Figure(Noun, frozen=True, omit_defaults=False):
    """One value of one run, with how many of how many it stands for where it is a share.

    These are `attempts` where cases were recorded several times; then each case counts the same.
    """

    value: float
    interval: Interval | None = None
    met: int | None = None
    of: int | None = None
    attempts: bool | msgspec.UnsetType = msgspec.UNSET


class Gate(Noun, frozen=True, omit_defaults=False):
    """One row of the gate table: a figure here and there, its limit, and what follows.

    `difference` is head minus base for shares and scores, and head by base (a ratio) for amounts.
    It is over the `pairs`, as `base` is; so is `paired`, where `head` is over other cases as well.
    `earlier` is all that the baseline had, where that is more. Of the pairs some got `better`, and
    some `worse`. The `p_value` is adjusted for the number of figures: that of "the limit is kept"
    where there is one of the difference, the `margin`, else that of "nothing has changed".
    """

    figure: str
    name: str
    unit: Unit
    head: Figure | None = None
    base: Figure | None = None
    difference: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    pairs: int = 0
    limit: str = ""
    change: Change = Change.NO_BASELINE
    fails: bool = False
    warns: bool = False
    reason: str = ""
    paired: Figure | msgspec.UnsetType = msgspec.UNSET
    earlier: Figure | msgspec.UnsetType = msgspec.UNSET
    better: int = 0
    worse: int = 0
    margin: float | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_ratio(self) -> bool:
        return self.unit in {Unit.TOKENS, Unit.MILLISECONDS, Unit.MONEY}

    @property
    def has_fallen(self) -> bool:
        """True if a share or a score got worse for certain, whoever gave it.

        More tokens, time or money are no regression unless a limit says so.
        """
        return self.change is Change.REGRESSED and not self.is_ratio


class Kind(StrEnum):
    """Why a case is shown. From what matters most to what matters least."""

    REGRESSED = "regressed"
    FAILING = "failing"  # and it failed before, or nobody knows
    ERROR = "error"  # an evaluator, and not the agent, kept it from a verdict
    NOT_EVALUATED = "not-evaluated"  # for want of evidence
    BORDERLINE = "borderline"  # it does not pass, and does not fail either
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"  # what is expected of it is not what it was
    FLAKY = "flaky"  # its repeats do not agree
    FIXED = "fixed"


class Place(Noun, frozen=True, omit_defaults=False):
    """A line of a file of the repository. The path is relative to its root, with slashes."""

    path: str
    line: int | None = None


class Standing(Noun, frozen=True, omit_defaults=False):
    """The result of a case on one side, over all its repeats."""

    verdict: Verdict
    score: float | None = None
    runs: int = 1
    passed: int = 0

    @property
    def is_flaky(self) -> bool:
        """True if its repeats do not agree."""
        return 0 < self.passed < self.runs


class Reason(Noun, frozen=True, omit_defaults=False):
    """The objection of one evaluator to a case, in its own words: third-party text."""

    evaluator: str
    status: Status
    text: str
    score: float | None = None
    threshold: float | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    raw: Raw | msgspec.UnsetType = msgspec.UNSET
    judged: bool = False
    rule: Place | None = None


class Highlight(Noun, frozen=True, omit_defaults=False):
    """One case that somebody should look at; `certain` where it is more than a judge's mood.

    `other_name` is what it may have been called before, or is called now: a case that went and
    one that came, of which the same is expected. Of several attempts the one in the file `source`
    is shown.
    """

    case_id: str
    kind: Kind
    now: Standing | None = None
    was: Standing | None = None
    reasons: tuple[Reason, ...] = ()
    certain: bool = True
    trace: Place | None = None
    calls_before: tuple[str, ...] = ()
    calls_now: tuple[str, ...] = ()
    expected_calls: bool = False  # `calls_before` are those of the eval set, not of the base
    accepted: Acceptance | None = None
    expired: bool = False
    other_name: str = ""
    source: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def fails(self) -> bool:
        return self.now is not None and self.now.verdict is Verdict.FAIL


class Origin(Noun, frozen=True, omit_defaults=False):
    """The place where a baseline comes from."""

    source: str = ""
    commit: str = ""
    run_url: str = ""
    run_number: int | None = None
    made_at: str = ""
    path: str = ""


class Against(Noun, frozen=True, omit_defaults=False):
    """The baseline of a section, or why there is none (`state` is then what kept it away)."""

    state: Change | None = None
    reason: str = ""
    origin: Origin | None = None
    paired: int = 0


class Point(Noun, frozen=True, omit_defaults=False):
    """One earlier run of the base branch, for the trend."""

    commit: str
    made_at: str = ""
    pass_rate: float | None = None
    score: float | None = None
    cost: float | None = None
    latency: float | None = None


class Apart(Noun, frozen=True, omit_defaults=False):
    """Cases of one kind that the comparison leaves apart: how many, and how many pass."""

    kind: Kind
    cases: int
    head: Figure | None = None
    base: Figure | None = None


class Counts(Noun, frozen=True, omit_defaults=False):
    """The number of cases of each kind. No evaluator gave a score to an `unscored` one.

    `errors` are the cases without a verdict, because an evaluator ended in an error.
    """

    cases: int = 0
    unscored: int = 0
    passed: int = 0
    borderline: int = 0
    failed: int = 0
    errors: int = 0
    not_evaluated: int = 0
    regressed: int = 0
    fixed: int = 0
    added: int = 0
    removed: int = 0
    removed_failing: int = 0
    changed: int = 0
    flaky: int = 0
    accepted: int = 0


class Outcome(Noun, frozen=True, omit_defaults=False):
    """The result of one config for the pull request.

    `highlights` are bounded, worst first; `counts` are not. `report` is the whole run. `arrivals`
    are by the paths of traces. The cases that are `apart` are in no difference. `earlier` is by
    cases: how recordings before this run ended on the base, oldest first, `p` (pass) or `f` (fail).
    `strips` are by cases, too: a letter for each run of `trend`.
    """

    config: str
    title: str
    verdict: Verdict
    exit_code: int
    fail_on: FailOn = FailOn.FAILED
    score: float | None = None
    counts: Counts = Counts()
    gates: tuple[Gate, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    against: Against = Against()
    findings: tuple[Finding, ...] = ()
    trend: tuple[Point, ...] = ()
    identity: Identity = Identity()
    reproduce: str = ""
    leg: str = ""
    report: Report | None = None
    unknown: Unknown | msgspec.UnsetType = msgspec.UNSET
    freshness: Freshness | msgspec.UnsetType = msgspec.UNSET
    arrivals: dict[str, Arrival] | msgspec.UnsetType = msgspec.UNSET
    apart: tuple[Apart, ...] | msgspec.UnsetType = msgspec.UNSET
    earlier: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    strips: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    decline: Decline | msgspec.UnsetType = msgspec.UNSET

    @property
    def key(self) -> str:
        """The key of what it replaces when it is published again."""
        return f"{self.config} {self.leg}".strip()

    @property
    def stands_alone(self) -> bool:
        """Return whether only the cases can decide: no baseline, no limit, no acceptance."""
        policy = self.report.policy if self.report else Policy()
        is_asked = self.against.state is not Change.NO_BASELINE or self.against.reason
        return not (is_asked or policy.limits or policy.accepted)
