"""The plan of a run: a config without its dialect."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.cases import Case, Rubric, Scenario, Task
from agentevals.model.conversations import Turn
from agentevals.model.results import Finding, Policy

Pairs = Literal["auto", "position"]


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One expected conversation, and the evaluators that judge it.

    `openings` are further user messages by which a conversation shows that it answers this.
    With `own_only` the evaluators of the whole plan do not judge it. `pass_at` is the score that
    it has to reach, where that is not the one of all. With `equal_turns` a conversation of more or
    fewer turns is not evaluated.
    """

    case_id: str
    turns: tuple[Turn, ...] | None = None
    opening: str = ""
    openings: tuple[str, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    criteria: str = ""
    scenario: Scenario | None = None
    task: Task | None = None
    graders: tuple[Grader, ...] = ()
    own_only: bool = False
    pass_at: float | None = None
    equal_turns: bool = False


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Settings of the command line. A setting that is None is left to the config."""

    metrics: tuple[str, ...] = ()
    threshold: float | None = None
    trajectory_match_type: str | None = None
    judge_model: str | None = None
    eval_set: Path | None = None
    trace_format: str | None = None
    group_by: str | None = None
    pair: Pairs | None = None
    on_not_evaluated: str | None = None
    allow_missing: bool | None = None
    allow_foreign: bool | None = None
    judge_provider: str | None = None
    judge_base_url: str | None = None
    judge_api_key_env: str | None = None
    # the folder that every file named in a config must lie in, links followed
    root: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything a run needs besides the traces. Paths in it are absolute, prompts are text."""

    title: str
    graders: tuple[Grader, ...] = ()
    expectations: tuple[Expectation, ...] | None = None
    eval_set_id: str = ""
    policy: Policy = field(default_factory=Policy)
    judge: JudgeSettings | None = None
    traces: tuple[str, ...] = ()
    trace_format: str | None = None
    output_format: str | None = None
    group_by: str | None = None
    pair: Pairs = "auto"
    jobs: int | None = None
    findings: tuple[Finding, ...] = ()
    sources: tuple[Path, ...] = ()  # the files it was read from

    def graders_for(self, case: Case) -> tuple[Grader, ...]:
        """The evaluators of every case, then those that only this one has."""
        wanted = self._own.get(case.eval_case_id or "")
        if wanted is None:
            return self.graders
        return wanted.graders if wanted.own_only else self.graders + wanted.graders

    def policy_for(self, case: Case) -> Policy:
        """Return the policy of a case; its score to pass may be the case's own."""
        pass_at = self._pass_at.get(case.eval_case_id or "")
        if pass_at is None:
            return self.policy
        borderline = self.policy.borderline_at
        return msgspec.structs.replace(
            self.policy,
            pass_at=pass_at,
            borderline_at=None if borderline is None else min(borderline, pass_at),
        )

    @cached_property
    def all_graders(self) -> tuple[Grader, ...]:
        """The outer ones, each followed by those that it is made of, however deep."""
        return tuple(_flatten(self.outer_graders))

    @cached_property
    def outer_graders(self) -> tuple[Grader, ...]:
        """Whoever has a result of any case, in the order of the config."""
        own = (grader for wanted in self.expectations or () for grader in wanted.graders)
        return (*self.graders, *own)

    @property
    def needs_expectations(self) -> bool:
        """Return whether nothing can be judged without an eval set."""
        graders = self.outer_graders
        return bool(graders) and all(grader.needs_expectation for grader in graders)

    @cached_property
    def _own(self) -> dict[str, Expectation]:
        return {e.case_id: e for e in self.expectations or () if e.graders or e.own_only}

    @cached_property
    def _pass_at(self) -> dict[str, float]:
        return {e.case_id: e.pass_at for e in self.expectations or () if e.pass_at is not None}


def _flatten(graders: Iterable[Grader]) -> Iterator[Grader]:
    for grader in graders:
        yield grader
        yield from _flatten(grader.inner)
