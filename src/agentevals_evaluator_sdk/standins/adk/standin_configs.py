"""The configuration of an evaluation."""

from pydantic import BaseModel, ConfigDict, SerializeAsAny
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel
from agentevals_evaluator_sdk.standins.adk.standin_metrics import (
    BaseCriterion,
    EvalMetric,
    MetricInfo,
    Threshold,
)

__all__ = [
    "CodeConfig",
    "CustomMetricConfig",
    "EvalConfig",
    "EvalMetric",
    "get_eval_metrics_from_config",
]


class CodeConfig(EvalBaseModel):
    """The place of a function."""

    name: str


class CustomMetricConfig(BaseModel):
    """A metric that is a function."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    code_config: CodeConfig
    metric_info: MetricInfo | None = None
    description: str = ""


class EvalConfig(BaseModel):
    """The metrics of an evaluation, each with its criterion."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    criteria: dict[str, Threshold | SerializeAsAny[BaseCriterion]] = {}
    custom_metrics: dict[str, CustomMetricConfig] | None = None


def get_eval_metrics_from_config(eval_config: EvalConfig) -> list[EvalMetric]:
    """The metrics of a config, each with its criterion."""
    custom = eval_config.custom_metrics or {}
    return [
        EvalMetric(
            metric_name=name,
            criterion=_criterion(given),
            custom_function_path=custom[name].code_config.name if name in custom else None,
        )
        for name, given in eval_config.criteria.items()
    ]


def _criterion(given: float | BaseCriterion) -> BaseCriterion:
    return given if isinstance(given, BaseCriterion) else BaseCriterion(threshold=given)
