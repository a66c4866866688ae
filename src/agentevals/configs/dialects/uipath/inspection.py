"""What keeps the classes of an eval set from judging: they are loaded and made in the sandbox."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from agentevals.configs.dialects.uipath.written import Project, normalise
from agentevals.configs.plan import Plan
from agentevals.files.documents import Document
from agentevals.files.places import quote
from agentevals.files.validation import Where
from agentevals.graders.uipath.uipath_class import UipathClass
from agentevals.model.errors import EvaluatorError, Problem

_ITEMS = ("evaluationItems", "evaluations")
_CRITERIA = "evaluationCriterias"
_PLACES = {"class": "evaluatorSchema", "config": "evaluatorConfig"}

Judging = list[tuple[str, UipathClass]]  # items, each with its grader


def find_problems(document: Document, plan: Plan) -> Iterator[Problem]:
    """Find them at their places: in the file of the evaluator, or in the criteria of an item."""
    project = Project(document.path)
    judging: dict[str, Judging] = defaultdict(list)
    for one in plan.expectations or ():
        for grader in one.graders:
            if isinstance(grader, UipathClass):
                judging[normalise(grader.id)].append((one.case_id, grader))
    for name, mine in judging.items():
        yield from _inspect(document, project.found[name][1], name, mine)


def _inspect(document: Document, file: Document, name: str, judging: Judging) -> Iterator[Problem]:
    try:
        found = judging[0][1].inspect([grader for _, grader in judging])
    except EvaluatorError as error:
        yield file.problem(f"evaluator {quote(name)}: {error}", (_PLACES["class"],))
        return
    for one in found:
        about, key = f"evaluator {quote(name)}: {one['message']}", one["key"]
        if one["place"] in _PLACES:
            place: Where = (_PLACES[one["place"]], *([key] if key else []))
            yield file.problem(about, place, key=bool(key))
        else:
            item = judging[one["at"]][0]
            where = _locate(document, item, name)
            place = (*where, key) if key else where
            yield document.problem(f"item {quote(item)}, {about}", place, key=bool(key))


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
