"""Rows recorded from UiPath: settings, criteria, an output, spans, and the score."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals.graders import GRADERS, find_type
from agentevals.graders.grader import Services
from agentevals.graders.uipath import uipath_calls
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import Conversation, Span, Turn
from agentevals.model.results import Result
from agentevals.traces import loaders, turns
from agentevals_evaluator_sdk.standins.uipath import standin_confusion
from tests.conformance import hosted, uipath_projects
from tests.conformance.reading import ShapeError, compared, each, graded, members, of_release, text
from tests.conformance.rows import Row, differences
from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models import DECISIONS, compute

READS = (
    "projects",
    *("prebuilt_deterministic.json", "legacy_deterministic.json", "reduce_and_aggregators.json"),
    *("seed_pattern_comparison.json", "trace_samples", "registered"),
)

_RELEASE = "2.14.44"  # the behavioural reference; 2.11.19 gives the same
_LEGACY = {
    1: "uipath_legacy_exact_match",
    6: "uipath_legacy_json_similarity",
    10: "uipath_legacy_csv_exact_match",
}
# what a run of `uipath eval` does with a score does not act on an evaluator that is asked alone
_DECIDED = DECISIONS - {"1.6", "1.11"}
_NONE: frozenset[str] = frozenset()

Recorded = dict[str, Any]


def rows(folder: Path) -> Iterator[Row]:
    """Evaluators of UiPath and of its users, all cases together, and what was recorded of them."""
    yield from each(folder / "prebuilt_deterministic.json", _prebuilt, "cases")
    yield from each(folder / "legacy_deterministic.json", _legacy, "cases")
    path = folder / "reduce_and_aggregators.json"
    yield from each(path, partial(_together, path), "results")
    for sample in sorted((folder / "trace_samples").glob("*")):
        yield compared(f"trace_samples/{sample.name}", _sample, sample)
    yield from hosted.uipath_rows(folder)
    yield from uipath_projects.rows(folder)


def _prebuilt(name: str, case: Recorded) -> Row:
    recorded, config = of_release(case["expected"], _RELEASE), dict(case["config"])
    usual = config.pop("defaultEvaluationCriteria", None) or {}
    found = _outcome(case["evaluator"], config | (case["criteria"] or usual), case)
    file = {"evaluatorTypeId": case["evaluator"], "evaluatorConfig": case["config"]}
    return _explain(name, _build_judged(file, case), _told(recorded), found)


def _legacy(name: str, case: Recorded) -> Row:
    written, recorded = case["evaluator"], case["result"]
    settings = {key: written[key] for key in _SETTINGS if key in written}
    settings["expectedOutput"] = case["criteria"]["expectedOutput"]
    wanted, kind = _told(recorded), _LEGACY.get(written["type"], "")
    if not kind and "score" in wanted:
        msg = f"there are no evaluators of type {written['type']} here"
        raise ShapeError(msg)
    found = _outcome(kind, settings, case) if kind else {"error": True}
    if isinstance(recorded.get("score"), bool):
        wanted["score"] *= 100  # as its files tell it
    return _explain(name, _build_judged(written, case), wanted, found)


def _build_judged(file: Recorded, case: Recorded) -> Judged:
    """A project of this evaluator and this case."""
    played = {"output": case["output"], "spans": case.get("spans") or [], "asked_alone": True}
    given = {"evaluators": {"e": file}, "classes": {}, "played": {"c": played}}
    return Judged(given, {"id": "c", "evaluationCriterias": {"e": case["criteria"]}}, "e")


def _explain(name: str, judged: Judged, told: Recorded, found: Recorded) -> Row:
    """What was recorded, or what the models make of it, which is the same without decisions."""
    try:
        known = not _differ(told, _model(judged, _NONE))
    except (LookupError, TypeError):
        known = False  # criteria that no evaluator takes
    if not known:
        return Row(name, unexplained=tuple(differences(told, found)))
    wanted = _model(judged, _DECIDED)
    decisions = [d for d in sorted(_DECIDED) if _model(judged, _DECIDED - {d}) != wanted]
    if not decisions:
        return Row(name, unexplained=tuple(differences(told, found)))
    different = tuple(differences(told, found))
    return Row(
        name,
        explained=tuple((decision, one) for one in different for decision in decisions),
        unexplained=tuple(differences(wanted, found)),
    )


def _model(judged: Judged, decided: frozenset[str]) -> Recorded:
    value = compute(judged, {}, decided)
    kept = ("score", "lcs", "matched_leaves", "total_leaves")
    return {key: value[key] for key in kept if key in value} or {"error": True}


def _differ(told: Recorded, modelled: Recorded) -> bool:
    """Whether a model says something else; what it does not know is told by the recording alone."""
    known = {key: value for key, value in told.items() if key in {*modelled, "score", "error"}}
    return any(differences(known, modelled))


_SETTINGS = ("targetOutputKey", "targetSubOutputKey", "lineByLineEvaluation", "lineDelimiter")
_ERRORS = {"raised", "construct_error"}


def _told(recorded: Recorded) -> Recorded:
    """What a recording says; what it could not do is an error here, never a score of 0."""
    if "score" not in recorded and not _ERRORS & recorded.keys():
        msg = "the recording holds neither a score nor an error"
        raise ShapeError(msg)
    if "score" not in recorded or recorded["score_type"] == 2:
        return {"error": True}
    details = recorded["details"] if isinstance(recorded["details"], dict) else {}
    kept = ("lcs", "matched_leaves", "total_leaves", "total_lines_actual", "total_lines_expected")
    return {"score": float(recorded["score"])} | {k: details[k] for k in kept if k in details}


def _outcome(evaluator: str, settings: Recorded, case: Recorded) -> Recorded:
    meant = find_type(text(evaluator))
    if meant is None:
        msg = f"there is no evaluator {evaluator!r} here"
        raise ShapeError(msg)
    try:
        grader = GRADERS[meant.type].model_validate({"name": "e", **settings})
    except ValidationError:
        return {"error": True}
    result = graded(grader, _case(case), Services())
    if result.status in {Status.ERROR, Status.NOT_EVALUATED}:
        return {"error": True}
    return {"said": [*result.hits, *result.misses], **result.details, "score": result.score}


def _case(case: Recorded) -> Case:
    output = case["output"]
    said = output if isinstance(output, str) else json.dumps(output)
    spans = tuple(
        Span(span_id=str(at), name=span["name"], attributes=span.get("attributes") or {}, end_ns=at)
        for at, span in enumerate(case.get("spans") or (), start=1)
    )
    turn = Turn(user="", response=said)
    return Case(conversation=Conversation(conversation_id="c", turns=(turn,), spans=spans))


def _together(path: Path, name: str, value: Any) -> Row:
    metric = name.rpartition("/")[2]
    pairs = [tuple(map(text, pair)) for _, pair in members(path, "pairs_actual_expected")]
    names = ("a", "b", "c")
    if metric.startswith("binary_"):
        ours: Any = standin_confusion.measure_one_class(
            "a", pairs, metric.removeprefix("binary_"), 1.0
        )
    elif metric.startswith("multiclass_"):
        _, kind, averaging = metric.split("_")
        ours = standin_confusion.measure_classes(names, pairs, kind, averaging, 1.0)
    else:
        ours = _of_exact_match(pairs, value).get(metric)
    return Row(name, unexplained=tuple(differences({metric: value}, {metric: ours})))


def _of_exact_match(pairs: list[Any], value: Any) -> Recorded:
    wanted = value["details"] if isinstance(value, dict) else {"metric": "confusion_matrix"}
    aggregator = {"type": wanted["metric"]}
    if "averaging" in wanted:
        aggregator["averaging"] = wanted["averaging"]
    if wanted["metric"] == "fscore":
        aggregator["fValue"] = wanted["fValue"]
    grader = GRADERS["uipath_exact_match"].model_validate(
        {"name": "x", "classes": ["a", "b", "c"], "aggregators": [aggregator]}
    )
    said = grader.overall([*map(_result, pairs), _result(None), _result(None)], Services())
    return said | {"default_mean_exact_match": said["reduce_scores"]}


def _result(pair: Any) -> Result:
    if pair is None:
        return Result(name="x", type="uipath_exact_match", status=Status.FAILED, score=0.0)
    actual, expected = pair
    score = float(actual.lower() == expected.lower())
    details = {"actual": actual, "expected": expected}
    return Result(
        name="x", type="uipath_exact_match", status=Status.PASSED, score=score, details=details
    )


def _sample(path: Path) -> Row:
    """What a recording of `uipath eval` says the agent did: the same in both of its files."""
    recordings = loaders.load([path])
    told = [
        {
            "case": conversation.case_id,
            "input": json.loads(conversation.turns[0].user),
            "output": json.loads(conversation.turns[-1].response or "null"),
            "tools": [[c.name, c.args, c.output] for c in _calls(conversation)],
            "spans": [span.name for span in conversation.spans],
        }
        for conversation in turns.converse(recordings.traces)
    ]
    found = {"findings": list(map(str, recordings.findings)), "conversations": told}
    return Row(f"trace_samples/{path.name}", unexplained=tuple(differences(_SAMPLE, found)))


def _calls(conversation: Conversation) -> list[uipath_calls.Called]:
    return uipath_calls.read_calls(Case(conversation=conversation))


_SAMPLE = {
    "findings": [],
    "conversations": [
        {
            "case": "t1",
            "input": {"query": "hello", "mode": "ok"},
            "output": {"result": "HELLO"},
            "tools": [
                [
                    "DataProcessingTool",
                    {
                        "FileName": "PatternData_1.csv",
                        "InputData": "Header\n alpha \nbeta\n\ngamma",
                    },
                    "stored",
                ]
            ],
            "spans": ["DataProcessingTool", "main", "root"],
        }
    ],
}
