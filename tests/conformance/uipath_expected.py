"""What UiPath has said of a project, and what ours should say of it instead."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.conformance.rows import differences
from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models import DECISIONS, compute

Recorded = dict[str, Any]

_EXCEPTION = "Exception thrown by evaluator: "
_DETAILS = ("expected", "actual", "matched_leaves", "total_leaves")
_ROUNDED = 2
_NONE: frozenset[str] = frozenset()


class Expected(NamedTuple):
    """A value, and the decisions for which it is not the recorded one."""

    value: Any
    decisions: tuple[str, ...] = ()


def expect(given: Recorded, result: Recorded) -> tuple[Recorded, dict[str, Expected]]:
    """What was recorded by place, and what is expected there."""
    if result["refused"]:
        return {"set": {"refused": True}}, {}
    told, wanted = {}, {}
    for item, mine in zip(
        given["set"]["evaluations"], result["output"]["evaluationSetResults"], strict=True
    ):
        for one in mine["evaluationRunResults"]:
            judged = Judged(given, item, one["evaluatorId"])
            where = f"{item['id']}/{judged.evaluator}"
            if not one["isLineResult"] and judged.is_asked:
                said = dict(_tell(judged, one["result"]))
                # what was said before the item as a whole had 0 everywhere
                first = told.setdefault(where, said)
                told[where], wanted[where] = said, _decide(judged, said, first)
    for name, score in _read_reduced(given, result["trace"]):
        told[f"overall/{name}"] = {"score": score}
        wanted[f"overall/{name}"] = _reduce(given, name, score, wanted)
    for key, value in result["output"]["datasetEvaluatorResults"].items():
        told[f"overall/{key}"] = value
        wanted[f"overall/{key}"] = _aggregate(given, key, value, wanted)
    return told, wanted


def _aggregate(given: Recorded, key: str, value: Recorded, wanted: dict[str, Expected]) -> Expected:
    """Items that did not ask the evaluator are not counted: a 0 for all is none of its own."""
    shown = key.partition("::")[0]
    files = given["evaluators"].items()
    name = next(n for n, file in files if file["evaluatorConfig"]["name"] == shown)
    total = sum(where.endswith(f"/{name}") for where in wanted if not where.startswith("overall"))
    if not total:
        return Expected(None, ("1.6",))
    details = value["details"]
    counts = {"nTotal": total, "nSkipped": total - details["nScored"]}
    return Expected({**value, "details": {**details, **counts}}, ("1.6",))


def _tell(judged: Judged, result: Recorded) -> Iterator[tuple[str, Any]]:
    details = result.get("details")
    if isinstance(details, str) and details.startswith(_EXCEPTION):
        yield "status", "ERROR"
        return
    yield "score", result["score"]
    if judged.kind == "class":
        yield from _parse(details).items()
    elif isinstance(details, dict) and not judged.kind.startswith("llm_judge"):
        kept = ("lcs",) if judged.kind.startswith("tool_call") else _DETAILS
        yield from ((key, details[key]) for key in kept if key in details)
        if "line_by_line_results" in details:
            yield "lines", [float(line["score"]) for line in details["line_by_line_results"]]


def _parse(details: Any) -> Recorded:
    """As ours keeps them: an object, also where it came as a text."""
    if details is None or isinstance(details, dict):
        return details or {}
    try:
        found = json.loads(details)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"details": details}


def _decide(judged: Judged, told: Recorded, first: Recorded) -> Expected:
    """What the models say, where they have said what was recorded."""
    modelled = compute(judged, told, _NONE)
    if any(differences(told, modelled)):
        return Expected({"recorded": told, "modelled": modelled})
    value = compute(judged, first, DECISIONS)
    return Expected(
        value,
        tuple(
            decision
            for decision in sorted(DECISIONS)
            if compute(judged, first, DECISIONS - {decision}) != value
        ),
    )


def _read_reduced(given: Recorded, trace: list[Recorded]) -> Iterator[tuple[str, float]]:
    """The score of all items, of 100, which the outermost span tells."""
    [whole] = [span for span in trace if span["name"] == "Evaluation Set Run"]
    scores = json.loads(whole["attributes"]["output"])["scores"]
    for name, file in given["evaluators"].items():
        shown = file.get("evaluatorConfig", file)["name"]
        if shown in scores:
            yield name, scores[shown]


def _reduce(given: Recorded, name: str, score: float, wanted: dict[str, Expected]) -> Expected:
    """The mean of what has a score; classifiers reduce in their own way, and so does one class."""
    mine = [one for where, one in wanted.items() if where.endswith(f"/{name}")]
    judged = Judged(given, {}, name)
    if not mine:
        return Expected(None, ("1.6",))  # it was not asked, and has 0 as all others have
    if "classification" in judged.kind:
        return Expected({"score": score})
    scores = [one.value["score"] for one in mine if "score" in one.value]
    decisions = {decision for one in mine for decision in one.decisions}
    if judged.body == "reduce":
        reduced = max(scores, default=0.0) / 2
        return Expected({"score": round(reduced * 100, _ROUNDED)}, tuple(sorted(decisions)))
    if any(one.value == {} for one in mine):
        return Expected({}, ("1.6",))
    mean = sum(scores) / len(scores) if scores else 0.0
    if len(scores) < len(mine):
        decisions.add("1.3")
    return Expected({"score": round(mean * 100, _ROUNDED)}, tuple(sorted(decisions)))
