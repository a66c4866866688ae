"""One evaluator and one item of a project: everything that a rule may look at."""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

Recorded = dict[str, Any]

_LEGACY = {1: "legacy_exact_match", 6: "legacy_json_similarity", 10: "legacy_csv_exact_match"}
_CRITERIA = "evaluationCriterias"
_OF_EXPECTED = {
    *("exact_match", "json_similarity", "llm_judge_output_semantic_similarity"),
    "llm_judge_output_strict_json_similarity",
}
_OF_OUTPUT = ("expectedOutput", "expected_output")


class Call(NamedTuple):
    """A call of a tool, as its span tells it."""

    name: str
    call_id: str | None
    args: Recorded
    output: str


@dataclass(frozen=True)
class Judged:
    """The inputs of one score."""

    given: Recorded
    item: Recorded
    evaluator: str

    @property
    def file(self) -> Recorded:
        return dict(self.given["evaluators"][self.evaluator])

    @property
    def kind(self) -> str:
        """The type of the evaluator, as ours calls it without `uipath_`; `class` for a class."""
        if self.evaluator in self.given["classes"]:
            return "class"
        if "type" in self.file:
            return _LEGACY[self.file["type"]]
        return str(self.file["evaluatorTypeId"]).removeprefix("uipath-").replace("-", "_")

    @property
    def body(self) -> str:
        """What the body of a class does; empty for other evaluators."""
        return str(self.given["kinds"][self.evaluator]) if self.kind == "class" else ""

    @property
    def config(self) -> Recorded:
        written = self.file.get("evaluatorConfig", self.file)
        return {to_camel(key) if "_" in key else key: value for key, value in written.items()}

    @property
    def path(self) -> Any:
        return self.config.get("targetOutputKey", "*")

    @property
    def delimiter(self) -> str:
        return str(self.config.get("lineDelimiter", "\n"))

    @property
    def by_line(self) -> bool:
        key = "lineByLineEvaluation" if "legacy" in self.kind else "lineByLineEvaluator"
        return bool(self.config.get(key))

    @property
    def criteria(self) -> Recorded:
        """The item's own, or else the usual ones; with the item's expected output."""
        if _CRITERIA not in self.item:  # before version 1.0 all evaluators are told the same
            return {"expectedOutput": self.item["expectedOutput"]}
        written = (self.item.get(_CRITERIA) or {}).get(self.evaluator)
        common = self.item.get("expectedOutput")
        takes = self.kind in _OF_EXPECTED or self.body == "derived"
        if common is not None and takes and not any(key in (written or {}) for key in _OF_OUTPUT):
            written = {**(written or {}), "expectedOutput": common}
        return dict(written or self.config.get("defaultEvaluationCriteria") or {})

    @property
    def played(self) -> Recorded:
        return dict(self.given["played"][self.item["id"]])

    @property
    def output(self) -> Any:
        """The output of the run; what is no object is below `result`."""
        found = self.played["output"]
        if self.played.get("asked_alone"):
            return found
        return found if isinstance(found, dict) else {} if found is None else {"result": found}

    @property
    def is_asked(self) -> bool:
        """Whether the evaluator judges the item at all."""
        return self.evaluator in self.item.get(_CRITERIA, self.given["evaluators"])

    @cached_property
    def tool_spans(self) -> list[Recorded]:
        """The attributes of the spans of tools, in the order in which they ended."""
        return [span for span in _list_ended(self.played["spans"]) if span.get("tool.name")]

    @property
    def calls(self) -> list[Call]:
        """The calls, without those that nobody has made."""
        return [_read_call(span) for span in self.tool_spans if not span.get("tool.synthesized")]


def _list_ended(spans: list[Recorded]) -> Iterator[Recorded]:
    for span in spans:
        yield from _list_ended(span.get("inner", []))
        yield dict(span["attributes"])


def _read_call(span: Recorded) -> Call:
    known = span.get("tool.id")
    return Call(
        str(span["tool.name"]),
        None if known is None else str(known),
        _read_arguments(span.get("input.value")),
        _read_output(span.get("output.value", "")),
    )


def _read_arguments(text: Any) -> Recorded:
    if isinstance(text, dict):
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, TypeError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _read_output(given: Any) -> str:
    try:
        found = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return str(given)
    if not isinstance(found, dict):
        return str(given)
    content = found.get("content", "")
    return str(content) if content else ""
