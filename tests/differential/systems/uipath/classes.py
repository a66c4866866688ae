"""Classes as users write them: one file for each, with a body of some kind."""

from typing import Any

from tests.differential.draw import Draw
from tests.differential.systems.uipath.values import resemble

Settings = dict[str, Any]

_HEAD = '''\
"""Judges an execution."""

import json

from uipath.eval.evaluators import (
    BaseEvaluationCriteria,
    BaseEvaluator,
    BaseEvaluatorConfig,
    BaseEvaluatorJustification,
    {builtin},
)
from uipath.eval.models import (
    BooleanEvaluationResult,
    ErrorEvaluationResult,
    NumericEvaluationResult,
    WorkloadExecution,
)
from uipath.eval._helpers.evaluators_helpers import (
    extract_tool_calls,
    extract_tool_calls_names,
    extract_tool_calls_outputs,
    trace_to_str,
)


class Why(BaseEvaluatorJustification):
    note: str = ""
    parts: list[int] = []


class Criteria(BaseEvaluationCriteria):
    wanted_text: str = ""
    wanted_object: dict = {{}}
    least: int = 0


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Mine"
    share: float = 0.25
    upper: bool = False


class Mine(BaseEvaluator[Criteria, Config, {justification}]):
    """Judges."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "Mine"

    {define} evaluate(self, execution, criteria):
        output, spans = execution.workload_output, execution.workload_trace
        text = json.dumps(output, sort_keys=True)
        told = {justify}
{body}
'''

# a body, by what it does; each returns a result and may use output, text, spans, told
_BODIES = {
    "exact": "return NumericEvaluationResult(score=float(output == criteria.wanted_object), "
    "details=told)",
    "contains": "found = criteria.wanted_text in (text.upper() if self.evaluator_config.upper "
    "else text)\nreturn NumericEvaluationResult(score=1.0 if found else self.evaluator_config."
    "share, details=told)",
    "boolean": "return BooleanEvaluationResult(score=criteria.wanted_text in text, details=told)",
    "spans": "called = [s for s in spans if s.attributes.get('tool.name')]\n"
    "return NumericEvaluationResult(score=min(1.0, len(called) / max(1, criteria.least)), "
    "details=json.dumps([[s.name, s.status.status_code.name] for s in called]))",
    "helpers": "seen = [[c.model_dump() for c in extract_tool_calls(spans)], "
    "extract_tool_calls_names(spans), [o.model_dump() for o in extract_tool_calls_outputs(spans)]]"
    "\nreturn NumericEvaluationResult(score=1.0 if len(seen[0]) >= criteria.least else 0.0, "
    "details=json.dumps(seen))",
    "history": "lines = trace_to_str(spans).splitlines()\n"
    "lines = [line for line in lines if line[:3] not in ('[19', '[20')]\n"
    "return NumericEvaluationResult(score=0.5, details='|'.join(lines))",
    "raising": "if criteria.least:\n    raise ValueError('broken')\n"
    "return NumericEvaluationResult(score=0.5, details=told)",
    "error": "if criteria.least:\n    return ErrorEvaluationResult(details='cannot be judged')\n"
    "return NumericEvaluationResult(score=1.0, details=told)",
    "range": "return NumericEvaluationResult(score=criteria.least - 0.5, details=told)",
    "execution": "return NumericEvaluationResult(score=1.0, details=json.dumps(["
    "execution.agent_input, execution.expected_agent_behavior, "
    "execution.simulation_instructions]))",
    "builtin": "made = {builtin}(id='x', evaluatorConfig={{'name': 'x', 'targetOutputKey': '*'}})\n"
    "return await made.validate_and_evaluate_criteria(execution, {asked})",
    "awaiting": "import asyncio\nawait asyncio.sleep(0)\n"
    "return NumericEvaluationResult(score=float(bool(output)), details=told)",
    "sync": "return NumericEvaluationResult(score=self.evaluator_config.share, details=told)",
    "reduce": "return NumericEvaluationResult(score=float(bool(spans)), details=told)\n\n"
    "def reduce_scores(self, results):\n    return max(r.score for r in results) / 2",
}
_BUILTINS = {
    "ExactMatchEvaluator": "{'expectedOutput': criteria.wanted_object}",
    "ContainsEvaluator": "{'searchText': criteria.wanted_text}",
    "JsonSimilarityEvaluator": "{'expectedOutput': criteria.wanted_object}",
    "ToolCallOrderEvaluator": "{'toolCallsOrder': [criteria.wanted_text]}",
    "ToolCallCountEvaluator": "{'toolCallsCount': {criteria.wanted_text: ['>', 0]}}",
    "ToolCallArgsEvaluator": "{'toolCalls': [{'name': criteria.wanted_text, 'args': {}}]}",
    "ToolCallOutputEvaluator": "{'toolOutputs': [{'name': criteria.wanted_text, 'output': ''}]}",
}
_DERIVED = '''\
"""Judges as one of UiPath's own evaluators does, and then something else."""

from uipath.eval.evaluators import {builtin}
from uipath.eval.models import NumericEvaluationResult


class Mine({builtin}):
    """Half of what it was."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "Mine"

    async def evaluate(self, workload_execution, evaluation_criteria):
        result = await super().evaluate(workload_execution, evaluation_criteria)
        return NumericEvaluationResult(score=float(result.score) / 2, details=result.details)
'''
KINDS = (*_BODIES, "derived")


def draw_class(draw: Draw, name: str) -> tuple[str, str, Settings]:
    """The kind of a class, its source, and the file of its evaluator."""
    draw.choose("type", ("uipath_class",))
    kind = draw.choose("class", KINDS)
    builtin = draw.choose("builtin", tuple(_BUILTINS))
    if kind == "derived":
        builtin = draw.choose("derived", ("ExactMatchEvaluator", "JsonSimilarityEvaluator"))
        source = _DERIVED.format(builtin=builtin)
    else:
        source = _write(draw, kind, builtin)
    config: Settings = {"name": f"Evaluator {name}"}
    if kind != "derived" and draw.chance(0.5):
        config |= {"share": draw.choose("share", (0.0, 0.8, 1.0)), "upper": draw.chance(0.5)}
    if draw.chance(0.3):
        config["defaultEvaluationCriteria"] = (
            {"expectedOutput": {}} if kind == "derived" else {"wantedText": "yes", "least": 1}
        )
    written = {
        "version": "1.0",
        "id": name,
        "evaluatorTypeId": f"file://types/{name}-types.json",
        "evaluatorSchema": f"file://{name}.py:Mine",
        "evaluatorConfig": config,
    }
    return kind, source, written


def _write(draw: Draw, kind: str, builtin: str) -> str:
    justification, justify = draw.choose("justification", tuple(_JUSTIFICATIONS.items()))
    body = _BODIES[kind]
    if kind == "builtin":
        body = body.format(builtin=builtin, asked=_BUILTINS[builtin])
    lines = [line if line.startswith("def ") else f"    {line}" for line in body.split("\n")]
    return _HEAD.format(
        builtin=builtin,
        justification=justification,
        define="def" if kind == "sync" else "async def",
        justify=justify,
        body="\n".join(f"    {line}".rstrip() for line in lines),
    )


_JUSTIFICATIONS = {
    "str": "f'because of {len(text)} letters'",
    "Why": "Why(expected=criteria.wanted_text, actual=text[:20], note='n', parts=[1, 2])",
    "str ": "None",
}


def draw_class_criteria(draw: Draw, kind: str, output: Any) -> Settings:
    """What a class is told about an item."""
    similar = resemble(draw, output if isinstance(output, dict) else {"result": output})
    if kind == "derived":
        return {"expectedOutput": similar}
    texts = ("yes", "result", "look_up", str(output)[:6], "YES")
    least = draw.count(0, 2)
    return {
        draw.choose("spelling", ("wantedText", "wanted_text")): draw.choose("wanted", texts),
        "wantedObject": similar,
        "least": least,
    }
