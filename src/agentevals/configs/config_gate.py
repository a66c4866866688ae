"""The settings of `gate:`: limits that fail a run, on its own and against the base."""

from collections.abc import Iterable, Iterator
from datetime import date
from difflib import get_close_matches
from typing import Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from agentevals.files.document_places import quote
from agentevals.files.documents import Document
from agentevals.model.errors import Problem
from agentevals.model.plugins import suggestion
from agentevals.model.policy import Acceptance, Limit, Policy, Unsure
from agentevals.model.results import Finding, Severity

OF_EVALUATOR = "evaluator:"  # begins the name of a figure that is one evaluator's score


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ShareLimits(_Part):
    """Limits of a share or a score, both from 0 to 1."""

    at_least: float | None = Field(default=None, ge=0, le=1, description="Lower fails")
    max_drop: float | None = Field(
        default=None, ge=0, le=1, description="How far it may fall below the base"
    )


class AmountLimits(_Part):
    """Limits of what a case takes: the mean of all cases, of latency the geometric mean."""

    at_most: float | None = Field(default=None, ge=0, description="Higher fails")
    max_ratio: float | None = Field(
        default=None, ge=1, description="How many times that of the base it may be"
    )


class AcceptedCase(_Part):
    """A failing case that somebody answers for."""

    case: str = Field(min_length=1, description="The case, by its id")
    evaluator: str = Field(
        default="", description="Accept only failures of this evaluator; by default of all"
    )
    reason: str = Field(min_length=1, description="Why it may fail; shown to every reviewer")
    until: date = Field(description="The last day on which it may, such as 2027-01-31")


class Gate(_Part):
    """Limits that fail a run, besides an evaluator that failed."""

    on_not_evaluated: Literal["fail", "warn"] = Field(
        default="fail", description="`fail` or `warn`, if an evaluator cannot score a case"
    )
    allow_missing: bool = Field(
        default=False,
        description="Only warn about eval cases and turns that no recorded conversation answers",
    )
    allow_foreign: bool = Field(
        default=False, description="Skip traces without an agent, such as web requests"
    )
    pass_rate: ShareLimits | None = Field(
        default=None,
        description="The share of cases that pass. With `at_least`, single cases may fail",
    )
    score: ShareLimits | None = Field(default=None, description="The mean score of all cases")
    evaluators: dict[str, ShareLimits] = Field(
        default={}, description="The mean score of single evaluators, by their names"
    )
    cost: AmountLimits | None = Field(default=None, description="Money per case")
    tokens: AmountLimits | None = Field(default=None, description="Tokens per case")
    latency: AmountLimits | None = Field(default=None, description="Milliseconds per turn")
    accept: tuple[AcceptedCase, ...] = Field(
        default=(), description="Cases that may fail for now: `case`, `reason`, `until`"
    )
    on_inconclusive: Literal["fail", "warn", "pass"] = Field(
        default="warn",
        description=(
            "`fail`, `warn` or `pass`, if there are too few cases to decide about a "
            "limit against the baseline"
        ),
    )
    on_no_baseline: Literal["fail", "warn", "pass"] = Field(
        default="warn", description="`fail`, `warn` or `pass`, if there is no baseline"
    )
    max_baseline_age_days: float | None = Field(
        default=None, gt=0, description="An older baseline is not compared with"
    )
    on_stale_recording: Literal["fail", "warn"] | None = Field(
        default=None,
        description="What it means in a pull request when a recording is not of the agent as it "
        "is now: `fail` if `agent` is listed and changed, otherwise `warn`, which blocks nothing",
    )
    attempts: Literal["all", "any", "most"] = Field(
        default="most",
        description="How many attempts of a case must pass, where it was recorded several times: "
        "`all`, `any` (one of them) or `most` (more than half). The base is compared by the share",
    )
    approval: Literal["any", "other"] = Field(
        default="any",
        description="Who may approve a change of rules in a pull request: `any` with write "
        "permission, or only an `other` than its author",
    )
    cluster: str = Field(
        default="",
        description="The key of the cases whose value says which of them are one family, such as "
        "variants of one task. A family counts once where the cases are compared with the base. "
        "`conversation` is the session that was recorded",
    )

    def policy(self) -> Policy:
        """Return these settings as the policy that a run is judged by."""
        return Policy(
            fail_on_not_evaluated=self.on_not_evaluated == "fail",
            fail_on_missing=not self.allow_missing,
            fail_on_foreign=not self.allow_foreign,
            limits=dict(self._limits()),
            accepted=tuple(Acceptance(**e.model_dump(mode="json")) for e in self.accept),
            on_inconclusive=Unsure(self.on_inconclusive),
            on_no_baseline=Unsure(self.on_no_baseline),
            max_baseline_age_days=self.max_baseline_age_days,
            on_stale_recording=self.on_stale_recording or msgspec.UNSET,
            attempts=self.attempts if self.attempts != "most" else msgspec.UNSET,
            approval="other" if self.approval == "other" else msgspec.UNSET,
            cluster=self.cluster or msgspec.UNSET,
        )

    def _limits(self) -> Iterator[tuple[str, Limit]]:
        figures = {
            "pass_rate": self.pass_rate,
            "score": self.score,
            **{f"{OF_EVALUATOR}{name}": given for name, given in self.evaluators.items()},
            "cost": self.cost,
            "tokens": self.tokens,
            "latency": self.latency,
        }
        for figure, given in figures.items():
            if given is not None:
                yield figure, Limit(**given.model_dump())


def check_cases(gate: Gate, cases: Iterable[str], document: Document) -> Iterator[Finding]:
    """Yield a warning for each accepted case that the expected ones do not have."""
    known = list(cases) if gate.accept else []
    for index, entry in enumerate(gate.accept):
        if entry.case not in known:
            near = get_close_matches(entry.case, known, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else "; check its name"
            message = f"'gate.accept': no eval case is called {quote(entry.case)}{hint}"
            where = ("gate", "accept", index, "case")
            yield document.finding("acceptance-unknown", message, where, Severity.WARNING)


def check_names(gate: Gate, evaluators: Iterable[str], document: Document) -> Iterator[Problem]:
    """Evaluators that the gate names and the config does not have."""
    known = list(evaluators)
    for name in gate.evaluators:
        if name not in known:
            message = f"'gate': there is no evaluator {quote(name)}{suggestion(name, known)}"
            yield document.problem(message, ("gate", "evaluators", name), key=True)
    for index, entry in enumerate(gate.accept):
        if entry.evaluator and entry.evaluator not in known:
            there = f"there is no evaluator {quote(entry.evaluator)}"
            message = f"'gate.accept': {there}{suggestion(entry.evaluator, known)}"
            yield document.problem(message, ("gate", "accept", index, "evaluator"))
