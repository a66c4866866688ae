"""A project as UiPath lays it out, in a folder."""

import json
from pathlib import Path

EXACT = {
    "version": "1.0",
    "id": "ExactMatch",
    "evaluatorTypeId": "uipath-exact-match",
    "evaluatorConfig": {"name": "ExactMatch", "targetOutputKey": "result"},
}
ORDER = {
    "version": "1.0",
    "id": "Order",
    "evaluatorTypeId": "uipath-tool-call-order",
    "evaluatorConfig": {
        "name": "Order",
        "threshold": 0.5,
        "defaultEvaluationCriteria": {"toolCallsOrder": ["look_up"]},
    },
}


class Project:
    """Writes evaluators and eval sets where UiPath's tools would."""

    def __init__(self, folder: Path, root: str = "evals", sets: str = "eval_sets") -> None:
        self.folder = folder
        self.evaluators = folder / root / "evaluators"
        self.sets = folder / root / sets
        for path in (self.evaluators / "custom", self.sets):
            path.mkdir(parents=True)

    def evaluator(self, document: dict) -> None:
        path = self.evaluators / f"{document['id'].lower()}.json"
        path.write_text(json.dumps(document, indent=1))

    def eval_set(self, **document) -> Path:
        path = self.sets / "set.json"
        path.write_text(json.dumps({"version": "1.0", "id": "s", "name": "Set", **document}))
        return path


def item(name="t1", criterias=None, **more):
    """An item in the layout of the SDK."""
    wanted = {"ExactMatch": {"expectedOutput": {"result": "a"}}}
    return {
        "id": name,
        "name": f"case {name}",
        "inputs": {"query": "hello"},
        "evaluationCriterias": wanted if criterias is None else criterias,
        **more,
    }
