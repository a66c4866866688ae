"""How a composite makes one judgement of several: its settings, and the arithmetic."""

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

from agentevals.graders.agentv.composition import Part, blended, evaluated, weighted_mean
from agentevals.graders.grader import REQUIRED, TextOrFile
from agentevals.graders.javascript import number_text
from agentevals.model.cases import Grade, Status
from agentevals.model.plugins import suggestion

BORDERLINE = 0.6  # what AgentV does not call a failure yet
_GATE = 0.6

Type = Literal[
    "weighted_average",
    "safety_gate",
    "minimum",
    "maximum",
    "all_or_nothing",
    "threshold",
    "code_judge",
    "llm_judge",
]
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


def _type(given: Any) -> Any:
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


def _in_schema(schema: dict[str, Any]) -> None:
    """By whichever of its names the program stands there, it may have the others as well."""
    properties = schema["properties"]
    program = next(properties[key] for key in ("path", "command") if key in properties)
    schema["properties"] = properties | dict.fromkeys(("path", "command", "script"), program)


class Aggregator(BaseModel):
    """What a composite makes of the results of its evaluators."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, json_schema_extra=_in_schema
    )

    type: Annotated[
        Type,
        BeforeValidator(_type, json_schema_input_type=str),
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
        description="`safety_gate`: 0.6 when left out. `threshold`: the share of evaluators that "
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
    def _shows_results(cls, given: str | None) -> str | None:
        for name in _PLACE.findall(given or ""):
            if name != _RESULTS:
                msg = f"nothing is called '{{{{{name}}}}}' in it; known: {{{{{_RESULTS}}}}}"
                raise ValueError(msg)
        return given

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
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

    def named(self) -> Iterable[tuple[str, str]]:
        """The evaluators that it names, and in which setting."""
        yield from (("required", name) for name in self.required)
        yield from (("weights", name) for name in self.weights)

    def prompt_with(self, results: str, usual: str) -> str:
        """What the judge is asked; a prompt that has no place for the results has them below."""
        prompt = self.prompt or usual
        if not _PLACE.search(prompt):
            prompt += f"\n\n[[ ## evaluator_results ## ]]\n{{{{{_RESULTS}}}}}"
        return _PLACE.sub(lambda _: results, prompt)

    def computed(self, parts: Sequence[Part]) -> Grade:
        """The judgement of an aggregator that only computes."""
        return _COMPUTED[self.type](self, parts)


_LABELS = {"command": "path"}


def _weighted_average(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blended(parts, weighted_mean(parts))


def _minimum(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blended(parts, min(part.score for part in evaluated(parts)))


def _maximum(_: Aggregator, parts: Sequence[Part]) -> Grade:
    return blended(parts, max(part.score for part in evaluated(parts)))


def _safety_gate(how: Aggregator, parts: Sequence[Part]) -> Grade:
    """A required one below the gate makes it 0; otherwise the weighted mean of all."""
    gate = _GATE if how.threshold is None else how.threshold
    shut = [_shut(part, gate) for part in parts if part.name in how.required]
    misses = tuple(miss for miss in shut if miss)
    if not misses:
        return _weighted_average(how, parts)
    grade = blended(parts, 0.0, Status.FAILED)
    return replace(grade, misses=misses + grade.misses)


def _shut(part: Part, gate: float) -> str:
    if not evaluated([part]):
        return f"[{part.name}] is required and was not evaluated"
    if part.score >= gate:
        return ""
    return f"[{part.name}] scored {number_text(part.score)}, below the gate of {number_text(gate)}"


def _all_or_nothing(how: Aggregator, parts: Sequence[Part]) -> Grade:
    if how.threshold is None:
        met = all(map(_passes, evaluated(parts)))
    else:
        met = all(part.score >= how.threshold for part in evaluated(parts))
    return blended(parts, float(met))


def _threshold(how: Aggregator, parts: Sequence[Part]) -> Grade:
    """The share of those that pass. What is borderline passes as well, and that is said."""
    wanted, known = how.threshold or 0.0, evaluated(parts)
    borderline = sum(map(_is_borderline, known))
    passed = sum(map(_passes, known)) + borderline
    share = passed / len(known)
    grade = blended(parts, share, Status.PASSED if share >= wanted else Status.FAILED)
    said = [f"{passed}/{len(known)} evaluators passed (threshold: {number_text(wanted)})"]
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
    "weighted_average": _weighted_average,
    "safety_gate": _safety_gate,
    "minimum": _minimum,
    "maximum": _maximum,
    "all_or_nothing": _all_or_nothing,
    "threshold": _threshold,
}
