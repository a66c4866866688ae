"""The same agent and eval set: run and scored by `uipath eval`, its recording scored by ours."""

import json
from pathlib import Path

from tests.bench import limits, peer
from tests.bench.measure import Measured, measure, measure_in_turns

REQUIREMENTS = ("uipath==2.14.44", "pydantic<2.14")
WANTED = 5.0

_AGENT = """\
from dataclasses import dataclass

from uipath.tracing import traced


@dataclass
class Input:
    city: str


@dataclass
class Output:
    answer: str


@traced(name="weather", span_type="tool")
def weather(city: str) -> dict:
    return {"content": "21 degrees"}


@traced()
def main(input: Input) -> Output:
    weather(city=input.city)
    return Output(answer=f"It is 21 degrees in {input.city}.")
"""
_CLASS = '''\
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import NumericEvaluationResult
from uipath.eval._helpers.evaluators_helpers import extract_tool_calls


class ToolCriteria(BaseEvaluationCriteria):
    tool: str


class ToolConfig(BaseEvaluatorConfig[ToolCriteria]):
    name: str = "CalledTool"


class CalledTool(BaseEvaluator[ToolCriteria, ToolConfig, str]):
    """Whether a tool was called."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "CalledTool"

    async def evaluate(self, execution, evaluation_criteria):
        names = [call.name for call in extract_tool_calls(execution_trace(execution))]
        return NumericEvaluationResult(score=float(evaluation_criteria.tool in names))


def execution_trace(execution):
    return getattr(execution, "workload_trace", None) or getattr(execution, "agent_trace", [])
'''
_EVALUATORS = {
    "called-tool": {
        "id": "CalledTool",
        "evaluatorTypeId": "file://types/called-tool-types.json",
        "evaluatorSchema": "file://called_tool.py:CalledTool",
        "evaluatorConfig": {"name": "CalledTool"},
    },
    "answer": {
        "id": "Answer",
        "evaluatorTypeId": "uipath-json-similarity",
        "evaluatorConfig": {"name": "Answer"},
    },
    "order": {
        "id": "Order",
        "evaluatorTypeId": "uipath-tool-call-order",
        "evaluatorConfig": {"name": "Order"},
    },
}


def _item(city: str) -> dict[str, object]:
    return {
        "id": city.lower(),
        "name": city,
        "inputs": {"city": city},
        "evaluationCriterias": {
            "CalledTool": {"tool": "weather"},
            "Answer": {"expectedOutput": {"answer": f"It is 21 degrees in {city}."}},
            "Order": {"toolCallsOrder": ["weather"]},
        },
    }


def project(folder: Path) -> None:
    """An agent that needs no model, two prebuilt evaluators and a class."""
    custom, sets = folder / "evaluations/evaluators/custom", folder / "evaluations/eval-sets"
    for place in (custom, sets):
        place.mkdir(parents=True)
    (folder / "uipath.json").write_text('{"functions": {"main": "main.py:main"}}', encoding="utf-8")
    (folder / "main.py").write_text(_AGENT, encoding="utf-8")
    (custom / "called_tool.py").write_text(_CLASS, encoding="utf-8")
    for name, evaluator in _EVALUATORS.items():
        text = json.dumps({"version": "1.0", "description": name, **evaluator})
        (custom.parent / f"{name}.json").write_text(text, encoding="utf-8")
    eval_set = {
        "version": "1.0",
        "id": "weather",
        "name": "weather",
        "evaluatorRefs": [evaluator["id"] for evaluator in _EVALUATORS.values()],
        "evaluations": [_item("Oslo"), _item("Rome")],
    }
    (sets / "weather.json").write_text(json.dumps(eval_set), encoding="utf-8")


def compare(folder: Path, ours: Path) -> list[Measured]:
    """Theirs, ours on what theirs left behind, and the start of an interpreter, in turns."""
    project(folder)
    uipath = peer.installed("uipath", REQUIREMENTS)
    eval_set = "evaluations/eval-sets/weather.json"
    words = ["env", "UIPATH_TELEMETRY_ENABLED=false", uipath, "eval", "main", eval_set]
    words += ["--no-report", "--trace-file"]
    measure([*words, "traces.jsonl"], cwd=folder, repeat=1)
    run = [ours, "run", "traces.jsonl", "--config", eval_set]
    # each run adds its spans to a file, which ours does not read
    commands = [[*words, "more.jsonl"], run, limits.START.command]
    return measure_in_turns(commands, cwd=folder, rounds=5)


def size_megabytes() -> float:
    """What theirs takes on disk."""
    return peer.size_megabytes(peer.installed("uipath", REQUIREMENTS).parents[1])
