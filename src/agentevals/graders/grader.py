"""The seam every evaluator type plugs into, and why there was nothing to judge."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)
from pydantic.alias_generators import to_camel

from agentevals.judge import Judge, Redact, Unconfigured
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact, Gap
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import Finding, Result
from agentevals.sandbox.kept_program_outputs import KeptRuns

REQUIRED = 0.8  # what `required: true` asks for
# for types whose settings may be written in camel case too
IN_CAMEL_CASE_TOO = ConfigDict(
    alias_generator=AliasGenerator(
        validation_alias=lambda setting: AliasChoices(setting, to_camel(setting))
    )
)
NO_TURN = "the recording holds no turn of the agent; run 'agentevals doctor' to see what it holds"
NO_ANSWER = "the recording holds no answer; run 'agentevals doctor' for what records it"
NO_PAIR = "there is no turn to compare; write what the agent should do into the eval set"
NO_RESPONSE = "the eval set states no final response to compare with; add 'final_response'"
NO_EXPECTATION = "nothing says what was expected; write it into the case"
NO_EVAL_SET = "no eval set provided; name one in 'eval_set', or with '--eval-set'"
NO_OUTPUT = "no output is expected of this case; write 'expectedOutput'"
NO_MODEL_CALL = "no model call was recorded; instrument the client of the model, and record again"
NO_COST = "no cost was recorded; record it, or the tokens and the name of the model"
NO_DURATION = "no duration was recorded; record when each turn begins and ends"
NO_TOKENS = "no token counts were recorded; run 'agentevals doctor' for what records them"


def _read_gate(given: Any) -> Any:
    return {True: REQUIRED, False: None}[given] if isinstance(given, bool) else given


@dataclass(frozen=True)
class TextOrFile:
    """Marks a setting that is a text, or names the file that holds it.

    A dialect reads the file before the grader is built: `file://` says that it is one, a path
    to a file that exists is one.
    """


@dataclass(frozen=True)
class Evaluators:
    """Marks a setting that is a list of evaluators, each written as at the top level.

    A dialect makes graders of them before the grader that holds them is built.
    """


@dataclass(frozen=True, kw_only=True)
class Services:
    """The services that a grader may use beyond its own settings."""

    judge: Judge = field(default_factory=Unconfigured)
    # how far third-party programs must be isolated, whatever their own settings say
    isolation: str | None = None
    # why no judge may be asked in this run; empty where one may
    unjudged: str = ""
    # what a model behind an API gets of a text
    redact: Redact = str
    # what programs have printed in earlier runs
    kept: KeptRuns | None = None
    # the checkout of the config, where that is not the working directory
    tree: Path | None = None
    # hosts that were asked for an opinion beside those of the judge
    hosts: set[str] = field(default_factory=set)
    # what evaluators have to say beside their grades, by its words: once for all cases
    findings: dict[str, Finding] = field(default_factory=dict)


class Grader(BaseModel, ABC):
    """An evaluator: its settings are the fields, its judgement is `grade`.

    The engine owns the rest: timing, threshold, weight, error capture, verdict. A setting that
    names a file has the type `Path`: a dialect makes it absolute before the grader is built.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    type: ClassVar[str]
    # whether grading mostly waits for something outside this process, so that threads help
    waits: ClassVar[bool] = False
    # whether there is nothing to judge without an expectation from an eval set
    needs_expectation: ClassVar[bool] = False
    # whether it compares turn by turn, and so nothing where their numbers differ
    needs_equal_turns: ClassVar[bool] = False
    # whether it is given the turns as ADK wrote them, with all that nobody else judges by
    reads_invocations: ClassVar[bool] = False
    # the facts that it judges by, and whether only those of the last turn
    judges_by: ClassVar[frozenset[Fact]] = frozenset()
    judges_last_turn_only: ClassVar[bool] = False
    # whether it measures what was used: not evaluated means then that this was not recorded
    measures_usage: ClassVar[bool] = False

    name: str = Field(min_length=1, description="Unique name, used in every output")
    threshold: float = Field(
        default=0.5, ge=0, le=1, strict=True, description="A score at or above this value passes"
    )
    weight: float = Field(
        default=1.0,
        ge=0,
        le=1e9,
        allow_inf_nan=False,
        strict=True,
        description="Share in the score of the case",
    )
    required: Annotated[
        float | None, BeforeValidator(_read_gate, json_schema_input_type=float | bool | None)
    ] = Field(
        default=None,
        ge=0,
        le=1,
        description="The case fails if the score is lower; `true` means 0.8",
    )
    negate: bool = Field(default=False, description="`true` inverts the score: 1 minus the score")

    # whether all cases together are judged as well, by `overall`
    judges_overall: ClassVar[bool] = False

    @property
    def judged(self) -> bool:
        """True if a model judges, so that the same case may get another grade the next time."""
        return False

    @property
    def content(self) -> str:
        """A digest of what judges, where that is known and is not said by the settings."""
        return ""

    @property
    def is_repeatable(self) -> bool:
        """True if it says the same again, whenever it is given the same."""
        return True

    @property
    def batches(self) -> bool:
        """True if it judges several cases together sooner than one after the other."""
        return False

    @property
    def is_known(self) -> bool:
        """False if it has to be fetched before anybody can tell what judges."""
        return True

    @property
    def reach(self) -> tuple[Path | str, ...] | None:
        """Paths and patterns that decide how it judges; None where its settings name them."""
        return None

    def list_needs(self, case: Case) -> frozenset[Fact]:
        """Return the facts that it judges this case by; a type whose settings decide overrides."""
        return self.judges_by

    def find_gap(self, case: Case) -> Gap | None:
        """Return the first fact that it needs, or one that it is made of, and nobody recorded.

        An expectation needs the same facts, where turns are compared with it.
        """
        if not case.has_gaps:
            return None
        needs = self.list_needs(case)
        sides = (case.turns, (case.expected or ()) if self.needs_expectation else ())
        turns = chain(*(side[-1:] if self.judges_last_turn_only else side for side in sides))
        own = (gap for turn in turns for gap in turn.gaps if gap.fact in needs)
        inner = (gap for grader in self.inner if (gap := grader.find_gap(case)))
        return next(chain(own, inner), None)

    @abstractmethod
    def grade(self, case: Case, services: Services) -> Grade:
        """Judge one case, or raise EvaluatorError when that is not possible."""

    def grade_batch(
        self, cases: Sequence[Case], services: Services
    ) -> Sequence[Grade | AgentEvalsError]:
        """Judge several cases, in their order, if it `batches`."""
        return [self.grade(case, services) for case in cases]

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:  # noqa: ARG003 -- the seam's
        """Return the name of an evaluator without a `name`; empty if it must have one."""
        return ""

    @classmethod
    def owns_config(cls, settings: Mapping[str, Any]) -> bool:  # noqa: ARG003 -- the seam's
        """Return whether `config` of an entry is for a program; otherwise it holds settings."""
        return "config" in cls.model_fields

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        """Compute figures over the results of all cases, by name. Called once, at the end."""
        return {}

    @property
    def inner(self) -> tuple["Grader", ...]:
        """The evaluators that it is made of, as far as they are settings."""
        lists = _name_lists(type(self))
        return tuple(grader for name in lists for grader in getattr(self, name) or ())

    def change(self, make: Callable[["Grader"], "Grader"]) -> "Grader":
        """Return what is made of this one, after those that it is made of were changed so."""
        lists = {name: getattr(self, name) for name in _name_lists(type(self))}
        changed = {
            n: tuple(one.change(make) for one in given) for n, given in lists.items() if given
        }
        return make(self.model_copy(update=changed) if changed else self)

    def prepare(self) -> None:
        """Begin what takes a while before the first case can be judged. Must not wait for it."""

    def problems(self) -> list[str]:
        """List what would keep this evaluator from judging anything, without running it."""
        return []

    def inspect(self, services: Services) -> list[str]:
        """List what shows once the code of this evaluator is loaded, which the sandbox does."""
        return []


@cache
def _name_lists(kind: type[Grader]) -> tuple[str, ...]:
    """Name the settings of a type that are lists of evaluators."""
    fields = kind.model_fields.items()
    return tuple(name for name, f in fields if any(isinstance(m, Evaluators) for m in f.metadata))
