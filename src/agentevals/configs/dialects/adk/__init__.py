"""ADK's EvalConfig: criteria by metric, and functions of the user's own."""

from typing import Any

from agentevals.configs.plan import Overrides, Plan
from agentevals.files.documents import Document
from agentevals.files.places import Key
from agentevals.model.plugins import Table

KEYS = ("criteria", "custom_metrics", "user_simulator_config", "live_model_config")

_SPELLINGS = {*KEYS, "customMetrics", "userSimulatorConfig", "liveModelConfig"}
_OF_OTHERS = {"tests", "cases", "evalcases", "eval_cases", "evaluators", "metrics", "evaluations"}

# most runs have another kind of config, and do not wait for what reads this one
_PARTS: Table[Any] = Table(
    "part",
    {
        "reading": "agentevals.configs.dialects.adk.reading",
        "metrics": "agentevals.configs.dialects.adk.metrics",
    },
)


def matches(document: Document) -> bool:
    """One of its keys, and none of those that only a config of another kind has."""
    value = document.value
    return (
        isinstance(value, dict)
        and bool(_SPELLINGS & value.keys())
        and not _OF_OTHERS & value.keys()
    )


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """What the config and the command line ask for; the command line wins."""
    made: Plan = _PARTS["reading"].plan(document, overrides)
    return made


def locate(document: Document, name: str) -> tuple[Key, ...]:
    """The criterion of that name."""
    found: tuple[Key, ...] = _PARTS["metrics"].locate(document, name)
    return found
