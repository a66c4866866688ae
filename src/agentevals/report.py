"""The nouns of an outcome: results, verdicts, findings, and the report they make. Data only."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from agentevals.model import Noun, Status


class Verdict(StrEnum):
    """How a case, or a whole run, ended. From best to worst."""

    PASS = "pass"  # noqa: S105 -- a verdict, not a password
    BORDERLINE = "borderline"
    FAIL = "fail"


class Blame(StrEnum):
    """Whose doing an error is; decides the exit code."""

    EVALUATOR = "evaluator"
    INPUT = "input"
    OUTSIDE = "outside"
    BUG = "bug"


class Result(Noun, frozen=True, omit_defaults=False):
    """One evaluator's outcome on one case: a grade, or the error that prevented one."""

    name: str
    type: str
    status: Status
    score: float | None = None
    threshold: float | None = None
    weight: float = 1.0
    required: float | None = None
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    per_turn: tuple[float | None, ...] = ()
    details: dict[str, Any] = {}
    error: str = ""
    blame: Blame | None = None
    isolation: str = ""
    duration_ms: float = 0.0

    @property
    def problems(self) -> tuple[str, ...]:
        """Why this did not go well, for people: the error, or what the grader missed."""
        return (self.error,) if self.error else self.misses


class TurnRef(Noun, frozen=True, omit_defaults=False):
    """Where a turn was recorded, for links and for events that go back to it."""

    trace_id: str
    span_id: str
    agent: str = ""


class CaseReport(Noun, frozen=True, omit_defaults=False):
    """Everything that was found out about one case."""

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


class Severity(StrEnum):
    """Whether a finding fails the gate, should be looked at, or is only said."""

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


class Policy(Noun, frozen=True):
    """What a case, and the run, must reach.

    Without `pass_at` a case passes when every evaluator does.
    """

    pass_at: float | None = None
    borderline_at: float | None = None
    fail_on_not_evaluated: bool = True
    fail_on_missing: bool = True
    fail_on_foreign: bool = True


class Report(Noun, frozen=True, omit_defaults=False):
    """The outcome of a run. Reporters and publishers read this and nothing else.

    `cases` can be walked several times but may lie on disk: never turn it into a list.
    """

    title: str
    verdict: Verdict
    exit_code: int
    cases: Sequence[CaseReport] = ()
    findings: tuple[Finding, ...] = ()
    score: float | None = None
    counts: dict[str, int] = {}
    evaluators: tuple[str, ...] = ()
    eval_set_id: str = ""
    performance: dict[str, Any] = {}
    isolation: str = ""
    judge: dict[str, Any] = {}
    version: str = ""
    duration_ms: float = 0.0
