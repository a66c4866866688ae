"""The payload that a code judge reads on stdin, under every name that a release of AgentV has.

The texts of the user, the arguments of tools and what these returned keep their keys."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agentevals.graders import judged_messages
from agentevals.graders.programs import code_judge_timeline
from agentevals.model.cases import Case, Status
from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.results import Result

Payload = dict[str, Any]

_PASSES, _IS_BORDERLINE = 0.8, 0.6

# each thing under all its names in snake case; the camel case of each is added
_QUESTION = ("question", "input_text")
_CRITERIA = ("criteria", "expected_outcome")
_ANSWER = ("answer", "candidate_answer", "output_text")
_REFERENCE = ("reference_answer", "expected_output_text")
_GIVEN = ("input", "input_messages")
_SAID = ("output", "messages", "output_messages")
_EXPECTED = ("expected_output", "expected_messages")
_GUIDELINES = ("guideline_files", "guideline_paths")
_OF_THE_RUN = ("token_usage", "cost_usd", "duration_ms", "start_time", "end_time")
_WHAT_WE_HAVE_NOT = ("file_changes", "workspace_path")

_DEGREES = tuple(Presence)  # from what is there to what is not
_MS = 1_000_000


def build_payload(case: Case, config: Mapping[str, Any]) -> Payload:
    """A case, with the judge's own settings. What is not known is null."""
    told = code_judge_timeline.add_times(
        judged_messages.list_agent_messages(case.turns), case.turns
    )
    said = to_snake_case(told)
    summed = summarise(case.turns, said)
    asked = judged_messages.list_input_messages(case)
    task = case.task
    return {
        **_spell_names(_QUESTION, judged_messages.read_question(case)),
        **_spell_names(_CRITERIA, case.criteria),
        **_spell_names(_ANSWER, case.answer),
        **_spell_names(_REFERENCE, (task.reference if task else "") or _read_reference(case)),
        **_spell_messages(_GIVEN, asked),
        **_spell_messages(_SAID, said),
        **_spell_messages(_EXPECTED, judged_messages.list_expected_messages(case)),
        **_spell_names(("input_files",), task.input_files if task else ()),
        **_spell_names(_GUIDELINES, task.guideline_files if task else ()),
        **_spell_names(("input_segments",), _list_segments(asked)),
        **_describe_summaries(summed, said),
        **_describe_run(summed),
        **_spell_names(_WHAT_WE_HAVE_NOT, None),
        **_describe_completeness(case.turns),
        "metadata": (task.metadata if task else None) or None,
        "config": dict(config) or None,
    }


def _describe_completeness(turns: Sequence[Turn]) -> Payload:
    """Tell how far all turns show each fact; nothing if no turn lacks one."""
    if not any(turn.gaps for turn in turns):
        return {}
    each = [turn.completeness for turn in turns]
    worst = {fact: max((one[fact] for one in each), key=_DEGREES.index) for fact in Fact}
    return {"completeness": worst}


def build_results(results: Mapping[str, Result]) -> Payload:
    """Build the payload with the results of a composite's evaluators."""
    return {"results": {name: _describe_result(result) for name, result in results.items()}}


def _spell_names(names: Iterable[str], value: Any) -> Payload:
    return {key: value for name in names for key in (name, to_camel(name))}


def _spell_messages(names: Iterable[str], given: list[dict[str, Any]]) -> Payload:
    """The keys inside are spelt as the key above them."""
    camel, snake = to_camel_case(given), to_snake_case(given)
    return {to_camel(name): camel for name in names} | dict.fromkeys(names, snake)


def _describe_run(summed: dict[str, Any]) -> Payload:
    named = (_spell_names((name,), summed[name]) for name in _OF_THE_RUN)
    return {key: value for pair in named for key, value in pair.items()}


def _describe_summaries(summed: dict[str, Any], said: list[dict[str, Any]]) -> Payload:
    camel = spell_keys(summed, to_camel)
    events = code_judge_timeline.list_events(said, summed["end_time"])
    return {
        "trace": summed | {"messages": said, "events": events},
        "trace_summary": summed,
        "traceSummary": camel,
        "candidate_trace_summary": camel,  # camel case inside, in the one release that had it
        "candidateTraceSummary": camel,
    }


def _read_reference(case: Case) -> str | None:
    return (case.expected[-1].response if case.expected else None) or None


def _list_segments(asked: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    texts = (message.get("content") for message in asked)
    return [{"type": "text", "value": text} for text in texts if isinstance(text, str)]


def _describe_result(result: Result) -> dict[str, Any]:
    return {
        "score": result.score,
        "verdict": _decide_verdict(result),
        "hits": result.hits,
        "misses": result.misses,
        "expectedAspectCount": max(1, len(result.hits) + len(result.misses)),
        **({"reasoning": result.reasoning} if result.reasoning else {}),
        **({"details": result.details} if result.details else {}),
        "evaluatorRawRequest": None,
    }


def _decide_verdict(result: Result) -> str:
    if result.status in {Status.ERROR, Status.NOT_EVALUATED} or result.score is None:
        return "skip"
    if result.vetoes or result.score < _IS_BORDERLINE:
        return "fail"
    return "pass" if result.score >= _PASSES else "borderline"


Record = dict[str, Any]

_CAMEL = {
    "cost_usd": "costUsd", "duration_ms": "durationMs", "end_time": "endTime",
    "start_time": "startTime", "token_usage": "tokenUsage", "tool_calls": "toolCalls",
}  # fmt: skip
_SNAKE = {camel: snake for snake, camel in _CAMEL.items()}


def to_camel(key: str) -> str:
    """A key of ours as JavaScript writes it."""
    first, *others = key.split("_")
    return first + "".join(word.capitalize() for word in others)


def to_snake_case(messages: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Messages as nearly every release of AgentV sends them. What users put in stays."""
    return [_spell_message(message, _SNAKE) for message in messages]


def to_camel_case(messages: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Messages as AgentV 1.6.1 sends them. What users put in stays."""
    return [_spell_message(message, _CAMEL) for message in messages]


def _spell_message(message: Mapping[str, Any], spelling: Mapping[str, str]) -> Record:
    found = _replace_keys(message, spelling)
    for key in ("tool_calls", "toolCalls"):
        if isinstance(found.get(key), list | tuple):
            found[key] = [_spell_call(call, spelling) for call in found[key]]
    return found


def _spell_call(call: Any, spelling: Mapping[str, str]) -> Any:
    return _replace_keys(call, spelling) if isinstance(call, Mapping) else call


def _replace_keys(record: Mapping[str, Any], spelling: Mapping[str, str]) -> Record:
    return {spelling.get(key, key): value for key, value in record.items()}


def spell_keys(record: Mapping[str, Any], spell: Callable[[str], str]) -> Record:
    """The keys of a record of ours, spelt in another way; what they lead to stays."""
    return {spell(key): value for key, value in record.items()}


def summarise(turns: Sequence[Turn], told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sum up the turns. `told` are the messages of the agent."""
    calls = list(judged_messages.list_tool_calls(turns))
    model_calls = sum(len(turn.model_calls) for turn in turns)
    spoken = sum(message.get("role") == "assistant" for message in told)
    by_name = dict(Counter(call.name for call in calls))
    return {
        "event_count": len(calls),
        "tool_names": sorted(by_name),
        "tool_calls_by_name": by_name,
        "tool_calls": by_name,
        "error_count": sum(call.failed for call in calls),
        "llm_call_count": model_calls or spoken,
        "tool_durations": _list_durations(calls),
        **measure(turns),
    }


def measure(turns: Sequence[Turn]) -> dict[str, Any]:
    """Tokens, money and time; null where nothing was recorded."""
    start, end = code_judge_timeline.find_span(turns)
    return {
        "token_usage": _add_tokens(turns),
        "cost_usd": _add_known(call.cost for turn in turns for call in turn.model_calls),
        "duration_ms": _add_known(_measure_turn(turn) for turn in turns),
        "start_time": code_judge_timeline.format_moment(start),
        "end_time": code_judge_timeline.format_moment(end),
    }


def _list_durations(calls: Iterable[ToolCall]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for call in calls:
        duration = code_judge_timeline.measure_call(call)
        if duration is not None:
            found.setdefault(call.name, []).append(duration)
    return found


def _add_tokens(turns: Sequence[Turn]) -> dict[str, int] | None:
    calls = [call for turn in turns for call in turn.model_calls]
    given = _add_known(call.input_tokens for call in calls)
    made = _add_known(call.output_tokens for call in calls)
    if given is None and made is None:
        return None
    cached = sum(call.cache_read_tokens for call in calls)
    told = {"input": int(given or 0), "output": int(made or 0)}
    return told | {"cached": cached} if cached else told


def _add_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _measure_turn(turn: Turn) -> float | None:
    return max(0, turn.end_ns - turn.start_ns) / _MS if turn.is_timed else None
