"""AgentV's `trajectory:…`: tools used, in a sequence, with arguments; the number of steps."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from agentevals.graders import javascript
from agentevals.graders.agentv.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools import tool_steps
from agentevals.graders.tools.tool_steps import (
    UNORDERED,
    AllUsed,
    Count,
    Kind,
    Matcher,
    Name,
    NamedMatcher,
    Step,
    are_all_used,
    fits_pattern,
    list_calls,
    name_calls,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall
from agentevals.text.json_text import shorten
from agentevals.text.text_differences import cut_pair, value

Kinds = Annotated[
    tuple[Kind, ...],
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Kind | list[Kind],
    ),
]


class ToolUsed(Assertion):
    """1 if every tool was called as often as it should be; negated, where none was."""

    type = "trajectory_tool_used"
    judges_by = frozenset({Fact.TOOL_CALLS})

    value: AllUsed = Field(
        description="A name, a list of names, or `{name | pattern, min, max}`; `*` and `?` stand "
        "for other characters, and case is no matter"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        calls = list_calls(case)
        counts = [sum(one.means((call.name,)) for call in calls) for one in self.value]
        met = are_all_used(self.value, counts, forbidden=self.negate)
        said = "; ".join(
            one.describe(times, forbidden=self.negate)
            for one, times in zip(self.value, counts, strict=True)
        )
        seen = f"{said}. Tools called: {name_calls(calls)}"
        return grade_binary(met=met, hit=seen, miss=seen)


def _wrap_name(given: Any) -> Any:
    return {"name": given} if isinstance(given, str) else given


def _wrap_steps(given: Any) -> Any:
    return {"steps": given} if isinstance(given, list | tuple) else given


Tool = Annotated[
    NamedMatcher, BeforeValidator(_wrap_name, json_schema_input_type=str | NamedMatcher)
]


class Sequence(BaseModel):
    """Tools, one after the other."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    steps: tuple[Tool, ...] = Field(min_length=1, description="The tools, in their order")
    mode: Literal["in_order", "exact"] = Field(
        default="in_order",
        description="`in_order`: others may come between; `exact`: these calls and no others",
    )


class ToolSequence(Assertion):
    """1 if the tools were called in this order, otherwise 0."""

    type = "trajectory_tool_sequence"
    judges_by = frozenset({Fact.TOOL_CALLS})

    value: Annotated[
        Sequence, BeforeValidator(_wrap_steps, json_schema_input_type=list[Tool] | Sequence)
    ] = Field(description="A list of tools, or `{steps, mode}`; `*` and `?` stand for others")

    def grade(self, case: Case, services: Services) -> Grade:
        if any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        calls = list_calls(case)
        missed = self._find_missed(calls)
        wanted = ", ".join(step.label for step in self.value.steps)
        seen = f"Tools called: {name_calls(calls)}"
        exactly = " and no others" if self.value.mode == "exact" else ""
        return grade_binary(
            met=not missed,
            hit=f"Called in order{exactly}: {wanted}. {seen}",
            miss=f"{missed}. Expected in order{exactly}: {wanted}. {seen}",
        )

    def _find_missed(self, calls: tuple[ToolCall, ...]) -> str:
        steps = self.value.steps
        if self.value.mode == "exact" and len(steps) != len(calls):
            return f"{len(calls)} calls instead of {len(steps)}"
        rest = iter(calls)
        for number, step in enumerate(steps):
            candidates = rest if self.value.mode == "in_order" else (calls[number],)
            if not any(step.means((call.name,)) for call in candidates):
                return f"{step.label} was not called as step {number + 1}"
        return ""


_SHOWN = 200  # characters of arguments in a sentence

Names = Annotated[
    tuple[Name, ...],
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Name | list[Name],
    ),
]


class ArgumentMatch(NamedMatcher):
    """A tool, and the arguments that one of its calls must have."""

    args: dict[str, Any] = Field(
        validation_alias=AliasChoices("args", "arguments"), description="The expected arguments"
    )
    mode: Literal["partial", "exact"] = Field(
        default="partial",
        description="`partial`: the call may have others, at any depth; `exact`: these alone",
    )
    defaults: dict[str, Any] = Field(
        default={}, description="Arguments that do not count in a call where they have this value"
    )
    ignore: Names = Field(
        default=(), description="Arguments that do not count; `*` and `?` stand for others"
    )

    def agrees(self, args: dict[str, Any]) -> bool:
        """Return whether a call has the expected arguments, without those that do not count."""
        kept = self._drop_ignored(args).items()
        usual = self.defaults
        found = {k: v for k, v in kept if k not in usual or not javascript.is_same(v, usual[k])}
        return javascript.is_same(
            found, self._drop_ignored(self.args), extra=self.mode == "partial"
        )

    def _drop_ignored(self, args: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in args.items() if not self._is_ignored(key)}

    def _is_ignored(self, key: str) -> bool:
        # whatever `*` and `?` could stand for; other names are taken letter by letter
        patterns = (one for one in self.ignore if "*" in one or "?" in one)
        return key in self.ignore or any(fits_pattern(one, key) for one in patterns)


class ToolArgsMatch(Assertion):
    """1 if one call of the tool has the expected arguments, otherwise 0."""

    type = "trajectory_tool_args_match"
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

    value: ArgumentMatch = Field(description="The tool and its arguments")

    def grade(self, case: Case, services: Services) -> Grade:
        wanted, calls = self.value, list_calls(case)
        meant = [call for call in calls if wanted.means((call.name,))]
        known = [call.args for call in meant if isinstance(call.args, dict)]
        found = next((args for args in known if wanted.agrees(args)), None)
        if not meant:
            miss = f"{wanted.label} was not called. Tools called: {name_calls(calls)}"
        elif not known:
            miss = f"{wanted.label} was called, but its arguments were not recorded"
        else:
            asked, first = cut_pair(value(wanted.args), value(known[0]), _SHOWN)
            seen = ", ".join((first, *(shorten(args, _SHOWN) for args in known[1:])))
            miss = f"{wanted.label} was not called with {asked}, but with {seen}"
        return grade_binary(
            met=found is not None,
            hit=f"{wanted.label} was called with {shorten(found, _SHOWN)}",
            miss=miss,
        )


class Steps(Matcher):
    """The steps that are counted, and how many there may be."""

    type: Kinds = Field(
        default=(),
        description="`tool`, `command`, `message`, `span`, or several; else all but spans",
    )
    min: Count | None = Field(default=None, description="How many at least")
    max: Count | None = Field(default=None, description="How many at most")

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.min is None and self.max is None:
            msg = "say how many: 'min', 'max' or both"
            raise ValueError(msg)
        if self.min is not None and self.max is not None and self.max < self.min:
            msg = f"'max' ({self.max}) is less than 'min' ({self.min})"
            raise ValueError(msg)
        return self

    def counts(self, step: Step) -> bool:
        """Return whether a step is one of those meant."""
        return (not self.type or bool(step.kinds & set(self.type))) and self.means(step.names)

    def holds(self, count: int) -> bool:
        """Return whether that many are neither too few nor too many."""
        return (self.min or 0) <= count and (self.max is None or count <= self.max)


_NO_SPANS = "this format of recordings has no spans; count tools, commands or messages"


class StepCount(Assertion):
    """1 if there are as many steps as there may be, otherwise 0."""

    type = "trajectory_step_count"

    value: Steps = Field(description="The steps, and how many there may be")

    def list_needs(self, case: Case) -> frozenset[Fact]:
        kinds = set(self.value.type) or {"tool", "command", "message"}
        is_by_name = self.value.label != "*"
        needs = {Fact.ANSWER, Fact.TOOL_CALLS} if "message" in kinds else set()
        if kinds & {"tool", "command"}:
            needs.add(Fact.TOOL_CALLS)
        if "command" in kinds or ("tool" in kinds and is_by_name):
            needs.add(Fact.ARGUMENTS)  # a shell is known by the command that it runs as well
        return frozenset(needs)

    def grade(self, case: Case, services: Services) -> Grade:
        if "span" in self.value.type and not case.conversation.spans:
            return Grade.not_evaluated(_NO_SPANS)
        count = sum(self.value.counts(step) for step in self._list_steps(case))
        limits = ((">=", self.value.min), ("<=", self.value.max))
        wanted = " and ".join(f"{sign}{limit}" for sign, limit in limits if limit is not None)
        kinds = "/".join(self.value.type) or "any kind"
        said = f"{count} steps ({kinds}, {self.value.label}; required {wanted})"
        return grade_binary(met=self.value.holds(count), hit=said, miss=said)

    def _list_steps(self, case: Case) -> Iterator[Step]:
        yield from tool_steps.list_steps(case)
        if "span" in self.value.type:
            yield from tool_steps.list_spans(case)
