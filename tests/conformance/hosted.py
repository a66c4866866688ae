"""Rows recorded from a class for UiPath and from functions for ADK, which a host of ours asks."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.configs.uipath_project import uipath_project_classes
from agentevals.graders.grader import Services
from agentevals.graders.programs import hosted_graders
from agentevals.graders.programs.hosted_graders import ThirdPartyCode
from agentevals.graders.uipath.uipath_class import UipathClass
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, Span
from agentevals.model.errors import EvaluatorError
from agentevals_evaluator_sdk.hosts import hosted_spans
from agentevals_evaluator_sdk.standins.uipath import standin_tool_spans
from tests.conformance.reading import compared, document, each, fitting, of_release
from tests.conformance.rows import Row, differences
from tests.support import DATA

# the newest release whose execution has the names of the documents' example
_RELEASE = "2.11.19"
_NEWEST = "2.14.44"
_SECOND = 1_000_000_000
_EPOCH = 1_700_000_000 * _SECOND
_CUSTOM = DATA / "foreign/uipath/evals/evaluators/custom"
_PATTERNS = _CUSTOM / "pattern_comparison_evaluator.py"
_METRICS = DATA / "foreign/adk"
_FUNCTIONS = {
    "exact": "my_agent.metrics.check_final_response_exact_match",
    "profanity": "my_agent.metrics.check_for_profanity",
}

Recorded = dict[str, Any]


def uipath_rows(folder: Path) -> Iterator[Row]:
    """The documents' complete example on recorded spans, and what the helpers read in them."""
    path = folder / "seed_pattern_comparison.json"
    yield from each(path, _pattern, "cases")
    yield from each(path, _helpers, "cases")
    for written in sorted((folder / "registered" / _NEWEST).glob("*.json")):
        yield compared(f"registered/{written.name}", _registered, written)


def adk_rows(folder: Path) -> Iterator[Row]:
    """The documents' two custom metrics on recorded invocations."""
    yield from each(folder / "seed_custom_metrics.json", _metric, "cases")


def _pattern(name: str, case: Recorded) -> Row:
    recorded = of_release(case["expected"], _RELEASE)
    grader = UipathClass(name="patterns", path=_PATTERNS, criteria=case["criteria"])
    conversation = Conversation(conversation_id=case["id"], spans=tuple(_spans(case)))
    try:
        grade = grader.grade(fitting(Case(conversation=conversation)), Services())
        ours = {"score": grade.score, "score_type": 1, "details": grade.details}
    except EvaluatorError as error:
        ours = {"score": 0.0, "score_type": 2, "details": str(error)}
    return Row(name, unexplained=tuple(differences(recorded, ours)))


def _spans(case: Recorded) -> Iterator[Span]:
    for at, one in enumerate(case["spans"]):
        start = _EPOCH + at * _SECOND
        yield Span(
            span_id=f"{at + 1:016x}",
            name=one["name"],
            start_ns=start,
            end_ns=start + _SECOND // 2,
            attributes=one.get("attributes") or {},
        )


def _helpers(name: str, case: Recorded) -> Row:
    recorded = of_release(case.get("helpers"), _NEWEST)
    os.environ["TZ"] = "UTC"
    time.tzset()
    sent = fitting(Case(conversation=Conversation("c", spans=tuple(_spans(case)))))
    made = hosted_spans.build_spans([_as_sent(span) for span in sent.conversation.spans])
    ours = {
        "calls": [call.model_dump() for call in standin_tool_spans.extract_tool_calls(made)],
        "names": standin_tool_spans.extract_tool_calls_names(made),
        "outputs": [
            one.model_dump() for one in standin_tool_spans.extract_tool_calls_outputs(made)
        ],
        "trace_to_str": standin_tool_spans.trace_to_str(made),
    }
    return Row(f"{name}/helpers", unexplained=tuple(differences(recorded, ours)))


def _as_sent(span: Span) -> Recorded:
    return {
        "name": span.name,
        "span_id": span.span_id,
        "parent_id": "",
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "attributes": span.attributes,
        "resource": {},
        "failed": False,
        "status_message": "",
        "events": [],
    }


def _registered(written: Path) -> Row:
    """The texts of the classes' own documentation aside, and what their files are called."""
    recorded = document(written)
    stem = written.stem.removesuffix("-types").replace("-", "_")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_CUSTOM.parents[1], Path(folder, "evals"))
        files = uipath_project_classes.register(f"{stem}.py", Path(folder))
        (ours,) = (json.loads(file.read_text()) for file in files if file.name == written.name)
    for own in ("description", "evaluatorSchema"):
        recorded.pop(own, None)
    return Row(f"registered/{written.name}", unexplained=tuple(differences(recorded, ours)))


def _metric(name: str, case: Recorded) -> Row:
    recorded = case["result"]
    question = {
        "task": "evaluate",
        "function": _FUNCTIONS[case["metric"]],
        "roots": [str(_METRICS)],
        "tried": [str(_METRICS)],
        "packages": [],
        "metric_name": case["metric"],
        "criterion": {"threshold": case["threshold"]},
        "actual": case["actual"],
        "expected": case["expected"],
        "scenario": None,
    }
    try:
        answer, _ = hosted_graders.run_host(ThirdPartyCode("adk_metric", _METRICS), question)
    except EvaluatorError as error:
        ours = {"raised": recorded.get("raised") if _says(error, recorded) else str(error)}
        return Row(name, unexplained=tuple(differences(_raised(recorded), ours)))
    ours = {
        "overall_score": answer["score"],
        "overall_eval_status": answer["status"],
        "per_invocation": answer["per_invocation"],
    }
    return Row(name, unexplained=tuple(differences(recorded, ours)))


def _says(error: EvaluatorError, recorded: Recorded) -> bool:
    return f"{recorded.get('raised')}: {recorded.get('message')}" in str(error)


def _raised(recorded: Recorded) -> Recorded:
    return {"raised": recorded.get("raised")} if "raised" in recorded else recorded
