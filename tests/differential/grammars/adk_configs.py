"""EvalConfigs of ADK: criteria of every metric, and metric functions."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from agentevals.configs.dialects.adk.adk_config_criteria import CRITERIA, Coherence
from agentevals.graders.adk import Interval
from agentevals.graders.tools.tool_call_matching import MatchType
from tests.differential.draw import Draw
from tests.differential.grammars.adk_invocations import Json, Turns

OWN = "own_metric"  # the metric of the user's, in a config that has one
MODULE = "my_agent.probes"
FUNCTIONS = (
    *("everything", "everything_later", "share_of_words", "calls_on_a_scale", "sub_agent_spoke"),
    *("not_evaluated", "informational", "no_score", "no_number", "too_few", "nothing", "a_number"),
    *("breaks", "first_release", "one_too_few", "builds_content", "waited_for"),
    *("returns_what_is_waited_for",),
)
VERTEX = frozenset(
    {
        *("response_evaluation_score", "safety_v1", "multi_turn_task_success_v1"),
        *("multi_turn_trajectory_quality_v1", "multi_turn_tool_use_quality_v1"),
    }
)
_UNJUDGED = ("tool_trajectory_avg_score", "response_match_score")
_THRESHOLDS = (0, 0.25, 0.5, 2 / 3, 0.8, 1, 1.0)
_MATCH_SPELLINGS = ("name", "number", "lower", "dashes")


def write_config(draw: Draw, turns: Turns, judged: str) -> Json:
    """A config; `judged` names the metric in it that asks a judge, if one does."""
    names = [name for name in _UNJUDGED if draw.chance(0.6)]
    names += [judged] if judged else []
    own = draw.chance(0.6) or not names
    criteria = {name: _write_criterion(draw, turns, name) for name in names}
    config: Json = {"criteria": criteria}
    for name in names:
        draw.reached["metric", name] += 1
    if own:
        criteria[OWN] = _write_own_criterion(draw)
        config["custom_metrics"] = {OWN: _write_own(draw, turns)}
    elif draw.chance(0.2):  # as ADK writes it
        config["custom_metrics"] = None
    if draw.chance(0.1):
        config["user_simulator_config"] = {"model": "m"}
    if draw.chance(0.1):
        config["live_model_config"] = {"timeout_seconds": 3}
    for name in config:
        draw.reached["EvalConfig", name] += 1
    return {to_camel(k): v for k, v in config.items()} if turns.spelling == "camel" else config


def _write_criterion(draw: Draw, turns: Turns, name: str) -> Any:
    """A bare threshold, or an object with any of the fields that our model of it has."""
    model = CRITERIA[name]
    threshold = draw.choose("threshold", _THRESHOLDS)
    if issubclass(model, Coherence):
        threshold = 1 + 4 * threshold
    if draw.chance(0.3) and not _asks(model):
        return threshold
    fields = {"threshold": threshold}
    for field in model.model_fields:
        if field == "judge_model_options" or (field != "threshold" and draw.chance(0.5)):
            fields[field] = _MAKERS[field](draw, turns, name)
    for field in fields:
        draw.reached[name, field] += 1
    return turns.spell(fields)


def _asks(model: type[BaseModel]) -> bool:
    return "judge_model_options" in model.model_fields


def _choose_match_type(draw: Draw, _turns: Turns, _name: str) -> Any:
    kind = draw.choose("match_type", list(MatchType))
    written = {
        "name": kind.value,
        "number": list(MatchType).index(kind),
        "lower": kind.value.lower(),
        "dashes": kind.value.replace("_", "-"),
    }
    return written[draw.choose("match type is written", _MATCH_SPELLINGS)]


def _write_options(draw: Draw, turns: Turns, name: str) -> Json:
    options: Json = {"judge_model": f"scripted-{name}"}
    optional: dict[str, Callable[[], Any]] = {
        "num_samples": lambda: draw.choose("num_samples", (1, 2, 3, 4)),
        "parallelism_limit": lambda: draw.choose("parallelism_limit", (1, 2)),
        "judge_model_config": dict,
    }
    options |= {key: make() for key, make in optional.items() if draw.chance(0.6)}
    for key in options:
        draw.reached["judge_model_options", key] += 1
    return turns.spell(options)


def _write_rubrics(draw: Draw, turns: Turns, _name: str) -> list[Json]:
    return [turns.rubric(f"r{number}") for number in range(draw.count(0, 3))]


_MAKERS: dict[str, Callable[[Draw, Turns, str], Any]] = {
    "include_intermediate_responses_in_final": lambda draw, _t, _n: draw.choose(
        "include_intermediate_responses_in_final", (True, False)
    ),
    "match_type": _choose_match_type,
    "ignore_args": lambda draw, _t, _n: draw.choose("ignore_args", (True, False)),
    "judge_model_options": _write_options,
    "rubrics": _write_rubrics,
    "evaluate_intermediate_nl_responses": lambda draw, _t, _n: draw.choose(
        "evaluate_intermediate_nl_responses", (True, False)
    ),
    "stop_signal": lambda draw, _t, _n: draw.choose("stop_signal", ("</finished>", "bye")),
}


def _write_own_criterion(draw: Draw) -> Any:
    threshold = draw.choose("own threshold", (0.5, 0.25, 1.0, -3, 7.5))
    return {"threshold": threshold, "extra": {"k": [1]}} if draw.chance(0.4) else threshold


def _write_own(draw: Draw, turns: Turns) -> Json:
    function = draw.choose("function", FUNCTIONS)
    info = None
    if draw.chance(0.6):
        interval = turns.spell(_write_interval(draw))
        info = turns.spell(
            {
                "metric_name": "any",
                "description": "what it measures" if draw.chance(0.5) else ...,
                "metric_value_info": turns.spell(
                    {"interval": interval if draw.chance(0.9) else None}
                ),
            }
        )
    return turns.spell(
        {
            "code_config": {"name": f"{MODULE}.{function}"},
            "metric_info": info or ...,
            "description": "mine" if draw.chance(0.2) else ...,
        }
    )


def _write_interval(draw: Draw) -> Json:
    least, most = draw.choose("interval", ((0, 1), (-10, 10), (0, 5), (0.5, 0.75)))
    fields: Json = {"min_value": least, "max_value": most}
    for name in ("open_at_min", "open_at_max"):
        if draw.chance(0.3):
            fields[name] = draw.choose(name, (True, False))
    for name in fields:
        draw.reached["interval", name] += 1
    return fields


def make_slip(draw: Draw, config: Json) -> None:
    """Write what ADK takes and what judges nothing, or not what was meant."""
    slip = draw.choose("slip", tuple(_SLIPS))
    draw.reached["slip", slip] += 1
    config["criteria"] |= _SLIPS[slip]
    if slip == "no criteria":
        config["criteria"] = {}
    if slip == "range the wrong way":
        config.pop("customMetrics", None)
        config["criteria"] = {OWN: 0.5}
        config["custom_metrics"] = {
            OWN: {
                "code_config": {"name": f"{MODULE}.everything"},
                "metric_info": {
                    "metric_name": "any",
                    "metric_value_info": {"interval": {"min_value": 1, "max_value": 0}},
                },
            }
        }


_SLIPS: dict[str, Json] = {
    "no criteria": {},
    "a threshold that nothing reaches": {"response_match_score": 2},
    "a metric that nobody knows": {"response_mach_score": 0.5},
    "no match type": {"tool_trajectory_avg_score": {"threshold": 0.5, "match_type": None}},
    "range the wrong way": {},
}


def list_reachable() -> Iterable[tuple[str, str]]:
    """Every metric, each of its fields, and each value of an enum or a switch."""
    for name, model in CRITERIA.items():
        yield "metric", name
        for field, info in model.model_fields.items():
            yield name, field
            yield from _list_values(field, info.annotation)
    yield from (("match_type", str(kind)) for kind in MatchType)
    yield from (("interval", name) for name in Interval.model_fields)
    yield from (("function", name) for name in FUNCTIONS)
    yield from (("slip", name) for name in _SLIPS)
    options = CRITERIA["safety_v1"].model_fields["judge_model_options"].annotation
    yield from (("judge_model_options", name) for name in getattr(options, "model_fields", ()))


def _list_values(field: str, annotation: Any) -> Iterable[tuple[str, str]]:
    if annotation is bool:
        yield from ((field, str(value)) for value in (True, False))
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from ((field, str(value)) for value in annotation)
