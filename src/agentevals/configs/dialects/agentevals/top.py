"""The keys of an `eval_config.yaml`, except the evaluators."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agentevals.configs.gate import Gate
from agentevals.configs.plan import Pairs
from agentevals.files.documents import Document
from agentevals.files.places import quote
from agentevals.files.validation import validate
from agentevals.judge import JudgeSettings
from agentevals.model.errors import Problem
from agentevals.model.outputs import OUTPUT_FORMATS
from agentevals.model.plugins import suggestion
from agentevals.model.results import Finding
from agentevals.traces.loaders import LOADERS

LISTS = ("evaluators", "metrics")  # today's spelling first

# what is written elsewhere now, or was written here once
MOVED = {
    "custom_evaluators": "list its entries under 'evaluators', each with a 'type'",
    "judge_model": "write 'judge: {model: …}', or 'judge_model' in an evaluator",
    "threshold": "write it in each evaluator",
    "trajectory_match_type": "write it in the evaluator 'tool_trajectory_avg_score'",
    "max_concurrent_evals": "write 'jobs'",
    "max_concurrent_traces": "write 'jobs'",
    "on_not_evaluated": "write it under 'gate'",
    "allow_missing": "write it under 'gate'",
    "allow_foreign": "write it under 'gate'",
}


def _make_list(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


class Config(BaseModel):
    """The top level, without the list of evaluators."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    eval_set: str | None = Field(
        default=None, min_length=1, description="File that says what was expected"
    )
    traces: Annotated[list[str], BeforeValidator(_make_list)] = Field(
        default=[], description="Trace files, folders or globs, for runs that name none"
    )
    trace_format: str | None = Field(
        default=None, description="Format of the traces, instead of recognising it"
    )
    output_format: str | None = Field(default=None, description="What `run` prints")
    output: str | None = Field(default=None, description="The same as `output_format`")
    group_by: Literal["auto", "trace", "conversation"] | None = Field(
        default=None, description="What is evaluated as one conversation"
    )
    pair: Pairs | None = Field(
        default=None,
        description="How traces find their eval cases: by id and text, or in the order of both",
    )
    judge: JudgeSettings | None = Field(
        default=None, description="The language model that judged evaluators ask"
    )
    gate: Gate = Field(default=Gate(), description="What fails a run")
    jobs: int | None = Field(default=None, ge=1, description="How many evaluators at a time")


KEYS = (*LISTS, *Config.model_fields)


_SUGGESTED = [key for key in KEYS if key not in {"metrics", "output"}]


def read(document: Document) -> tuple[Config, list[Problem]]:
    """The settings, or the default ones and what is wrong with those that are written."""
    written = document.value
    settings = {key: written[key] for key in Config.model_fields if key in written}
    config, problems = validate(Config, settings, document)
    unknown = [key for key in written if key not in KEYS and key not in MOVED]
    problems += [
        document.problem(f"unknown key {quote(key)}{suggestion(key, _SUGGESTED)}", (key,), key=True)
        for key in unknown
        if not key.startswith("x-")
    ]
    return config or Config(), [
        *problems,
        *_refuse_moved(document),
        *_refuse_unknown_formats(document),
    ]


def find_old_spellings(document: Document) -> Iterator[Finding]:
    """Note the keys that have a newer spelling."""
    if "metrics" in document.value:
        message = "'metrics' is the old spelling of 'evaluators'; write that instead"
        yield document.finding("deprecated", message, ("metrics",), key=True)


def _refuse_moved(document: Document) -> Iterator[Problem]:
    for key, remedy in MOVED.items():
        if key in document.value:
            message = f"{key!r} is not a key of the top level; {remedy}"
            yield document.problem(message, (key,), key=True)
    for first, second in (LISTS, ("output_format", "output")):
        if first in document.value and second in document.value:
            message = f"{first!r} and {second!r} mean the same; keep {first!r}"
            yield document.problem(message, (second,), key=True)


def _refuse_unknown_formats(document: Document) -> Iterator[Problem]:
    """Settings that name a plug-in."""
    for key, table in (
        ("trace_format", LOADERS),
        ("output_format", OUTPUT_FORMATS),
        ("output", OUTPUT_FORMATS),
    ):
        name = document.value.get(key)
        if isinstance(name, str) and name not in table and (key, name) != ("trace_format", "auto"):
            known = suggestion(name, list(table))
            yield document.problem(f"{key!r}: unknown format {quote(name)}{known}", (key,))
