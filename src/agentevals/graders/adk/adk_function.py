"""`adk_function`: a metric function for ADK judges, with or without the `google-adk` package."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from agentevals.graders.adk import importing, invocations, metrics
from agentevals.graders.adk.metrics import Criterion, CriterionObject, MetricInfo
from agentevals.graders.grader import Services
from agentevals.graders.programs.hosted import HostedGrader, ThirdPartyCode
from agentevals.model.cases import Case, Grade

HOST = "adk_metric"


class AdkFunction(HostedGrader):
    """A custom metric: `f(eval_metric, actual, expected, scenario) -> EvaluationResult`."""

    type: ClassVar[str] = "adk_function"
    needs_equal_turns: ClassVar[bool] = True

    function: Annotated[str, AfterValidator(importing.check_import_path)] = Field(
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
        return sha256(importing.read_source(self.function, self.folder)).hexdigest()

    @property
    def reach(self) -> tuple[Path, ...]:
        """All that lies beside it, and what can be imported from where its path begins."""
        places = importing.find_places(self.function, self.folder)
        return (places.home, *(root / "**" / "*.py" for root in places.roots))

    def problems(self) -> list[str]:
        return importing.find_problems(self.function, self.folder)

    def grade(self, case: Case, services: Services) -> Grade:
        places = importing.find_places(self.function, self.folder)
        question = {
            "function": self.function,
            "roots": [str(place) for place in places.roots],
            "tried": [str(place) for place in places.tried],
            "packages": [str(places.package)] if places.package else [],
            "metric_name": self.name,
            "criterion": self.criterion.model_dump(mode="json"),
            **invocations.describe_case(case),
        }
        answer, walls = self.ask_host(
            ThirdPartyCode(HOST, places.home, places.roots), question, services
        )
        told = metrics.MetricSettings(self.name, self.criterion.threshold, self.metric_info)
        return metrics.build_grade(answer, told, len(case.turns), isolation=walls)
