"""Evaluators of every type for a recording, of which some pass and some fail when it is whole."""

import csv
from collections.abc import Iterator
from typing import Any

from agentevals.graders import GRADERS
from agentevals.graders.agentv.composite import AssertSet, Composite
from agentevals.graders.budgets import Budget
from agentevals.graders.grader import Grader
from agentevals.model.cases import Case, Rubric, Scenario
from agentevals.model.conversations import Conversation, ToolCall, Turn

ABSENT = "zeppelin"  # in no recording
_JUST_BELOW = 1 - 1e-6
Settings = dict[str, Any]

# types that a program of somebody else judges, or that need a model's weights
ELSEWHERE = frozenset({"adk_function", "code", "code_judge", "remote", "similar", "uipath_class"})


def build_case(whole: Conversation, recorded: Conversation | None = None) -> Case:
    """A conversation with what all of it would have done as the expectation."""
    return Case(
        conversation=whole if recorded is None else recorded,
        eval_case_id="case",
        expected=tuple(_expect(turn) for turn in whole.turns),
        criteria="does what it should",
        rubrics=(Rubric(rubric_id="r", text="is right"),),
        scenario=Scenario(opening=whole.turns[0].user, plan="asks", persona="somebody")
        if whole.turns
        else None,
    )


def _expect(turn: Turn) -> Turn:
    calls = tuple(ToolCall(name=call.name, args=call.args) for call in turn.tool_calls)
    return Turn(user=turn.user, response=turn.response, tool_calls=calls)


def list_graders(whole: Conversation) -> Iterator[Grader]:
    """Yield every evaluator, and its opposite."""
    for kind, settings in _list_settings(whole):
        name = f"{kind} {settings}"
        for negate in (False, True):
            if negate and kind == "skill_used" and _counts(settings):
                continue
            more = {"negate": True} if negate else {}
            yield GRADERS[kind].model_validate({"name": name, **settings, **more})
    yield from _list_compositions()


def _counts(settings: Settings) -> bool:
    value = settings["value"]
    return isinstance(value, dict) and ("min" in value or bool(value.get("max")))


def _list_settings(whole: Conversation) -> Iterator[tuple[str, Settings]]:
    yield from _of_answer(whole.turns[-1].response or "")
    yield from _of_usage(whole)
    calls = [call for turn in whole.turns for call in turn.tool_calls]
    yield from _of_calls(calls)
    yield from _of_uipath(whole.turns[-1].response or "", calls)
    yield from _judged()


def _of_answer(answer: str) -> Iterator[tuple[str, Settings]]:
    word = max(answer.split(), key=len, default="nothing")
    for text in (word, ABSENT):
        for kind in ("contains", "icontains", "regex", "starts_with", "ends_with", "equals"):
            value = text.replace("\\", "") if kind == "regex" else text
            yield kind, {"value": _escape(value) if kind == "regex" else value}
        for kind in ("contains_any", "contains_all", "icontains_any", "icontains_all"):
            yield kind, {"value": [text]}
    if answer:
        for kind in ("starts_with", "ends_with", "equals"):
            yield kind, {"value": answer}
    yield "is_json", {}
    yield "field_accuracy", {"fields": [{"path": "content"}]}
    yield "response_match_score", {}
    yield "response_match_score", {"threshold": 0.0}
    metric = {"type": "text_similarity", "evaluation_metric": "fuzzy_match"}
    yield "openai_eval", {"grader": metric}


def _escape(text: str) -> str:
    return "".join(c if c.isalnum() else f"\\{c}" for c in text)


def _of_usage(whole: Conversation) -> Iterator[tuple[str, Settings]]:
    price = {"prices": {"*": {"input": 1, "output": 1}}}
    for limit in (0, 10**9):
        yield "cost_v1", {"max": limit, **price}
        for kind in (
            "token_usage_v1",
            "tool_call_count_v1",
            "inference_call_count_v1",
            "invocation_duration_v1",
        ):
            yield kind, {"max": limit}
        yield "latency", {"max_ms": limit}
        yield "cost", {"budget": limit}
        yield "token_usage", {"max_total": limit}
        for name in ("tool_calls", "llm_calls", "tokens", "cost_usd", "duration_ms"):
            yield "execution_metrics", {f"max_{name}": limit}
    yield "execution_metrics", {"target_exploration_ratio": 0}
    yield from _exceed(whole, price)
    calls = sum(len(turn.tool_calls) for turn in whole.turns)
    asked = sum(len(turn.model_calls) for turn in whole.turns)
    for kind, number in (("tool_call_count_v1", calls), ("inference_call_count_v1", asked)):
        yield kind, {"max": number, "min": number}
        yield kind, {"min": number + 1}


def _exceed(whole: Conversation, price: Settings) -> Iterator[tuple[str, Settings]]:
    """Yield limits that the whole recording exceeds by very little: with less, none may pass.

    Totals of logs are left out, and so are recorded costs: prices of our own would replace them.
    """
    calls = [call for turn in whole.turns for call in turn.model_calls]
    if not whole.spans or any(call.cost is not None for call in calls):
        return
    for kind, settings in (("cost_v1", price), ("token_usage_v1", {})):
        budget = GRADERS[kind].model_validate({"name": kind, "max": 0, **settings})
        assert isinstance(budget, Budget)
        if amount := sum(budget.measure(turn).amount for turn in whole.turns):
            yield kind, {"max": amount * _JUST_BELOW, **settings}


def _of_calls(calls: list[ToolCall]) -> Iterator[tuple[str, Settings]]:
    wanted = [{"tool": call.name, "args": call.args or "any"} for call in calls if call.name]
    other = {"tool": ABSENT}
    for match in ("EXACT", "IN_ORDER", "ANY_ORDER"):
        yield "tool_trajectory_avg_score", {"trajectory_match_type": match}
    yield "tool_trajectory_avg_score", {"ignore_args": True}
    yield "tool_trajectory_avg_score", {"args_match": "subset"}
    for mode in ("any_order", "in_order", "exact", "superset", "subset"):
        for expected in (wanted, [other], []):
            yield "tool_trajectory", {"mode": mode, "expected": expected}
        yield "tool_trajectory", {"mode": mode, "expected": wanted, "args_match": "ignore"}
    yield "tool_trajectory", {"minimums": {call.name: 1 for call in calls} or {ABSENT: 1}}
    for name in {*(call.name for call in calls if call.name), ABSENT}:
        yield "trajectory_tool_used", {"value": name}
        yield "trajectory_tool_used", {"value": {"name": name, "max": 0}}
        yield "trajectory_tool_sequence", {"value": [name]}
    for call in (*calls[:2], ToolCall(name=ABSENT)):
        yield "trajectory_tool_args_match", {"value": {"name": call.name, "args": call.args or {}}}
    for kind in ("tool", "message", "command", "span"):
        yield "trajectory_step_count", {"value": {"type": kind, "max": 0}}
        yield "trajectory_step_count", {"value": {"type": kind, "min": 1}}
    yield "trajectory_step_count", {"value": {"max": len(calls)}}
    for name in (ABSENT, *(c.args["skill"] for c in calls if c.args and "skill" in c.args)):
        yield "skill_used", {"value": name}
        yield "skill_used", {"value": {"name": name, "max": 0}}
        yield "skill_trigger", {"skill": name}
        yield "skill_trigger", {"skill": name, "should_trigger": False}


def _of_uipath(answer: str, calls: list[ToolCall]) -> Iterator[tuple[str, Settings]]:
    for kind in ("exact_match", "json_similarity", "legacy_exact_match", "legacy_json_similarity"):
        yield f"uipath_{kind}", {}
        yield f"uipath_{kind}", {"expected_output": ABSENT}
    yield "uipath_exact_match", {"expected_output": ABSENT, "negated": True}
    head = (answer or "nothing").splitlines()[0]  # as if it were the head of a table
    columns = {"target_sub_output_key": next(csv.reader([head]))}
    yield "uipath_legacy_csv_exact_match", columns
    yield "uipath_legacy_csv_exact_match", {**columns, "expected_output": f"{head}\n{ABSENT}"}
    for text in (answer or "nothing", ABSENT):
        yield "uipath_contains", {"search_text": text}
        yield "uipath_contains", {"search_text": text, "negated": True}
        yield "uipath_binary_classification", {"expected_class": text, "positive_class": text}
        classes = [answer or "nothing", ABSENT]
        yield "uipath_multiclass_classification", {"expected_class": text, "classes": classes}
    for name in {*(call.name for call in calls if call.name), ABSENT}:
        for sign in (">=", "<", "=", "!="):
            yield "uipath_tool_call_count", {"tool_calls_count": {name: (sign, 1)}}
            yield "uipath_tool_call_count", {"tool_calls_count": {name: (sign, 0)}}
    for strict in (False, True):
        names = [call.name for call in calls]
        yield "uipath_tool_call_order", {"tool_calls_order": names, "strict": strict}
        yield "uipath_tool_call_order", {"tool_calls_order": [ABSENT], "strict": strict}
        args = [{"name": call.name, "args": call.args or {}} for call in calls]
        yield "uipath_tool_call_args", {"tool_calls": args, "strict": strict}
        wrong = [{"name": call.name, "args": {"zeppelin": 1}} for call in calls]
        yield "uipath_tool_call_args", {"tool_calls": wrong, "strict": strict}
        told = [{"name": call.name, "output": ABSENT} for call in calls]
        yield "uipath_tool_call_output", {"tool_outputs": told, "strict": strict}
        said = [
            {"name": c.name, "output": c.response} for c in calls if isinstance(c.response, str)
        ]
        yield "uipath_tool_call_output", {"tool_outputs": said, "strict": strict}
        none = [{"name": call.name, "output": ""} for call in calls]
        yield "uipath_tool_call_output", {"tool_outputs": none, "strict": strict}


def _judged() -> Iterator[tuple[str, Settings]]:
    for kind in (
        "final_response_match_v2",
        "hallucinations_v1",
        "multi_turn_task_success_v1",
        "multi_turn_tool_use_quality_v1",
        "multi_turn_trajectory_quality_v1",
        "per_turn_user_simulator_quality_v1",
        "response_evaluation_score",
        "rubric_based_final_response_quality_v1",
        "rubric_based_multi_turn_trajectory_quality_v1",
        "rubric_based_tool_use_quality_v1",
        "safety_v1",
        "uipath_llm_judge_output_semantic_similarity",
        "uipath_llm_judge_output_strict_json_similarity",
        "uipath_llm_judge_trajectory_similarity",
        "uipath_llm_judge_trajectory_simulation",
    ):
        yield kind, {}
    yield "trajectory_goal_success", {"value": "it is done"}
    yield "rubric", {"rubrics": ["is right"]}
    yield "llm_judge", {}
    for place in ("question", "answer", "input", "output", "tool_calls"):
        yield "llm_judge", {"prompt": f"Look at {{{{{place}}}}}"}
    label = {
        "type": "label_model",
        "model": "m",
        "input": [{"role": "user", "content": "{{ item.actual_response }}"}],
        "labels": ["good", "bad"],
        "passing_labels": ["good"],
    }
    yield "openai_eval", {"grader": label}


def _list_compositions() -> Iterator[Grader]:
    """Yield compositions of which one part is about the answer, and one about the calls.

    In whole recordings, both parts of a composition pass, or both fail.
    """
    for negate in (True, False):
        yield from _compose(negate=negate)


def _compose(*, negate: bool) -> Iterator[Grader]:
    parts = (
        GRADERS["contains"](name="answer", value=ABSENT, negate=negate),
        GRADERS["trajectory_tool_used"](name="calls", value=({"name": ABSENT},), negate=negate),
    )
    for how in ("weighted_average", "minimum", "maximum", "all_or_nothing", "threshold"):
        aggregator = {"type": how, **({"threshold": 0.5} if how == "threshold" else {})}
        yield Composite(name=f"composite {how}", evaluators=parts, aggregator=aggregator)
    gate = {"type": "safety_gate", "required": ("calls",)}
    yield Composite(name="composite safety_gate", evaluators=parts, aggregator=gate)
    yield AssertSet(name="assert_set", evaluators=parts)
    yield AssertSet(name="assert_set by score", evaluators=parts, threshold=0.3)
    yield AssertSet(name="not assert_set", evaluators=parts, negate=True)
