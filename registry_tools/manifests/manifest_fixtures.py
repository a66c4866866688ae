"""`fixtures.yaml`: what goes into an evaluator, and what must come out."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentevals.files import documents, pydantic_mistakes, yaml_reader, yaml_strict
from agentevals.files.document_places import quote
from agentevals.model.completeness import Fact, Presence
from agentevals.model.errors import Problem
from agentevals_evaluator_sdk.types import (
    EvalInput,
    IntermediateStepData,
    InvocationData,
    ToolCallData,
    ToolResponseData,
)
from registry_tools.manifests.registry_entry import Entry

FILE = "fixtures.yaml"
LARGEST = 1 << 20  # bytes
_MOST = 200
_WRITTEN = ConfigDict(extra="forbid", strict=True)

Status = Literal["PASSED", "FAILED", "NOT_EVALUATED"]


class ToolCall(ToolCallData):
    """A tool that the agent called."""

    model_config = _WRITTEN


class ToolResponse(ToolResponseData):
    """The answer of a tool."""

    model_config = _WRITTEN


class Steps(BaseModel):
    """The steps between the user's words and the answer, as the protocol has them."""

    model_config = _WRITTEN
    tool_calls: list[ToolCall] = []
    tool_responses: list[ToolResponse] = []


class Call(BaseModel):
    """A call with its answer, in one place, for people."""

    model_config = _WRITTEN
    name: str
    args: dict[str, Any] = {}
    id: str | None = None
    response: Any = None
    status: str | None = None


_Fact = Annotated[Fact, Field(strict=False)]
_Presence = Annotated[Presence, Field(strict=False)]


class Turn(BaseModel):
    """One turn of the protocol; `tool_calls` is short for its `intermediate_steps`."""

    model_config = _WRITTEN
    invocation_id: str = ""
    user_content: str = ""
    final_response: str | None = None
    intermediate_steps: Steps = Steps()
    performance_metrics: dict[str, Any] | None = None
    trace_id: str | None = None
    span_id: str | None = None
    turn_performance_metrics: dict[str, Any] | None = None
    completeness: dict[_Fact, _Presence] | None = None
    tool_calls: list[Call] = []

    @model_validator(mode="after")
    def _check_calls(self) -> Self:
        if self.tool_calls and "intermediate_steps" in self.model_fields_set:
            msg = "'tool_calls' is short for 'intermediate_steps'; write one of them"
            raise ValueError(msg)
        return self

    def convert(self, number: int) -> InvocationData:
        """Return the turn as the protocol has it."""
        steps = self.intermediate_steps
        short = [ToolCallData(name=c.name, args=c.args, id=c.id) for c in self.tool_calls]
        calls = [*steps.tool_calls, *short]
        responses = [
            *steps.tool_responses,
            *map(_convert_response, filter(_is_answered, self.tool_calls)),
        ]
        kept = self.model_dump(exclude={"tool_calls", "intermediate_steps", "invocation_id"})
        return InvocationData(
            invocation_id=self.invocation_id or f"turn-{number}",
            intermediate_steps=IntermediateStepData(
                tool_calls=[*calls], tool_responses=[*responses]
            ),
            **kept,
        )


class Given(BaseModel):
    """The input of an evaluator, without the keys that are filled in for it."""

    model_config = _WRITTEN
    invocations: list[Turn] = []
    expected_invocations: list[Turn] | None = None


class Expected(BaseModel):
    """The result that must come out: a score, a status, or both."""

    model_config = _WRITTEN
    score: float | None = Field(default=None, ge=0, le=1)
    tolerance: float = Field(default=1e-6, ge=0, le=1)
    status: Status | None = None

    @model_validator(mode="after")
    def _check_expectation(self) -> Self:
        if self.score is None and self.status is None:
            msg = "expects neither a score nor a status; write 'score: …' or 'status: …'"
            raise ValueError(msg)
        return self


class Fixture(BaseModel):
    """One input with what is expected of it."""

    model_config = _WRITTEN
    name: str = Field(min_length=1, max_length=100)
    config: dict[str, Any] = {}
    threshold: float = Field(default=0.5, ge=0, le=1)
    input: Given
    expect: Expected

    def build_input(self, evaluator: str) -> EvalInput:
        """Return the input of the evaluator."""
        expected = self.input.expected_invocations
        return EvalInput(
            metric_name=evaluator,
            threshold=self.threshold,
            config=self.config,
            invocations=_convert_turns(self.input.invocations),
            expected_invocations=None if expected is None else _convert_turns(expected),
        )


class Fixtures(BaseModel):
    """The file."""

    model_config = _WRITTEN
    fixtures: list[Fixture] = Field(min_length=1, max_length=_MOST)


@dataclass(frozen=True)
class Read:
    """A file of fixtures: those in it, or why there are none that could be run."""

    path: str
    document: yaml_strict.StrictDocument
    fixtures: tuple[Fixture, ...] = ()
    problems: tuple[Problem, ...] = ()


def find_file(entry: Entry) -> str:
    """Return the file that the manifest names, or the one of the usual name."""
    named = entry.manifest.fixtures if entry.manifest else ""
    path = named or FILE
    return path if path in entry.files else ""


def read(content: bytes, path: str) -> Read:
    """Return every fixture, or everything that is wrong with the file."""
    written = yaml_strict.read(content, LARGEST)
    if written.problems:
        return Read(
            path, written, problems=tuple(_readdress(one, path) for one in written.problems)
        )
    document = documents.Document(
        path=Path(path), value=written.value, text=written.text, scan=yaml_reader.scan
    )
    if not isinstance(written.value, dict):
        return Read(path, written, problems=(document.problem("the file must be a mapping"),))
    made, problems = pydantic_mistakes.validate(Fixtures, written.value, document)
    if made is None:
        return Read(path, written, problems=tuple(problems))
    again = tuple(_find_repeated(made, document))
    return Read(path, written, () if again else tuple(made.fixtures), again)


def _find_repeated(made: Fixtures, document: documents.Document) -> Iterator[Problem]:
    count: Counter[str] = Counter()
    for index, fixture in enumerate(made.fixtures):
        count[fixture.name] += 1
        if count[fixture.name] > 1:
            message = f"a fixture called {quote(fixture.name)} is there already"
            yield document.problem(message, ("fixtures", index, "name"))


def _readdress(problem: Problem, path: str) -> Problem:
    """Return the problem of a manifest as one of this file."""
    own = replace(problem, fix=problem.fix.replace("the manifest", "a fixture"))
    return Problem(message=own.advice, path=path, at=problem.at)


def _convert_turns(turns: list[Turn]) -> list[InvocationData]:
    return [turn.convert(number) for number, turn in enumerate(turns, 1)]


def _is_answered(call: Call) -> bool:
    return "response" in call.model_fields_set or call.status is not None


def _convert_response(call: Call) -> ToolResponseData:
    return ToolResponseData(
        name=call.name,
        output=_write_text(call.response),
        status=call.status,
        id=call.id,
        response=call.response,
    )


def _write_text(response: Any) -> str:
    if isinstance(response, str):
        return response
    return "" if response is None else json.dumps(response, sort_keys=True, ensure_ascii=False)
