"""What is read here and was not: 2.3, 2.4, 2.5 and 2.6. Then everything is judged anew."""

from collections.abc import Iterator
from typing import Any

from tests.conformance.agentevals_model import figures
from tests.conformance.agentevals_model.inputs import Group, Inputs, read_text
from tests.conformance.agentevals_model.judged import (
    RESPONSE,
    TRAJECTORY,
    Settings,
    are_as_expected,
)
from tests.conformance.agentevals_model.picture import Picture, Told
from tests.conformance.agentevals_model.recorded import decode, list_calls, list_texts
from tests.conformance.agentevals_model.turns import Turn
from tests.conformance.agentevals_model.verdict import choose_case
from tests.conformance.reading import ShapeError

_UNREAD = "unread"  # in place of an error: only that there is one is compared
_NOTHING: Told = {"score": None, "eval_status": "NOT_EVALUATED", "per_invocation_scores": []}


def read_old_spelling(picture: Picture, inputs: Inputs) -> None:
    """2.3: `metrics:` and plain strings name evaluators."""
    listed = inputs.config.get("metrics") or inputs.config.get("evaluators") or ()
    plain = [entry for entry in listed if isinstance(entry, str)]
    if "metrics" in inputs.config or plain:
        picture.document = {"traces": [{"metrics": []} for _ in inputs.groups]}
        judge_trajectories(picture, inputs)
        picture.settle()


def read_lines(picture: Picture, inputs: Inputs) -> None:
    """2.4: an eval set of JSON Lines is one."""
    if inputs.options.get("-e", "").endswith(".jsonl") and picture.document and inputs.cases:
        picture.document["errors"] = []
        judge_trajectories(picture, inputs)
        picture.settle()


def read_and_join(picture: Picture, inputs: Inputs) -> None:
    """2.5: calls and choices as OpenAI writes them are read, and files of one trace are one."""
    for invocation, turn in picture.list_turns(inputs):
        if choice := _find_choice(turn):
            invocation["final_response"] = choice
        if calls := _list_openai_calls(turn):
            invocation["intermediate_steps"]["tool_calls"] = calls
    turns = [turn for group in inputs.groups for turn in group.turns]
    if inputs.has_joined or any(_list_openai_calls(turn) for turn in turns):
        _measure_again(picture, inputs)
        judge_trajectories(picture, inputs)
        picture.settle()


def _find_choice(turn: Turn) -> str:
    for model in turn.models:
        for event in model.events:
            message = decode(event.get("message"))
            if event.get("event.name") == "gen_ai.choice" and isinstance(message, dict):
                return "".join(list_texts(message))
    return ""


def _list_openai_calls(turn: Turn) -> list[Told]:
    said = [message for model in turn.models for message in model.said]
    calls = [call for message in said if "tool_calls" in message for call in list_calls(message)]
    return [{"name": call.name, "args": call.args, "id": call.id} for call in calls]


def _measure_again(picture: Picture, inputs: Inputs) -> None:
    told = []
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        names = [call["name"] for turn in group.turns for call in _list_made(turn)]
        told.append(figures.measure_group(group, names))
        trace["num_invocations"] = len(group.turns)
        figures.merge(trace["performance_metrics"], told[-1])
        for invocation, turn in picture.list_turns(inputs):
            if turn in group.turns:
                figures.merge(invocation["performance_metrics"], told[-1])
    document = picture.document or {}
    figures.merge(document["performance_metrics"], figures.measure_run(told))
    if inputs.has_joined:  # these need what a file alone does not show
        for trace in picture.traces:
            trace["performance_metrics"]["tokens"].pop("per_llm_call")


def _list_made(turn: Turn) -> list[Told]:
    """The calls of a turn: those of its spans, else those of its messages."""
    spans = [
        {"name": tool.attributes["gen_ai.tool.name"], "args": decode(args)}
        for tool in turn.tools
        for args in [tool.attributes.get("gen_ai.tool.call.arguments", "{}")]
    ]
    return spans or [{"name": call.name, "args": call.args} for call in turn.asked]


def judge_trajectories(picture: Picture, inputs: Inputs) -> None:
    """Put the metric of each conversation, computed from the files, in place of what was told."""
    settings = Settings.of(TRAJECTORY, inputs)
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        others = [one for one in trace["metrics"] if one["metric_name"] != TRAJECTORY]
        case = choose_case(group, inputs)
        if case is not None:
            trace["metrics"] = [*others, judge_trajectory(group, case, settings)]


def judge_trajectory(group: Group, case: Told, settings: Settings) -> Told:
    """The metric of one conversation, from what was recorded and expected alone."""
    pairs = list(zip(group.turns, case["conversation"], strict=False))
    comparisons = [
        {"invocation_id": turn.id, "expected": list(_list_expected(wanted))}
        | {"actual": _list_made(turn)}
        for turn, wanted in pairs
    ]
    scores = [
        float(are_as_expected(one["expected"], one["actual"], settings.match))
        for one in comparisons
    ]
    score = sum(scores) / len(scores)
    return {
        "metric_name": TRAJECTORY,
        "score": score,
        "eval_status": settings.decide(score),
        "per_invocation_scores": scores,
        "duration_ms": None,
        "error": None,
        "details": {"comparisons": comparisons},
    }


def judge_builtin(name: str, group: Group, case: Told | None, inputs: Inputs) -> Told:
    """The metric of one conversation, by the trajectory or by answers that are equal texts."""
    settings = Settings.of(name, inputs)
    told: Told = {"metric_name": name, "duration_ms": None, "error": None}
    if case is None:
        return told | _NOTHING
    if name == TRAJECTORY:
        return judge_trajectory(group, case, settings)
    pairs = list(zip(group.turns, case["conversation"], strict=False))
    if any(turn.answer != read_text(wanted.get("final_response")) for turn, wanted in pairs):
        raise LookupError(RESPONSE)  # only equal texts are known to be alike here
    scores = [1.0] * len(pairs)
    status = settings.decide(1.0)
    return told | {"score": 1.0, "eval_status": status, "per_invocation_scores": scores}


def _list_expected(wanted: Told) -> Iterator[Told]:
    for call in (wanted.get("intermediate_data") or {}).get("tool_uses") or ():
        yield {"name": call["name"], "args": call.get("args")}


def compute_similarity(picture: Picture, inputs: Inputs) -> None:
    """2.6: similarity is computed here; a label is asked of the judge, of which there is none."""
    entries = [
        e for e in inputs.config.get("evaluators") or () if _is_similar(e) or _is_labelled(e)
    ]
    if not entries or (picture.document is None and not _is_released(picture, inputs)):
        return
    if picture.document is None:
        picture.document = {"traces": [_judge_named(group, inputs) for group in inputs.groups]}
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        for entry in entries:
            others = [m for m in trace["metrics"] if m["metric_name"] != entry["name"]]
            trace["metrics"] = [
                *others,
                _judge_similarity(entry, choose_case(group, inputs), group),
            ]
    picture.settle()
    picture.exit = 3 if any(map(_is_labelled, entries)) else picture.exit


def _judge_named(group: Group, inputs: Inputs) -> Told:
    """A conversation with the builtins that options name beside a config that was refused."""
    case = choose_case(group, inputs)
    metrics = [judge_builtin(name, group, case, inputs) for name in inputs.named]
    return {"trace_id": group.trace_id, "metrics": metrics}


def _is_released(picture: Picture, inputs: Inputs) -> bool:
    """Whether the config is one that only newer releases refuse."""
    known = {"name", "type", "threshold", "timeout", "grader"}
    return all(set(entry) <= known for entry in inputs.config["evaluators"]) and picture.exit == 1


def _is_similar(entry: Any) -> bool:
    grader = entry.get("grader", {}) if isinstance(entry, dict) else {}
    return grader.get("type") == "text_similarity" and "evaluation_metric" in grader


def _is_labelled(entry: Any) -> bool:
    grader = entry.get("grader", {}) if isinstance(entry, dict) else {}
    whole = all(grader.get(key) for key in ("model", "input", "labels", "passing_labels"))
    known = set(grader.get("passing_labels") or ()) <= set(grader.get("labels") or ())
    return grader.get("type") == "label_model" and whole and known


def _judge_similarity(entry: Told, case: Told | None, group: Group) -> Told:
    told: Told = {"metric_name": entry["name"], "duration_ms": None, "error": None}
    if _is_labelled(entry):
        return told | _NOTHING | {"error": _UNREAD}
    if case is None:
        return told | _NOTHING
    metric = entry["grader"]["evaluation_metric"]
    scores = [
        _compare(metric, turn.answer, wanted.get("final_response"))
        for turn, wanted in zip(group.turns, case["conversation"], strict=False)
    ]
    known = [one for one in scores if one is not None]
    if not known:
        return told | _NOTHING
    score, threshold = sum(known) / len(known), entry.get("threshold", 0.5)
    passed = sum(one >= threshold for one in known)
    return told | {
        "score": score,
        "eval_status": "PASSED" if score >= threshold else "FAILED",
        "per_invocation_scores": scores,
        "details": {
            "evaluation_metric": metric,
            "result_counts": {"passed": passed, "failed": len(known) - passed}
            | {"total": len(known)},
        },
    }


def _compare(metric: str, one: str, wanted: Told | None) -> float | None:
    """Every metric is 1 for equal texts; of others, `fuzzy_match` alone is known here.

    None if no answer is expected: there is nothing to compare with (1.12).
    """
    if wanted is None:
        return None
    other = read_text(wanted)
    if one != other and metric != "fuzzy_match":
        msg = f"nothing else here computes {metric!r} of different texts"
        raise ShapeError(msg)
    return _measure_likeness(one, other)


def _measure_likeness(one: str, other: str) -> float:
    """Twice the length of the longest common subsequence, as a share of both lengths."""
    row = [0] * (len(other) + 1)
    for letter in one:
        above = row
        row = [0]
        for at, each in enumerate(other):
            row.append(above[at] + 1 if letter == each else max(above[at + 1], row[at]))
    both = len(one) + len(other)
    return 2 * row[-1] / both if both else 1.0
