"""`uipath_class`: a class for UiPath judges, with or without the `uipath` package."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from pydantic import AliasChoices, Field

from agentevals.graders.grader import Services
from agentevals.graders.programs.hosted_graders import HostedGrader, ThirdPartyCode
from agentevals.graders.uipath import uipath_executions, uipath_outputs
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.errors import AgentEvalsError, EvaluatorError, InputError
from agentevals.model.results import Result
from agentevals.sandbox.wire_protocol import is_number

HOST = "uipath_class"

_MEAN = "mean"  # what the number for all cases is where the class has no own idea of it

# whether a class has its own `reduce_scores`, once it was asked for anything: one more start of
# a program can be saved where it has not
_reducing: dict[tuple[Path, str], bool] = {}


class UipathClass(HostedGrader):
    """A class that inherits from `uipath.eval.evaluators.BaseEvaluator`."""

    type: ClassVar[str] = "uipath_class"
    judges_overall: ClassVar[bool] = True

    path: Path = Field(description="The Python file that has the class")
    class_name: str = Field(
        default="",
        validation_alias=AliasChoices("class_name", "class", "className"),
        description="Its name; without one, the file's only evaluator",
    )
    id: str = Field(default="", description="The evaluator's id; without one, its name")
    description: str = Field(default="", description="What it judges")
    config: dict[str, Any] = Field(
        default={},
        validation_alias=AliasChoices("config", "evaluatorConfig", "evaluator_config"),
        description="What the class's configuration is made of",
    )
    criteria: dict[str, Any] | None = Field(
        default=None,
        validation_alias=AliasChoices("criteria", "evaluationCriteria", "evaluation_criteria"),
        description="What the case is judged by; without them, the configuration's default",
    )
    inputs: dict[str, Any] | None = Field(
        default=None, description="The agent's input; without one, what the user said first"
    )
    expected_output: dict[str, Any] | str | None = Field(
        default=None,
        validation_alias=AliasChoices("expected_output", "expectedOutput"),
        description="The output that is wanted, for a class whose criteria have none",
    )
    expected_agent_behavior: str | None = Field(
        default=None,
        validation_alias=AliasChoices("expected_agent_behavior", "expectedAgentBehavior"),
        description="What the agent should have done, in words",
    )
    simulation_instructions: str = Field(
        default="",
        validation_alias=AliasChoices("simulation_instructions", "simulationInstructions"),
        description="What was simulated, in words",
    )
    threshold: float = Field(
        default=0.8, ge=0, le=1, description="A score at or above this value passes"
    )
    type_id: str = Field(default="", exclude=True, description="The evaluatorTypeId of its file")
    strict: bool = Field(
        default=True, exclude=True, description="Whether a key that the class ignores is an error"
    )

    def problems(self) -> list[str]:
        return uipath_executions.find_problems(self.path)

    def inspect(self, services: Services) -> list[str]:
        """Load the class, and make it with its configuration and its criteria."""
        if self.problems():
            return []
        try:
            found = self.inspect_with([self], services)
        except AgentEvalsError as error:
            return [str(error)]
        return [f"evaluator {self.name!r}: {one['message']}" for one in found]

    def inspect_with(
        self, same: Sequence["UipathClass"], services: Services
    ) -> list[dict[str, Any]]:
        """Load the class, and make it with its configuration and the criteria of each of these.

        Each problem has its `place`: the class, the config, or the criteria `at` a position.
        """
        question = {
            **self._describe_class(),
            "criteria": [one.criteria for one in same],
            "expected_outputs": [one.expected_output for one in same],
        }
        answer = self.load_in_host(self._code, question, services)
        return [
            one
            for one in answer.get("problems", ())
            if one["key"] or one["place"] == "criteria" or not self.is_granted
        ]

    def grade(self, case: Case, services: Services) -> Grade:
        if failure := uipath_outputs.find_failure(case):
            return Grade(score=0.0, misses=(failure,))  # a class is not asked, as in UiPath
        if missing := self.problems():
            msg = f"evaluator {self.name!r}: {missing[0]}"
            raise InputError(msg)
        execution = uipath_executions.describe_execution(
            case, self.inputs, self.expected_agent_behavior or "", self.simulation_instructions
        )
        question = {
            **self._describe_class(),
            "criteria": self.criteria,
            "expected_output": self.expected_output,
            "execution": execution,
        }
        answer, isolation = self.ask_host(self._code, {"task": "evaluate", **question}, services)
        _reducing[self.path, self.class_name] = answer.get("reduces") is not False
        return build_grade(answer, name=self.name, isolation=isolation)

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        """Compute what the class makes of its scores on all cases (`reduce_scores`)."""
        scores = list_scores(results)
        told: dict[str, Any] = {"scored": len(scores), "total": len(results)}
        if not scores:
            return told
        if not _reducing.get((self.path, self.class_name), True):
            usual = mean(score["score"] for score in scores)
            return {"reduce_scores": usual, "metric": _MEAN, **told}
        question = {"task": "reduce", **self._describe_class(), "scores": scores}
        try:
            answer, _ = self.ask_host(self._code, question, services)
            if answer.get("reduces") is False:
                told = {"metric": _MEAN, **told}
            return {"reduce_scores": check_score(answer.get("score"), self.name), **told}
        except (EvaluatorError, InputError) as error:
            return {**told, "error": str(error)}

    @property
    def _code(self) -> ThirdPartyCode:
        return ThirdPartyCode(HOST, self.path.parent, (uipath_executions.find_project(self.path),))

    def _describe_class(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "class": self.class_name,
            "id": self.id or self.name,
            "type_id": self.type_id,
            "strict": self.strict,
            "name": self.name,
            "description": self.description,
            "config": self.config,
            "roots": [str(folder) for folder in uipath_executions.list_roots(self.path)],
        }


_REASONS = ("justification", "explanation", "reasoning", "rationale", "reason")
_TEXT = "details"  # the key of details that are a text
_LONGEST = 4000  # characters of what a class says about its own error
_SHOWN = 120  # characters of a value that a message quotes
_MEMBERS = 12  # of details that are told one by one


def build_grade(answer: dict[str, Any], *, name: str, isolation: str = "") -> Grade:
    """The grade that an evaluation result comes down to; `kind` is which of the three it is."""
    kind, score = answer.get("kind"), answer.get("score")
    details = _read_details(answer.get("details"))
    if kind == "error":
        told = (_describe_error(details)[:_LONGEST], answer.get("hint") or "")
        msg = f"evaluator {name!r}: {'. '.join(filter(None, told))}"
        raise EvaluatorError(msg)
    if kind == "boolean":
        score = float(score is True)
    number_ = check_score(score, name)
    if not 0 <= number_ <= 1:
        msg = f"evaluator {name!r} gave the score {number_:g}; it must be from 0 to 1"
        raise EvaluatorError(msg)
    return Grade(
        score=number_,
        reasoning=_find_reason(details),
        details=details,
        isolation=isolation,
    )


def _find_reason(details: dict[str, Any]) -> str:
    """The words in the details; without any, what the details say member by member."""
    told = (details.get(key) for key in (*_REASONS, _TEXT))
    if text := next((text for text in told if isinstance(text, str) and text), ""):
        return text
    members = (f"{key}: {_shorten(value)}" for key, value in islice(details.items(), _MEMBERS))
    return "; ".join(members)


def _shorten(value: object) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "…"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _describe_error(details: dict[str, Any]) -> str:
    if not details:
        return "ErrorEvaluationResult, without a reason; give it as `error`"
    said = str(details.get(_TEXT) or json.dumps(details, ensure_ascii=False, default=str))
    missing = "No module named" in said
    return f"{said}; list it in a requirements.txt beside the evaluator" if missing else said


def check_score(score: object, name: str) -> float:
    """A score that is a number at all."""
    if is_number(score):
        return float(score)
    shown = repr(score)[:_SHOWN]
    msg = f"evaluator {name!r} gave the score {shown}; a number from 0 to 1 was expected"
    raise EvaluatorError(msg)


def list_scores(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The scores of the cases that have one, as `reduce_scores` reads them."""
    return [
        {"score": result.score, "details": result.details}
        for result in results
        if result.score is not None
    ]


def _read_details(given: object) -> dict[str, Any]:
    """An object, also where it came as a text; any other text under the key `details`."""
    if isinstance(given, str):
        try:
            parsed = msgspec.json.decode(given)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            parsed = None
        return parsed if isinstance(parsed, dict) else {_TEXT: given}
    return given if isinstance(given, dict) else {}
