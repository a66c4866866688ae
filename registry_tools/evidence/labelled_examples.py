"""`examples.yaml`: inputs that people labelled, in the short form in which people write them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from agentevals.files import documents, pydantic_mistakes, yaml_reader, yaml_strict
from agentevals.files.document_places import Key
from agentevals.model.errors import ConfigError, Problem
from agentevals_evaluator_sdk.types import EvalInput
from registry_tools.manifests import manifest_fixtures
from registry_tools.manifests.registry_entry import Entry

FILE, HELD_OUT = "examples.yaml", "held_out.yaml"
_LARGEST = 1 << 20  # bytes
_MOST = 2_000
_WRITTEN = ConfigDict(extra="forbid", strict=True)


class Label(StrEnum):
    """The right outcome of an example, and the key that it is listed under."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105 -- an outcome
    NOT_EVALUATED = "not_evaluated"


def _name_call(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _take_answer(value: object) -> object:
    return {"answer": value} if isinstance(value, str) else value


_Call = Annotated[manifest_fixtures.Call, BeforeValidator(_name_call)]


class Turn(BaseModel):
    """One turn; a text alone is its answer, and a name alone is a call without arguments."""

    model_config = _WRITTEN
    user: str = ""
    answer: str | None = None
    tools: list[_Call] = []
    turn_metrics: dict[str, Any] | None = None

    def convert(self, metrics: dict[str, Any] | None = None) -> manifest_fixtures.Turn:
        """Return the turn as fixtures have it, with the figures of the conversation."""
        return manifest_fixtures.Turn(
            user_content=self.user,
            final_response=self.answer,
            tool_calls=self.tools,
            turn_performance_metrics=self.turn_metrics,
            performance_metrics=metrics,
        )


_Turn = Annotated[Turn, BeforeValidator(_take_answer)]


class Example(Turn):
    """A conversation of one turn, or of several `turns`, with what is expected of it."""

    turns: list[_Turn] | None = None
    expected: str | list[_Turn] | None = None
    config: dict[str, Any] = {}
    metrics: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _check_turns(self) -> Self:
        if self.turns is not None and self.model_fields_set & {"user", "answer", "tools"}:
            msg = "has 'turns' beside a turn of its own; write one of them"
            raise ValueError(msg)
        return self

    def build_input(self, evaluator: str, whole: "Examples") -> EvalInput:
        """Return the input of the evaluator."""
        turns: list[Turn] = [self] if self.turns is None else [*self.turns]
        expected = [Turn(answer=self.expected)] if isinstance(self.expected, str) else self.expected
        fixture = manifest_fixtures.Fixture(
            name="example",
            config={**whole.config, **self.config},
            threshold=whole.threshold,
            input=manifest_fixtures.Given(
                invocations=[turn.convert(self.metrics) for turn in turns],
                expected_invocations=expected and [turn.convert() for turn in expected],
            ),
            expect=manifest_fixtures.Expected(score=0),
        )
        return fixture.build_input(evaluator)


_Example = Annotated[Example, BeforeValidator(_take_answer)]
_Examples = Annotated[list[_Example], Field(max_length=_MOST)]


class Examples(BaseModel):
    """The file: examples under their labels, with the threshold and config of all of them."""

    model_config = ConfigDict(**_WRITTEN, populate_by_name=True)
    threshold: float = Field(default=0.5, ge=0, le=1)
    config: dict[str, Any] = {}
    fail: _Examples = []
    pass_: _Examples = Field(default=[], alias="pass")
    not_evaluated: _Examples = []


@dataclass(frozen=True)
class Labelled:
    """One example with its label, its input, and the place where it is written."""

    label: Label
    message: EvalInput
    path: str
    line: int


def read(entry: Entry, file: str) -> tuple[Labelled, ...]:
    """Return the labelled examples of a file; ConfigError with everything that is wrong."""
    path = f"{entry.folder}/{file}"
    content = entry.read_bytes(file, _LARGEST + 1)
    written = yaml_strict.read(content, _LARGEST)
    document = documents.Document(
        path=Path(path), value=written.value, text=written.text, scan=yaml_reader.scan
    )
    problems = [
        Problem(message=one.advice.replace("the manifest", "the file"), path=path, at=one.at)
        for one in written.problems
    ]
    if not problems and not isinstance(written.value, dict):
        problems = [document.problem("the file must be a mapping with 'fail' and 'pass'")]
    if problems:
        raise ConfigError(problems)
    made, found = pydantic_mistakes.validate(Examples, written.value, document)
    if made is None:
        raise ConfigError(found)
    return tuple(_label(made, document, entry.name))


def _label(made: Examples, document: documents.Document, name: str) -> Iterator[Labelled]:
    for label, listed in zip(Label, (made.fail, made.pass_, made.not_evaluated), strict=True):
        for index, example in enumerate(listed):
            where: tuple[Key, ...] = (label.value, index)
            line, _ = document.place(where)
            yield Labelled(label, example.build_input(name, made), str(document.path), line)
