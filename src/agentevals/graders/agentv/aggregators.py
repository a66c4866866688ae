"""Aggregators, which make one grade of several: their settings and their arithmetic."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, Self, get_args

from msgspec.structs import replace
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from agentevals.graders.agentv import Part, blend, compute_weighted_mean, select_evaluated
from agentevals.graders.grader import REQUIRED, TextOrFile
from agentevals.graders.javascript import format_number
from agentevals.model.cases import Grade, Status
from agentevals.model.plugins import suggestion

BORDERLINE = 0.6  # what AgentV does not call a failure yet
_GATE = 0.6

Type = Literal[
    "weighted_average", "safety_gate", "minimum", "maximum", "all_or_nothing", "threshold",
    "code_judge", "llm_judge",
]  # fmt: skip
_TYPES = list(get_args(Type))
# which of the other settings mean something for a type
_TAKES = {
    "weighted_average": {"weights"},
    "safety_gate": {"weights", "required", "threshold"},
    "minimum": set[str](),
    "maximum": set[str](),
    "all_or_nothing": {"threshold"},
    "threshold": {"threshold"},
    "code_judge": {"command"},
    "llm_judge": {"prompt"},
}
_RESULTS = "EVALUATOR_RESULTS_JSON"
_PLACE = re.compile(r"\{\{\s*([\w.\-]+)\s*\}\}")
_NEEDS = {"safety_gate": "required", "threshold": "threshold", "code_judge": "command"}

Share = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, strict=True)]
Words = Annotated[tuple[str, ...], Field(min_length=1)]


def _normalise_type(given: Any) -> Any:
    """`llm-grader` is `llm_judge`, and so on, as for types of evaluators."""
    if not isinstance(given, str):
        return given
    name = given.replace("-", "_")
    judge = f"{name.removesuffix('_grader')}_judge"
    known = judge if judge in _TYPES else name
    if known not in _TYPES:
        msg = f"there is no aggregator {given!r}{suggestion(given, _TYPES)}"
        raise ValueError(msg)
    return known


def _add_program_names(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    program = next(properties[key] for key in ("path", "command") if key in properties)
    schema["properties"] = properties | dict.fromkeys(("path", "command", "script"), program)


class Aggregator(BaseModel):
    """The rule by which a composite makes one grade of the results of its evaluators."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, json_schema_extra=_add_program_names
    )

    type: Annotated[
        Type,
        BeforeValidator(_normalise_type, json_schema_input_type=str),
    ] = Field(default="weighted_average", description=f"One of {', '.join(_TYPES)}")
    weights: dict[str, Share] = Field(
        default={}, description="Shares in the score by name, before those of the evaluators"
    )
    required: tuple[str, ...] = Field(
        default=(), description="`safety_gate`: the evaluators that have to reach `threshold`"
    )
    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        strict=True,
        description="`safety_gate`: 0.6 by default. `threshold`: the share of evaluators that "
        "have to pass. `all_or_nothing`: what each has to reach, if not its own threshold",
    )
    command: str | Words | None = Field(
        default=None,
        validation_alias=AliasChoices("path", "command", "script"),
        description="`code_judge`: the program that reads the results and prints a judgement",
    )
    prompt: Annotated[str | None, TextOrFile()] = Field(
        default=None,
        min_length=1,
        description="`llm_judge`: what the judge is asked, or the file that says it; "
        "`{{EVALUATOR_RESULTS_JSON}}` stands for the results",
    )

    @field_validator("prompt")
    @classmethod
    def _check_places(cls, given: str | None) -> str | None:
        for name in _PLACE.findall(given or ""):
            if name != _RESULTS:
                msg = f"nothing is called '{{{{{name}}}}}' in it; known: {{{{{_RESULTS}}}}}"
                raise ValueError(msg)
        return given

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        given = {name for name in self.model_fields_set if getattr(self, name)} - {"type"}
        for name in ("weights", "required", "threshold", "command", "prompt"):
            if name in given and name not in _TAKES[self.type]:
                takers = " or ".join(kind for kind in _TYPES if name in _TAKES[kind])
                msg = f"{self.type!r} makes no use of {name!r}; that is for {takers}"
                raise ValueError(msg)
        needed = _NEEDS.get(self.type)
        if needed and getattr(self, needed) in (None, (), ""):
            msg = f"{self.type!r} needs {_LABELS.get(needed, needed)!r}"
            raise ValueError(msg)
        return self

    def list_named(self) -> Iterable[tuple[str, str]]:
        """The evaluators that it names, and in which setting."""
        yield from (("required", name) for name in self.required)
        yield from (("weights", name) for name in self.weights)

    def fill_prompt(self, results: str, usual: str) -> str:
        """Return the prompt with the results; they follow it if it has no place for them."""
        prompt = self.prompt or usual
        if not _PLACE.search(prompt):
            prompt += f"\n\n[[ ## evaluator_results ## ]]\n{{{{{_RESULTS}}}}}"
        return _PLACE.sub(lambda _: results, prompt)

    def compute(self, parts: Sequence[Part]) -> Grade:
        """The judgement of an aggregator that only computes."""
        return _COMPUTED[self.type](self, parts)


_LABELS = {"command": "path"}


def _take_weighted_mean(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blend(parts, compute_weighted_mean(parts))


def _take_minimum(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blend(parts, min(part.score for part in select_evaluated(parts)))


def _take_maximum(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blend(parts, max(part.score for part in select_evaluated(parts)))


def _apply_safety_gate(how: Aggregator, parts: Sequence[Part]) -> Grade:
    """A required one below the gate makes it 0; otherwise the weighted mean of all."""
    gate = _GATE if how.threshold is None else how.threshold
    shut = [_check_gate(part, gate) for part in parts if part.name in how.required]
    misses = tuple(miss for miss in shut if miss)
    if not misses:
        return _take_weighted_mean(how, parts)
    grade = blend(parts, 0.0, Status.FAILED)
    return replace(grade, misses=misses + grade.misses)


def _check_gate(part: Part, gate: float) -> str:
    if not select_evaluated([part]):
        return f"[{part.name}] is required and was not evaluated"
    if part.score >= gate:
        return ""
    return (
        f"[{part.name}] scored {format_number(part.score)}, below the gate of {format_number(gate)}"
    )


def _require_all(how: Aggregator, parts: Sequence[Part]) -> Grade:
    if how.threshold is None:
        met = all(map(_passes, select_evaluated(parts)))
    else:
        met = all(part.score >= how.threshold for part in select_evaluated(parts))
    return blend(parts, float(met))


def _count_passed(how: Aggregator, parts: Sequence[Part]) -> Grade:
    """The share of those that pass. What is borderline passes as well, and that is said."""
    wanted, known = how.threshold or 0.0, select_evaluated(parts)
    borderline = sum(map(_is_borderline, known))
    passed = sum(map(_passes, known)) + borderline
    share = passed / len(known)
    grade = blend(parts, share, Status.PASSED if share >= wanted else Status.FAILED)
    said = [f"{passed}/{len(known)} evaluators passed (threshold: {format_number(wanted)})"]
    said += [grade.reasoning] if grade.reasoning else []
    if borderline:
        said.append(f"Warning: {borderline} borderline evaluator(s) counted as passing")
    return replace(grade, reasoning="; ".join(said))


def _passes(part: Part) -> bool:
    return part.result.status is Status.PASSED and not part.result.vetoes


def _is_borderline(part: Part) -> bool:
    """No failure yet by AgentV's measure; thresholds and verdicts of its own are another."""
    result = part.result
    usual = result.threshold == REQUIRED and result.status is Status.FAILED
    return usual and BORDERLINE <= part.score < REQUIRED and not result.vetoes


_COMPUTED: dict[str, Callable[[Aggregator, Sequence[Part]], Grade]] = {
    "weighted_average": _take_weighted_mean,
    "safety_gate": _apply_safety_gate,
    "minimum": _take_minimum,
    "maximum": _take_maximum,
    "all_or_nothing": _require_all,
    "threshold": _count_passed,
}
