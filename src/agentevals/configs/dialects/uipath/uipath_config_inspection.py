"""What keeps the classes of an eval set from judging: they are loaded and made in the sandbox."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from agentevals.configs.dialects.uipath.uipath_config_keys import Project, normalise
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.configs.plan import Plan
from agentevals.files.document_places import quote
from agentevals.files.documents import Document
from agentevals.files.pydantic_mistakes import Where
from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_class import UipathClass
from agentevals.model.errors import AgentEvalsError, ConfigError, Problem

_ITEMS = ("evaluationItems", "evaluations")
_CRITERIA = "evaluationCriterias"
_PLACES = {"class": "evaluatorSchema", "config": "evaluatorConfig"}

Judging = list[tuple[str, UipathClass]]  # items, each with its grader


def inspect(document: Document, plan: Plan, services: Services) -> Plan:
    """Return the plan with a warning for each key that a class ignores.

    Raise a ConfigError with all that is wrong, each at its place: in the file of the evaluator, or
    in the criteria of an item.
    """
    judging: dict[str, Judging] = defaultdict(list)
    for one in plan.expectations or ():
        for grader in one.graders:
            if isinstance(grader, UipathClass):
                judging[normalise(grader.id)].append((one.case_id, grader))
    if not judging:
        return plan
    project, inspector = Project(document.path), _Inspector(document, services)
    for name, mine in judging.items():
        inspector.inspect(project.found[name][1], name, mine)
    if problems := inspector.keys.join(inspector.problems):
        raise ConfigError(problems)
    return replace(plan, findings=(*plan.findings, *inspector.keys.findings))


class _Inspector:
    """Loads classes; collects what is wrong with them, and the keys that they ignore."""

    def __init__(self, document: Document, services: Services) -> None:
        self._document, self._services = document, services
        self.keys = IgnoredKeys(document)
        self.problems: list[Problem] = []

    def inspect(self, file: Document, name: str, judging: Judging) -> None:
        """Load the class of one evaluator, and hold all that it is told against it."""
        about = f"evaluator {quote(name)}: "
        try:
            same = [grader for _, grader in judging]
            found = same[0].inspect_with(same, self._services)
        except AgentEvalsError as error:
            self.problems.append(file.problem(str(error), (_PLACES["class"],)))
            return
        for one in found:
            if one["place"] in _PLACES:
                self._note(file, one, (_PLACES[one["place"]],), about)
            else:
                item = judging[one["at"]][0]
                where = _locate(self._document, item, name)
                self._note(self._document, one, where, f"item {quote(item)}, {about}")

    def _note(self, file: Document, found: dict[str, Any], where: Where, about: str) -> None:
        message, key = found["message"], found["key"]
        if key:
            self.keys.add(file, message, (*where, key), about=about)
        else:
            self.problems.append(file.problem(f"{about}{message}", where))


def _locate(document: Document, item: str, evaluator: str) -> Where:
    """Return the path of what an item tells an evaluator."""
    value: Any = document.value
    name = next((name for name in _ITEMS if value.get(name)), _ITEMS[0])
    for at, entry in enumerate(value.get(name) or ()):
        if normalise(str(entry.get("id"))) != item:
            continue
        for key in entry.get(_CRITERIA) or ():
            if normalise(key) == evaluator:
                return (name, at, _CRITERIA, key)
        for place, one in enumerate(entry.get("evaluations") or ()):
            if normalise(str(one.get("evaluatorId"))) == evaluator:
                return (name, at, "evaluations", place, "evaluationCriteria")
        return (name, at)
    return ()
