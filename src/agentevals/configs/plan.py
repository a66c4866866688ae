"""The plan of a run: a config without its dialect, and what the command line changes about it."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BeforeValidator, ValidationError

from agentevals.configs.config_gate import Gate
from agentevals.files.agent_files import AgentFiles
from agentevals.graders import BUILTINS, GRADERS
from agentevals.graders.budgets.spending import Price
from agentevals.graders.grader import Grader
from agentevals.judge import JudgeSettings
from agentevals.model.cases import Case, Rubric, Scenario, Task
from agentevals.model.conversations import Turn
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.model.policy import Policy
from agentevals.model.results import Finding
from agentevals.traces.loaders import LOADERS

_DEFAULT = ("tool_trajectory_avg_score",)
_OF_BUILTINS = ("threshold", "judge_model", "trajectory_match_type")

Pairs = Literal["auto", "position"]
Texts = Annotated[list[str], BeforeValidator(lambda x: [x] if isinstance(x, str) else x)]


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One expected conversation, and the evaluators that judge it.

    `openings` are further user messages by which a conversation shows that it answers this.
    With `own_only` the evaluators of the whole plan do not judge it. `pass_at` is the score that
    it has to reach, where that is not the one of all. With `equal_turns` a conversation of more or
    fewer turns is not evaluated. `labels` are what the case says about itself besides.
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
    labels: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def drop_invocations(self) -> "Expectation":
        """Return what is judged by evaluators that do not read turns as ADK wrote them."""
        if not any(turn.invocation for turn in self.turns or ()):
            return self
        turns = tuple([msgspec.structs.replace(turn, invocation={}) for turn in self.turns or ()])
        return replace(self, turns=turns)


class StoredExpectations(Sequence[Expectation]):
    """Expectations that lie on disk. None has evaluators or a score to pass of its own."""

    most_turns: int

    @property
    @abstractmethod
    def case_ids(self) -> Sequence[str]:
        """Return the names of all."""

    @abstractmethod
    def digest(self, make: Callable[[Expectation], str]) -> Mapping[str, str]:
        """Return what `make` makes of each by its name, once somebody asks for it."""


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Settings of the command line. A setting that is None is left to the config.

    With `-m` the options for builtins apply to those it names, without it to every builtin entry.
    """

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
    has_agent: bool = True  # False for a tree that may lack the files of `agent`

    def check(self) -> None:
        """Refuse options whose mistakes are the same whatever the config says."""
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            msg = f"--threshold {self.threshold:g}: must be a number from 0 to 1"
            raise InputError(msg)
        if self.trace_format not in {None, "auto"} and self.trace_format not in LOADERS:
            known = suggestion(str(self.trace_format), LOADERS)
            msg = f"--format {self.trace_format}: unknown format{known}"
            raise InputError(msg)
        for number, name in enumerate(self.metrics):
            if name not in BUILTINS:
                msg = f"--metric {name}: there is no such builtin{suggestion(name, list(BUILTINS))}"
                raise InputError(msg)
            if name in self.metrics[:number]:
                msg = f"--metric {name}: named twice; remove one"
                raise InputError(msg)

    @property
    def builtin_settings(self) -> dict[str, Any]:
        """Return what builtin entries of the config get; with `-m`, only those that it names do."""
        return {} if self.metrics else self._list_given(*_OF_BUILTINS)

    def merge_graders(self, graders: Sequence[Grader]) -> list[Grader]:
        """Return the graders of the config with those of `-m`, which replace those of one name."""
        names = self.metrics or (() if graders else _DEFAULT)
        named = {name: self._build_builtin(name) for name in names}
        kept = [named.pop(grader.name, grader) for grader in graders]
        return [*kept, *named.values()]

    def change_judge(self, settings: JudgeSettings | None) -> JudgeSettings | None:
        """Return the judge of the config, or the one that `--judge-model` names."""
        given = {
            "model": None if settings is not None and self.metrics else self.judge_model,
            "base_url": self.judge_base_url,
            "provider": self.judge_provider,
            "api_key_env": self.judge_api_key_env,
        }
        changes = {key: value for key, value in given.items() if value is not None}
        if not changes:
            return settings
        provider = changes.pop("provider", None)
        try:
            if settings is None:
                return JudgeSettings(provider=provider, **changes)
            varied = settings.change(**changes)
            return varied.model_copy(update={"provider": provider}) if provider else varied
        except ValidationError as error:
            words = " and ".join(f"--judge-{key.replace('_', '-')}" for key in changes)
            said = _describe_errors(error).replace("'provider'", "--judge-provider")
            said = said.replace("'base_url'", "--judge-base-url")
            raise InputError(f"{words} {self.judge_model or ''}".rstrip() + f": {said}") from None

    def change_policy(self, gate: Gate) -> Policy:
        """Return the policy of the gate, with what the command line changes about it."""
        update = self._list_given("on_not_evaluated", "allow_missing", "allow_foreign")
        return gate.model_copy(update=update).policy()

    def _build_builtin(self, name: str) -> Grader:
        kind = GRADERS[name]
        known = [setting for setting in _OF_BUILTINS if setting in kind.model_fields]
        try:
            return kind.model_validate({"name": name, **self._list_given(*known)})
        except ValidationError as error:
            msg = f"--metric {name}: {_describe_errors(error)}, in an entry of a config"
            raise InputError(msg) from None

    def _list_given(self, *names: str) -> dict[str, Any]:
        return {name: given for name in names if (given := getattr(self, name)) is not None}


def _describe_errors(error: ValidationError) -> str:
    return "; ".join(str(e.get("ctx", {}).get("error", e["msg"])) for e in error.errors())


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything a run needs besides the traces. Paths in it are absolute, prompts are text."""

    title: str
    graders: tuple[Grader, ...] = ()
    expectations: Sequence[Expectation] | None = None
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
    agent: AgentFiles | None = None
    tree: Path | None = None  # the checkout it was read from, where that is not worked in
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model

    def graders_for(self, case: Case) -> tuple[Grader, ...]:
        """Return the evaluators of every case, then those that only this one has."""
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

    @property
    def grouping(self) -> str:
        """Return what is evaluated as one: whole conversations where several turns are expected."""
        several = self._most_turns > 1
        given = self.group_by or "auto"
        return "conversation" if given == "auto" and several else given

    def drop_sources(self) -> "Plan":
        """Return the plan without what only tells where it came from."""
        return replace(self, agent=None, sources=(), findings=(), traces=())

    @property
    def granted_variables(self) -> frozenset[str]:
        """Return the variables whose values programs are given."""
        return frozenset(name for grader in self.all_graders for name in getattr(grader, "env", ()))

    def change_graders(self, make: Callable[[Grader], Grader]) -> "Plan":
        """Return the plan with what is made of each grader, inner ones and those of cases too."""
        own = self.expectations
        if self._ruled:
            own = tuple(
                replace(one, graders=tuple(grader.change(make) for grader in one.graders))
                for one in self._ruled
            )
        graders = tuple(grader.change(make) for grader in self.graders)
        return replace(self, graders=graders, expectations=own)

    @cached_property
    def all_graders(self) -> tuple[Grader, ...]:
        """Return the outer ones, each followed by those that it is made of, however deep."""
        return tuple(flatten(self.outer_graders))

    @cached_property
    def outer_graders(self) -> tuple[Grader, ...]:
        """Return the graders that have a result of any case, in the order of the config."""
        own = (grader for wanted in self._ruled for grader in wanted.graders)
        return (*self.graders, *own)

    @property
    def needs_expectations(self) -> bool:
        """Return whether nothing can be judged without an eval set."""
        graders = self.outer_graders
        return bool(graders) and all(grader.needs_expectation for grader in graders)

    @property
    def _ruled(self) -> Sequence[Expectation]:
        """Return the expectations that may have rules of their own."""
        known = self.expectations or ()
        return () if isinstance(known, StoredExpectations) else known

    @cached_property
    def _most_turns(self) -> int:
        known = self.expectations or ()
        if isinstance(known, StoredExpectations):
            return known.most_turns
        return max((len(wanted.turns or ()) for wanted in known), default=0)

    @cached_property
    def _own(self) -> dict[str, Expectation]:
        return {e.case_id: e for e in self._ruled if e.graders or e.own_only}

    @cached_property
    def _pass_at(self) -> dict[str, float]:
        return {e.case_id: e.pass_at for e in self._ruled if e.pass_at is not None}


def flatten(graders: Iterable[Grader]) -> Iterator[Grader]:
    """Yield each grader, followed by those that it is made of, however deep."""
    for grader in graders:
        yield grader
        yield from flatten(grader.inner)
