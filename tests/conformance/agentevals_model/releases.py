"""What older releases did in other ways: 1.7, 2.1 and 2.10."""

import ast
import json

from tests.conformance.agentevals_model import figures
from tests.conformance.agentevals_model.inputs import Inputs
from tests.conformance.agentevals_model.judged import RESPONSE, TRAJECTORY
from tests.conformance.agentevals_model.picture import Picture, Told
from tests.conformance.agentevals_model.readings import judge_builtin
from tests.conformance.agentevals_model.verdict import choose_case

_NEWEST = "0.11.0"


def write_as_json(picture: Picture, inputs: Inputs) -> None:
    """2.1: protocol 1.0 wrote what a tool answered as Python does; 1.1 writes it as JSON."""
    for sent in picture.sent if inputs.release != _NEWEST else ():
        for invocation in (*sent["invocations"], *(sent["expected_invocations"] or ())):
            for entry in invocation["intermediate_steps"]["tool_responses"]:
                answer = ast.literal_eval(entry["output"])
                entry["output"] = json.dumps(answer, sort_keys=True, ensure_ascii=False)


def read_as_newest(picture: Picture, inputs: Inputs) -> None:
    """2.10: a turn is named and measured by its outermost span, as in 0.11."""
    if inputs.release == _NEWEST or picture.document is None:
        return
    measured = [figures.measure_group(group, ()) for group in inputs.groups]
    overall = [one["latency"]["overall"] for one in measured]
    for trace, group, latency in zip(picture.traces, inputs.groups, overall, strict=True):
        told = [trace["performance_metrics"]]
        for metric in trace["metrics"]:
            for turn, one in zip(group.turns, _list_comparisons(metric), strict=False):
                one["invocation_id"] = turn.id
        for sent in picture.sent:
            for turn, one in zip(group.turns, sent["invocations"], strict=True):
                one["invocation_id"] = turn.id
                told.append(one["performance_metrics"])
        for each in told:
            figures.merge(each["latency"]["overall"], latency)
    whole = figures.describe_shares([latency["median"] for latency in overall])
    figures.merge(picture.document["performance_metrics"]["latency"]["overall_per_trace"], whole)


def _list_comparisons(metric: Told) -> list[Told]:
    return (metric.get("details") or {}).get("comparisons") or []


def judge_as_newest(picture: Picture, inputs: Inputs) -> None:
    """2.10: turns are compared as far as both sides go; nothing to compare with is no error."""
    if inputs.release == _NEWEST:
        return
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        case = choose_case(group, inputs)
        for metric in trace["metrics"]:
            scores = metric["per_invocation_scores"]
            if metric["metric_name"] in (TRAJECTORY, RESPONSE) and metric["error"]:
                name = metric["metric_name"]
                judged = {} if case is None else judge_builtin(name, group, case, inputs)
                metric.update(judged, error=None)
            elif not any(score is not None for score in scores):
                metric["per_invocation_scores"] = []  # they were filled up with nulls
    picture.settle()


def guess_nothing(picture: Picture, inputs: Inputs) -> None:
    """1.7: what answers no case, or names two, is not compared with the first one."""
    for trace, group in zip(picture.traces, inputs.groups, strict=False):
        unsure = inputs.release != _NEWEST or len(group.case_ids) > 1
        if not unsure or not inputs.cases or choose_case(group, inputs):
            continue
        for metric in trace["metrics"]:
            if sent := (metric.get("details") or {}).get("sent"):
                sent["expected_invocations"] = None
            if metric["metric_name"] in (TRAJECTORY, RESPONSE):
                metric |= {"score": None, "eval_status": "NOT_EVALUATED"}
                metric |= {"per_invocation_scores": [], "details": {}}
        picture.settle()
