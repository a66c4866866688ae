"""Rows recorded from UiPath: settings, criteria, an output, spans, and the score."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals import conversations, loaders
from agentevals.graders import GRADERS, meant_by
from agentevals.grading import Services, result_of
from agentevals.model import Case, Conversation, Span, Status, Turn
from agentevals.report import Result
from agentevals.uipath import calls, classes
from tests.conformance import hosted
from tests.conformance.rows import Row, differences

_RELEASE = "2.14.44"  # the behavioural reference; 2.11.19 gives the same
_LEGACY = {
    1: "uipath_legacy_exact_match",
    6: "uipath_legacy_json_similarity",
    10: "uipath_legacy_csv_exact_match",
}
# names that are the same only when letters are dropped, and calls that have an id of their own
_NAMES = {
    "to-sanitize-symbols",
    "to-sanitize-long",
    "to-unicode-diff",
    "to-id-name-mismatch",
    "tc-id-by-name",
}

Recorded = dict[str, Any]


def rows(folder: Path) -> Iterator[Row]:
    """Evaluators of UiPath and of its users, all cases together, and what was recorded of them."""
    for case in _read(folder / "prebuilt_deterministic.json")["cases"]:
        yield _prebuilt(case)
    for case in _read(folder / "legacy_deterministic.json")["cases"]:
        yield _legacy(case)
    yield from _together(_read(folder / "reduce_and_aggregators.json"))
    for path in sorted((folder / "trace_samples").glob("*")):
        yield _sample(path)
    yield from hosted.uipath_rows(folder)


def _read(path: Path) -> Recorded:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"cases": []}


def _prebuilt(case: Recorded) -> Row:
    recorded, config = case["expected"][_RELEASE], dict(case["config"])
    usual = config.pop("defaultEvaluationCriteria", None) or {}
    found = _outcome(case["evaluator"], config | (case["criteria"] or usual), case)
    different = tuple(differences(_told(recorded), found))
    if case["id"] in _NAMES:
        return Row(case["id"], explained=tuple(("4.7", one) for one in different))
    return Row(f"{case['evaluator']}/{case['id']}", unexplained=different)


def _legacy(case: Recorded) -> Row:
    written, recorded = case["evaluator"], case["result"]
    settings = {key: written[key] for key in _SETTINGS if key in written}
    settings["expectedOutput"] = case["criteria"]["expectedOutput"]
    kind = _LEGACY.get(written["type"], "")
    found = _outcome(kind, settings, case) if kind else {"error": True}
    wanted = _told(recorded)
    if "score" in wanted and not isinstance(recorded["score"], bool):
        wanted["score"] /= 100  # a score is from 0 to 1 here
    return Row(f"legacy/{case['id']}", unexplained=tuple(differences(wanted, found)))


_SETTINGS = ("targetOutputKey", "targetSubOutputKey")


def _told(recorded: Recorded) -> Recorded:
    """What a recording says; what it could not do is an error here, never a score of 0."""
    if "score" not in recorded or recorded["score_type"] == 2:
        return {"error": True}
    details = recorded["details"] if isinstance(recorded["details"], dict) else {}
    kept = ("lcs", "matched_leaves", "total_leaves", "total_lines_actual", "total_lines_expected")
    return {"score": float(recorded["score"])} | {k: details[k] for k in kept if k in details}


def _outcome(evaluator: str, settings: Recorded, case: Recorded) -> Recorded:
    meant = meant_by(evaluator)
    assert meant is not None, evaluator
    try:
        grader = GRADERS[meant.type].model_validate({"name": "e", **settings})
    except ValidationError:
        return {"error": True}
    result = result_of(grader, _case(case), Services())
    if result.status in {Status.ERROR, Status.NOT_EVALUATED}:
        return {"error": True}
    return {"score": result.score, **result.details}


def _case(case: Recorded) -> Case:
    output = case["output"]
    text = output if isinstance(output, str) else json.dumps(output)
    spans = tuple(
        Span(span_id=str(at), name=span["name"], attributes=span["attributes"], end_ns=at)
        for at, span in enumerate(case.get("spans") or (), start=1)
    )
    turn = Turn(user="", response=text)
    return Case(conversation=Conversation(conversation_id="c", turns=(turn,), spans=spans))


def _together(recorded: Recorded) -> Iterator[Row]:
    if "results" not in recorded:
        return
    pairs = [tuple(pair) for pair in recorded["pairs_actual_expected"]]
    names = ("a", "b", "c")
    for name, value in recorded["results"].items():
        if name.startswith("binary_"):
            ours: Any = classes.binary("a", pairs, name.removeprefix("binary_"), 1.0)
        elif name.startswith("multiclass_"):
            _, metric, averaging = name.split("_")
            ours = classes.multiclass(names, pairs, metric, averaging, 1.0)
        else:
            ours = _of_exact_match(pairs, value).get(name)
        yield Row(f"together/{name}", unexplained=tuple(differences({name: value}, {name: ours})))


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
        for conversation in conversations.converse(recordings.traces)
    ]
    found = {"findings": list(map(str, recordings.findings)), "conversations": told}
    return Row(f"trace_samples/{path.name}", unexplained=tuple(differences(_SAMPLE, found)))


def _calls(conversation: Conversation) -> list[calls.Called]:
    return calls.of_case(Case(conversation=conversation))


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
