"""ADK's EvalConfig: criteria by metric, and functions of the user's own."""

from typing import TYPE_CHECKING

from agentevals.configs.plan import Overrides, Plan
from agentevals.files.document_places import Key
from agentevals.files.documents import Document
from agentevals.graders.grader import Services
from agentevals.model.plugins import Lazy

# most runs have another kind of config, and do not wait for the import of this
if TYPE_CHECKING:
    from agentevals.configs.dialects.adk import adk_config
else:
    adk_config = Lazy("agentevals.configs.dialects.adk.adk_config")

KEYS = ("criteria", "custom_metrics", "user_simulator_config", "live_model_config")

_SPELLINGS = {*KEYS, "customMetrics", "userSimulatorConfig", "liveModelConfig"}
_OF_OTHERS = {"tests", "cases", "evalcases", "eval_cases", "evaluators", "metrics", "evaluations"}


def matches(document: Document) -> bool:
    """One of its keys, and none of those that only a config of another kind has."""
    value = document.value
    return (
        isinstance(value, dict)
        and bool(_SPELLINGS & value.keys())
        and not _OF_OTHERS & value.keys()
    )


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the config; the command line wins."""
    return adk_config.plan(document, overrides)


def inspect(document: Document, plan: Plan, services: Services) -> Plan:
    """Import metric functions in the sandbox; refuse those that cannot be called."""
    return adk_config.inspect(document, plan, services)


def locate(document: Document, name: str) -> tuple[Key, ...]:
    """Return the criterion of that name."""
    return adk_config.locate(document, name)
