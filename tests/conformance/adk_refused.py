"""What ADK takes in an EvalConfig and ours refuses, because a slip would judge nothing: 1.1."""

from collections.abc import Iterator, Mapping
from typing import Any

from agentevals.configs.dialects.adk.adk_config_criteria import CRITERIA

_OF_COHERENCE = "response_evaluation_score"  # its scores end at 5


def find_refused(config: Mapping[str, Any]) -> str:
    """Where the config has one of them; empty where it has none."""
    return next(_list_refused(config), "")


def _list_refused(config: Mapping[str, Any]) -> Iterator[str]:
    own = config.get("custom_metrics") or config.get("customMetrics") or {}
    criteria = config.get("criteria") or {}
    if not criteria:
        yield "criteria"
    for name, written in criteria.items():
        criterion = written if isinstance(written, dict) else {"threshold": written}
        most = 5 if name == _OF_COHERENCE else 1
        if name not in own and name not in CRITERIA:
            yield f"criteria/{name}"
        if name not in own and not 0 <= float(criterion.get("threshold", 0)) <= most:
            yield f"criteria/{name}/threshold"
        if any(criterion.get(key, "") is None for key in ("match_type", "matchType")):
            yield f"criteria/{name}/match_type"
    for name, metric in own.items():
        interval = _find_interval(metric)
        least, most = (
            interval.get(f"{end}_value", interval.get(f"{end}Value", otherwise))
            for end, otherwise in (("min", 0.0), ("max", 1.0))
        )
        if least >= most:
            yield f"custom_metrics/{name}/interval"


def _find_interval(metric: Mapping[str, Any]) -> Mapping[str, Any]:
    info = metric.get("metric_info") or metric.get("metricInfo") or {}
    value = info.get("metric_value_info") or info.get("metricValueInfo") or {}
    return value.get("interval") or {}
