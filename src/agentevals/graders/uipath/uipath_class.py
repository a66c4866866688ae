"""`uipath_class`: a class for UiPath judges, with or without the `uipath` package."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import AliasChoices, Field

from agentevals.graders.grader import Services
from agentevals.graders.programs.hosted import Foreign, Hosted
from agentevals.graders.uipath import executions, judgements
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result

HOST = "uipath_class"

_MEAN = "mean"  # what the number for all cases is where the class has no own idea of it

# whether a class has its own `reduce_scores`, once it was asked for anything: one more start of
# a program can be saved where it has not
_reducing: dict[tuple[Path, str], bool] = {}


class UipathClass(Hosted):
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

    def problems(self) -> list[str]:
        return executions.problems(self.path)

    def grade(self, case: Case, services: Services) -> Grade:
        execution = executions.of_case(
            case, self.inputs, self.expected_agent_behavior, self.simulation_instructions
        )
        question = {**self._evaluator(), "criteria": self.criteria, "execution": execution}
        answer, walls = self.asked(self._code, {"task": "evaluate", **question}, services)
        _reducing[self.path, self.class_name] = answer.get("reduces") is not False
        return judgements.of_result(answer, name=self.name, isolation=walls)

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        """What the class makes of its scores on all cases (`reduce_scores`)."""
        scores = judgements.reducible(results)
        told: dict[str, Any] = {"scored": len(scores), "total": len(results)}
        if not scores:
            return told
        if not _reducing.get((self.path, self.class_name), True):
            usual = mean(score["score"] for score in scores)
            return {"reduce_scores": usual, "metric": _MEAN, **told}
        question = {"task": "reduce", **self._evaluator(), "scores": scores}
        try:
            answer, _ = self.asked(self._code, question, services)
            if answer.get("reduces") is False:
                told = {"metric": _MEAN, **told}
            return {"reduce_scores": judgements.number(answer.get("score"), self.name), **told}
        except EvaluatorError as error:
            return {**told, "error": str(error)}

    @property
    def _code(self) -> Foreign:
        return Foreign(HOST, self.path.parent, (executions.project(self.path),))

    def _evaluator(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "class": self.class_name,
            "id": self.id or self.name,
            "name": self.name,
            "description": self.description,
            "config": self.config,
            "roots": [str(folder) for folder in executions.roots(self.path)],
        }
