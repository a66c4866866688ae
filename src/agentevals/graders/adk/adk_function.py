"""`adk_function`: a metric function for ADK judges, with or without the `google-adk` package."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from agentevals.graders.adk import import_paths, metrics
from agentevals.graders.adk.metrics import Criterion, CriterionObject, MetricInfo
from agentevals.graders.grader import Services
from agentevals.graders.programs.hosts import HostedGrader, ThirdPartyCode
from agentevals.model.cases import Case, Grade, Scenario
from agentevals.model.conversations import ToolCall, Turn

HOST = "adk_metric"


class AdkFunction(HostedGrader):
    """A custom metric: `f(eval_metric, actual, expected, scenario) -> EvaluationResult`."""

    type: ClassVar[str] = "adk_function"
    needs_equal_turns: ClassVar[bool] = True

    function: Annotated[str, AfterValidator(import_paths.check_import_path)] = Field(
        description="Its import path: `my_agent.metrics.f`"
    )
    folder: Path = Field(
        default=Path(),
        exclude=True,
        description="Where its import path begins, or a folder below that",
    )
    criterion: Criterion = Field(
        default=CriterionObject(threshold=0.5),
        description="What it is told to judge by: a threshold, or an object with one",
    )
    metric_info: MetricInfo | None = Field(
        default=None,
        validation_alias=AliasChoices("metric_info", "metricInfo"),
        description="The range of its scores; without one, 0 to 1",
    )

    @model_validator(mode="before")
    @classmethod
    def _threshold_of_the_criterion(cls, given: Any) -> Any:
        return metrics.add_threshold(given) if isinstance(given, dict) else given

    @property
    def content(self) -> str:
        return sha256(import_paths.read_source(self.function, self.folder)).hexdigest()

    @property
    def reach(self) -> tuple[Path, ...]:
        """All that lies beside it, and what can be imported from where its path begins."""
        places = import_paths.find_places(self.function, self.folder)
        return (places.home, *(root / "**" / "*.py" for root in places.roots))

    def problems(self) -> list[str]:
        return import_paths.find_problems(self.function, self.folder)

    def grade(self, case: Case, services: Services) -> Grade:
        places = import_paths.find_places(self.function, self.folder)
        question = {
            "function": self.function,
            "roots": [str(place) for place in places.roots],
            "tried": [str(place) for place in places.tried],
            "packages": [str(places.package)] if places.package else [],
            "metric_name": self.name,
            "criterion": self.criterion.model_dump(mode="json"),
            **describe_case(case),
        }
        answer, isolation = self.ask_host(
            ThirdPartyCode(HOST, places.home, places.roots), question, services
        )
        told = metrics.MetricSettings(self.name, self.criterion.threshold, self.metric_info)
        return metrics.build_grade(answer, told, len(case.turns), isolation=isolation)


_NANOSECONDS = 1e9

Content = dict[str, Any]


def describe_case(case: Case) -> dict[str, Any]:
    """Describe a case in the words of ADK's own types, as a metric function gets it."""
    return {
        "actual": [_describe_turn(turn) for turn in case.turns],
        "expected": None if case.expected is None else [_describe_turn(t) for t in case.expected],
        "scenario": _describe_scenario(case.scenario) if case.scenario else None,
    }


def _describe_turn(turn: Turn) -> dict[str, Any]:
    return {
        "invocation_id": turn.turn_id,
        "user_content": _build_content("user", turn.user),
        "final_response": None if turn.response is None else _build_content("model", turn.response),
        "intermediate_data": {
            "tool_uses": [_describe_call(call) for call in turn.tool_calls],
            "tool_responses": list(_list_responses(turn)),
            "intermediate_responses": [
                [turn.agent, [{"text": text}]] for text in turn.intermediate
            ],
        },
        "creation_timestamp": turn.start_ns / _NANOSECONDS,
    }


def _build_content(role: str, text: str) -> Content:
    return {"role": role, "parts": [{"text": text}]}


def _describe_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.call_id, "name": call.name, "args": call.args}


def _list_responses(turn: Turn) -> Iterator[dict[str, Any]]:
    for call in turn.tool_calls:
        if call.answered or call.failed:
            yield {"id": call.call_id, "name": call.name, "response": _wrap_response(call)}


def _wrap_response(call: ToolCall) -> dict[str, Any]:
    """ADK knows objects only, and puts everything else under these two names itself."""
    if isinstance(call.response, dict):
        return call.response
    if call.failed:
        return {"error": call.error or call.response}
    return {"result": call.response}


def _describe_scenario(scenario: Scenario) -> dict[str, Any]:
    return {"starting_prompt": scenario.opening, "conversation_plan": scenario.plan}
