"""UiPath's eval sets: items, and the evaluators of the project that judge them."""

from typing import TYPE_CHECKING

from agentevals.configs.plan import Overrides, Plan
from agentevals.files.document_places import Key
from agentevals.files.documents import Document
from agentevals.graders.grader import Services
from agentevals.model.plugins import Lazy

# most runs have another kind of config, and do not wait for the import of these
if TYPE_CHECKING:
    from agentevals.configs.dialects.uipath import (
        uipath_config_inspection,
        uipath_config_plan,
        uipath_config_references,
    )
else:
    uipath_config_inspection = Lazy("agentevals.configs.dialects.uipath.uipath_config_inspection")
    uipath_config_plan = Lazy("agentevals.configs.dialects.uipath.uipath_config_plan")
    uipath_config_references = Lazy("agentevals.configs.dialects.uipath.uipath_config_references")

KEYS = ("evaluatorRefs", "evaluatorConfigs", "evaluationItems")

_ITEMS = "evaluations"
_OF_AN_ITEM = frozenset({"inputs", "evaluationCriterias", "evalSetId"})


def matches(document: Document) -> bool:
    """Return whether it refers to evaluators of a project, or has items for them."""
    value = document.value
    if not isinstance(value, dict):
        return False
    items = value.get(_ITEMS)
    return any(key in value for key in KEYS) or (
        isinstance(items, list)
        and any(isinstance(item, dict) and _OF_AN_ITEM & item.keys() for item in items)
    )


def plan(document: Document | None, overrides: Overrides) -> Plan:
    """Compile the eval set; the command line wins."""
    return uipath_config_plan.plan(document, overrides)


def inspect(document: Document, plan: Plan, services: Services) -> Plan:
    """Load the classes of users in the sandbox; refuse what keeps them from judging."""
    return uipath_config_inspection.inspect(document, plan, services)


def locate(document: Document, name: str) -> tuple[Key, ...]:
    """Return the path of the reference to the evaluator of that name."""
    return uipath_config_references.locate(document, name)
