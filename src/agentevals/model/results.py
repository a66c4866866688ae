"""The nouns of an outcome: results, verdicts, findings, the report they make, and the decline of
the agent. Data only.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from agentevals.model.cases import Raw, Status
from agentevals.model.completeness import Gap, TurnGap
from agentevals.model.conversations import RecordingCost
from agentevals.model.noun import Noun
from agentevals.model.policy import Policy
from agentevals.model.provenance import Provenance


class Verdict(StrEnum):
    """The end of a case, or of a whole run. From best to worst.

    An error is what nobody can tell: an evaluator crashed, or a file or a judge was out of reach.
    """

    PASS = "pass"  # noqa: S105 -- a verdict, not a password
    BORDERLINE = "borderline"
    FAIL = "fail"
    ERROR = "error"

    @property
    def is_bad(self) -> bool:
        """True if it is neither passed nor nearly so."""
        return self in {Verdict.FAIL, Verdict.ERROR}


class Blame(StrEnum):
    """The party whose doing an error is; decides the exit code."""

    EVALUATOR = "evaluator"
    INPUT = "input"
    OUTSIDE = "outside"
    BUG = "bug"


class Result(Noun, frozen=True, omit_defaults=False):
    """One evaluator's outcome on one case: a grade, or the error that prevented one.

    Score and threshold are from 0 to 1; people read them on the evaluator's own `scale`, or as
    they are in `raw` if one lies outside.
    """

    name: str
    type: str
    status: Status
    score: float | None = None
    threshold: float | None = None
    weight: float = 1.0
    required: float | None = None
    vetoes: bool = False
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    per_turn: tuple[float | None, ...] = ()
    details: dict[str, Any] = {}
    error: str = ""
    blame: Blame | None = None
    isolation: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
    raw: Raw | msgspec.UnsetType = msgspec.UNSET
    duration_ms: float = 0.0

    @property
    def problems(self) -> tuple[str, ...]:
        """Why this did not go well, for people: the error, or what the grader missed.

        How to record what is missing, a finding of the run says once for all cases.
        """
        if self.error:
            return (self.error,)
        return (self.gap.missing,) if self.gap else self.misses

    @property
    def gap(self) -> Gap | None:
        """The fact for want of which it was not evaluated; None if that was not the reason."""
        if self.status is not Status.NOT_EVALUATED:
            return None
        told = self.details.get("gap")
        if told is None or isinstance(told, Gap):
            return told
        try:
            return msgspec.convert(told, Gap)
        except msgspec.ValidationError:  # an evaluator's own details may have any shape
            return None

    @property
    def evaluated(self) -> bool:
        """True if there was something to judge, and it was judged."""
        return self.status is Status.PASSED or self.status is Status.FAILED

    @property
    def case_status(self) -> Status:
        """The status for its case: a result that misses a gate failed, whatever its score."""
        return Status.FAILED if self.misses_gate and self.evaluated else self.status

    @property
    def misses_gate(self) -> bool:
        """True if it fails its case whatever others say: by a veto, or below what is required."""
        return self.vetoes or (self.required is not None and self.misses_required)

    @property
    def misses_required(self) -> bool:
        """True if its own score is less than what is required of it."""
        if self.required is None:
            return False
        return not self.evaluated or (self.score or 0.0) < self.required


class TurnRef(Noun, frozen=True, omit_defaults=False):
    """The place where a turn was recorded, for links and for events that go back to it."""

    trace_id: str
    span_id: str
    agent: str = ""


class CaseReport(Noun, frozen=True, omit_defaults=False):
    """Everything that was found out about one case.

    `gaps` are the facts that its recording does not show, turn by turn. It `lacks_evidence` if
    only these keep it from a verdict: it has neither passed nor failed. `recording` is the digest
    of what was recorded, wherever its files lie. Cases of one `family` are variants of one task. A
    case that was recorded several times has `attempts`, each with a digest of its own, and what
    they come to together.
    """

    case_id: str
    verdict: Verdict
    score: float | None = None
    eval_case_id: str | None = None
    conversation_id: str = ""
    trace_ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    user: str = ""
    turns: int = 0
    results: tuple[Result, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    performance: dict[str, Any] = {}
    turn_performance: tuple[dict[str, Any], ...] = ()
    turn_refs: tuple[TurnRef, ...] = ()
    calls: tuple[str, ...] = ()
    gaps: tuple[TurnGap, ...] | msgspec.UnsetType = msgspec.UNSET
    lacks_evidence: bool | msgspec.UnsetType = msgspec.UNSET
    provenance: Provenance | msgspec.UnsetType = msgspec.UNSET
    recording: str | msgspec.UnsetType = msgspec.UNSET
    family: str | msgspec.UnsetType = msgspec.UNSET
    attempts: "tuple[CaseReport, ...] | msgspec.UnsetType" = msgspec.UNSET

    @property
    def is_undecided(self) -> bool:
        """True if it has neither passed nor failed."""
        return self.is_unscored or bool(self.lacks_evidence)

    @property
    def is_unscored(self) -> bool:
        """True if nothing of it could be evaluated, and that is allowed. It has not passed."""
        if self.verdict is not Verdict.PASS or not self.results:
            return False
        return not any(result.evaluated for result in self.results)


EVALUATOR_ERROR = "evaluator-error"  # the rule of findings about evaluators that ended in an error


class Severity(StrEnum):
    """The weight of a finding: it fails the gate, should be looked at, or is only reported."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(Noun, frozen=True, omit_defaults=False):
    """Something about the run as a whole that people must know, with its place when it has one."""

    severity: Severity
    rule: str
    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None
    blame: Blame | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        return f"{place}: {self.message}" if place else self.message


class Identity(Noun, frozen=True, omit_defaults=False):
    """The digests of what a run judged with: two runs are comparable only as far as these agree."""

    evaluators: dict[str, str] = {}
    judged: tuple[str, ...] = ()
    judge: str = ""
    cases: dict[str, str] = {}
    rules: str = ""


class Partial(Noun, frozen=True, omit_defaults=False):
    """The number of cases that a cancelled run has evaluated, and of all if they were counted."""

    done: int
    of: int | None = None


class Evaluation(Noun, frozen=True, omit_defaults=False):
    """The facts of a run, before anybody has decided what they come to.

    `cases` can be walked several times but may lie on disk: never turn it into a list. `overall`
    is what only all cases together say, by evaluator. A `partial` run was cancelled.
    """

    title: str
    cases: Sequence[CaseReport] = ()
    findings: tuple[Finding, ...] = ()
    score: float | None = None
    counts: dict[str, int] = {}
    evaluators: tuple[str, ...] = ()
    overall: dict[str, dict[str, Any]] = {}
    eval_set_id: str = ""
    performance: dict[str, Any] = {}
    isolation: str = ""
    judge: dict[str, Any] = {}
    version: str = ""
    duration_ms: float = 0.0
    identity: Identity = Identity()
    policy: Policy = Policy()
    partial: Partial | msgspec.UnsetType = msgspec.UNSET
    recording_cost: RecordingCost | msgspec.UnsetType = msgspec.UNSET


class Report(Evaluation, frozen=True, kw_only=True, omit_defaults=False):
    """The facts of a run and its verdict: what reporters of other packages are given."""

    verdict: Verdict
    exit_code: int

    @property
    def members(self) -> tuple[str, ...]:
        """The names of its members in the order in which they are written: the verdict first."""
        first = ("title", "verdict", "exit_code")
        return (*first, *(n for n in self.__struct_fields__ if n not in first))


class Decline(Noun, frozen=True, omit_defaults=False):
    """The answer to whether the agent got worse: one decision for the whole run.

    It is `proven` if chance explains it with a probability of at most `alpha`, or if `facts` are
    there: cases that fell on the very recording that passed on the base. Of the cases some `fell`,
    and some `rose`, by the share of their attempts that passed. A drop of the pass rate that is
    `detectable` is found in 8 of 10 runs; null if none is, unset if that is not known.
    """

    p_value: float
    alpha: float
    fell: int = 0
    rose: int = 0
    facts: int = 0
    proven: bool = False
    detectable: float | msgspec.UnsetType | None = msgspec.UNSET
